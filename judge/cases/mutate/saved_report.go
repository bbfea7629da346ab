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
	"strings"

	"assay/judge"
	"assay/judge/internal/atomicfile"
	"assay/judge/problem"
)

// formatVersion must be changed when mutants are generated or judged differently.
const formatVersion = "mutants 4"

// Roots returns the files and directories on which a report depends: the problem directory, its cases, and the
// solutions.
func Roots(f *problem.Directory, solutions []string) []string {
	return append([]string{f.Dir, f.Tests}, solutions...)
}

// Key hashes everything on which a report depends: the content of the roots, regardless of their location, and the
// limits of the search.
func Key(roots []string, h SearchBudget, thorough bool) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, formatVersion, h.Seed, h.Count, h.Shrink, thorough)
	add := func(root string) error {
		fmt.Fprintln(sum, "root", filepath.Base(root))
		return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			fmt.Fprintf(sum, "%q %d\n", filepath.ToSlash(rel), len(data))
			sum.Write(data)
			return err
		})
	}
	for _, root := range roots {
		if err := add(root); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("read the files that the score depends on: %w", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// storedReport is a stored report, with the names of the roots when it was stored.
type storedReport struct {
	Roots  []string
	Report *judge.AdequacyMeasured
}

// Load reads a stored report. It returns nil if there is none with this key. The stored names of the roots are
// replaced with their current names.
func Load(cache, key string, roots []string) *judge.AdequacyMeasured {
	data, err := os.ReadFile(reportPath(cache, key))
	var m storedReport
	if err != nil || json.Unmarshal(data, &m) != nil || m.Report == nil || m.Report.Key != key ||
		m.Report.Format != judge.EventFormat || len(m.Roots) != len(roots) {
		return nil
	}
	var names []string
	for i, root := range roots {
		if m.Roots[i] != root {
			was, err := json.Marshal(m.Roots[i])
			now, err2 := json.Marshal(root)
			if m.Roots[i] == "." || err != nil || err2 != nil {
				return nil
			}
			names = append(names, string(was[1:len(was)-1]), string(now[1:len(now)-1]))
		}
	}
	if json.Unmarshal([]byte(strings.NewReplacer(names...).Replace(string(data))), &m) != nil {
		return nil
	}
	return m.Report
}

// Save stores a report in a cache.
func Save(cache string, r *judge.AdequacyMeasured, roots []string) error {
	data, err := json.Marshal(storedReport{roots, r})
	if err != nil {
		return fmt.Errorf("keep the report: %w", err)
	}
	return atomicfile.Write(reportPath(cache, r.Key), data)
}

func reportPath(cache, key string) string { return filepath.Join(cache, "adequacy", key+".json") }
