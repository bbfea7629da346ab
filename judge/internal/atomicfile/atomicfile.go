// Package atomicfile writes files atomically: it writes a temporary file in the same directory and renames it. It
// does not lock, so the last of several writers wins.
package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
)

// Write writes data to path and creates missing directories.
func Write(path string, data []byte) error { return write(path, data, 0o755, 0o644) }

// WriteSecret is like Write, but only the owner can access the file and the directories that it creates.
func WriteSecret(path string, data []byte) error { return write(path, data, 0o700, 0o600) }

func write(path string, data []byte, dirMode, fileMode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(tmp.Name()) // no effect after the rename
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := tmp.Chmod(fileMode); err != nil {
		tmp.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := tmp.Close(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
