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

// Hold locks a file for as long as this process lives, or until it is closed: two servers,
// or two workers, on one folder would not notice each other otherwise. The error says that
// another one, of what the caller is, has it.
func Hold(path, what string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of data: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, &judge.Misuse{Err: fmt.Errorf("another %s uses the folder %s", what, filepath.Dir(path))}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock the folder of data: %w", err)
	}
	return f, nil
}
