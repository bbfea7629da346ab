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

// folder is a package's folder, from which files are read. A link that leads out of it is
// followed only as far as the Repository goes; the format forbids it, but repositories
// share files so, and other tools read them.
type folder struct {
	own    *os.Root
	repo   *os.Root // nil where the package stands alone
	prefix string   // from repo to own, with slashes
	links  Links
}

// openFolder opens the folder of a package.
func openFolder(dir string) (*folder, error) {
	own, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{own: own, links: Repository(dir)}
	if f.links.repo == "" {
		return f, nil
	}
	if rel, err := filepath.Rel(f.links.repo, f.links.dir); err == nil && filepath.IsLocal(rel) {
		if repo, err := os.OpenRoot(f.links.repo); err == nil { // else the package is as if alone
			f.repo, f.prefix = repo, filepath.ToSlash(rel)
		}
	}
	return f, nil
}

func (f *folder) Close() error {
	err := f.own.Close()
	if f.repo != nil {
		err = errors.Join(err, f.repo.Close())
	}
	return err
}

// Name is the folder's path.
func (f *folder) Name() string { return f.own.Name() }

// follow does something with a file of the folder, or with the one of the repository
// that a link leads to.
func follow[T any](f *folder, name string, do func(root *os.Root, name string) (T, error)) (T, error) {
	got, err := do(f.own, name)
	if err == nil || f.repo == nil || errors.Is(err, fs.ErrNotExist) {
		return got, err
	}
	if _, ok := f.links.Follow(filepath.Join(f.Name(), filepath.FromSlash(name))); !ok {
		return got, err
	}
	return do(f.repo, path.Join(f.prefix, name))
}

func (f *folder) Stat(name string) (fs.FileInfo, error) { return follow(f, name, (*os.Root).Stat) }
func (f *folder) Open(name string) (*os.File, error)    { return follow(f, name, (*os.Root).Open) }
func (f *folder) ReadFile(name string) ([]byte, error)  { return follow(f, name, (*os.Root).ReadFile) }

// ReadDir lists a folder by name.
func (f *folder) ReadDir(name string) ([]fs.DirEntry, error) {
	return follow(f, name, func(root *os.Root, name string) ([]fs.DirEntry, error) { return fs.ReadDir(root.FS(), name) })
}

// leaves says whether a file of the folder is one of the repository's, outside of it.
func (f *folder) leaves(name string) bool {
	if f.repo == nil {
		return false
	}
	_, err := f.own.Stat(name)
	return err != nil
}

// Links knows how far links out of a package may lead.
type Links struct{ repo, dir string }

// maxAbove is how many folders above a package its repository is looked for.
const maxAbove = 6

// marks are what only the top of a repository has, also where it was unpacked.
var marks = []string{".git", ".github", ".gitlab-ci.yml"}

// Repository finds the repository that a package stands in: the folder of a working copy
// (see marks), or else the folder above that holds other packages too. A package that stands
// alone has none, and the user's home folder does not count.
func Repository(dir string) Links {
	full, err := filepath.Abs(dir)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return Links{}
	}
	l := Links{dir: full}
	home, _ := os.UserHomeDir() // a user without one has none to protect
	above := full
	for range maxAbove {
		above = filepath.Dir(above)
		if above == filepath.Dir(above) || above == home {
			break
		}
		for _, mark := range marks {
			if _, err := os.Stat(filepath.Join(above, mark)); err == nil {
				l.repo = above
				return l
			}
		}
	}
	if above = filepath.Dir(full); above != home && above != filepath.Dir(above) && hasOthers(above, full) {
		l.repo = above
	}
	return l
}

// hasOthers says whether a folder holds packages beside one.
func hasOthers(above, but string) bool {
	entries, _ := os.ReadDir(above) // unreadable: none that anybody can tell
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		dir := filepath.Join(above, e.Name())
		return e.IsDir() && dir != but && Is(dir)
	})
}

// Follow says where a link out of the package leads, and whether it may be followed: to
// what is in the same repository, not hidden, and no folder that the package stands in.
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
