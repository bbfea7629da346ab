package sandbox

import (
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// keepThread has the process end with the thread that starts it, and keeps the caller
// on its thread.
func keepThread(cmd *exec.Cmd) (unlock func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

const canHold = true

// hold has a process stop before its first step, as one that is debugged does. The caller
// must keep to its thread from before the start until letGo. The process ends with that
// thread: if the judge were killed just now, the machine's first process would be its
// debugger, and never let it go.
func hold(attr *syscall.SysProcAttr) { attr.Ptrace, attr.Pdeathsig = true, syscall.SIGKILL }

// letGo has a held process begin.
func letGo(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	_ = unix.PtraceDetach(pid) // fails if it was killed meanwhile
}
