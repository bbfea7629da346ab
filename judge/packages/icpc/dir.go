package icpc

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// packageDir is a package's directory, from which files are read. A link that leads out of the directory is
// followed only within the package's repository. The format forbids such links, but repositories use them to share
// files, and other tools follow them.
type packageDir struct {
	own    *os.Root
	repo   *os.Root // nil if the package is not in a repository
	prefix string   // from repo to own, with slashes
	links  Links
}

// openDir opens the directory of a package.
func openDir(dir string) (*packageDir, error) {
	own, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &packageDir{own: own, links: Repository(dir)}
	if f.links.repo == "" {
		return f, nil
	}
	if rel, err := filepath.Rel(f.links.repo, f.links.dir); err == nil && filepath.IsLocal(rel) {
		if repo, err := os.OpenRoot(f.links.repo); err == nil { // on error, the package is treated as if it were alone
			f.repo, f.prefix = repo, filepath.ToSlash(rel)
		}
	}
	return f, nil
}

func (f *packageDir) Close() error {
	err := f.own.Close()
	if f.repo != nil {
		err = errors.Join(err, f.repo.Close())
	}
	return err
}

// Name returns the directory's path.
func (f *packageDir) Name() string { return f.own.Name() }

// follow calls do with a file of the directory, or with the link's target elsewhere in the repository.
func follow[T any](f *packageDir, name string, do func(root *os.Root, name string) (T, error)) (T, error) {
	got, err := do(f.own, name)
	if err == nil || f.repo == nil || errors.Is(err, fs.ErrNotExist) {
		return got, err
	}
	if _, ok := f.links.Follow(filepath.Join(f.Name(), filepath.FromSlash(name))); !ok {
		return got, err
	}
	return do(f.repo, path.Join(f.prefix, name))
}

func (f *packageDir) Stat(name string) (fs.FileInfo, error) { return follow(f, name, (*os.Root).Stat) }
func (f *packageDir) Open(name string) (*os.File, error)    { return follow(f, name, (*os.Root).Open) }
func (f *packageDir) ReadFile(name string) ([]byte, error) {
	return follow(f, name, (*os.Root).ReadFile)
}

// ReadDir lists a directory by name.
func (f *packageDir) ReadDir(name string) ([]fs.DirEntry, error) {
	return follow(f, name, func(root *os.Root, name string) ([]fs.DirEntry, error) { return fs.ReadDir(root.FS(), name) })
}

// linksOutside reports whether a file of the directory is a link to a file of the repository outside the directory.
func (f *packageDir) linksOutside(name string) bool {
	if f.repo == nil {
		return false
	}
	_, err := f.own.Stat(name)
	return err != nil
}

// Links determines which links out of a package may be followed.
type Links struct{ repo, dir string }

// maxParents is the maximum number of directories above a package that are searched for its repository.
const maxParents = 6

// repositoryMarkers lists files and directories that exist only at the top of a repository, even in an archive of it.
var repositoryMarkers = []string{".git", ".github", ".gitlab-ci.yml"}

// Repository finds the repository that contains a package. The repository is the root of a working copy (see
// repositoryMarkers) or, if there is no such root, the parent directory, if it contains other packages. The user's home
// directory is never a repository.
func Repository(dir string) Links {
	full, err := filepath.Abs(dir)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return Links{}
	}
	l := Links{dir: full}
	home, _ := os.UserHomeDir() // without a home directory there is nothing to protect
	above := full
	for range maxParents {
		above = filepath.Dir(above)
		if above == filepath.Dir(above) || above == home {
			break
		}
		for _, mark := range repositoryMarkers {
			if _, err := os.Stat(filepath.Join(above, mark)); err == nil {
				l.repo = above
				return l
			}
		}
	}
	if above = filepath.Dir(full); above != home && above != filepath.Dir(above) && hasOtherPackage(above, full) {
		l.repo = above
	}
	return l
}

// hasOtherPackage reports whether a directory contains a package other than the directory `but`.
func hasOtherPackage(parent, except string) bool {
	entries, _ := os.ReadDir(parent) // an unreadable directory is treated as empty
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		dir := filepath.Join(parent, e.Name())
		return e.IsDir() && dir != except && IsPackage(dir)
	})
}

// Follow returns the target of a link out of the package, and reports whether the link may be followed. The target
// must be in the same repository. It must not be hidden, and must not contain the package.
func (l Links) Follow(link string) (target string, ok bool) {
	if l.repo == "" {
		return "", false
	}
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return "", false
	}
	if target, err = filepath.Abs(target); err != nil {
		return "", false
	}
	if up, err := filepath.Rel(target, l.dir); err != nil || filepath.IsLocal(up) {
		return "", false
	}
	rel, err := filepath.Rel(l.repo, target)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.HasPrefix(part, ".") {
			return "", false
		}
	}
	return target, true
}
