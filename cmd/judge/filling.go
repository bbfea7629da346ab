package main

import (
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

// recipe reads how the cases of a package are made; programs that are put together
// from several files go to the folder stage.
type recipe func(stage string) (r *fill.Recipe, flaws, faults judge.Faults)

// recipeIn finds the recipe of a package; nil where it has none.
func (c *contest) recipeIn(dir string) recipe {
	if polygon.Is(dir) {
		return func(string) (*fill.Recipe, judge.Faults, judge.Faults) { return polygon.Recipe(dir) }
	}
	if !icpc.Is(dir) {
		return nil
	}
	if !exists(filepath.Join(dir, filepath.FromSlash(fill.RecipeFile))) {
		script := fill.ScriptIn(near(dir))
		if script == nil {
			return nil
		}
		return func(string) (*fill.Recipe, judge.Faults, judge.Faults) { return &fill.Recipe{Script: script}, nil, nil }
	}
	return func(stage string) (*fill.Recipe, judge.Faults, judge.Faults) {
		p := fill.PackageIn(dir, stage)
		if pkg, _ := icpc.Open(dir, c.cfg.Solution); pkg != nil { // what is wrong with it is told when it is judged
			p.Constants = pkg.Constants
		}
		return fill.Generators(p)
	}
}

// recipeOf finds the recipe of a package that lacks cases; nil where it lacks none,
// or has no recipe.
func (c *contest) recipeOf(dir string) recipe {
	read := c.recipeIn(dir)
	switch {
	case read == nil:
		return nil
	case polygon.Is(dir):
		if !polygon.Lacks(dir) {
			return nil
		}
		return read
	}
	stage, err := os.MkdirTemp("", "assay-recipe-")
	if err != nil {
		return nil // the package is judged as it is
	}
	defer os.RemoveAll(stage)
	if r, _, faults := read(stage); len(faults) == 0 && !fill.Lacks(dir, r) {
		return nil
	}
	return read
}

// ready finds and reads a problem, to be judged: the cases of a package that brings
// recipes for them instead are made, in a copy of it in the cache.
func (c *contest) ready(ctx context.Context, name string) (*problem.Folder, judge.Faults, error) {
	dir, tests, err := c.locate(name)
	if err != nil {
		return nil, nil, err
	}
	read := c.recipeOf(dir)
	if read == nil {
		f, faults := c.read(dir, tests)
		if len(faults) > 0 {
			return f, faults, nil
		}
		return f, nil, c.fetch(ctx, f)
	}
	filler, err := c.filler(dir)
	if err != nil {
		return nil, nil, err
	}
	kept, err := filler.Keep(ctx, near(dir), c.cache, read)
	if faults, ok := err.(judge.Faults); ok {
		return nil, faults, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("fill package %s: %w", dir, err)
	}
	f, faults := c.read(kept.Dir, kept.Dir)
	if c.filled == nil {
		c.filled = map[string]string{}
	}
	c.filled[near(kept.Dir)] = near(dir)
	for _, fault := range faults {
		c.placeInOwn(fault)
	}
	if f != nil && f.Package != nil {
		for _, fault := range f.Package.Flaws {
			c.placeInOwn(fault)
		}
		f.Package.Flaws = append(kept.Faults, f.Package.Flaws...) // they are often why there are others
		for _, s := range f.Package.Submissions {                 // people know where they wrote them
			if rel, err := filepath.Rel(f.Dir, s.Path); err == nil {
				s.Path = filepath.Join(near(dir), rel)
			}
		}
	}
	return f, faults, nil
}

// placeInOwn makes a fault of a filled copy one of the package that people know: its
// file, if that is there too, and what is to be typed.
func (c *contest) placeInOwn(f *judge.Fault) {
	for kept, dir := range c.filled {
		if rel, err := filepath.Rel(kept, f.File); err == nil && filepath.IsLocal(rel) {
			if own := filepath.Join(dir, rel); rel == "." || exists(own) || !exists(f.File) { // what is missing, is missing there
				f.File = own
			}
		}
		f.Text, f.Hint = strings.ReplaceAll(f.Text, kept, dir), strings.ReplaceAll(f.Hint, kept, dir)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// openReady finds and reads a problem that is to be judged. It starts the sandbox if
// cases must be made first; with an error, it is ended again.
func (c *contest) openReady(ctx context.Context, name string, r running) (*problem.Folder, error) {
	dir, _, err := c.locate(name)
	if err != nil {
		return nil, err
	}
	if c.recipeOf(dir) == nil {
		f, err := c.open(name)
		if err != nil || len(gen.Unmade(f)) == 0 {
			return f, err
		}
	}
	if err := c.start(r); err != nil {
		return nil, err
	}
	f, faults, err := c.ready(ctx, name)
	if err = errors.Join(err, faults.AsError()); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return f, nil
}

// fillTime is what a generator, or the solution that answers, has for a case: it is
// run once, and its speed is not in question.
const fillTime = time.Minute

// filler makes the cases of the package in a folder.
func (c *contest) filler(dir string) (*fill.Filler, error) {
	pkg, _ := icpc.Open(near(dir), c.cfg.Solution) // what is wrong with it is told when it is judged
	if pkg == nil {
		var err error
		if pkg, err = icpc.Assembled(&judge.Problem{ID: baseOf(dir), Dir: near(dir)}); err != nil {
			return nil, fmt.Errorf("fill package %s: %w", dir, err)
		}
	}
	f := &problem.Folder{Problem: pkg.Problem, Package: pkg}
	limits := c.cfg.Setter
	limits.Memory = max(limits.Memory, pkg.Limits.Memory)
	limits.CPU = max(limits.CPU, fillTime)
	limits.Wall = 2*limits.CPU + time.Second
	return &fill.Filler{
		Runner: c.box,
		Follow: icpc.Repository(dir).Follow,
		Jobs:   c.jobs,
		Limits: limits,
		Build: func(ctx context.Context, p *judge.Part) (*judge.Program, error) {
			made, err := c.buildFor(ctx, f, source{path: p.Path, from: lang.BySetter})
			if err != nil {
				return nil, err
			}
			if !made.OK {
				return nil, &judge.Fault{File: p.Path, Text: "the program does not compile", Hint: made.Log}
			}
			return made.Program, nil
		},
	}, nil
}

// baseOf is a folder's name, also of ".".
func baseOf(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(dir)
}

// writePackage makes the cases of a package in the package itself, or with check
// says which are not as they are made now.
func (c *contest) writePackage(ctx context.Context, con *console, dir string, read recipe, check bool) (bool, error) {
	filler, err := c.filler(dir)
	if err != nil {
		return false, err
	}
	filler.Progress = con.counter("cases made")
	stage, err := os.MkdirTemp("", "assay-recipe-")
	if err != nil {
		return false, fmt.Errorf("make a folder for programs: %w", err)
	}
	defer os.RemoveAll(stage)
	r, flaws, faults := read(stage)
	if len(faults) > 0 {
		return false, faults
	}
	w, err := filler.Write(ctx, r, dir, check)
	con.clear()
	if err != nil {
		return false, err
	}
	bad := append(flaws, w.Faults...)
	for _, f := range bad {
		fmt.Fprintln(con.err, f)
	}
	if !check {
		fmt.Fprintf(con.out, "%s: %d files made (%d changed)\n", baseOf(dir), w.Files, len(w.Changed))
		return len(bad) == 0, nil
	}
	for _, name := range w.Changed {
		fmt.Fprintf(con.err, "%s: not as it is made now\n", filepath.Join(dir, filepath.FromSlash(name)))
	}
	if ok := len(bad) == 0 && len(w.Changed) == 0; !ok {
		return false, nil
	}
	fmt.Fprintf(con.out, "%s: %d files are as they are made\n", baseOf(dir), w.Files)
	return true, nil
}
