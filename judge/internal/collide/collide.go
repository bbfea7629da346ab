// Package collide finds file names that cannot are in one directory on every system: equal names,
// names that differ only in the case of letters or in how letters with accents are composed, and a
// file that would also be a directory. It compares names only; it reads no disk.
package collide

import (
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// First returns the index of the first path that collides with an earlier one, and both names, as
// they are written. Directories end in "/", and may be listed more than once. If no paths collide,
// the index is -1. Paths are clean and relative, as in fs.ValidPath.
func First(paths []string) (i int, earlier, later string) {
	seen := map[string]string{} // folded name, without "/": the name as first written
	for i, name := range paths {
		for first := true; name != "./"; first = false {
			key := fold(strings.TrimSuffix(name, "/"))
			was, known := seen[key]
			isDir := strings.HasSuffix(name, "/")
			if known && (was != name || !isDir) {
				return i, was, name
			}
			if known && !first { // and so is all above it
				break
			}
			seen[key] = name
			name = path.Dir(strings.TrimSuffix(name, "/")) + "/"
		}
	}
	return -1, "", ""
}

// fold makes names equal that differ only in the case of letters, or in how they are composed.
func fold(name string) string {
	return norm.NFD.String(strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, norm.NFD.String(name)))
}
