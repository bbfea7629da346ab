package lang

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/judge/internal/mark"
	"assay/judge/running/config"
)

// source is a submitted program, read once, with the file names that it has in the build.
type source struct {
	path      string // as the user wrote it
	single    string // name of a single file in the build; empty for a directory
	files     []sourceFile
	sources   []string          // names of the files that are compiled
	entryFile string            // explicitly chosen entry file of a program with several files; empty if none
	words     map[string]string // values for the language's commands
	lines     int               // lines of compiler output to show; zero means the default
}

type sourceFile struct {
	name string // in the build directory, with slashes
	data []byte
}

// readSource reads the file or directory called name as a program in the language.
func (t *Toolbox) readSource(name string, l *config.Language, extra BuildOptions) (*source, error) {
	info, err := statSource(name)
	if err != nil {
		return nil, err
	}
	src := &source{path: name, words: map[string]string{}, lines: extra.Lines}
	if info.IsDir() {
		err = t.readDir(src, l, extra)
	} else {
		err = t.readSingle(src, l, info)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(src.files, func(a, b sourceFile) int { return strings.Compare(a.name, b.name) })
	slices.Sort(src.sources)
	return src, nil
}

// statSource returns the file information of a submitted file or directory.
func statSource(name string) (fs.FileInfo, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, unusable(name, siblings(name), "no such file or directory")
	case err != nil:
		return nil, fmt.Errorf("read the program: %w", err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, unusable(name, "", "is %s, not a file or directory", kindOf(info.Mode()))
	case !info.IsDir() && info.Size() == 0:
		return nil, unusable(name, emptyHint, "the file is empty")
	}
	return info, nil
}

// emptyHint is the hint for an empty file.
const emptyHint = "write the program into it, and save it"

// blank reports whether a source, in UTF-8 or UTF-16, contains only blanks and line ends. A tab is not treated as
// blank, because there are languages that consist of white space and require tabs.
func blank(data []byte) bool {
	for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
		data = bytes.TrimPrefix(data, []byte(mark))
	}
	return len(bytes.Trim(data, " \r\n\x00")) == 0
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// readSingle reads a single file.
func (t *Toolbox) readSingle(src *source, l *config.Language, info fs.FileInfo) error {
	most := t.cfg.Source.Size
	if l.MaxSize > 0 {
		most = int64(l.MaxSize)
	}
	if most > 0 && info.Size() > most {
		return unusable(src.path, "", "has %s; a program in %s may have %s", sizeWords(info.Size()), l.Name, sizeWords(most))
	}
	data, err := os.ReadFile(src.path)
	if err != nil {
		return fmt.Errorf("read the program: %w", err)
	}
	if blank(data) {
		return unusable(src.path, emptyHint, "the file contains only blank lines")
	}
	if err := checkExecutable(src.path, data); err != nil {
		return err
	}
	data = unmarked(path.Base(src.path), data, l)
	ext := extension(src.path)
	if !slices.Contains(l.Extensions, ext) && len(l.Extensions) > 0 {
		ext = l.Extensions[0]
	}
	src.words[config.Ext] = ext
	find(l, [][]byte{data}, src.words)
	src.single = fill(l.File, src.words)
	src.words[config.Entry] = src.single
	src.files = []sourceFile{{src.single, data}}
	src.sources = []string{src.single}
	return nil
}

// readDir reads all files of a directory, except hidden ones.
func (t *Toolbox) readDir(src *source, l *config.Language, extra BuildOptions) error {
	root, err := os.OpenRoot(src.path)
	if err != nil {
		return fmt.Errorf("read the program: %w", err)
	}
	defer root.Close()
	left := t.cfg.Source.Size
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("read the program: %w", err)
		case name != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return unusable(filepath.Join(src.path, name), "only files and directories can be submitted", "is %s", kindOf(d.Type()))
		case !utf8.ValidString(name) || strings.ContainsAny(name, "\n\r\x00"):
			return unusable(filepath.Join(src.path, name), "rename the file", "has a name that build commands cannot handle")
		case t.cfg.Source.Files > 0 && len(src.files) == t.cfg.Source.Files:
			return unusable(src.path, "", "has more than %d files", t.cfg.Source.Files)
		}
		data, err := readSome(root, name, left)
		if err != nil {
			return err
		}
		if data == nil {
			return unusable(src.path, "", "has files of more than %s together", sizeWords(t.cfg.Source.Size))
		}
		left -= int64(len(data))
		if slices.Contains(l.Extensions, extension(name)) {
			src.sources = append(src.sources, name)
		}
		if slices.Contains(l.Extensions, extension(name)) || len(l.Scripts) > 0 {
			data = unmarked(name, data, l)
		}
		src.files = append(src.files, sourceFile{name, data})
		return nil
	})
	if err != nil {
		return err
	}
	if len(l.Scripts) > 0 && len(src.sources) == 0 {
		return nil // the directory's script decides
	}
	if len(src.sources) > 0 && !slices.ContainsFunc(src.files, func(f sourceFile) bool { return !blank(f.data) }) {
		return unusable(
			filepath.Join(src.path, filepath.FromSlash(src.sources[0])), emptyHint,
			"the file is empty, and so is every file of the directory",
		)
	}
	return src.chooseEntry(l, extra)
}

