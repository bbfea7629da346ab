package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/internal/tail"
	"assay/judge/problem"
	"assay/judge/running/check"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// Part builds one of the setter's programs. If it cannot be built on this machine, the error is a fault of the
// problem directory.
func (p *Problem) Part(ctx context.Context, part *judge.Part) (*judge.Program, error) {
	if part.Speaks == judge.Checktestdata {
		return p.script(part)
	}
	if p.answers != nil && part == p.Reference {
		return p.answers, nil
	}
	made, err := p.build(ctx, source{path: part.Path, from: lang.BySetter})
	if missing, ok := errors.AsType[*lang.MissingError](err); ok && missing.Broken == nil {
		return nil, &judge.Fault{File: part.Path, Text: "the program cannot be built here", Hint: missing.Error()}
	}
	if unusable, ok := errors.AsType[*lang.UnusableError](err); ok {
		return nil, unusable.Fault
	}
	if err != nil {
		return nil, err
	}
	if made.OK {
		return made.Program, nil
	}
	if fault := p.lacking(part); fault != nil && made.Stopped == judge.Nothing {
		return nil, fault
	}
	return nil, p.w.unbuilt(part.Path, made)
}

// unbuilt returns the error for a setter's program that was not built. If the compiler exceeded a time limit, the
// program need not be faulty. For a bundled problem, the error is then a failure of the machine.
func (w *Workspace) unbuilt(path string, made *lang.Result) error {
	if made.Stopped == judge.Nothing {
		fault := &judge.Fault{File: path, Text: "the program does not compile", Hint: made.Log}
		if file, line := tail.Place(made.Log, tail.Sources(path)); line > 0 {
			fault.File, fault.Line = file, line
		}
		return fault
	}
	limit := w.Config.Build.CPU
	key := "time"
	if made.Stopped == judge.WallTime {
		limit, key = w.Config.Build.Wall, "wall"
	}
	text := fmt.Sprintf("the program is not built: its compiler was stopped after %v", limit)
	hint := fmt.Sprintf(
		"this machine may be too slow or too busy for it; judge.toml can give it longer:\n[limits.build]\n%s = \"%v\"",
		key, 4*limit,
	)
	if w.bundled(path) {
		return &slowError{judge.Fault{File: w.Near(path), Text: text, Hint: hint + "\n(in a contest directory; judge init makes one)"}}
	}
	return &judge.Fault{File: path, Text: text, Hint: hint}
}

// slowError is a failure of the machine that is too slow to build a bundled program.
type slowError struct{ fault judge.Fault }

func (e *slowError) Error() string { return e.fault.Error() }

// bundled reports whether a path is in a bundled problem.
func (w *Workspace) bundled(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	house, err := filepath.Abs(w.bundledDir())
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(house, path)
	return err == nil && filepath.IsLocal(rel)
}

// lacking returns the fault for a program that includes a missing header. Only headers that judge.toml knows are
// considered. If none of them is missing, lacking returns nil.
func (p *Problem) lacking(part *judge.Part) *judge.Fault {
	l, err := p.w.languageOf(p.Directory, part.Path)
	if err != nil || l == nil {
		return nil
	}
	var find func(name string) ([]byte, bool)
	if p.Package != nil {
		find = p.Package.Header(part.Path)
	}
	name, from, err := p.w.Tools.MissingHeader(part.Path, l, find)
	if err != nil || name == "" {
		return nil
	}
	return &judge.Fault{File: part.Path, Text: fmt.Sprintf("the program includes %s, which was not found", name),
		Hint: fmt.Sprintf("get it from %s and put it beside the program, or set its directory in judge.toml:\n", from) +
			"[setter]\nheaders = [\"~/include\"]"}
}

// Complete returns a fault for each of the setter's programs with a missing header. Call it before anything is
// built or run. A compiler may have a header that seems to be missing, so Complete builds programs that seem to
// lack one. It does not check packages.
func (p *Problem) Complete(ctx context.Context) (faults judge.Faults, err error) {
	if p.Package != nil || p.thawed != nil {
		return nil, nil
	}
	for _, part := range parts(p.Directory) {
		fault := p.lacking(part)
		if fault == nil {
			continue
		}
		_, err := p.Part(ctx, part)
		if found, is := errors.AsType[*judge.Fault](err); is {
			faults = append(faults, found)
		} else if err != nil {
			return nil, err
		}
	}
	return faults, nil
}

// Crew returns the setter's programs of the problem.
func (p *Problem) Crew() *check.Crew {
	p.crewOnce.Do(func() {
		p.crew = &check.Crew{
			Builder: p, Problem: p.Problem, Runner: p.w.Box, Usual: p.w.Config.Setter,
			Place: func(f *judge.Fault) *judge.Fault { return p.Fault("checker", f.Text, f.Hint) },
		}
	})
	return p.crew
}

