// Package atomicfile writes files that are either there as a whole or not at
// all: it writes beside the file and renames. It does not lock: of two writers
// the last one wins.
package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
)

// Write writes data to path, with the directories above it.
func Write(path string, data []byte) error { return write(path, data, 0o755, 0o644) }

// WriteSecret writes data to path so that only its owner can read it; new directories above it
// are the owner's alone, too.
func WriteSecret(path string, data []byte) error { return write(path, data, 0o700, 0o600) }

func write(path string, data []byte, folder, file os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), folder); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(tmp.Name()) // after the rename there is nothing to remove
	if _, err := tmp.Write(data); err != nil {
		tmp.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := tmp.Chmod(file); err != nil {
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
