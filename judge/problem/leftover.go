package problem

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// leftovers are what macOS and Windows put into folders that people look into or pack.
var leftovers = []string{".ds_store", "thumbs.db", "desktop.ini", "__macosx"}

// Leftover says whether a file or folder of this name is no part of a problem, but what a
// computer has left there. AppleDouble files, such as ._a.in, stand beside others.
func Leftover(name string) bool {
	return strings.HasPrefix(name, "._") || slices.Contains(leftovers, strings.ToLower(name))
}

// mostSeen bounds how many files are looked at for a note.
const mostSeen = 20_000

// LeftoverNote says what is passed over in the folder; "" for nothing.
func (f *Folder) LeftoverNote() string {
	var found []string
	seen := 0
	_ = filepath.WalkDir(f.Dir, func(name string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > mostSeen {
			return fs.SkipDir // whoever needs the folder tells
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
	return fmt.Sprintf("passed over, as macOS or Windows has left it: %s%s", strings.Join(found, ", "), more)
}
