//go:build unix

package raze

import (
	"os"
	"syscall"
)

// locks reports whether directories can be locked.
const locks = true

// lock locks a directory for as long as this process lives. It returns nil if another process has the
// lock, or if the directory does not exist any more.
func lock(dir string) (unlock func() error) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	held := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
	mine, err := f.Stat()
	now, err2 := os.Lstat(dir)
	if !held || err != nil || err2 != nil || !os.SameFile(mine, now) {
		f.Close()
		return nil
	}
	return f.Close
}
