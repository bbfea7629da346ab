package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// cpuOf returns the CPU time used by a running process, without its children.
func cpuOf(pid int) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(processClock(pid), &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// processClock returns the clock for a process's CPU time; see clock_getcpuclockid(3).
func processClock(pid int) int32 { return int32(^pid)<<3 | 2 }

// delayOf returns how long the main thread of a process has waited for a CPU.
func delayOf(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if f := bytes.Fields(text); len(f) > 1 {
		ns, _ := strconv.ParseInt(string(f[1]), 10, 64)
		return time.Duration(ns)
	}
	return 0
}

// hasEnded reports whether all threads of a child have ended, even if the child has not been waited for.
func hasEnded(pid int) bool {
	var seen unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &seen, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == unix.ECHILD || err == nil && seen.Signo != 0
}

// memoryOf returns the peak memory of a running process in bytes, without its children.
func memoryOf(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range bytes.Lines(text) {
		if peak, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kib, _ := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(peak), []byte(" kB"))), 10, 64)
			return kib << 10
		}
	}
	return 0
}

// ownMaxRSS returns the peak memory of this process in bytes. The kernel also charges it to a new child, because
// both share their memory until the child executes its program.
func ownMaxRSS() int64 {
	var own unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &own)
	return own.Maxrss << 10
}