// entry is a submission whose language is known.
type entry struct {
	path     string
	language *config.Language
	build    func(context.Context) (*lang.Result, error)
}

// enter finds the language of a submission, and returns the entry that builds it.
func (p *Problem) enter(path, language string) (*entry, error) {
	s := source{path: path, language: language, from: lang.ByContestant}
	e := &entry{path: path}
	var err error
	if p.Package == nil {
		e.language, err = p.w.Tools.Detect(path, language)
	} else {
		if known := p.Package.Submission(path); known != nil { // settings in the package for its own submissions
			s.entry = known.Entry
			if language == "" {
				s.language = known.Language
			}
		}
		e.language, err = p.staged(s)
	}
	if err != nil {
		return nil, err
	}
	s.language = e.language.ID
	e.build = func(ctx context.Context) (*lang.Result, error) { return p.build(ctx, s) }
	return e, nil
}

// staged returns the language of a package's program. It detects the language in a temporary copy of the program.
func (p *Problem) staged(s source) (*config.Language, error) {
	dir, done, err := p.w.archives.Temp()
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", s.path, err)
	}
	defer done()
	_, l, err := p.w.stage(p.Package, s, dir)
	if err != nil {
		return nil, unstaged(err, s.path)
	}
	return l, nil
}

// Solution builds the program at path as a contestant's program.
func (p *Problem) Solution(ctx context.Context, path string) (*lang.Result, error) {
	return p.build(ctx, source{path: path, from: lang.ByContestant})
}

// Submission builds one of the package's submissions.
func (p *Problem) Submission(ctx context.Context, s *problem.Submission) (*lang.Result, error) {
	if p.Kind.Answers {
		return &lang.Result{OK: true}, nil
	}
	return p.build(ctx, source{path: s.Path, language: s.Language, entry: s.Entry, from: lang.ByContestant})
}

// Faster builds one of the package's submissions with the faster toolchain of its language. It returns nil, nil if
// there is none.
func (p *Problem) Faster(ctx context.Context, s *problem.Submission) (*lang.Result, error) {
	if p.Kind.Answers {
		return nil, nil
	}
	from := source{path: s.Path, language: s.Language, entry: s.Entry, from: lang.ByContestant}
	l, err := p.staged(from)
	if err != nil || l.Faster == "" {
		return nil, err
	}
	from.language = l.Faster
	return p.build(ctx, from)
}

// source is a program to be built: a program of a package, or a submission.
type source struct {
	path     string
	language string // requested language; if empty, the file name decides
	entry    string // the file that starts the program; if empty, the file names decide
	from     lang.Origin
}

// build builds a program for the problem. It reports progress for a setter's program. For a submission, the
// judging reports progress.
func (p *Problem) build(ctx context.Context, s source) (made *lang.Result, err error) {
	if s.from != lang.BySetter {
		return p.buildQuietly(ctx, s)
	}
	p.w.reporting(s.path, func() { made, err = p.buildQuietly(ctx, s) })
	return made, err
}

// reporting calls build, and reports how long the build of the program at path takes.
func (w *Workspace) reporting(path string, build func()) {
	if w.building == nil {
		build()
		return
	}
	drawn := false
	judge.While(build, func(passed time.Duration) {
		drawn = true
		w.building(path, w.Tools.Preparing(), passed)
	})
	if drawn {
		w.building(path, "", 0)
	}
}

// buildQuietly builds a program. Programs of a package are built from copies that include the constants and the
// files of include/.
func (p *Problem) buildQuietly(ctx context.Context, s source) (*lang.Result, error) {
	w, f := p.w, p.Directory
	if f.Package == nil || s.from == lang.BySetter && !p.has(s.path) {
		return p.buildOwn(ctx, s)
	}
	dir, done, err := w.archives.Temp()
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", s.path, err)
	}
	defer done()
	staged, l, err := w.stage(f.Package, s, dir)
	if err != nil {
		return nil, unstaged(err, s.path)
	}
	extra := lang.Extra{Entry: staged.Entry, Guess: true, Header: f.Package.Header(s.path)}
	made, err := w.Tools.BuildWith(ctx, staged.Path, l, s.from, extra)
	if _, missing := errors.AsType[*lang.MissingError](err); l.Instead != "" && (missing || err == nil && !made.OK) {
		if other, ok := w.Config.Language(l.Instead); ok {
			if again, failed := w.Tools.BuildWith(ctx, staged.Path, other, s.from, extra); failed == nil && again.OK {
				made, err = again, nil
			}
		}
	}
	if _, missing := errors.AsType[*lang.MissingError](err); missing && s.from == lang.BySetter {
		// A validator for Python 2 often works with Python 3.
		if other := w.Tools.Sibling(staged.Path, l); other != nil {
			if again, failed := w.Tools.BuildWith(ctx, staged.Path, other, s.from, extra); failed == nil && again.OK {
				made, err = again, nil
			}
		}
	}
	if err != nil {
		return nil, unstaged(err, s.path)
	}
	if made.Program != nil {
		made.Program.Name = s.path
	}
	return made, nil
}

