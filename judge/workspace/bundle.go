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

// Bundle returns a bundle of a problem that is ready for judging. It records everything that affects verdicts and
// could differ on another machine.
func (w *Workspace) Bundle(ctx context.Context, f *Problem) (*bundle.Bundle, error) {
	own, err := w.Config.Portable()
	if err != nil {
		return nil, err
	}
	if t := f.unpacked; t != nil {
		return bundle.Create(bundle.Source{Dir: f.Dir}, t.findings, own)
	}
	findings := &bundle.Findings{Format: bundle.FindingsFormat}
	with := f // the problem with a reference solution
	if f.Package != nil {
		if with, err = f.recordFindings(ctx, findings); err != nil {
			return nil, err
		}
	}
	if findings.Languages, err = w.setterLanguages(with.Directory); err != nil {
		return nil, err
	}
	s := bundle.Source{Dir: f.Dir, Tests: f.Tests, Cases: map[string][]string{}, Follow: icpc.Repository(f.Dir).Follow}
	if f.Golf != nil {
		s.Drivers = w.driversDir(f)
	}
	keep := ""
	if with.Reference != nil {
		keep = f.relativePath(with.Reference.Path)
	}
	shown := f.shownFiles()
	s.Exclude = func(name string) bool {
		if isPicture(name) && !shown[name] && f.inPictureDir(name) {
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
	return bundle.Create(s, findings, own)
}

// recordFindings records in found what was determined about a package and is not in the package's files. It
// returns the problem with a reference solution, if there is one.
func (f *Problem) recordFindings(ctx context.Context, findings *bundle.Findings) (with *Problem, err error) {
	if err := f.recordPrepared(ctx, findings); err != nil {
		return nil, err
	}
	findings.Faults = f.portableFaults(f.Package.Warnings)
	with, err = f.WithReference(ctx)
	if _, fault := errors.AsType[*judge.ProblemError](err); fault {
		return f, nil
	}
	if err == nil && with != f {
		findings.Reference = f.relativePath(with.Reference.Path)
	}
	return with, err
}

// recordPrepared records the result of Prepared.
func (f *Problem) recordPrepared(ctx context.Context, findings *bundle.Findings) error {
	prepared, err := f.Prepared(ctx)
	if err != nil {
		return err
	}
	findings.Dropped = f.portableFaults(prepared.Graders)
	if findings.TimeLimitFrom = prepared.Limit; prepared.Limit != "" {
		findings.TimeLimitUS = f.Limits.CPU.Microseconds()
	}
	return nil
}

// portableFaults replaces paths in faults, so that they do not depend on the problem's location.
func (f *Problem) portableFaults(faults judge.ProblemErrors) (frozen judge.ProblemErrors) {
	for _, fault := range faults {
		own := *fault
		own.File = f.relativePath(own.File)
		for _, dir := range []string{f.Dir, f.original} {
			if dir != "" {
				own.Text, own.Hint = strings.ReplaceAll(own.Text, dir, dirPlaceholder), strings.ReplaceAll(own.Hint, dir, dirPlaceholder)
			}
		}
		frozen = append(frozen, &own)
	}
	return frozen
}

// relativePath returns the path of a file relative to the problem's directory.
func (f *Problem) relativePath(file string) string {
	for _, dir := range []string{f.Dir, f.original} {
		if rel, err := filepath.Rel(dir, file); dir != "" && err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.Base(file)
}

// setterLanguages returns the languages of the programs that judge submissions.
func (w *Workspace) setterLanguages(f *problem.Directory) ([]string, error) {
	used := map[string]bool{}
	for _, p := range setterParts(f) {
		if p.Protocol == judge.Checktestdata {
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
