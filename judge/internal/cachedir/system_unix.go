//go:build unix

package cachedir

import (
	"errors"
	"os"
	"syscall"
)

// locks reports whether the system has locks.
const locks = true

// lock locks a file, alone or beside others, unless another process has it.
func lock(f *os.File, alone bool) bool {
	how := syscall.LOCK_SH
	if alone {
		how = syscall.LOCK_EX
	}
	return syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB) == nil
}

// lockWaiting locks a file alone.
func lockWaiting(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != syscall.EINTR {
			return err
		}
	}
}

// FreeDisk returns how many bytes are left on a directory's disk for this user, if the system
// knows.
func FreeDisk(dir string) (bytes int64, known bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

// DiskSize returns how many bytes a directory's disk has, if the system knows.
func DiskSize(dir string) (bytes int64, known bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Blocks) * int64(st.Bsize), true
}

// IsFull reports whether the error is one of a disk without room.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
