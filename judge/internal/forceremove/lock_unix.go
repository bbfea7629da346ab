//go:build unix

package forceremove

import (
	"os"
	"syscall"
)

// locks reports whether directories can be locked.
const locks = true

// lock locks a directory until unlock is called or this process ends. It returns nil if another process holds the
// lock, or if the directory no longer exists.
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
