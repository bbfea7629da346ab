package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"assay"
)

// houseFolder lays the puzzles of the house out in the cache, once for each
// version of them.
func houseFolder(cache string) (string, error) {
	sum := sha256.New()
	var files []string
	err := fs.WalkDir(assay.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assay.Files.ReadFile(path)
		fmt.Fprintf(sum, "%q %d\n", path, len(data))
		sum.Write(data)
		files = append(files, path)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the puzzles of the house: %w", err)
	}
	dir := filepath.Join(cache, "house-"+hex.EncodeToString(sum.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("lay out the puzzles of the house: %w", err)
	}
	tmp, err := os.MkdirTemp(cache, "house-tmp-*")
	if err != nil {
		return "", fmt.Errorf("lay out the puzzles of the house: %w", err)
	}
	defer os.RemoveAll(tmp)
	if err := os.CopyFS(filepath.Join(tmp, "house"), assay.Files); err != nil {
		return "", fmt.Errorf("lay out the puzzles of the house: %w", err)
	}
	if err := os.Rename(filepath.Join(tmp, "house"), dir); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("lay out the puzzles of the house: %w", err)
	}
	return dir, nil
}
