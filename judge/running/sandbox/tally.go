//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// instructions counts what programs execute themselves, not what the kernel does
// for them.
var instructions = event{unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS}

// tally counts events of all programs that the forking thread starts. It stands
// still for the thread itself: what is forked inherits the event switched off, and
// execve switches it on. What a process counted is added to the tally at its end,
// so a run's count is the difference of two looks.
type tally struct {
	fd   int // -1 for none
	last [3]uint64
}

// openTally opens the tally. It must be called on the forking thread, before
// the filter is installed.
func openTally(e event) (tally, error) {
	attr := unix.PerfEventAttr{
		Type: e.Type, Config: e.Config, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
		Bits:        unix.PerfBitDisabled | unix.PerfBitInherit | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv | unix.PerfBitEnableOnExec,
	}
	fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	switch err {
	case nil:
		return tally{fd: fd}, nil
	case unix.ENOENT, unix.ENODEV, unix.EOPNOTSUPP:
		return tally{fd: -1}, fmt.Errorf("this machine has no counter for them (%w)", err)
	case unix.EACCES, unix.EPERM:
		return tally{fd: -1}, fmt.Errorf("the system does not let the judge count them (%w; see /proc/sys/kernel/perf_event_paranoid)", err)
	}
	return tally{fd: -1}, fmt.Errorf("open a counter: %w", err)
}

// count returns what was counted since the last look; 0 where it is not known, as
// the tally was not there for all of the time.
func (c *tally) count() int64 {
	if c.fd < 0 {
		return 0
	}
	now := c.last
	n, err := unix.Read(c.fd, unsafe.Slice((*byte)(unsafe.Pointer(&now[0])), unsafe.Sizeof(now)))
	if err != nil || n != int(unsafe.Sizeof(now)) {
		return 0
	}
	counted, enabled, ran := now[0]-c.last[0], now[1]-c.last[1], now[2]-c.last[2]
	c.last = now
	if ran < enabled {
		return 0
	}
	return int64(counted)
}
