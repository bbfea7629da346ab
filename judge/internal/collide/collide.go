// Package collide finds file names that cannot exist in the same directory on every system: equal names, names
// that differ only in letter case or in the composition of accented letters, and a file with the name of a
// directory. It compares only names and does not access the disk.
package collide

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// First returns the index of the first path that collides with an earlier one, and both names as written.
// Directories end in "/" and may be listed more than once. If no paths collide, the index is -1. Paths must be
// clean and relative, as in fs.ValidPath.
func First(paths []string) (i int, earlier, later string) {
	seen := map[string]string{} // maps folded names, without "/", to the first spelling
	for i, name := range paths {
		for first := true; name != "./"; first = false {
			key := fold(strings.TrimSuffix(name, "/"))
			was, known := seen[key]
			isDir := strings.HasSuffix(name, "/")
			if known && (was != name || !isDir) {
				return i, was, name
			}
			if known && !first { // then its parents are known as well
				break
			}
			seen[key] = name
			name = path.Dir(strings.TrimSuffix(name, "/")) + "/"
		}
	}
	return -1, "", ""
}

// fold returns the same string for names that differ only in letter case or in the composition of letters.
func fold(name string) string {
	return norm.NFD.String(strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, norm.NFD.String(name)))
}
