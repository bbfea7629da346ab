package lang

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/judge/running/config"
)

// maxHeader is the maximum size in bytes of a header that is examined.
const maxHeader = 4 << 20

// addHeaders adds to a setter's program the headers that it includes but does not contain. The headers come from
// the function find and from the directories in judge.toml. If a header is not found there, the compiler must find
// it.
func (t *Toolbox) addHeaders(src *source, l *config.Language, find func(name string) ([]byte, bool)) {
	if len(l.Includes) == 0 {
		return
	}
	if find == nil {
		find = func(string) ([]byte, bool) { return nil, false }
	}
	for i := 0; i < len(src.files); i++ { // the list grows: headers include headers
		for _, expr := range l.Includes {
			re, err := regexp.Compile(expr)
			if err != nil {
				continue // package config has rejected it
			}
			for _, found := range re.FindAllSubmatch(src.files[i].data, -1) {
				name := path.Clean(string(found[1]))
				if len(found) < 2 || !filepath.IsLocal(name) || src.hasHeader(src.files[i].name, name) {
					continue
				}
				data, ok := find(name)
				if !ok {
					data, ok = t.UserHeader(name)
				}
				if ok {
					src.files = append(src.files, sourceFile{name, data})
				}
			}
		}
	}
}

// MissingHeader returns a header that a setter's program includes and that cannot be found, and where to get it.
// Only headers that judge.toml knows by name are considered, and a compiler may still have the header. If no
// header is missing, the name is empty.
func (t *Toolbox) MissingHeader(path string, l *config.Language, find func(name string) ([]byte, bool)) (name, from string, err error) {
	if len(l.Obtained) == 0 {
		return "", "", nil
	}
	src, err := t.readSource(path, l, BuildOptions{Guess: true})
	if err != nil {
		return "", "", err
	}
	t.addHeaders(src, l, func(wanted string) (data []byte, found bool) {
		if find != nil {
			data, found = find(wanted)
		}
		if !found {
			data, found = t.UserHeader(wanted)
		}
		if _, known := l.Obtained[wanted]; known && !found {
			name, from = wanted, l.Obtained[wanted]
		}
		return data, found
	})
	return name, from, nil
}

// hasHeader reports whether the program contains the header name that its file from includes.
func (src *source) hasHeader(from, name string) bool {
	beside := path.Join(path.Dir(from), name)
	return slices.ContainsFunc(src.files, func(f sourceFile) bool { return f.name == name || f.name == beside })
}

// UserHeader finds a header at the locations that the user has set for headers: directories, or single files.
func (t *Toolbox) UserHeader(name string) ([]byte, bool) {
	for _, dir := range t.cfg.Headers {
		if filepath.Base(dir) == path.Base(name) {
			dir = filepath.Dir(dir)
		}
		if rest, ok := strings.CutPrefix(dir, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				dir = filepath.Join(home, rest)
			}
		}
		if !filepath.IsAbs(dir) {
			continue
		}
		full := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(full); err != nil || !info.Mode().IsRegular() || info.Size() > maxHeader {
			continue
		}
		if data, err := os.ReadFile(full); err == nil {
			return data, true
		}
	}
	return nil, false
}
