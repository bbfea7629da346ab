//go:build !unix

package server

import (
	"fmt"
	"os"
)

// hold opens a file. Where there are no locks, nobody keeps two servers from one folder.
func hold(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of data: %w", err)
	}
	return f, nil
}
