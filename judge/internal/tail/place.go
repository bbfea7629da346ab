package tail

import (
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"assay/judge/internal/pattern"
)

// place matches the position of a source line in the forms that language runtimes write: file.go:12, File
// "file.py", line 12, file.sh: line 12, at file.pl line 12, or file.java:12 in parentheses.
var place = pattern.New(`([^\s"'(:]+)(?:", line |: line | line |:)([0-9]+)`)

// SourcePosition returns the position in sources at which a program failed, according to its standard error. If the
// standard error names several positions, SourcePosition returns the innermost one. This is the last position in a Python
// traceback, and the first position for other languages. If no line names one of the sources, line is 0.
func SourcePosition(text string, sources []string) (file string, line int) {
	byName := map[string]string{}
	for _, s := range sources {
		byName[filepath.Base(s)] = s
	}
	if len(sources) == 1 { // a single file is built under another name
		for _, name := range []string{"main", "Main"} {
			byName[name+filepath.Ext(sources[0])] = sources[0]
		}
	}
	latest := false // use the last position
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

// maxSources is the maximum number of source files that Sources returns.
const maxSources = 1000

// Sources returns the source files of a program for SourcePosition. If path is a file, it returns only path.
func Sources(path string) (files []string) {
	_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error { // skip unreadable paths
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		if len(files) == maxSources {
			return filepath.SkipAll
		}
		return nil
	})
	return files
}

// Crashed reports whether a standard error shows that the language runtime ended the program, for example because
// of an uncaught exception.
func Crashed(text string) bool {
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(rest, "...") {
		return fatalMessages().MatchString(first) || exceptionName().MatchString(first)
	}
	var p reasonPicker
	for line := range strings.Lines(text) {
		p.addLine(line)
	}
	return p.final
}
