package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/fill"
	"assay/judge/lang"
	"assay/judge/problem"
	"assay/judge/problem/icpc"
	"assay/judge/problem/polygon"
)

// recipe reads how the cases of a package are made; programs that are put together
// from several files go to the folder stage.
type recipe func(stage string) (r *fill.Recipe, flaws, faults judge.Faults)

// recipeOf finds the recipe of a package that lacks cases; nil where it lacks none,
// or has no recipe.
func recipeOf(dir string) recipe {
	if polygon.Is(dir) {
		if !polygon.Lacks(dir) {
			return nil
		}
		return func(string) (*fill.Recipe, judge.Faults, judge.Faults) { return polygon.Recipe(dir) }
	}
	if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(fill.RecipeFile))); err != nil || !icpc.Is(dir) {
		return nil
	}
	read := func(stage string) (*fill.Recipe, judge.Faults, judge.Faults) {
		return fill.Generators(fill.PackageIn(dir, stage))
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
	read := recipeOf(dir)
	if read == nil {
		f, faults := c.read(dir, tests)
		return f, faults, nil
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
	if f != nil && f.Package != nil {
		f.Package.Flaws = append(f.Package.Flaws, kept.Faults...)
		for _, s := range f.Package.Submissions { // people know where they wrote them
			if rel, err := filepath.Rel(f.Dir, s.Path); err == nil {
				s.Path = filepath.Join(near(dir), rel)
			}
		}
	}
	return f, faults, nil
}

// openReady finds and reads a problem that is to be judged. It starts the sandbox if
// cases must be made first; with an error, it is ended again.
func (c *contest) openReady(ctx context.Context, name string, r running) (*problem.Folder, error) {
	dir, _, err := c.locate(name)
	if err != nil {
		return nil, err
	}
	if recipeOf(dir) == nil {
		return c.open(name)
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

// filler makes the cases of the package in a folder.
func (c *contest) filler(dir string) (*fill.Filler, error) {
	pkg, err := icpc.Assembled(&judge.Problem{ID: filepath.Base(dir), Dir: near(dir)})
	if err != nil {
		return nil, fmt.Errorf("fill package %s: %w", dir, err)
	}
	f := &problem.Folder{Problem: pkg.Problem, Package: pkg}
	return &fill.Filler{
		Runner: c.box,
		Jobs:   c.jobs,
		Limits: c.cfg.Setter,
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