// unmarked returns a source without the byte order mark that some editors write and some compilers reject. In a
// code page, the bytes of the mark are ordinary characters. If a language allows only Unix line ends, Windows line
// ends are converted.
func unmarked(name string, data []byte, l *config.Language) []byte {
	if l.Page != "" {
		return data
	}
	script := len(l.Scripts) == 0 || slices.Contains(l.Scripts, name) && bytes.IndexByte(data, 0) < 0
	if l.UnixLines && (script || bytes.HasPrefix(data, []byte("#!"))) {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return bytes.TrimPrefix(data, []byte("\ufeff"))
}

// readSome reads a file of at most most bytes. For a larger file it returns nil.
func readSome(root *os.Root, name string, maxSize int64) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	if int64(len(data)) > maxSize {
		return nil, nil
	}
	return append([]byte{}, data...), nil
}

// chooseEntry chooses the source in a directory with which the program starts.
func (src *source) chooseEntry(l *config.Language, extra BuildOptions) error {
	if len(src.sources) == 0 {
		return unusable(
			src.path, "program files end in "+strings.Join(dotted(l.Extensions), ", "),
			"the directory has no %s program", l.Name,
		)
	}
	entry := src.sources[0]
	named := len(src.sources) == 1
	if name := standardEntry(l.Entry, src.sources); name != "" {
		entry, named = name, true
	} else if name := src.onlyUnmentioned(); name != "" && extra.Guess {
		entry = name
	}
	for _, name := range src.sources {
		if extra.Entry != "" && (name == extra.Entry || strings.TrimSuffix(name, path.Ext(name)) == extra.Entry) {
			entry, named = name, true
		}
	}
	if named {
		src.entryFile = entry
	}
	named = named || extra.Guess && mentions(l, config.Entry) // otherwise it does not matter which file is first
	if !named && mentions(l, config.Entry) {
		return unusable(
			src.path,
			"name it "+strings.Join(l.Entry, " or ")+"; if each file is a separate program, submit each one separately",
			"the directory has no entry point: which of %s starts the program?", strings.Join(src.sources, ", "),
		)
	}
	var texts [][]byte // the entry file, or all files if it does not matter which one is first
	for _, f := range src.files {
		if f.name == entry || !named && slices.Contains(src.sources, f.name) {
			texts = append(texts, f.data)
		}
	}
	src.words[config.Entry], src.words[config.Ext] = entry, extension(entry)
	find(l, texts, src.words)
	return nil
}

// onlyUnmentioned returns the only source that no other source mentions. Units and libraries are mentioned by the sources
// that use them. It returns the empty string if there is no such source, or more than one.
func (src *source) onlyUnmentioned() string {
	var found []string
	for _, name := range src.sources {
		word := regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(strings.TrimSuffix(path.Base(name), path.Ext(name))) + `\b`)
		if !slices.ContainsFunc(src.files, func(f sourceFile) bool {
			return f.name != name && slices.Contains(src.sources, f.name) && word.Match(f.data)
		}) {
			found = append(found, name)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return ""
}

// standardEntry returns a source with one of the usual names. It prefers a source in the top directory. If there is
// none, it returns the only source with a usual name below the top directory, such as src/main.rs. If there is not
// exactly one, it returns the empty string.
func standardEntry(names, sources []string) string {
	for _, name := range names {
		if slices.Contains(sources, name) {
			return name
		}
	}
	below := slices.DeleteFunc(slices.Clone(sources), func(name string) bool { return !slices.Contains(names, path.Base(name)) })
	if len(below) == 1 {
		return below[0]
	}
	return ""
}

// readable replaces the file names in a compiler's log with the names that the contestant knows.
func (src *source) readable(log string) string {
	log = strings.ReplaceAll(log, buildDir+"/", "")
	base := filepath.Base(src.path)
	if src.single == "" || src.single == base {
		return log
	}
	name := regexp.MustCompile(`(^|[^\w./-])(?:\./)?` + regexp.QuoteMeta(src.single) + `\b`)
	return name.ReplaceAllString(log, "${1}"+strings.ReplaceAll(strings.ToValidUTF8(base, "?"), "$", "$$"))
}

// utf16Error returns an error text if a file is UTF-16, which few compilers accept. Otherwise it returns the empty
// string.
func (src *source) utf16Error() string {
	for _, f := range src.files {
		if mark.IsUTF16(f.data) {
			return src.readable(f.name) + " is UTF-16: save it as UTF-8"
		}
	}
	return ""
}

// importsKit reports whether any file imports the language's kit.
func (src *source) importsKit(l *config.Language) bool {
	if l.Kit.Import == "" {
		return false
	}
	imports := regexp.MustCompile(l.Kit.Import)
	return slices.ContainsFunc(src.files, func(f sourceFile) bool { return imports.Match(f.data) })
}

// extension returns a name's extension without the dot.
func extension(name string) string { return strings.TrimPrefix(path.Ext(filepath.ToSlash(name)), ".") }

func dotted(extensions []string) []string {
	all := make([]string, len(extensions))
	for i, e := range extensions {
		all[i] = "." + e
	}
	return all
}

// sizeWords formats a number of bytes as text.
func sizeWords(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.bytes {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(u.bytes)), ".0") + " " + u.name
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
