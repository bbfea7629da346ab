//go:build unix

package server

import (
	"os/exec"
	"syscall"
)

// ownGroup starts cmd in a process group of its own. If the context of cmd is done, the whole group is killed. Kill
// kills what is left of the group after cmd has ended.
func ownGroup(cmd *exec.Cmd) (kill func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nothing may be left
		}
	}
}
