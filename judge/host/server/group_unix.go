//go:build unix

package server

import (
	"os/exec"
	"syscall"
)

// startInGroup makes cmd start in a separate process group. If the context of cmd is done, the whole group is killed.
// The returned function kills the remaining processes of the group after cmd has exited.
func startInGroup(cmd *exec.Cmd) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nothing may remain
		}
	}
}
