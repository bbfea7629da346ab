package sandbox

import (
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// keepThread sets cmd so that the process ends with the thread that starts it. It locks the caller to that thread
// until unlock is called.
func keepThread(cmd *exec.Cmd) (unlock func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

const canHold = true

// hold makes a process stop before its first instruction, like a traced process. The caller must stay on the same
// thread from before the start until it calls letGo. The kernel kills the process if that thread ends. So the
// process does not stay stopped forever if the judge is killed before letGo.
func hold(attr *syscall.SysProcAttr) { attr.Ptrace, attr.Pdeathsig = true, syscall.SIGKILL }

// letGo lets a held process continue.
func letGo(pid int) {
	for unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	_ = unix.PtraceDetach(pid) // fails only if the process was killed meanwhile
}
