//go:build unix

package sandbox

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// endGroup kills the group. What left the group stays alive: that is why this is
// no isolation.
func endGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

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
