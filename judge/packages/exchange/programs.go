package exchange

import (
	"fmt"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/problem"
)

// stage copies a program of the package with its constants filled in.
func (m *importer) stage(from, to, entry string) error {
	tmp, err := os.MkdirTemp("", "assay-exchange-")
	if err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	defer os.RemoveAll(tmp)
	staged, err := m.pkg.Stage(from, tmp, nil, entry)
	if err != nil {
		return err
	}
	return copyTree(staged.Path, to)
}

// included matches an include directive of a C or C++ source.
var included = pattern.New(`(?m)^\s*#\s*include\s*["<]([\w./-]+\.h(?:pp)?)[">]`)

// program copies a setter's program to the new problem directory, under the name key. A single file keeps its
// extension. The function returns the name of the copy. It also copies headers from elsewhere in the package.
func (m *importer) program(from, key string) (string, error) {
	info, err := os.Stat(from)
	if err != nil {
		return "", &judge.ProblemError{File: from, Text: problem.Reason(err)}
	}
	headers := map[string][]byte{}
	if !info.IsDir() {
		m.headers(from, from, headers)
	}
	if !info.IsDir() && len(headers) == 0 {
		name := key + filepath.Ext(from)
		return name, m.stage(from, filepath.Join(m.dir, name), "")
	}
	to := filepath.Join(m.dir, key)
	if info.IsDir() {
		if err := m.stage(from, to, ""); err != nil {
			return "", err
		}
		return key, m.addHeaders(from, to)
	}
	if err := m.stage(from, filepath.Join(to, filepath.Base(from)), ""); err != nil {
		return "", err
	}
	for name, data := range headers {
		if err := write(filepath.Join(to, filepath.FromSlash(name)), data, 0o644); err != nil {
			return "", fmt.Errorf("copy the headers of %s: %w", from, err)
		}
	}
	return key, nil
}

// addHeaders adds to the copy of a program the headers that its sources include and that the copy lacks.
func (m *importer) addHeaders(from, to string) error {
	entries, err := os.ReadDir(to)
	if err != nil {
		return fmt.Errorf("copy the headers of %s: %w", from, err)
	}
	headers := map[string][]byte{}
	for _, e := range entries {
		if e.Type().IsRegular() {
			m.headers(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()), headers)
		}
	}
	for name, data := range headers {
		file := filepath.Join(to, filepath.FromSlash(name))
		if _, err := os.Lstat(file); err == nil {
			continue // its own
		}
		if err := write(file, data, 0o644); err != nil {
			return fmt.Errorf("copy the headers of %s: %w", from, err)
		}
	}
	return nil
}

// headers finds the headers that a source includes, directly or indirectly.
func (m *importer) headers(program, source string, found map[string][]byte) {
	data, err := os.ReadFile(source)
	if err != nil {
		return // the copy reports the error
	}
	m.headersOf(program, data, found)
}

func (m *importer) headersOf(program string, data []byte, found map[string][]byte) {
	for _, match := range included().FindAllSubmatch(data, -1) {
		name := string(match[1])
		if found[name] != nil || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		if header, ok := m.pkg.Header(program)(name); ok {
			found[name] = header
			m.headersOf(program, header, found)
		}
	}
}
