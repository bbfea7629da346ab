//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// ownGroup starts the process in a group of its own, which can be killed whole.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup kills the group. What left the group stays alive: that is why this is
// no isolation.
func endGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

func alive(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }

// lockDir locks a directory until unlock is called; nil if somebody else has it.
func lockDir(dir string) (unlock func()) {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		f.Close()
		return nil
	}
	return func() { f.Close() }
}

// describe takes the facts from an ended process.
func describe(st *os.ProcessState, x *judge.Exec) {
	x.CPU = st.UserTime() + st.SystemTime()
	if ru, ok := st.SysUsage().(*syscall.Rusage); ok {
		x.Memory = int64(ru.Maxrss)
		if runtime.GOOS != "darwin" { // the others count in KiB
			x.Memory *= 1024
		}
	}
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		x.Signal = unix.SignalName(ws.Signal())
		return
	}
	x.Exit = st.ExitCode()
}
