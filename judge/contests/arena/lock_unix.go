//go:build unix

package arena

import (
	"os"
	"syscall"
)

// lock locks the log until it is closed or the judge exits. It reports whether another judge holds the lock.
func lock(f *os.File) (taken bool) {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}
