//go:build !unix

package server

import (
	"fmt"
	"os"
)

// LockDir opens a file. This system has no file locks, so two processes could use one directory.
func LockDir(path, _ string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	return f, nil
}
