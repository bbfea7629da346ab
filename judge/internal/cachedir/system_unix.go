//go:build unix

package cachedir

import (
	"errors"
	"os"
	"syscall"
)

// locks says whether the system has locks.
const locks = true

// lock locks a file, alone or beside others, unless somebody else has it.
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

// FreeDisk says how many bytes are left on a folder's disk for this user, where the system
// tells it.
func FreeDisk(dir string) (bytes int64, known bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

// DiskSize says how many bytes a folder's disk has, where the system tells it.
func DiskSize(dir string) (bytes int64, known bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Blocks) * int64(st.Bsize), true
}

// IsFull says whether the error is one of a disk without room.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
