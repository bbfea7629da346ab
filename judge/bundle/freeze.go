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
	// Without reports whether a directory or file of Dir is omitted. Its argument is the path in Dir.
	Without func(path string) bool
	// Follow returns the target of a link that leads out of Dir, and whether the link may be followed. If nil, no
	// such link may be followed.
	Follow func(link string) (target string, ok bool)
}

// The directories in a bundle for files from outside of the problem's directory.
const (
	TestsFolder   = "testcases"    // generated cases
	DriversFolder = "golf-drivers" // the contest's own golf drivers
)

// Freeze bundles a problem. Its files are read again when the bundle is written or laid out, and a file that has
// changed since then is an error.
func Freeze(s Source, found *Frozen, config []byte) (*Bundle, error) {
	f := &freezer{paths: map[blob.Digest]string{}, follow: s.Follow}
	outer := map[string]string{}
	if s.Tests != "" && filepath.Clean(s.Tests) != filepath.Clean(s.Dir) {
		outer[TestsFolder] = s.Tests
	}
	if s.Drivers != "" {
		outer[DriversFolder] = s.Drivers
	}
	without := func(path string) bool {
		_, taken := outer[path]
		return taken || s.Without != nil && s.Without(path)
	}
	if err := f.dir(s.Dir, "", without); err != nil {
		return nil, err
	}
	if err := f.dirs(outer); err != nil {
		return nil, err
	}
	for group, files := range s.Cases {
		for _, file := range files {
			if err := f.file(file, path.Join(TestsFolder, group, filepath.Base(file))); err != nil {
				return nil, err
			}
		}
	}
	return f.bundle(s.Dir, found, config)
}

// Snapshot bundles whole directories under the given paths, without examining or changing their files. It omits
// missing directories. The parameter follow is as in Source.
func Snapshot(folders map[string]string, follow func(link string) (target string, ok bool), config []byte) (*Bundle, error) {
	f := &freezer{paths: map[blob.Digest]string{}, follow: follow}
	if err := f.dirs(folders); err != nil {
		return nil, err
	}
	return f.bundle("the snapshot", &Frozen{Format: FrozenFormat}, config)
}

// bundle bundles the collected files.
func (f *freezer) bundle(from string, found *Frozen, config []byte) (*Bundle, error) {
	data, err := found.encode()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(f.files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	m := &Manifest{Files: f.files, Frozen: Entry{Path: FrozenFile, Size: int64(len(data)), Digest: blob.Of(data)}}
	if len(m.Files) > maxEntries {
		return nil, &judge.Fault{File: from, Text: fmt.Sprintf("the directory has more than %d files", maxEntries)}
	}
	if _, err := m.check(); err != nil {
		return nil, &judge.Fault{File: from, Text: "the directory cannot be frozen: " + err.Error(), Hint: "rename one of them"}
	}
	none := func() error { return nil }
	return &Bundle{Manifest: m, Frozen: found, Config: config, from: from, close: none, open: func(e Entry) (io.ReadCloser, error) {
		if e.Digest == m.Frozen.Digest {
			return io.NopCloser(bytes.NewReader(data)), nil
		}
		return os.Open(f.paths[e.Digest])
	}}, nil
}

// freezer collects the files of a bundle.
type freezer struct {
	files []Entry
	paths map[blob.Digest]string // path of a file with this content
	// follow is the Follow function of the Source.
	follow func(link string) (target string, ok bool)
}

// dirs adds whole directories under the given paths in the bundle. It omits missing directories.
func (f *freezer) dirs(all map[string]string) error {
	for _, at := range slices.Sorted(maps.Keys(all)) {
		if _, err := os.Stat(all[at]); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := f.dir(all[at], at, func(string) bool { return false }); err != nil {
			return err
		}
	}
	return nil
}

// dir adds a directory's files below the path prefix.
func (f *freezer) dir(dir, prefix string, without func(string) bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("freeze %s: %w", dir, err)
	}
	defer root.Close()
	return f.walk(root, ".", prefix, without)
}

// walk adds the files below a directory of root. It follows links that stay inside root.
func (f *freezer) walk(root *os.Root, at, prefix string, without func(string) bool) error {
	where := filepath.Join(root.Name(), filepath.FromSlash(at))
	if strings.Count(at, "/") >= maxDepth {
		return &judge.Fault{
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
		if leftBehind(e.Name()) || without(name) {
			continue
		}
		here := filepath.Join(root.Name(), filepath.FromSlash(name))
		info, err := root.Stat(name)
		switch {
		case err != nil && e.Type()&fs.ModeSymlink != 0:
			if err = f.outside(here, path.Join(prefix, name)); err == nil {
				continue
			}
			return err
		case err != nil:
			return fmt.Errorf("freeze %s: %w", here, err)
		case info.IsDir():
			err = f.walk(root, name, prefix, without)
		case !info.Mode().IsRegular():
			return &judge.Fault{File: here, Text: "only files and directories can be frozen", Hint: "remove it"}
		default:
			err = f.file(here, path.Join(prefix, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// outside adds the target of a link that leads out of the directory.
func (f *freezer) outside(link, name string) error {
	target, ok := "", false
	if f.follow != nil {
		target, ok = f.follow(link)
	}
	info, err := os.Stat(target)
	switch {
	case !ok || err != nil:
		return &judge.Fault{File: link, Text: "the link leads out of the directory, to nothing, or in a circle", Hint: "put a copy there"}
	case info.IsDir():
		return f.dir(target, name, func(string) bool { return false })
	}
	return f.file(target, name)
}

// file adds a file under its name in the bundle.
func (f *freezer) file(from, name string) error {
	if err := checkPath(name); err != nil {
		return &judge.Fault{File: from, Text: "the file cannot be frozen: " + err.Error(), Hint: "rename it"}
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

// leftBehind reports whether a file was left behind by an editor, an interpreter, or version control. It returns
// false for .timelimit, a hidden file that belongs to a package.
func leftBehind(name string) bool {
	return strings.HasPrefix(name, ".") && name != ".timelimit" ||
		strings.HasSuffix(name, "~") ||
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") ||
		name == "__pycache__"
}
