package arena

import (
	"fmt"
	"os"
	"syscall"
)

// pipe is like os.Pipe, but Go's runtime does not poll the two ends. Otherwise, every line between a referee and a
// bot would wake the runtime, which would cost more than the line itself.
func pipe() (r, w *os.File, err error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	return os.NewFile(uintptr(ends[0]), "pipe"), os.NewFile(uintptr(ends[1]), "pipe"), nil
}

// setNonblocking makes a write to a full pipe fail instead of blocking.
func setNonblocking(w *os.File) error { return syscall.SetNonblock(int(w.Fd()), true) }
