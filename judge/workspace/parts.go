package workspace

import (
	"context"
	"errors"
	"path/filepath"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/running/check"
	"assay/judge/running/lang"
)

// packageOf returns the folder that has a program, if it is one whose programs are
// built from copies; nil for another folder.
func (w *Workspace) packageOf(path string) *problem.Folder {
	for _, f := range w.packages {
		if rel, err := filepath.Rel(f.Dir, path); err == nil && filepath.IsLocal(rel) {
			return f
		}
	}
	return nil
}

// Part builds one of the setter's programs. One that does not compile is a fault
// of the folder.
func (w *Workspace) Part(ctx context.Context, p *judge.Part) (*judge.Program, error) {
	if p.Speaks == "ctd" {
		return script(p)
	}
	made, err := w.buildFor(ctx, w.packageOf(p.Path), source{path: p.Path, from: lang.BySetter})
	if missing, ok := errors.AsType[*lang.MissingError](err); ok && missing.Broken == nil {
		return nil, &judge.Fault{File: p.Path, Text: "the program cannot be built here", Hint: missing.Error()}
	}
	if err != nil {
		return nil, err
	}
	if !made.OK {
		return nil, &judge.Fault{File: p.Path, Text: "the program does not compile", Hint: made.Log}
	}
	return made.Program, nil
}

// Checker makes a problem's checker for one submission.
func (w *Workspace) Checker(ctx context.Context, f *problem.Folder) (check.Checker, error) {
	if part := f.Checker.Program; part != nil {
		program, err := w.Part(ctx, part)
		if err != nil {
			return nil, err
		}
		limits := w.Config.Setter
		if f.Validation.CPU > 0 {
			limits = f.Validation
		}
		return check.Program(w.Box, part, program, limits)
	}
	made, err := check.Builtin(f.Checker.Name, f.Checker.Args)
	if fault, ok := errors.AsType[*judge.Fault](err); ok {
		return nil, f.Fault("checker", fault.Text, fault.Hint)
	}
	return made, err
}

// Checkers returns a function that makes checkers which have seen nothing yet. What
// can be built is built now.
func (w *Workspace) Checkers(ctx context.Context, f *problem.Folder) (func(context.Context) (check.Checker, error), error) {
	part := f.Checker.Program
	if part == nil {
		return func(ctx context.Context) (check.Checker, error) { return w.Checker(ctx, f) }, nil
	}
	program, err := w.Part(ctx, part)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (check.Checker, error) {
		return check.Program(w.Box, part, program, w.Config.Setter)
	}, nil
}
