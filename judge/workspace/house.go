package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"

	"assay"
)

// houseFolder lays the puzzles of the house out in the cache, once for each
// version of them.
func (w *Workspace) houseFolder() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(assay.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := assay.Files.ReadFile(path)
		fmt.Fprintf(sum, "%q %d\n", path, len(data))
		sum.Write(data)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the puzzles of the house: %w", err)
	}
	name := hex.EncodeToString(sum.Sum(nil)[:8])
	return w.house.Add(context.Background(), name, func(dir string) error { return os.CopyFS(dir, assay.Files) })
}
