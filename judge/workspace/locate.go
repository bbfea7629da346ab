package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/bundle"
	"assay/judge/internal/suggest"
	"assay/judge/packages"
	"assay/judge/packages/fill"
	"assay/judge/packages/icpc"
	"assay/judge/packages/polygon"
	"assay/judge/problem"
)

// Location is what the name of a problem stands for: a folder of the judge's own form, a
// package, or inputs with answers, perhaps unpacked from an archive or a bundle. A name
// is located once, by Workspace.Locate; whoever needs to know more of it takes its
// Location and does not look the name up again.
type Location struct {
	Name string // as it was typed
	Dir  string // the problem's folder
	// Recipe makes the cases of a package; nil for a package that brings no recipe, and
	// for what is no package.
	Recipe Recipe

	w        *Workspace
	tests    string  // the folder of the generated cases
	original string  // the archive or the package of which Dir is a copy, as people know it; "" where it is none
	thawed   *thawed // of a problem that came in a bundle, nil for others
}

// Locate finds the folder that a name stands for, and unpacks it if it is in an archive or
// a bundle. A bundle's languages and limits take the place of the contest's. What the
// contest does not have may be a problem of the house.
func (w *Workspace) Locate(name string) (*Location, error) {
	l := &Location{Name: name, w: w}
	if bundle.Is(name) && isFile(name) {
		var err error
		if name, l.thawed, err = w.layOut(name); err != nil {
			return nil, err
		}
	}
	var err error
	if l.Dir, l.tests, err = w.find(name); err != nil {
		return nil, err
	}
	if icpc.IsArchive(l.Dir) {
		if err := l.unpack(); err != nil {
			return nil, err
		}
	}
	l.Recipe = w.recipeIn(l.Dir)
	return l, nil
}

// find finds a problem of the contest, or one of the house.
func (w *Workspace) find(name string) (dir, tests string, err error) {
	dir, tests, err = problem.Find(packages.Formats, w.Root, name)
	missing, ok := errors.AsType[*problem.NotFoundError](err)
	if !ok {
		return dir, tests, err
	}
	lent, failed := w.Lent()
	switch {
	case failed != nil:
		return "", "", failed
	case slices.Contains(lent, name):
		root, _ := w.houseRoot()
		return problem.Find(packages.Formats, root, name)
	}
	own, _ := w.Own()
	if _, near := suggest.Closest(name, own); !near && !strings.ContainsRune(name, filepath.Separator) {
		if _, near := suggest.Closest(name, lent); near || missing.Hint == suggest.List(own) {
			missing.Hint = suggest.Hint(name, slices.Concat(own, lent))
		}
	}
	for _, root := range []string{"", w.Root} {
		if dir := filepath.Join(root, "problems", name); filepath.IsLocal(name) && exists(dir) {
			missing.Hint = fmt.Sprintf("the directory %s has no %s: write one, with at least: title = %q", w.Near(dir), problem.File, name)
			return "", "", err
		}
	}
	if w.House && !strings.ContainsRune(name, filepath.Separator) && !exists(name) {
		missing.Hint += "\nthese are the bundled problems: there is no judge.toml and no problem in a directory problems/ here or above" +
			"\nwrite the path of a problem directory, or start a contest: judge init <directory>"
	}
	return "", "", err
}

// unpack lays the archive at Dir out in the cache, once for each version of it, and makes
// it the location of the problem's folder there.
func (l *Location) unpack() error {
	archive := l.Dir
	f, err := os.Open(archive)
	if err != nil {
		return &judge.Fault{File: archive, Text: problem.Reason(err)}
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("read %s: %w", archive, err)
	}
	isProblem := func(dir string) bool { return problem.Is(packages.Formats, dir) || problem.IsPlain(dir) }
	base := strings.TrimSuffix(filepath.Base(archive), filepath.Ext(archive))
	home, err := l.w.archives.Add(context.Background(), hex.EncodeToString(sum.Sum(nil)[:16]), func(home string) error {
		_, err := icpc.Unpack(archive, filepath.Join(home, base), isProblem)
		return err
	})
	if err != nil {
		return err
	}
	if l.Dir, err = icpc.PackageIn(archive, filepath.Join(home, base), isProblem); err != nil {
		return err
	}
	l.original, l.tests = l.w.Near(archive), l.Dir
	if isFile(filepath.Join(l.Dir, problem.File)) {
		l.tests = filepath.Join(l.Dir, "testcases") // as of a folder outside any contest
	}
	return nil
}

// Brought says whether the problem is one of the house, which nobody can change.
func (l *Location) Brought() bool {
	root, err := l.w.houseRoot()
	rel, outside := filepath.Rel(root, l.Dir)
	return err == nil && outside == nil && filepath.IsLocal(rel)
}

// Recipe reads how the cases of a package are made; programs that are put together
// from several files go to the folder stage.
type Recipe func(stage string) (r *fill.Recipe, flaws, faults judge.Faults)

// recipeIn finds the recipe of a package; nil where it has none.
func (w *Workspace) recipeIn(dir string) Recipe {
	if polygon.Is(dir) {
		return func(string) (*fill.Recipe, judge.Faults, judge.Faults) { return polygon.Recipe(dir) }
	}
	if !icpc.Is(dir) {
		return nil
	}
	if !exists(filepath.Join(dir, filepath.FromSlash(fill.RecipeFile))) {
		script := fill.ScriptIn(w.Near(dir))
		if script == nil {
			return nil
		}
		return func(string) (*fill.Recipe, judge.Faults, judge.Faults) { return &fill.Recipe{Script: script}, nil, nil }
	}
	return func(stage string) (*fill.Recipe, judge.Faults, judge.Faults) {
		p := fill.PackageIn(dir, stage)
		if pkg, _ := icpc.Open(dir, w.Config.Solution); pkg != nil { // what is wrong with it is told when it is judged
			p.Constants = pkg.Constants
		}
		return fill.Generators(p)
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
