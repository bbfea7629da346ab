package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen increases the capacity of a pipe. If an unprivileged user has used up the allowed capacity, the pipe stays
// unchanged.
func widen(pipe *os.File) {
	onPipe(pipe, func(fd int) { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeSize) })
}

// block makes reads and writes of a pipe block their thread instead of using the poller. This takes a third of the
// time, if a goroutine serves only this pipe and need not be interrupted.
func block(pipe *os.File) {
	onPipe(pipe, func(fd int) { _ = unix.SetNonblock(fd, false) })
}

// ready reports whether a pipe has data to be read or has reached EOF. The parameter most is the maximum time to
// wait in milliseconds, or -1 for no maximum.
func ready(pipe *os.File, most int) (is bool) {
	onPipe(pipe, func(fd int) {
		err := error(unix.EINTR)
		for n := 0; err == unix.EINTR; is = n > 0 {
			n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, most)
		}
	})
	return is
}

func onPipe(f *os.File, do func(fd int)) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { do(int(fd)) })
	}
}
