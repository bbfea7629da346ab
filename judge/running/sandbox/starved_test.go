//go:build linux

package sandbox_test

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"assay/judge"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// TestBusyMachine runs a computing program and many others on one CPU. The program's wait for the CPU must not
// count as idleness. The test also covers the start of Go programs, whose threads hand over to each other.
func TestBusyMachine(t *testing.T) {
	dir := sandboxtest.Programs(t)
	for _, level := range sandbox.Levels() {
		if level == sandbox.None {
			continue // this level does not pin programs to a CPU
		}
		s, err := sandbox.New(sandbox.Options{Workers: 1, Isolation: string(level), Pin: true})
		if err != nil {
			t.Logf("this machine does not give the level: %v", err)
			continue
		}
		t.Run(string(level), func(t *testing.T) {
			defer s.Close()
			occupy(t, dir, 8)
			x, err := s.Run(t.Context(), &judge.Command{
				Argv: []string{"/program/hostile", "burn", "200ms"}, Env: []string{"ASSAY_HOSTILE=1", "GORACE=atexit_sleep_ms=0"},
				Mounts: []judge.Mount{{Host: dir, At: "/program"}},
				Limits: judge.Limits{CPU: time.Minute, Wall: 500 * time.Millisecond},
			})
			if err != nil || x.Killed != judge.NoResource || x.Exit != 0 {
				t.Errorf("Run() = %+v, %v, want no fault", x, err)
			}
			x, err = s.Run(t.Context(), &judge.Command{
				Argv: []string{"/program/hostile", "sleep", "1h"}, Env: []string{"ASSAY_HOSTILE=1"},
				Mounts: []judge.Mount{{Host: dir, At: "/program"}},
				Limits: judge.Limits{Wall: 500 * time.Millisecond},
			})
			if err != nil || x.Killed != judge.WallTime {
				t.Errorf("Run() of one that sleeps = %+v, %v, want killed for its wall time", x, err)
			}
		})
	}
}

// occupy runs programs that spin on the first CPU until the test ends.
func occupy(t *testing.T, dir string, programs int) {
	t.Helper()
	var allowed, first unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	for i := range 1024 {
		if allowed.IsSet(i) {
			first.Set(i)
			break
		}
	}
	for range programs {
		cmd := exec.Command(filepath.Join(dir, "spin"))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		if err := unix.SchedSetaffinity(cmd.Process.Pid, &first); err != nil {
			t.Fatal(err)
		}
	}
}
