//go:build !unix

package server

import (
	"fmt"
	"os"
)

// Hold opens a file. Where there are no locks, nobody keeps two from one folder.
func Hold(path, _ string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the folder of data: %w", err)
	}
	return f, nil
}
