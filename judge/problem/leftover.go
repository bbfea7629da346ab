package problem

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// leftovers lists files that macOS and Windows put into directories and archives.
var leftovers = []string{".ds_store", "thumbs.db", "desktop.ini", "__macosx"}

// Leftover reports whether name is that of a file or directory which an operating system created, and which is not
// part of a problem. AppleDouble files such as ._a.in accompany other files.
func Leftover(name string) bool {
	return strings.HasPrefix(name, "._") || slices.Contains(leftovers, strings.ToLower(name))
}

// mostSeen is the maximum number of files that LeftoverNote examines.
const mostSeen = 20_000

// LeftoverNote returns a note about ignored files in the directory. It returns the empty string if there are none.
func (f *Directory) LeftoverNote() string {
	var found []string
	seen := 0
	_ = filepath.WalkDir(f.Dir, func(name string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > mostSeen {
			return fs.SkipDir // code that needs the directory reports the error
		}
		if name == f.Dir || !Leftover(d.Name()) {
			return nil
		}
		if rel, err := filepath.Rel(f.Dir, name); err == nil {
			found = append(found, rel)
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	const most = 3
	more := ""
	if n := len(found) - most; n > 0 {
		found, more = found[:most], fmt.Sprintf(" and %d more", n)
	}
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("ignored files of macOS or Windows: %s%s", strings.Join(found, ", "), more)
}
