//go:build !unix

package cachedir

import (
	"errors"
	"os"
	"syscall"
)

// locks reports whether the cache can lock files, which it cannot do on this system. Therefore, the last process
// to create an entry wins, entries in use may be removed, and leftovers of a killed process are removed after a
// day.
const locks = false

func lock(*os.File, bool) bool { return true }

func lockWaiting(*os.File) error { return nil }

// FreeDisk reports that the free space on a directory's disk is unknown.
func FreeDisk(string) (bytes int64, known bool) { return 0, false }

// DiskSize reports that the size of a directory's disk is unknown.
func DiskSize(string) (bytes int64, known bool) { return 0, false }

// errDiskFull is ERROR_DISK_FULL of Windows.
const errDiskFull = syscall.Errno(112)

// IsFull reports whether the error means that a disk is full.
func IsFull(err error) bool { return errors.Is(err, errDiskFull) }
