//go:build unix

package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"assay/judge"
)

// LockDir locks a file until it is closed or this process exits, so that no two servers or workers use one directory.
// If another process holds the lock, Hold returns an error. The argument what describes the caller in the error.
func LockDir(path, owner string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, &judge.UsageError{Err: fmt.Errorf("another %s uses the directory %s", owner, filepath.Dir(path))}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	return f, nil
}
