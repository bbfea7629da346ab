package sandbox

import (
	"context"
	"os/exec"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
)

// TestPlainEndsInTime checks that a process that ended in time is not killed for its wall time limit if a busy
// judge has not noticed the end yet.
func TestPlainEndsInTime(t *testing.T) {
	for _, row := range []struct {
		name  string
		argv  []string
		ended bool
		want  error
	}{
		{"it has ended", []string{"true"}, true, nil},
		{"it goes on", []string{"sleep", "1h"}, false, errWall},
		{"it goes on in a child", []string{"sh", "-c", "sleep 1h & wait"}, false, errWall},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := exec.CommandContext(t.Context(), row.argv[0], row.argv[1:]...)
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := c.Start(); err != nil {
				t.Skip(err)
			}
			defer func() {
				endGroup(c.Process)
				_ = c.Wait()
			}()
			for end := time.Now().Add(3 * time.Minute); hasEnded(c.Process.Pid) != row.ended; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("has it ended? %v", !row.ended)
				}
			}
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				stop := watchPlain(ctx, cancel, c.Process, judge.Limits{Wall: time.Second})
				time.Sleep(time.Minute)
				if got := stop(); got.cause != row.want {
					t.Errorf("killed for %v, want %v", got.cause, row.want)
				}
			})
		})
	}
}
