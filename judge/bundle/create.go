package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/blob"
)

// Source is a problem to be frozen.
type Source struct {
	Dir   string // directory of the problem
	Tests string // directory of its generated cases; may be missing, or the same as Dir
	// Drivers is the directory of the contest's own golf drivers. If it is empty or does not
	// exist, there are none.
	Drivers string
	// Cases lists generated cases stored elsewhere, by group.
	Cases map[string][]string
	// Exclude reports whether a directory or file of Dir is omitted. Its argument is the path in Dir.
	Exclude func(path string) bool
	// Follow returns the target of a link that leads out of Dir, and whether the link may be followed. If nil, no
	// such link may be followed.
	Follow func(link string) (target string, ok bool)
}

// The directories in a bundle for files from outside of the problem's directory.
const (
	TestsDir   = "testcases"    // generated cases
	DriversDir = "golf-drivers" // the contest's own golf drivers
)

// Create bundles a problem. Its files are read again when the bundle is written or laid out, and a file that has
// changed since then is an error.
func Create(s Source, findings *Findings, config []byte) (*Bundle, error) {
	f := &builder{paths: map[blob.Digest]string{}, follow: s.Follow}
	outer := map[string]string{}
	if s.Tests != "" && filepath.Clean(s.Tests) != filepath.Clean(s.Dir) {
		outer[TestsDir] = s.Tests
	}
	if s.Drivers != "" {
		outer[DriversDir] = s.Drivers
	}
	exclude := func(path string) bool {
		_, taken := outer[path]
		return taken || s.Exclude != nil && s.Exclude(path)
	}
	if err := f.addDir(s.Dir, "", exclude); err != nil {
		return nil, err
	}
	if err := f.addDirs(outer); err != nil {
		return nil, err
	}
	for group, files := range s.Cases {
		for _, file := range files {
			if err := f.addFile(file, path.Join(TestsDir, group, filepath.Base(file))); err != nil {
				return nil, err
			}
		}
	}
	return f.bundle(s.Dir, findings, config)
}

// Snapshot bundles whole directories under the given paths, without examining or changing their files. It omits
// missing directories. The parameter follow is as in Source.
func Snapshot(dirs map[string]string, follow func(link string) (target string, ok bool), config []byte) (*Bundle, error) {
	f := &builder{paths: map[blob.Digest]string{}, follow: follow}
	if err := f.addDirs(dirs); err != nil {
		return nil, err
	}
	return f.bundle("the snapshot", &Findings{Format: FindingsFormat}, config)
}

// bundle bundles the collected files.
func (f *builder) bundle(source string, findings *Findings, config []byte) (*Bundle, error) {
	data, err := findings.encode()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(f.files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	m := &Manifest{Files: f.files, Findings: Entry{Path: FindingsFile, Size: int64(len(data)), Digest: blob.DigestOf(data)}}
	if len(m.Files) > maxEntries {
		return nil, &judge.ProblemError{File: source, Text: fmt.Sprintf("the directory has more than %d files", maxEntries)}
	}
	if _, err := m.check(); err != nil {
		return nil, &judge.ProblemError{File: source, Text: "the directory cannot be frozen: " + err.Error(), Hint: "rename one of them"}
	}
	none := func() error { return nil }
	return &Bundle{Manifest: m, Findings: findings, Config: config, path: source, close: none, open: func(e Entry) (io.ReadCloser, error) {
		if e.Digest == m.Findings.Digest {
			return io.NopCloser(bytes.NewReader(data)), nil
		}
		return os.Open(f.paths[e.Digest])
	}}, nil
}

// builder collects the files of a bundle.
type builder struct {
	files []Entry
	paths map[blob.Digest]string // path of a file with this content
	// follow is the Follow function of the Source.
	follow func(link string) (target string, ok bool)
}

// addDirs adds whole directories under the given paths in the bundle. It omits missing directories.
func (f *builder) addDirs(dirs map[string]string) error {
	for _, at := range slices.Sorted(maps.Keys(dirs)) {
		if _, err := os.Stat(dirs[at]); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := f.addDir(dirs[at], at, func(string) bool { return false }); err != nil {
			return err
		}
	}
	return nil
}

// addDir adds a directory's files below the path prefix.
func (f *builder) addDir(dir, prefix string, exclude func(string) bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("freeze %s: %w", dir, err)
	}
	defer root.Close()
	return f.walk(root, ".", prefix, exclude)
}

// walk adds the files below a directory of root. It follows links that stay inside root.
func (f *builder) walk(root *os.Root, at, prefix string, exclude func(string) bool) error {
	where := filepath.Join(root.Name(), filepath.FromSlash(at))
	if strings.Count(at, "/") >= maxDepth {
		return &judge.ProblemError{
			File: where, Text: fmt.Sprintf("directories in directories, more than %d deep", maxDepth),
			Hint: "is there a link that leads back to a directory above it?",
		}
	}
	entries, err := fs.ReadDir(root.FS(), at)
	if err != nil {
		return fmt.Errorf("freeze %s: %w", where, err)
	}
	for _, e := range entries {
		name := path.Join(at, e.Name())
		if isLeftover(e.Name()) || exclude(name) {
			continue
		}
		here := filepath.Join(root.Name(), filepath.FromSlash(name))
		info, err := root.Stat(name)
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			if err = f.addLinkTarget(here, path.Join(prefix, name)); err == nil {
				continue
			}
			return err
		case err != nil:
			return fmt.Errorf("freeze %s: %w", here, err)
		case info.IsDir():
			err = f.walk(root, name, prefix, exclude)
		case !info.Mode().IsRegular():
			return &judge.ProblemError{File: here, Text: "only files and directories can be frozen", Hint: "remove it"}
		default:
			err = f.addFile(here, path.Join(prefix, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addLinkTarget adds the target of a link that leads out of the directory.
func (f *builder) addLinkTarget(link, name string) error {
	target, ok := "", false
	if f.follow != nil {
		target, ok = f.follow(link)
	}
	info, err := os.Stat(target)
	switch {
	case !ok || err != nil:
		return &judge.ProblemError{
			File: link, Text: "the link leads out of the directory, to nothing, or in a circle",
			Hint: "put a copy there",
		}
	case info.IsDir():
		return f.addDir(target, name, func(string) bool { return false })
	}
	return f.addFile(target, name)
}

// addFile adds a file under its name in the bundle.
func (f *builder) addFile(from, name string) error {
	if err := checkPath(name); err != nil {
		return &judge.ProblemError{File: from, Text: "the file cannot be frozen: " + err.Error(), Hint: "rename it"}
	}
	file, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("freeze %s: %w", from, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("freeze %s: %w", from, err)
	}
	sum := sha256.New()
	n, err := io.Copy(sum, file)
	if err != nil {
		return fmt.Errorf("freeze %s: %w", from, err)
	}
	d := blob.Digest(hex.EncodeToString(sum.Sum(nil)))
	f.files = append(f.files, Entry{Path: name, Size: n, Digest: d, Executable: info.Mode()&0o100 != 0})
	f.paths[d] = from
	return nil
}

// isLeftover reports whether a file was left behind by an editor, an interpreter, or version control. It returns
// false for .timelimit, a hidden file that belongs to a package.
func isLeftover(name string) bool {
	return strings.HasPrefix(name, ".") && name != ".timelimit" ||
		strings.HasSuffix(name, "~") ||
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") ||
		name == "__pycache__"
}
