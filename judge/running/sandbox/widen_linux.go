package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen makes a pipe hold more. A user without rights may have used up what is
// allowed; then the pipe stays as it is.
func widen(pipe *os.File) {
	onPipe(pipe, func(fd int) { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeSize) })
}

// block has reads and writes of a pipe block their thread instead of waiting for the
// poller: quicker by two thirds, where a pipe has a goroutine of its own that nobody
// needs to interrupt.
func block(pipe *os.File) {
	onPipe(pipe, func(fd int) { _ = unix.SetNonblock(fd, false) })
}

// ready tells whether there is something to read in a pipe, or its end. It waits so many
// milliseconds for that, or, for -1, until it is so.
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
