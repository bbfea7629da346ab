package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/packages/fill"
	"assay/judge/packages/icpc"
	"assay/judge/packages/polygon"
	"assay/judge/problem"
	"assay/judge/running/lang"
)

// Recipe reads how the cases of a package are made; programs that are put together
// from several files go to the folder stage.
type Recipe func(stage string) (r *fill.Recipe, flaws, faults judge.Faults)

// RecipeIn finds the recipe of a package; nil where it has none.
func (w *Workspace) RecipeIn(dir string) Recipe {
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

// RecipeOf finds the recipe of a package that lacks cases; nil where it lacks none,
// or has no recipe.
func (w *Workspace) RecipeOf(dir string) Recipe {
	read := w.RecipeIn(dir)
	switch {
	case read == nil, w.thawed(w.Near(dir)) != nil: // what is frozen has its cases
		return nil
	case polygon.Is(dir):
		if !polygon.Lacks(dir) {
			return nil
		}
		return read
	}
	stage, done, err := w.archives.Temp()
	if err != nil {
		return nil // the package is judged as it is
	}
	defer done()
	if r, _, faults := read(stage); len(faults) == 0 && !fill.Lacks(dir, r) {
		return nil
	}
	return read
}

// Ready finds and reads a problem, to be judged: the cases of a package that brings
// recipes for them instead are made, in a copy of it in the cache.
func (w *Workspace) Ready(ctx context.Context, name string) (*Problem, judge.Faults, error) {
	dir, tests, err := w.Locate(name)
	if err != nil {
		return nil, nil, err
	}
	read := w.RecipeOf(dir)
	if read == nil {
		p, faults := w.read(dir, tests)
		if len(faults) > 0 {
			return p, faults, nil
		}
		return p, nil, p.fetch(ctx)
	}
	kept, err := w.fill(ctx, dir, read)
	if faults, ok := err.(judge.Faults); ok {
		return nil, faults, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("fill package %s: %w", dir, err)
	}
	p, faults := w.read(kept.Dir, kept.Dir)
	own := cmp.Or(w.known(dir), w.Near(dir))
	for _, fault := range faults {
		placeIn(own, w.Near(kept.Dir), fault)
	}
	if p == nil || p.Package == nil {
		return p, faults, nil
	}
	p.own = own
	for _, fault := range p.Package.Flaws {
		p.PlaceInOwn(fault)
	}
	p.Package.Flaws = append(kept.Faults, p.Package.Flaws...) // they are often why there are others
	for _, s := range p.Package.Submissions {                 // people know where they wrote them
		if rel, err := filepath.Rel(p.Dir, s.Path); err == nil {
			s.Path = filepath.Join(w.Near(dir), rel)
		}
	}
	return p, faults, nil
}

// fill makes the cases of the package in a folder, in a copy of it.
func (w *Workspace) fill(ctx context.Context, dir string, read Recipe) (*fill.Kept, error) {
	filler, err := w.Filler(dir)
	if err != nil {
		return nil, err
	}
	return filler.Keep(ctx, w.Near(dir), w.fillings, read)
}

// PlaceInOwn makes a fault of a copy one of what people know: its file, if that is there
// too, and what is to be typed.
func (p *Problem) PlaceInOwn(f *judge.Fault) { placeIn(p.own, p.Dir, f) }

// placeIn moves a fault from a copy to the package or archive that it was made of; "" is
// none. What is to be typed about files of an archive needs them unpacked.
func placeIn(own, kept string, f *judge.Fault) {
	if own == "" {
		return
	}
	packed := isFile(own)
	if rel, err := filepath.Rel(kept, f.File); err == nil && filepath.IsLocal(rel) {
		if there := filepath.Join(own, rel); rel == "." || packed || exists(there) || !exists(f.File) { // what is missing, is missing there
			f.File = there
		}
	}
	f.Text = strings.ReplaceAll(f.Text, kept, own)
	if packed && strings.Contains(f.Hint, kept) {
		f.Hint = "unpack it first; " + strings.ReplaceAll(f.Hint, kept, filepath.Base(kept))
	}
	f.Hint = strings.ReplaceAll(f.Hint, kept, own)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// OpenReady finds and reads a problem that is to be judged. It starts the sandbox if
// cases must be made first; with an error, it is ended again.
func (w *Workspace) OpenReady(ctx context.Context, name string, r Running) (*Problem, error) {
	dir, _, err := w.Locate(name)
	if err != nil {
		return nil, err
	}
	if w.RecipeOf(dir) == nil {
		p, err := w.Open(name)
		if err != nil || len(gen.Unmade(p.Folder)) == 0 {
			return p, err
		}
	}
	if err := w.Start(r); err != nil {
		return nil, err
	}
	p, faults, err := w.Ready(ctx, name)
	if err = errors.Join(err, faults.AsError()); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return p, nil
}

// fillTime is what a generator, or the solution that answers, has for a case: it is
// run once, and its speed is not in question.
const fillTime = time.Minute

// Filler makes the cases of the package in a folder.
func (w *Workspace) Filler(dir string) (*fill.Filler, error) {
	pkg, _ := icpc.Open(w.Near(dir), w.Config.Solution) // what is wrong with it is told when it is judged
	if pkg == nil {
		var err error
		if pkg, err = icpc.Assembled(&judge.Problem{ID: problem.ID(dir), Dir: w.Near(dir)}); err != nil {
			return nil, fmt.Errorf("fill package %s: %w", dir, err)
		}
	}
	limits := w.Config.Setter
	limits.Memory = max(limits.Memory, pkg.Limits.Memory)
	limits.CPU = max(limits.CPU, fillTime)
	limits.Wall = 2*limits.CPU + time.Second
	return &fill.Filler{
		Runner:  w.Box,
		Follow:  icpc.Repository(dir).Follow,
		Jobs:    w.Jobs,
		Limits:  limits,
		Builder: recipeBuilder{&Problem{Folder: &problem.Folder{Problem: pkg.Problem, Package: &pkg.Package}, w: w}},
	}, nil
}

// recipeBuilder builds the programs of a recipe. What cannot be built is told as it is:
// there may be another recipe for the case.
type recipeBuilder struct{ p *Problem }

func (b recipeBuilder) Part(ctx context.Context, part *judge.Part) (*judge.Program, error) {
	made, err := b.p.build(ctx, source{path: part.Path, from: lang.BySetter})
	if err != nil {
		return nil, err
	}
	if !made.OK {
		return nil, &judge.Fault{File: part.Path, Text: "the program does not compile", Hint: made.Log}
	}
	return made.Program, nil
}
