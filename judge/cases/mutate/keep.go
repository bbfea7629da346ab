package mutate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/internal/atomicfile"
	"assay/judge/problem"
)

// format rises when mutants are made or judged in another way.
const format = "mutants 1"

// Key is the hash of all that a report depends on: the problem folder, the cases, the
// programs and the bounds of the search.
func Key(f *problem.Folder, solutions []string, h Hunt, thorough bool) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, format, h.Seed, h.Count, thorough)
	add := func(path string) error {
		return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			fmt.Fprintf(sum, "%q %d\n", path, len(data))
			sum.Write(data)
			return err
		})
	}
	for _, path := range append([]string{f.Dir, f.Tests}, solutions...) {
		if err := add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("read what the score depends on: %w", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// Load reads a report that was kept; nil where there is none of this key.
func Load(cache, key string) *judge.AdequacyMeasured {
	data, err := os.ReadFile(kept(cache, key))
	var r judge.AdequacyMeasured
	if err != nil || json.Unmarshal(data, &r) != nil || r.Key != key || r.Format != judge.EventFormat {
		return nil
	}
	return &r
}

// Keep keeps a report in a cache.
func Keep(cache string, r *judge.AdequacyMeasured) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep the report: %w", err)
	}
	return atomicfile.Write(kept(cache, r.Key), data)
}

func kept(cache, key string) string { return filepath.Join(cache, "adequacy", key+".json") }
