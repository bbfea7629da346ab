//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// TestTally counts with a clock of the kernel, which every machine has, in place of
// instructions, which virtual machines often have not.
func TestTally(t *testing.T) {
	dir, tried := sandboxtest.Programs(t), 0
	for _, r := range sandbox.Rungs() {
		if r == sandbox.None {
			continue
		}
		s, err := sandbox.New(sandbox.TaskClock(sandbox.Options{Isolation: string(r), Workers: 1}))
		if err != nil {
			continue // TestRungs says what this machine lacks
		}
		tried++
		t.Run(string(r), func(t *testing.T) {
			defer s.Close()
			if why := s.Report().Uncounted; why != "" {
				t.Skipf("the kernel counts nothing here: %s", why)
			}
			run := func(argv ...string) judge.Exec {
				t.Helper()
				c := noopCommand(dir + "/noop")
				c.Argv, c.Env = argv, []string{"ASSAY_HOSTILE=1"}
				c.Limits.CPU, c.Limits.Wall = time.Minute, time.Minute
				x, err := s.Run(t.Context(), c)
				if err != nil || x.Exit != 0 {
					t.Fatalf("%q: %+v, %v", argv, x, err)
				}
				return x
			}
			busy := run("/program/hostile", "burn-in-children", "2", "100ms")
			if share := float64(busy.Instructions) / float64(busy.CPU); share < 0.5 || share > 1.1 {
				t.Errorf("counted %v of %v: children are to count, and nothing twice", time.Duration(busy.Instructions), busy.CPU)
			}
			if idle := run("/program/noop"); idle.Instructions > busy.Instructions/4 {
				t.Errorf("a program that does nothing after one that took %d counts %d", busy.Instructions, idle.Instructions)
			}
		})
	}
	if tried == 0 {
		t.Skip("this machine gives no isolation, so there are no zygotes that count")
	}
}

func TestUncounted(t *testing.T) {
	s := newSandbox(t, sandbox.NoCounter(sandbox.Options{Workers: 1}))
	if why := s.Report().Uncounted; s.Rung() != sandbox.None && why == "" {
		t.Error("the report does not say that nothing is counted")
	}
	x, err := s.Run(t.Context(), noopCommand(sandboxtest.Programs(t)+"/noop"))
	if err != nil || x.Exit != 0 || x.Instructions != 0 {
		t.Errorf("Run() = %+v, %v", x, err)
	}
}

// TestPin looks at the processors that a program may use.
func TestPin(t *testing.T) {
	s := newSandbox(t, sandbox.Options{Workers: 2, Pin: true})
	if s.Rung() == sandbox.None {
		t.Skip("plain processes are not kept on a processor")
	}
	for range 4 {
		var out strings.Builder
		c := noopCommand(sandboxtest.Programs(t) + "/noop")
		c.Argv, c.Env, c.Stdout = []string{"/program/hostile", "processors"}, []string{"ASSAY_HOSTILE=1"}, &out
		if x, err := s.Run(t.Context(), c); err != nil || x.Exit != 0 || out.String() != "1\n" {
			t.Errorf("a program may use %q processors: %+v, %v", out.String(), x, err)
		}
	}
}
