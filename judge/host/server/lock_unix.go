//go:build unix

package server

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"assay/judge"
)

// hold locks a file for as long as this process lives, or until it is closed. Two servers
// on one folder would not notice each other otherwise.
func hold(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of data: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, &judge.Misuse{Err: fmt.Errorf("another server uses the folder of %s", path)}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock the folder of data: %w", err)
	}
	return f, nil
}
