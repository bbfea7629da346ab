package sandbox

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuOf is the CPU time that a running process has used, without its children.
func cpuOf(pid int) time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(processClock(pid), &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// processClock is the clock of a process's CPU time; see clock_getcpuclockid(3).
func processClock(pid int) int32 { return int32(^pid)<<3 | 2 }
