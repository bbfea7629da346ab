package judge_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"assay/judge"
)

// TestWhoseFaultAnErrorIs checks that the outermost Blamed in a chain determines the party at fault.
func TestWhoseFaultAnErrorIs(t *testing.T) {
	fault, misuse := &judge.ProblemError{Text: "bad"}, &judge.UsageError{Err: errors.New("no such file")}
	for _, test := range []struct {
		err  error
		want judge.Blame
	}{
		{nil, judge.NoBlame},
		{errors.New("disk on fire"), judge.Machine},
		{context.DeadlineExceeded, judge.Machine},
		{fmt.Errorf("case 1: %w", context.Canceled), judge.Interrupted},
		{fmt.Errorf("open: %w", misuse), judge.Caller},
		{fmt.Errorf("open: %w", fault), judge.Setter},
		{judge.ProblemErrors{fault}, judge.Setter},
		{&judge.UsageError{Err: fault}, judge.Caller},
		{&judge.UsageError{Err: context.Canceled}, judge.Caller},
	} {
		if got := judge.BlameOf(test.err); got != test.want {
			t.Errorf("Whose(%v) = %q, want %q", test.err, got, test.want)
		}
	}
	if !errors.Is(&judge.UsageError{Err: context.Canceled}, context.Canceled) {
		t.Error("a misuse hides the mistake in it")
	}
}
