//go:build unix

package check_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/internal/forceremove/forceremovetest"
	"assay/judge/running/check"
	"assay/judge/running/sandbox"
)

func TestTheEndOfTheContextEndsPrograms(t *testing.T) {
	box := newBox(t, "")
	for _, speaks := range []string{"kit", "testlib", "kattis"} {
		c := program(t, box, speaks, judge.Limits{})
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err := c.Check(ctx, request("hang"))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: Check = %v, want %v", speaks, err, context.DeadlineExceeded)
		}
		if o := ask(t, c, "right"); o.Verdict != judge.Accepted {
			t.Errorf("%s: the next Check = %s %q", speaks, o.Verdict, o.Message)
		}
	}
}

// endsAtStart is a runner that cancels a context when it starts a program.
type endsAtStart struct {
	judge.Runner
	end context.CancelFunc
}

func (r *endsAtStart) Start(ctx context.Context, c *judge.Command) (judge.Process, error) {
	r.end()
	return r.Runner.Start(ctx, c)
}

// TestTheContextEndsAsAProgramStarts checks that the next case is still judged if the context is canceled while a
// program starts.
func TestTheContextEndsAsAProgramStarts(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	c := program(t, &endsAtStart{newBox(t, ""), end}, "kit", judge.Limits{})
	if _, err := c.Check(ctx, request("right")); !errors.Is(err, context.Canceled) {
		t.Errorf("Check = %v, want %v", err, context.Canceled)
	}
	if o := ask(t, c, "right"); o.Verdict != judge.Accepted {
		t.Errorf("the next Check = %s %q", o.Verdict, o.Message)
	}
}

// levels is more than the number of files that the test process may keep open.
const levels = 1000

// TestProgramsLeaveNothing checks that no directories remain, however deep they are.
func TestProgramsLeaveNothing(t *testing.T) {
	forceremovetest.FewFiles(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	box := newBox(t, sandbox.None)
	for _, speaks := range []string{"kit", "testlib", "kattis"} {
		c, err := check.Program(box, &judge.SetterProgram{Protocol: speaks, Args: arguments[speaks]}, self(t, speaks),
			judge.Limits{Wall: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		ask(t, c, "folders")
		ask(t, c, "folders") // this empties the directory first
		if err := c.Close(); err != nil {
			t.Errorf("%s: Close: %v", speaks, err)
		}
	}
	left, err := filepath.Glob(dir + "/checker-*")
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
