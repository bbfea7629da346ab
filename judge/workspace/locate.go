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

// Location is the result of looking up a problem name: a problem directory, a package, or inputs with answers,
// possibly unpacked from an archive or a bundle. Workspace.Locate looks up a name once; all other code uses its
// Location.
type Location struct {
	Name string // as typed
	Dir  string // the problem's directory
	// Recipe makes the cases of a package. It is nil if the problem is not a package or has no recipe.
	Recipe Recipe

	w        *Workspace
	casesDir string          // directory of the generated cases
	original string          // archive or package that Dir is a copy of; empty if Dir is not a copy
	unpacked *unpackedBundle // nil if the problem is not in a bundle
}

// Locate finds the problem with this name, and unpacks it if it is in an archive or a bundle. The languages and
// limits of a bundle replace those of the contest. If the contest has no such problem, Locate looks for a bundled
// problem.
func (w *Workspace) Locate(name string) (*Location, error) {
	l := &Location{Name: name, w: w}
	if bundle.IsBundleFile(name) && isFile(name) {
		var err error
		if name, l.unpacked, err = w.unpackBundle(name); err != nil {
			return nil, err
		}
	}
	var err error
	if l.Dir, l.casesDir, err = w.findProblem(name); err != nil {
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

// findProblem finds a problem of the contest, or a bundled one.
func (w *Workspace) findProblem(name string) (dir, tests string, err error) {
	dir, tests, err = problem.Find(packages.Formats, w.Root, name)
	missing, ok := errors.AsType[*problem.NotFoundError](err)
	if !ok {
		return dir, tests, err
	}
	lent, failed := w.BundledProblems()
	switch {
	case failed != nil:
		return "", "", failed
	case slices.Contains(lent, name):
		root, _ := w.findBundledRoot()
		return problem.Find(packages.Formats, root, name)
	}
	own, _ := w.OwnProblems()
	if _, near := suggest.Closest(name, own); !near && !strings.ContainsRune(name, filepath.Separator) {
		if _, near := suggest.Closest(name, lent); near || missing.Hint == suggest.List(own) {
			missing.Hint = suggest.Hint(name, slices.Concat(own, lent))
		}
	}
	for _, root := range []string{"", w.Root} {
		if dir := filepath.Join(root, "problems", name); filepath.IsLocal(name) && exists(dir) {
			missing.Hint = fmt.Sprintf(
				"the directory %s has no %s: write one, with at least: title = %q", w.DisplayPath(dir), problem.File,
				name,
			)
			return "", "", err
		}
	}
	if w.IsBundled && !strings.ContainsRune(name, filepath.Separator) && !exists(name) {
		missing.Hint += "\nno contest was found (no judge.toml or problems/ here or above), so only the bundled problems are available" +
			"\nwrite the path of a problem directory, or start a contest: judge init <directory>"
	}
	return "", "", err
}

// unpack unpacks the archive at Dir into the cache, once per version, and changes the location to the problem's
// directory there.
func (l *Location) unpack() error {
	archive := l.Dir
	f, err := os.Open(archive)
	if err != nil {
		return &judge.ProblemError{File: archive, Text: problem.Reason(err)}
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("read %s: %w", archive, err)
	}
	isProblem := func(dir string) bool { return problem.Is(packages.Formats, dir) || problem.IsPlain(dir) }
	base := strings.TrimSuffix(filepath.Base(archive), filepath.Ext(archive))
	home, err := l.w.archiveCache.Add(context.Background(), hex.EncodeToString(sum.Sum(nil)[:16]), func(home string) error {
		_, err := icpc.Unpack(archive, filepath.Join(home, base), isProblem)
		return err
	})
	if err != nil {
		return err
	}
	if l.Dir, err = icpc.PackageIn(archive, filepath.Join(home, base), isProblem); err != nil {
		return err
	}
	l.original, l.casesDir = l.w.DisplayPath(archive), l.Dir
	if isFile(filepath.Join(l.Dir, problem.File)) {
		l.casesDir = filepath.Join(l.Dir, "testcases") // as for a directory outside any contest
	}
	return nil
}

// IsBundled reports whether the problem is a bundled one, which cannot be changed.
func (l *Location) IsBundled() bool {
	root, err := l.w.findBundledRoot()
	rel, outside := filepath.Rel(root, l.Dir)
	return err == nil && outside == nil && filepath.IsLocal(rel)
}

// Recipe reads how to make the cases of a package. Programs that are assembled from several files are stored in
// the directory stage.
type Recipe func(stage string) (r *fill.Recipe, flaws, faults judge.ProblemErrors)

// recipeIn finds the recipe of a package. It returns nil if there is none.
func (w *Workspace) recipeIn(dir string) Recipe {
	if polygon.IsPackage(dir) {
		return func(string) (*fill.Recipe, judge.ProblemErrors, judge.ProblemErrors) { return polygon.Recipe(dir) }
	}
	if !icpc.IsPackage(dir) {
		return nil
	}
	if !exists(filepath.Join(dir, filepath.FromSlash(fill.RecipeFile))) {
		script := fill.ScriptIn(w.DisplayPath(dir))
		if script == nil {
			return nil
		}
		return func(string) (*fill.Recipe, judge.ProblemErrors, judge.ProblemErrors) {
			return &fill.Recipe{Script: script}, nil, nil
		}
	}
	return func(stage string) (*fill.Recipe, judge.ProblemErrors, judge.ProblemErrors) {
		p := fill.PackageIn(dir, stage)
		if pkg, _ := icpc.Open(dir, w.Config.Solution); pkg != nil { // judging reports errors in the package
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
