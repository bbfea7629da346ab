package gen

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"unicode/utf8"

	"assay/judge/internal/pattern"
)

// literal matches a whole number in a program's text.
var literal = pattern.New(`\b(0[xX][0-9a-fA-F]+|[0-9]{1,19}(?:[eE][0-9]{1,2})?)\b`)

// Literals returns the whole numbers in the sources of programs. Each path is a file or a directory. Files that
// are not text are ignored.
func Literals(paths ...string) []int64 {
	found := map[int64]bool{}
	for _, path := range paths {
		filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return nil // the search also works without the numbers of an unreadable file
			}
			if info, err := e.Info(); err != nil || info.Size() > 1<<20 {
				return nil
			}
			data, err := os.ReadFile(file)
			if err != nil || !utf8.Valid(data) {
				return nil
			}
			for _, word := range literal().FindAllString(string(data), -1) {
				if n, err := strconv.ParseInt(word, 0, 64); err == nil {
					found[n] = true
				} else if f, err := strconv.ParseFloat(word, 64); err == nil && f <= 1e18 {
					found[int64(f)] = true
				}
			}
			return nil
		})
	}
	var all []int64
	for n := range found {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}
