package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/packages/fill"
	"assay/judge/packages/icpc"
	"assay/judge/packages/polygon"
	"assay/judge/problem"
	"assay/judge/running/lang"
)

// lacksCases reports whether a package lacks cases that must be made with its recipe. It returns false for a
// bundle, which contains its cases.
func (l *Location) lacksCases() bool {
	switch {
	case l.Recipe == nil, l.unpacked != nil:
		return false
	case polygon.IsPackage(l.Dir):
		return polygon.NeedsFilling(l.Dir)
	}
	stage, done, err := l.w.archiveCache.Temp()
	if err != nil {
		return false // the package is judged unchanged
	}
	defer done()
	r, _, faults := l.Recipe(stage)
	return len(faults) > 0 || fill.NeedsFilling(l.Dir, r)
}

// ReadForJudging reads the problem for judging. If a package contains a recipe instead of its cases, they are made in a
// copy of the package in the cache.
func (l *Location) ReadForJudging(ctx context.Context) (*Problem, judge.ProblemErrors, error) {
	if l.lacksCases() {
		return l.openFilled(ctx)
	}
	p, faults := l.readProblem()
	if len(faults) > 0 {
		return p, faults, nil
	}
	return p, nil, p.makeMissingCases(ctx)
}

// openFilled reads a copy of a package in the cache whose cases have been made.
func (l *Location) openFilled(ctx context.Context) (*Problem, judge.ProblemErrors, error) {
	filler, err := l.Filler()
	if err != nil {
		return nil, nil, err
	}
	shown := l.w.DisplayPath(l.Dir)
	filled, err := filler.FillCached(ctx, shown, l.w.filledCache, l.Recipe)
	if faults, ok := err.(judge.ProblemErrors); ok {
		return nil, faults, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("fill package %s: %w", l.Dir, err)
	}
	there := &Location{Name: l.Name, Dir: filled.Dir, w: l.w, casesDir: filled.Dir, original: cmp.Or(l.original, shown)}
	p, faults := there.readProblem()
	if p == nil || p.Package == nil {
		return p, faults, nil
	}
	p.Package.Warnings = append(filled.Faults, p.Package.Warnings...) // these faults often explain the others
	for _, s := range p.Package.Submissions {                         // users know the original paths
		if rel, err := filepath.Rel(p.Dir, s.Path); err == nil {
			s.Path = filepath.Join(shown, rel)
		}
	}
	return p, faults, nil
}

// OpenForJudging locates and reads a problem for judging. If cases must be made first, it starts the sandbox. On error,
// it closes the sandbox again.
func (w *Workspace) OpenForJudging(ctx context.Context, name string, r RunOptions) (*Problem, error) {
	l, err := w.Locate(name)
	if err != nil {
		return nil, err
	}
	return l.OpenForJudging(ctx, r)
}

// OpenForJudging is like Workspace.OpenForJudging, for a problem that has already been located.
func (l *Location) OpenForJudging(ctx context.Context, r RunOptions) (p *Problem, err error) {
	lacks := l.lacksCases()
	if !lacks {
		if p, err = l.Open(); err != nil || len(gen.MissingCases(p.Directory)) == 0 {
			return p, err
		}
	}
	if err := l.w.Start(r); err != nil {
		return nil, err
	}
	if lacks {
		var faults judge.ProblemErrors
		p, faults, err = l.openFilled(ctx)
		err = errors.Join(err, faults.AsError())
	} else {
		err = p.makeMissingCases(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, l.w.Close())
	}
	return p, nil
}

// fillTimeout is the time limit per case for a generator, or for the solution that makes the answer. Each is run
// once, and its speed does not matter.
const fillTimeout = time.Minute

// Filler returns the filler that makes the cases of a package.
func (l *Location) Filler() (*fill.Filler, error) {
	w, dir := l.w, l.Dir
	pkg, _ := icpc.Open(w.DisplayPath(dir), w.Config.Solution) // judging reports errors in the package
	if pkg == nil {
		var err error
		if pkg, err = icpc.FromProblem(&judge.Problem{ID: problem.ID(dir), Dir: w.DisplayPath(dir)}); err != nil {
			return nil, fmt.Errorf("fill package %s: %w", dir, err)
		}
	}
	limits := w.Config.Setter
	limits.Memory = max(limits.Memory, pkg.Limits.Memory)
	limits.CPU = max(limits.CPU, fillTimeout)
	limits.Wall = 2*limits.CPU + time.Second
	filler := &fill.Filler{
		Runner:  w.Sandbox,
		Follow:  icpc.Repository(dir).Follow,
		Jobs:    w.Jobs,
		Limits:  limits,
		Builder: recipeBuilder{&Problem{Directory: &problem.Directory{Problem: pkg.Problem, Package: &pkg.Package}, w: w}},
	}
	if w.onProgress != nil {
		filler.Progress = func(done, of int) { w.onProgress("cases made", done, of) }
	}
	return filler, nil
}

// recipeBuilder builds the programs of a recipe. If a program cannot be built, it returns an error, because there
// may be another recipe for the case.
type recipeBuilder struct{ p *Problem }

func (b recipeBuilder) BuildProgram(ctx context.Context, part *judge.SetterProgram) (*judge.Program, error) {
	made, err := b.p.build(ctx, programSource{path: part.Path, origin: lang.BySetter})
	if err != nil {
		return nil, err
	}
	if !made.OK {
		return nil, b.p.w.buildError(part.Path, made)
	}
	return made.Program, nil
}
