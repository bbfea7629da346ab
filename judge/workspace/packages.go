package workspace

import (
	"cmp"
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
	"time"

	"assay/judge"
	"assay/judge/bundle"
	"assay/judge/cases/verify"
	"assay/judge/internal/suggest"
	"assay/judge/packages/icpc"
	"assay/judge/packages/polygon"
	"assay/judge/problem"
	"assay/judge/running/check"
	"assay/judge/running/config"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// Open finds and reads a problem.
func (w *Workspace) Open(name string) (*problem.Folder, error) {
	f, faults, err := w.Folder(name)
	if err != nil {
		return nil, err
	}
	return f, faults.AsError()
}

// Folder finds and reads a problem, and unpacks it if it is in an archive. With
// faults it cannot be judged; it may still be there.
func (w *Workspace) Folder(name string) (*problem.Folder, judge.Faults, error) {
	dir, tests, err := w.Locate(name)
	if err != nil {
		return nil, nil, err
	}
	f, faults := w.read(dir, tests)
	return f, faults, nil
}

// Locate finds the folder of a problem and of its generated cases, and unpacks it if
// it is in an archive. What the contest does not have may be a problem of the house.
func (w *Workspace) Locate(name string) (dir, tests string, err error) {
	if bundle.Is(name) && isFile(name) {
		if name, err = w.layOut(name); err != nil {
			return "", "", err
		}
	}
	dir, tests, err = problem.Find(w.Root, name)
	if missing, ok := errors.AsType[*problem.NotFoundError](err); ok {
		lent, failed := w.Lent()
		switch {
		case failed != nil:
			return "", "", failed
		case slices.Contains(lent, name):
			root, _ := w.houseRoot()
			return problem.Find(root, name)
		}
		own, _ := problem.List(w.Root)
		if _, near := suggest.Closest(name, own); !near && !strings.ContainsRune(name, filepath.Separator) {
			if _, near := suggest.Closest(name, lent); near {
				missing.Hint = suggest.Hint(name, lent)
			}
		}
	}
	if err == nil && icpc.IsArchive(dir) {
		dir, err = w.unpack(dir)
		tests = dir
	}
	return dir, tests, err
}

// read reads the problem in a folder.
func (w *Workspace) read(dir, tests string) (*problem.Folder, judge.Faults) {
	f, faults := problem.Open(w.Near(dir), w.Near(tests), w.Config.Solution)
	if f != nil && (f.Package != nil || f.Included != nil) {
		w.packages = append(w.packages, f)
	}
	if f != nil {
		w.thaw(f)
		f.Spare(w.spare(dir))
	}
	return f, faults
}

// unpack lays an archive out in the cache, once for each version of it, and
// returns the package's folder there.
func (w *Workspace) unpack(archive string) (string, error) {
	f, err := os.Open(archive)
	if err != nil {
		return "", &judge.Fault{File: archive, Text: problem.Reason(err)}
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("read %s: %w", archive, err)
	}
	base := strings.TrimSuffix(filepath.Base(archive), filepath.Ext(archive))
	home, err := w.archives.Add(context.Background(), hex.EncodeToString(sum.Sum(nil)[:16]), func(home string) error {
		_, err := icpc.Unpack(archive, filepath.Join(home, base), polygon.Is, problem.IsPlain)
		return err
	})
	if err != nil {
		return "", err
	}
	return icpc.PackageIn(archive, filepath.Join(home, base), polygon.Is, problem.IsPlain)
}

// source is a program of a package, or a submission to it, that is to be built.
type source struct {
	path     string
	language string // asked for; "" for what its name tells
	entry    string // the file that starts it; "" for what its name tells
	from     lang.Origin
}

// buildFor builds a program for a problem. In a package programs are built from
// copies, with the constants and the files of include/ in them.
func (w *Workspace) buildFor(ctx context.Context, f *problem.Folder, s source) (*lang.Result, error) {
	if f == nil || f.Package == nil {
		return w.buildOwn(ctx, f, s)
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
		// A validator of Python 2 is often one of Python 3 too.
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

// buildOwn builds a program for a problem folder of the judge's own form. Submissions
// and the reference are built with the files of include/.
func (w *Workspace) buildOwn(ctx context.Context, f *problem.Folder, s source) (*lang.Result, error) {
	solves := s.from == lang.ByContestant || f != nil && f.Reference != nil && f.Reference.Path == s.path
	if f == nil || f.Included == nil || !solves {
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

// Submitted finds the language of a submission, and returns what builds it.
func (w *Workspace) Submitted(f *problem.Folder, path, language string) (l *config.Language, build func(context.Context) (*lang.Result, error), err error) {
	s := source{path: path, language: language, from: lang.ByContestant}
	if f.Package == nil {
		l, err := w.Tools.Detect(path, language)
		if err != nil {
			return nil, nil, err
		}
		s.language = l.ID
		return l, func(ctx context.Context) (*lang.Result, error) { return w.buildFor(ctx, f, s) }, nil
	}
	if known := f.Package.Submission(path); known != nil { // what the package says of its own
		s.entry = known.Entry
		if language == "" {
			s.language = known.Language
		}
	}
	dir, done, err := w.archives.Temp()
	if err != nil {
		return nil, nil, fmt.Errorf("copy %s: %w", path, err)
	}
	defer done()
	if _, l, err = w.stage(f.Package, s, dir); err != nil {
		return nil, nil, unstaged(err, path)
	}
	s.language = l.ID
	return l, func(ctx context.Context) (*lang.Result, error) { return w.buildFor(ctx, f, s) }, nil
}

// Notes makes sure that a package has a time limit, and says what a reader
// must know of the package.
func (w *Workspace) Notes(ctx context.Context, f *problem.Folder) (notes []string, err error) {
	if f.Package == nil {
		return nil, nil
	}
	verifier, t := w.Verifier(f), w.thawed(f.Dir)
	if t != nil {
		verifier.Build = t.builder(f)
	}
	faults, err := verifier.DropGraders(ctx)
	if err != nil {
		return nil, err
	}
	for _, fault := range faults {
		notes = append(notes, "the usual grader takes the place of one that cannot be built: "+fault.Error())
	}
	how := ""
	if t != nil && t.found.TimeLimitUS > 0 {
		how = t.found.TimeLimitFrom
		f.Package.SetTime(time.Duration(t.found.TimeLimitUS) * time.Microsecond)
	} else if how, err = verifier.FindTimeLimit(ctx); err != nil {
		return nil, err
	}
	if how != "" {
		notes = append(notes, how)
	}
	switch n := len(f.Package.Flaws); n {
	case 0:
	case 1:
		notes = append(notes, fmt.Sprintf("the package has a fault that does not stop the judging: %s", f.Package.Flaws[0]))
	default:
		notes = append(notes, fmt.Sprintf("the package has %d faults that do not stop the judging; `judge verify %s` tells them. The first: %s", n, w.typed(f), f.Package.Flaws[0]))
	}
	return notes, nil
}

// typed is how people name a problem.
func (w *Workspace) typed(f *problem.Folder) string {
	if t := w.thawed(f.Dir); t != nil {
		return t.file
	}
	return cmp.Or(w.filled[f.Dir], f.Dir)
}

// Parts makes what builds the setter's programs of a problem. A package gets a
// reference that it does not name, a submission that must be accepted, and its time
// limit.
func (w *Workspace) Parts(ctx context.Context, f *problem.Folder) (func(context.Context, *judge.Part) (*judge.Program, error), error) {
	if f.Package == nil || f.Reference != nil || f.Kind.Answers {
		return w.Part, nil
	}
	if _, err := w.Notes(ctx, f); err != nil {
		return nil, err
	}
	built, err := w.reference(ctx, f)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, p *judge.Part) (*judge.Program, error) {
		if p == f.Reference {
			return built, nil
		}
		return w.Part(ctx, p)
	}, nil
}

// reference gives a package the reference that it does not name, and builds it.
func (w *Workspace) reference(ctx context.Context, f *problem.Folder) (*judge.Program, error) {
	var built *judge.Program
	verifier, t := w.Verifier(f), w.thawed(f.Dir)
	for _, s := range f.Package.Submissions {
		verdict, _ := s.Promised()
		switch {
		case t != nil && filepath.Join(f.Dir, filepath.FromSlash(t.found.Reference)) != s.Path:
			continue
		case t == nil && verdict != judge.Accepted, built != nil && !s.Model:
			continue
		}
		made, err := verifier.MakeSubmission(ctx, s)
		if err == nil && made.OK {
			built, f.Reference = made.Program, &judge.Part{Path: s.Path, Speaks: "plain"}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if built == nil {
		return nil, &judge.Fault{File: f.Dir, Text: "no submission of the package that must be accepted can be built", Hint: "one of them says what is right"}
	}
	return built, nil
}

// stage copies a program, and again with the files of include/ for its language
// where there are any.
func (w *Workspace) stage(p *icpc.Package, s source, dir string) (*icpc.Staged, *config.Language, error) {
	staged, err := p.Stage(s.path, filepath.Join(dir, "bare"), nil, s.entry)
	if err != nil {
		return nil, nil, err
	}
	l, err := w.Tools.Detect(staged.Path, s.language, s.from)
	if err != nil || s.from == lang.BySetter {
		return staged, l, err
	}
	include := p.Includes(func(code string) bool {
		known, ok := w.Config.Language(code)
		return ok && known == l
	})
	if len(include) == 0 {
		return staged, l, nil
	}
	staged, err = p.Stage(s.path, filepath.Join(dir, "whole"), include, s.entry)
	return staged, l, err
}

// unstaged puts the path that the user knows into an error about a copy.
func unstaged(err error, path string) error {
	if u, ok := errors.AsType[*lang.UnusableError](err); ok {
		u.Fault.File = path
	}
	return err
}

// faster builds a submission of a package with the faster tool chain of its language;
// nil where there is none.
func (w *Workspace) faster(ctx context.Context, f *problem.Folder, s *icpc.Submission) (*lang.Result, error) {
	if f.Kind.Answers {
		return nil, nil
	}
	dir, done, err := w.archives.Temp()
	if err != nil {
		return nil, fmt.Errorf("copy %s: %w", s.Path, err)
	}
	defer done()
	from := source{path: s.Path, language: s.Language, entry: s.Entry, from: lang.ByContestant}
	_, l, err := w.stage(f.Package, from, dir)
	if err != nil || l.Faster == "" {
		return nil, err
	}
	from.language = l.Faster
	return w.buildFor(ctx, f, from)
}

// Verifier makes what verifies a problem.
func (w *Workspace) Verifier(f *problem.Folder) *verify.Verifier {
	rung, _ := w.Rung()
	return &verify.Verifier{
		Folder:    f,
		Solutions: w.Near(w.solutions(f)),
		Runner:    w.Box,
		Jobs:      w.Jobs,
		Limits:    w.Config.Setter,
		Rung:      rung,
		Memory:    &verify.Memory{Dir: filepath.Join(w.Cache, "runs")},
		Build:     w.Part,
		Make: func(ctx context.Context, path string) (*lang.Result, error) {
			return w.buildFor(ctx, f, source{path: path, from: lang.ByContestant})
		},
		Checker: func(ctx context.Context) (check.Checker, error) { return w.Checker(ctx, f) },
		Bench: func(ctx context.Context, p *judge.Problem, path string, made *lang.Result, retime bool) (trial.Bench, error) {
			return w.Bench(ctx, f, p, path, func(context.Context) (*lang.Result, error) { return made, nil }, retime, nil)
		},
		MakeSubmission: func(ctx context.Context, s *icpc.Submission) (*lang.Result, error) {
			if f.Kind.Answers {
				return &lang.Result{OK: true}, nil
			}
			return w.buildFor(ctx, f, source{path: s.Path, language: s.Language, entry: s.Entry, from: lang.ByContestant})
		},
		MakeFaster: func(ctx context.Context, s *icpc.Submission) (*lang.Result, error) { return w.faster(ctx, f, s) },
	}
}
