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

// Source is a problem that is to be frozen.
type Source struct {
	Dir   string // its directory
	Tests string // that of its generated cases; it may be missing, or be Dir itself
	// Drivers is the directory of the contest's own golf drivers. If it is empty or does not
	// exist, there are none.
	Drivers string
	// Cases are generated cases that stand elsewhere, by group.
	Cases map[string][]string
	// Without reports whether a directory or file of Dir is omitted, by path.
	Without func(path string) bool
	// Follow says where a link out of Dir leads, and whether it may be followed; nil is no
	// such link.
	Follow func(link string) (target string, ok bool)
}

// Where files outside of the problem's directory go in a bundle.
const (
	TestsFolder   = "testcases"    // generated cases
	DriversFolder = "golf-drivers" // the contest's own golf drivers
)

// Freeze makes a bundle of a problem. Its files are read again when the bundle is
// written or laid out; one that has changed until then is an error.
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

// Snapshot makes a bundle of unchanged directories, by their paths in the bundle. It leaves
// out those that are missing, and finds out nothing about them. Follow is as in Source.
func Snapshot(folders map[string]string, follow func(link string) (target string, ok bool), config []byte) (*Bundle, error) {
	f := &freezer{paths: map[blob.Digest]string{}, follow: follow}
	if err := f.dirs(folders); err != nil {
		return nil, err
	}
	return f.bundle("the snapshot", &Frozen{Format: FrozenFormat}, config)
}

// bundle makes the bundle of what was gathered.
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

// freezer gathers the files of a bundle.
type freezer struct {
	files []Entry
	paths map[blob.Digest]string // a file with these bytes
	// follow is that of the source.
	follow func(link string) (target string, ok bool)
}

// dirs adds whole directories, by their paths in the bundle. It omits those that are
// missing.
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

// walk adds the files below a directory of root. Links are followed as far as root goes.
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

// outside adds what a link out of the directory leads to.
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

// file adds one file under the name that it has in the bundle.
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

// leftBehind reports whether a file is one that editors, interpreters and version control
// leave after. The hidden file .timelimit is part of a package.
func leftBehind(name string) bool {
	return strings.HasPrefix(name, ".") && name != ".timelimit" ||
		strings.HasSuffix(name, "~") ||
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") ||
		name == "__pycache__"
}
