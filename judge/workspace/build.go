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

// BuildProgram builds one of the setter's programs. If it cannot be built on this machine, the error is a fault of the
// problem directory.
func (p *Problem) BuildProgram(ctx context.Context, part *judge.SetterProgram) (*judge.Program, error) {
	if part.Protocol == judge.Checktestdata {
		return p.readScript(part)
	}
	if p.reference != nil && part == p.Reference {
		return p.reference, nil
	}
	result, err := p.build(ctx, programSource{path: part.Path, origin: lang.BySetter})
	if missing, ok := errors.AsType[*lang.MissingError](err); ok && missing.Broken == nil {
		return nil, &judge.ProblemError{File: part.Path, Text: "the program cannot be built here", Hint: missing.Error()}
	}
	if unusable, ok := errors.AsType[*lang.UnusableError](err); ok {
		return nil, unusable.Fault
	}
	if err != nil {
		return nil, err
	}
	if result.OK {
		return result.Program, nil
	}
	if fault := p.missingHeader(part); fault != nil && result.Stopped == judge.NoResource {
		return nil, fault
	}
	return nil, p.w.buildError(part.Path, result)
}

// buildError returns the error for a setter's program that was not built. If the compiler exceeded a time limit, the
// program need not be faulty. For a bundled problem, the error is then a failure of the machine.
func (w *Workspace) buildError(path string, result *lang.Result) error {
	if result.Stopped == judge.NoResource {
		fault := &judge.ProblemError{File: path, Text: "the program does not compile", Hint: result.Log}
		if file, line := tail.SourcePosition(result.Log, tail.Sources(path)); line > 0 {
			fault.File, fault.Line = file, line
		}
		return fault
	}
	limit := w.Config.Build.CPU
	key := "time"
	if result.Stopped == judge.WallTime {
		limit, key = w.Config.Build.Wall, "wall"
	}
	text := fmt.Sprintf("the program is not built: its compiler was stopped after %v", limit)
	hint := fmt.Sprintf(
		"this machine may be too slow or too busy for it; judge.toml can give it longer:\n[limits.build]\n%s = \"%v\"",
		key, 4*limit,
	)
	if w.inBundledProblem(path) {
		return &slowBuildError{
			judge.ProblemError{File: w.DisplayPath(path), Text: text, Hint: hint + "\n(in a contest directory; judge init makes one)"},
		}
	}
	return &judge.ProblemError{File: path, Text: text, Hint: hint}
}

// slowBuildError is a failure of the machine that is too slow to build a bundled program.
type slowBuildError struct{ fault judge.ProblemError }

func (e *slowBuildError) Error() string { return e.fault.Error() }

// inBundledProblem reports whether a path is in a bundled problem.
func (w *Workspace) inBundledProblem(path string) bool {
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

// missingHeader returns the fault for a program that includes a missing header. Only headers that judge.toml knows are
// considered. If none of them is missing, lacking returns nil.
func (p *Problem) missingHeader(part *judge.SetterProgram) *judge.ProblemError {
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
	return &judge.ProblemError{File: part.Path, Text: fmt.Sprintf("the program includes %s, which was not found", name),
		Hint: fmt.Sprintf("get it from %s and put it beside the program, or set its directory in judge.toml:\n", from) +
			"[setter]\nheaders = [\"~/include\"]"}
}

// MissingHeaders returns a fault for each of the setter's programs with a missing header. Call it before anything is
// built or run. A compiler may have a header that seems to be missing, so MissingHeaders builds programs that seem to
// lack one. It does not check packages.
func (p *Problem) MissingHeaders(ctx context.Context) (faults judge.ProblemErrors, err error) {
	if p.Package != nil || p.unpacked != nil {
		return nil, nil
	}
	for _, part := range setterParts(p.Directory) {
		fault := p.missingHeader(part)
		if fault == nil {
			continue
		}
		_, err := p.BuildProgram(ctx, part)
		if found, is := errors.AsType[*judge.ProblemError](err); is {
			faults = append(faults, found)
		} else if err != nil {
			return nil, err
		}
	}
	return faults, nil
}

// SetterPrograms returns the setter's programs of the problem.
func (p *Problem) SetterPrograms() *check.SetterPrograms {
	p.programsOnce.Do(func() {
		p.programs = &check.SetterPrograms{
			Builder: p, Problem: p.Problem, Runner: p.w.Sandbox, DefaultLimits: p.w.Config.Setter,
			Locate: func(f *judge.ProblemError) *judge.ProblemError { return p.Fault("checker", f.Text, f.Hint) },
		}
	})
	return p.programs
}

// submissionEntry is a submission whose language is known.
type submissionEntry struct {
	path     string
	language *config.Language
	build    func(context.Context) (*lang.Result, error)
	unusable bool // whether the submission is no program in any language, so that build always fails
}

// findEntry finds the language of a submission, and returns the entry that builds it.
func (p *Problem) findEntry(path, language string) (*submissionEntry, error) {
	s := programSource{path: path, language: language, origin: lang.ByContestant}
	e := &submissionEntry{path: path}
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
		e.language, err = p.stagedLanguage(s)
	}
	if err != nil {
		return nil, err
	}
	s.language = e.language.ID
	e.build = func(ctx context.Context) (*lang.Result, error) { return p.build(ctx, s) }
	return e, nil
}

