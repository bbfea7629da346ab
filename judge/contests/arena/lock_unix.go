//go:build unix

package arena

import (
	"os"
	"syscall"
)

// lock makes the log ours until it is closed or the judge ends, however it does. It
// reports whether another judge has it.
func lock(f *os.File) (taken bool) {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}
