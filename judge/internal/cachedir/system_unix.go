//go:build unix

package cachedir

import (
	"errors"
	"os"
	"syscall"
)

// locks reports whether the system supports file locks.
const locks = true

// lock locks a file without waiting, exclusively if alone is set. It returns false if another process holds a
// conflicting lock.
func lock(f *os.File, alone bool) bool {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	return syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB) == nil
}

// lockWaiting waits for an exclusive lock on a file.
func lockWaiting(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}

// FreeDisk returns the number of bytes available to this user on a directory's disk. Known is false if the system
// does not report it.
func FreeDisk(dir string) (bytes int64, known bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

// DiskSize returns the size in bytes of a directory's disk. Known is false if the system does not report it.
func DiskSize(dir string) (bytes int64, known bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Blocks) * int64(st.Bsize), true
}

// IsFull reports whether the error means that a disk or quota is full.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
