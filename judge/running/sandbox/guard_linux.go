package sandbox

import (
	"os/exec"
	"runtime"
	"syscall"
)

// keepThread has the process end with the thread that starts it, and keeps the caller
// on its thread.
func keepThread(cmd *exec.Cmd) (unlock func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
