//go:build !unix

package cachedir

import (
	"errors"
	"os"
	"syscall"
)

// Without locks the last one to make an entry wins, what is in use may go, and what
// a killed process left is swept a day later.
const locks = false

func lock(*os.File, bool) bool { return true }

func lockWaiting(*os.File) error { return nil }

// FreeDisk returns how many bytes are left on a directory's disk, if the system knows.
func FreeDisk(string) (bytes int64, known bool) { return 0, false }

// DiskSize returns how many bytes a directory's disk has, if the system knows.
func DiskSize(string) (bytes int64, known bool) { return 0, false }

// errDiskFull is what Windows says.
const errDiskFull = syscall.Errno(112)

// IsFull reports whether the error is one of a disk without room.
func IsFull(err error) bool { return errors.Is(err, errDiskFull) }
