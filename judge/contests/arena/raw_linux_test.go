package arena_test

import (
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// rawRead reads standard input without notifying Go's scheduler, which would cost more than the call itself. The
// benchmark's programs simulate programs in C. At EOF or on an error, rawRead returns 0 or less.
func rawRead(b []byte) int { return raw(syscall.SYS_READ, 0, b) }

// rawWrite writes to standard output in the same way.
func rawWrite(b []byte) { raw(syscall.SYS_WRITE, 1, b) }

func raw(call, fd uintptr, b []byte) int {
	for {
		n, _, err := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		if err != syscall.EINTR {
			return int(n)
		}
	}
}

// processors lists the CPUs on which this thread may run.
func processors() string {
	var set [16]uint64
	_, _, err := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if err != 0 {
		return err.Error()
	}
	var all []string
	for i := range 64 * len(set) {
		if set[i/64]>>(i%64)&1 == 1 {
			all = append(all, strconv.Itoa(i))
		}
	}
	return strings.Join(all, " ")
}

// cpuTime returns the CPU time that this process has used so far.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// limitDisk limits the size of files, in bytes.
func limitDisk(most uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most})
}