// stagedLanguage returns the language of a package's program. It detects the language in a temporary copy of the program.
func (p *Problem) stagedLanguage(s programSource) (*config.Language, error) {
	dir, done, err := p.w.archiveCache.Temp()
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", s.path, err)
	}
	defer done()
	_, l, err := p.w.stage(p.Package, s, dir)
	if err != nil {
		return nil, restorePath(err, s.path)
	}
	return l, nil
}

// Solution builds the program at path as a contestant's program.
func (p *Problem) Solution(ctx context.Context, path string) (*lang.Result, error) {
	return p.build(ctx, programSource{path: path, origin: lang.ByContestant})
}

// Submission builds one of the package's submissions.
func (p *Problem) Submission(ctx context.Context, s *problem.Submission) (*lang.Result, error) {
	if p.Kind.OutputOnly {
		return &lang.Result{OK: true}, nil
	}
	return p.build(ctx, programSource{path: s.Path, language: s.Language, entry: s.Entry, origin: lang.ByContestant})
}

// Faster builds one of the package's submissions with the faster toolchain of its language. It returns nil, nil if
// there is none.
func (p *Problem) Faster(ctx context.Context, s *problem.Submission) (*lang.Result, error) {
	if p.Kind.OutputOnly {
		return nil, nil
	}
	program := programSource{path: s.Path, language: s.Language, entry: s.Entry, origin: lang.ByContestant}
	l, err := p.stagedLanguage(program)
	if err != nil || l.Faster == "" {
		return nil, err
	}
	program.language = l.Faster
	return p.build(ctx, program)
}

// programSource is a program to be built: a program of a package, or a submission.
type programSource struct {
	path     string
	language string // requested language; if empty, the file name decides
	entry    string // the file that starts the program; if empty, the file names decide
	origin   lang.Origin
}

// build builds a program for the problem. It reports progress for a setter's program. For a submission, the
// judging reports progress.
func (p *Problem) build(ctx context.Context, s programSource) (result *lang.Result, err error) {
	if s.origin != lang.BySetter {
		return p.buildQuietly(ctx, s)
	}
	p.w.reportBuild(s.path, func() { result, err = p.buildQuietly(ctx, s) })
	return result, err
}

// reportBuild calls build, and reports how long the build of the program at path takes.
func (w *Workspace) reportBuild(path string, build func()) {
	if w.onBuild == nil {
		build()
		return
	}
	drawn := false
	judge.CallWithTicks(build, func(passed time.Duration) {
		drawn = true
		w.onBuild(path, w.Tools.Preparing(), passed)
	})
	if drawn {
		w.onBuild(path, "", 0)
	}
}

