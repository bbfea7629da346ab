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
	fault, misuse := &judge.Fault{Text: "bad"}, &judge.Misuse{Err: errors.New("no such file")}
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
		{judge.Faults{fault}, judge.Setter},
		{&judge.Misuse{Err: fault}, judge.Caller},
		{&judge.Misuse{Err: context.Canceled}, judge.Caller},
	} {
		if got := judge.Whose(test.err); got != test.want {
			t.Errorf("Whose(%v) = %q, want %q", test.err, got, test.want)
		}
	}
	if !errors.Is(&judge.Misuse{Err: context.Canceled}, context.Canceled) {
		t.Error("a misuse hides the mistake in it")
	}
}