// buildOwn builds a program in a problem directory that is not a package. Submissions and the reference solution
// are built with the files of include/.
func (p *Problem) buildOwn(ctx context.Context, s source) (*lang.Result, error) {
	w, f := p.w, p.Directory
	solves := s.from == lang.ByContestant || f.Reference != nil && f.Reference.Path == s.path
	if f.Included == nil || !solves {
		l, err := w.Tools.Detect(s.path, s.language, s.from)
		if err != nil {
			return nil, err
		}
		return w.Tools.Build(ctx, s.path, l, s.from)
	}
	dir, done, err := w.archives.Temp()
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", s.path, err)
	}
	defer done()
	as := s
	as.from = lang.ByContestant
	staged, l, err := w.stage(f.Included, as, dir)
	if err != nil {
		return nil, unstaged(err, s.path)
	}
	made, err := w.Tools.BuildWith(ctx, staged.Path, l, s.from, lang.Extra{Entry: staged.Entry})
	if err != nil {
		return nil, unstaged(err, s.path)
	}
	if made.Program != nil {
		made.Program.Name = s.path
	}
	return made, nil
}

// stage copies a program to dir and finds its language. If the program is a submission and include/ contains files
// for the language, it makes a copy that also contains these files.
func (w *Workspace) stage(pkg *problem.Package, s source, dir string) (*problem.Staged, *config.Language, error) {
	staged, err := pkg.Stage(s.path, filepath.Join(dir, "bare"), nil, s.entry)
	if err != nil {
		return nil, nil, w.archives.WrapFill(err)
	}
	l, err := w.Tools.Detect(staged.Path, s.language, s.from)
	if err != nil || s.from == lang.BySetter {
		return staged, l, err
	}
	include := pkg.Includes(func(code string) bool {
		known, ok := w.Config.Language(code)
		return ok && known == l
	})
	if len(include) == 0 {
		return staged, l, nil
	}
	staged, err = pkg.Stage(s.path, filepath.Join(dir, "whole"), include, s.entry)
	return staged, l, w.archives.WrapFill(err)
}

// has reports whether a path is inside the problem's directory.
func (p *Problem) has(path string) bool {
	rel, err := filepath.Rel(p.Dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// unstaged replaces the path of a copy in an error with the path that the user knows.
func unstaged(err error, path string) error {
	if u, ok := errors.AsType[*lang.UnusableError](err); ok {
		u.Fault.File = path
	}
	if missing, ok := errors.AsType[*lang.MissingError](err); ok {
		return fmt.Errorf("build %s: %w", path, missing)
	}
	return err
}

// parts returns the setter's programs.
func parts(f *problem.Directory) []*judge.Part {
	all := []*judge.Part{f.Reference, f.Validator, f.Generator, f.Interactor, f.Static, f.Checker.Program}
	if f.Golf != nil {
		all = append(all, f.Golf.Generator, f.Golf.Checker)
	}
	if f.Grading != nil {
		all = append(all, graders(f.Grading.Root)...)
	}
	return slices.DeleteFunc(all, func(p *judge.Part) bool { return p == nil })
}

func graders(n *judge.Node) (all []*judge.Part) {
	all = append(all, n.Legacy.Grader)
	for _, child := range n.Children {
		all = append(all, graders(child)...)
	}
	return all
}

// languageOf returns the language of a setter's program, or nil if it is unknown. In that case, judging reports a
// fault.
func (w *Workspace) languageOf(f *problem.Directory, program string) (*config.Language, error) {
	if f.Package == nil {
		l, err := w.Tools.Detect(program, "", lang.BySetter)
		if _, unusable := errors.AsType[*lang.UnusableError](err); unusable {
			return nil, nil
		}
		return l, err
	}
	dir, err := os.MkdirTemp("", "assay-stage-*")
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", program, err)
	}
	defer os.RemoveAll(dir)
	_, l, err := w.stage(f.Package, source{path: program, from: lang.BySetter}, dir)
	if err != nil {
		return nil, nil
	}
	return l, nil
}
