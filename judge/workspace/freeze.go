package workspace

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/bundle"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
)

// Freeze returns a bundle of a problem that is ready for judging. It records everything that affects verdicts and
// could differ on another machine.
func (w *Workspace) Freeze(ctx context.Context, f *Problem) (*bundle.Bundle, error) {
	own, err := w.Config.Portable()
	if err != nil {
		return nil, err
	}
	if t := f.thawed; t != nil {
		return bundle.Freeze(bundle.Source{Dir: f.Dir}, t.found, own)
	}
	found := &bundle.Frozen{Format: bundle.FrozenFormat}
	with := f // the problem with a reference solution
	if f.Package != nil {
		if with, err = f.freezeFindings(ctx, found); err != nil {
			return nil, err
		}
	}
	if found.Languages, err = w.settersLanguages(with.Directory); err != nil {
		return nil, err
	}
	s := bundle.Source{Dir: f.Dir, Tests: f.Tests, Cases: map[string][]string{}, Follow: icpc.Repository(f.Dir).Follow}
	if f.Golf != nil {
		s.Drivers = w.driversFolder(f)
	}
	keep := ""
	if with.Reference != nil {
		keep = f.inFolder(with.Reference.Path)
	}
	shown := f.shownFiles()
	s.Without = func(name string) bool {
		if isPicture(name) && !shown[name] && f.besideStatement(name) {
			return true
		}
		top, _, deep := strings.Cut(name, "/")
		others := deep && (top == "solutions" || f.Package != nil && top == "submissions")
		return others && name != keep && !strings.HasPrefix(keep, name+"/") && !strings.HasPrefix(name, keep+"/")
	}
	for _, g := range f.Groups {
		for _, c := range g.Cases {
			if c.Line != "" && !f.Stored(g.Name) {
				s.Cases[g.Name] = append(s.Cases[g.Name], c.In, c.Ans)
			}
		}
	}
	return bundle.Freeze(s, found, own)
}

// freezeFindings records in found what was determined about a package and is not in the package's files. It
// returns the problem with a reference solution, if there is one.
func (f *Problem) freezeFindings(ctx context.Context, found *bundle.Frozen) (with *Problem, err error) {
	if err := f.freezePrepared(ctx, found); err != nil {
		return nil, err
	}
	found.Faults = f.freezeFaults(f.Package.Warnings)
	with, err = f.Answering(ctx)
	if _, fault := errors.AsType[*judge.Fault](err); fault {
		return f, nil
	}
	if err == nil && with != f {
		found.Reference = f.inFolder(with.Reference.Path)
	}
	return with, err
}

// freezePrepared records the result of Prepared.
func (f *Problem) freezePrepared(ctx context.Context, found *bundle.Frozen) error {
	prepared, err := f.Prepared(ctx)
	if err != nil {
		return err
	}
	found.Dropped = f.freezeFaults(prepared.Graders)
	if found.TimeLimitFrom = prepared.Limit; prepared.Limit != "" {
		found.TimeLimitUS = f.Limits.CPU.Microseconds()
	}
	return nil
}

// freezeFaults replaces paths in faults, so that they do not depend on the problem's location.
func (f *Problem) freezeFaults(faults judge.Faults) (frozen judge.Faults) {
	for _, fault := range faults {
		own := *fault
		own.File = f.inFolder(own.File)
		for _, dir := range []string{f.Dir, f.original} {
			if dir != "" {
				own.Text, own.Hint = strings.ReplaceAll(own.Text, dir, problemWord), strings.ReplaceAll(own.Hint, dir, problemWord)
			}
		}
		frozen = append(frozen, &own)
	}
	return frozen
}

// inFolder returns the path of a file relative to the problem's directory.
func (f *Problem) inFolder(file string) string {
	for _, dir := range []string{f.Dir, f.original} {
		if rel, err := filepath.Rel(dir, file); dir != "" && err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.Base(file)
}

// settersLanguages returns the languages of the programs that judge submissions.
func (w *Workspace) settersLanguages(f *problem.Directory) ([]string, error) {
	used := map[string]bool{}
	for _, p := range parts(f) {
		if p.Speaks == judge.Checktestdata {
			continue
		}
		l, err := w.languageOf(f, p.Path)
		if err != nil {
			return nil, err
		}
		if l != nil {
			used[l.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(used)), nil
}