// buildQuietly builds a program. Programs of a package are built from copies that include the constants and the
// files of include/.
func (p *Problem) buildQuietly(ctx context.Context, s programSource) (*lang.Result, error) {
	w, f := p.w, p.Directory
	if f.Package == nil || s.origin == lang.BySetter && !p.contains(s.path) {
		return p.buildInDir(ctx, s)
	}
	dir, done, err := w.archiveCache.Temp()
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", s.path, err)
	}
	defer done()
	staged, l, err := w.stage(f.Package, s, dir)
	if err != nil {
		return nil, restorePath(err, s.path)
	}
	extra := lang.BuildOptions{Entry: staged.Entry, Guess: true, Header: f.Package.Header(s.path)}
	result, err := w.Tools.BuildWith(ctx, staged.Path, l, s.origin, extra)
	if _, missing := errors.AsType[*lang.MissingError](err); l.Instead != "" && (missing || err == nil && !result.OK) {
		if instead, ok := w.Config.Language(l.Instead); ok {
			if faster, failed := w.Tools.BuildWith(ctx, staged.Path, instead, s.origin, extra); failed == nil && faster.OK {
				result, err = faster, nil
			}
		}
	}
	if _, missing := errors.AsType[*lang.MissingError](err); missing && s.origin == lang.BySetter {
		// A validator for Python 2 often works with Python 3.
		if instead := w.Tools.Sibling(staged.Path, l); instead != nil {
			if faster, failed := w.Tools.BuildWith(ctx, staged.Path, instead, s.origin, extra); failed == nil && faster.OK {
				result, err = faster, nil
			}
		}
	}
	if err != nil {
		return nil, restorePath(err, s.path)
	}
	if result.Program != nil {
		result.Program.Name = s.path
	}
	return result, nil
}

// buildInDir builds a program in a problem directory that is not a package. Submissions and the reference solution
// are built with the files of include/.
func (p *Problem) buildInDir(ctx context.Context, s programSource) (*lang.Result, error) {
	w, f := p.w, p.Directory
	solves := s.origin == lang.ByContestant || f.Reference != nil && f.Reference.Path == s.path
	if f.Included == nil || !solves {
		l, err := w.Tools.Detect(s.path, s.language, s.origin)
		if err != nil {
			return nil, err
		}
		return w.Tools.Build(ctx, s.path, l, s.origin)
	}
	dir, done, err := w.archiveCache.Temp()
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", s.path, err)
	}
	defer done()
	as := s
	as.origin = lang.ByContestant
	staged, l, err := w.stage(f.Included, as, dir)
	if err != nil {
		return nil, restorePath(err, s.path)
	}
	result, err := w.Tools.BuildWith(ctx, staged.Path, l, s.origin, lang.BuildOptions{Entry: staged.Entry})
	if err != nil {
		return nil, restorePath(err, s.path)
	}
	if result.Program != nil {
		result.Program.Name = s.path
	}
	return result, nil
}

// stage copies a program to dir and finds its language. If the program is a submission and include/ contains files
// for the language, it makes a copy that also contains these files.
func (w *Workspace) stage(pkg *problem.Package, s programSource, dir string) (*problem.Staged, *config.Language, error) {
	staged, err := pkg.Stage(s.path, filepath.Join(dir, "bare"), nil, s.entry)
	if err != nil {
		return nil, nil, w.archiveCache.WrapFill(err)
	}
	l, err := w.Tools.Detect(staged.Path, s.language, s.origin)
	if err != nil || s.origin == lang.BySetter {
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
	return staged, l, w.archiveCache.WrapFill(err)
}

// contains reports whether a path is inside the problem's directory.
func (p *Problem) contains(path string) bool {
	rel, err := filepath.Rel(p.Dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// restorePath replaces the path of a copy in an error with the path that the user knows.
func restorePath(err error, path string) error {
	if u, ok := errors.AsType[*lang.UnusableError](err); ok {
		u.Fault.File = path
	}
	if missing, ok := errors.AsType[*lang.MissingError](err); ok {
		return fmt.Errorf("build %s: %w", path, missing)
	}
	return err
}

// setterParts returns the setter's programs.
func setterParts(f *problem.Directory) []*judge.SetterProgram {
	all := []*judge.SetterProgram{f.Reference, f.Validator, f.Generator, f.Interactor, f.Static, f.Checker.Program}
	if f.Golf != nil {
		all = append(all, f.Golf.Generator, f.Golf.Checker)
	}
	if f.Grading != nil {
		all = append(all, graderParts(f.Grading.Root)...)
	}
	return slices.DeleteFunc(all, func(p *judge.SetterProgram) bool { return p == nil })
}

func graderParts(n *judge.Node) (parts []*judge.SetterProgram) {
	parts = append(parts, n.Legacy.Grader)
	for _, child := range n.Children {
		parts = append(parts, graderParts(child)...)
	}
	return parts
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
	_, l, err := w.stage(f.Package, programSource{path: program, origin: lang.BySetter}, dir)
	if err != nil {
		return nil, nil
	}
	return l, nil
}
