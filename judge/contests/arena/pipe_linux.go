package arena

import (
	"fmt"
	"os"
	"syscall"
)

// pipe is os.Pipe, but for two ends that Go's runtime does not watch: it would be woken
// up by every line between a referee and a bot, in which we have no part, and so would
// cost more than the line itself.
func pipe() (r, w *os.File, err error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	return os.NewFile(uintptr(ends[0]), "pipe"), os.NewFile(uintptr(ends[1]), "pipe"), nil
}

// hurry lets a write to a pipe that is full fail, and not wait.
func hurry(w *os.File) error { return syscall.SetNonblock(int(w.Fd()), true) }
