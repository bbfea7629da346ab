package tail

import (
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"assay/judge/internal/pattern"
)

// place is a line of a source in what language runtimes write: file.go:12, File "file.py", line 12, file.sh: line 12,
// at file.pl line 12, or file.java:12 in parentheses.
var place = pattern.New(`([^\s"'(:]+)(?:", line |: line | line |:)([0-9]+)`)

// Place returns where in one of some source files a program ended, as its standard error says. It
// returns the innermost place: the last in a traceback of Python, and the first elsewhere. If no
// line names one of the files, line is 0.
func Place(text string, sources []string) (file string, line int) {
	byName := map[string]string{}
	for _, s := range sources {
		byName[filepath.Base(s)] = s
	}
	if len(sources) == 1 { // a single file is built under another name
		for _, name := range []string{"main", "Main"} {
			byName[name+filepath.Ext(sources[0])] = sources[0]
		}
	}
	latest := false // the last place counts
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, "Traceback (most recent call last)") {
			latest = true
		}
		for _, m := range place().FindAllStringSubmatch(l, -1) {
			source, known := byName[filepath.Base(filepath.ToSlash(m[1]))]
			if n, err := strconv.Atoi(m[2]); known && err == nil && n > 0 && (latest || line == 0) {
				file, line = source, n
			}
		}
	}
	return file, line
}

// mostSources is how many files of a program are looked at.
const mostSources = 1000

// Sources returns the files of a program, for Place. If path is a file, it is the only one.
func Sources(path string) (all []string) {
	_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error { // what cannot be read is no source
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		if len(all) == mostSources {
			return filepath.SkipAll
		}
		return nil
	})
	return all
}

// Crashed reports whether a standard error says that a run time ended the program, such as for an
// exception that it does not catch.
func Crashed(text string) bool {
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(rest, "...") {
		return ends().MatchString(first) || named().MatchString(first)
	}
	var p picker
	for line := range strings.Lines(text) {
		p.see(line)
	}
	return p.sure
}
