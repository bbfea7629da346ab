//go:build unix

package sandbox

import (
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"assay/judge"
)

// isHostRoot reports whether this process has the rights of the machine's user 0. User 0 of a user namespace may
// be any user outside the namespace. If the system does not report which user that is, isHostRoot returns true for
// user 0.
func isHostRoot() bool {
	if os.Geteuid() != 0 {
		return false
	}
	table, err := os.ReadFile("/proc/self/uid_map")
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "0" {
			return f[1] == "0"
		}
	}
	return err != nil || len(table) == 0
}

// endGroup kills the process group. Processes that have left the group survive, because plain processes are not
// isolated.
func endGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// describe sets the fields of x for an ended process.
func describe(st *os.ProcessState, x *judge.Exec) {
	x.CPU = st.UserTime() + st.SystemTime()
	if ru, ok := st.SysUsage().(*syscall.Rusage); ok {
		x.Memory = int64(ru.Maxrss)
		if runtime.GOOS != "darwin" { // other systems count in KiB
			x.Memory *= 1024
		}
	}
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		x.Signal = unix.SignalName(ws.Signal())
		return
	}
	x.Exit = st.ExitCode()
}
