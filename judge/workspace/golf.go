package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/bundle"
	"assay/judge/contests/golf"
	"assay/judge/contests/golf/drivers"
	"assay/judge/problem"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// StartGolf starts the setter's programs for a golf problem. The caller must close its Checker.
func (w *Workspace) StartGolf(ctx context.Context, p *Problem) (*golf.SubmissionChecker, error) {
	if err := p.checkGolf(); err != nil {
		return nil, err
	}
	program, err := p.BuildProgram(ctx, p.Golf.Checker)
	if err != nil {
		return nil, err
	}
	known, err := w.readDrivers(p)
	if err != nil {
		return nil, err
	}
	domain, err := w.golfDomain(ctx, p)
	if err != nil {
		return nil, err
	}
	checker, err := golf.NewChecker(ctx, w.Sandbox, program, w.Config.Setter)
	if err != nil {
		return nil, err
	}
	limits := w.Config.Solution
	limits.Memory = max(limits.Memory, w.Config.Setter.Memory)
	return &golf.SubmissionChecker{
		ID: p.ID, Runner: w.Sandbox, Tools: w.Tools, Drivers: known, Limits: limits, Domain: domain, Checker: checker,
	}, nil
}

// checkGolf returns an error if the problem cannot be golfed.
func (p *Problem) checkGolf() error {
	if p.Golf == nil {
		return &judge.UsageError{Err: fmt.Errorf("%s is not a golf problem: its problem.toml has no [golf] table", p.ID)}
	}
	return nil
}

// golfDomain runs the problem's generator to list the domain.
func (w *Workspace) golfDomain(ctx context.Context, p *Problem) (*golf.Domain, error) {
	lister, err := p.BuildProgram(ctx, p.Golf.Generator)
	if err != nil {
		return nil, err
	}
	return golf.OpenDomain(ctx, w.Sandbox, p.Directory, lister, w.Config.Setter, os.ReadFile)
}

// GolfStatement returns the text for golfers as Markdown: the golf statement or, if there is none, the statement,
// followed by the rules of golf with the problem's domain. The workspace must have been started.
func (w *Workspace) GolfStatement(ctx context.Context, p *Problem) ([]byte, error) {
	if err := p.checkGolf(); err != nil {
		return nil, err
	}
	file := cmp.Or(p.Golf.Statement, p.Statement())
	text, err := p.ReadText(file)
	if err != nil {
		return nil, &judge.ProblemError{File: file, Text: problem.Reason(err), Hint: "write the statement in Markdown"}
	}
	domain, err := w.golfDomain(ctx, p)
	if err != nil {
		return nil, err
	}
	known, err := w.readDrivers(p)
	if err != nil {
		return nil, err
	}
	var languages []golf.Language
	for _, l := range w.Config.Languages {
		if len(l.Extensions) == 0 {
			continue // there is no golf in scripts or executables
		}
		languages = append(languages, golf.Language{Name: l.Name, Driver: known.ForLanguage(l.ID)})
	}
	return fmt.Appendf(nil, "%s\n\n%s", bytes.TrimRight(text, "\n"), golf.Rules(domain, languages)), nil
}

// driversDir returns the directory of golf drivers in the problem's contest. A bundle contains those of its
// original contest.
func (w *Workspace) driversDir(p *Problem) string {
	if p.unpacked != nil {
		return filepath.Join(p.Dir, bundle.DriversDir)
	}
	return filepath.Join(w.Root, drivers.Dir)
}

// readDrivers reads the golf drivers: the built-in ones, and those of the contest.
func (w *Workspace) readDrivers(p *Problem) (drivers.Set, error) {
	var own fs.FS
	folder := w.driversDir(p)
	if info, err := os.Stat(folder); err == nil && info.IsDir() {
		own = os.DirFS(folder)
	}
	return drivers.Read(own, w.Config.IDs())
}

// CheckGolf checks a golf submission. If the submission cannot run and the caller requested no language, CheckGolf tries
// the other languages with the same extension. Instead of a language that is not installed, it tries its
// substitute.
func (w *Workspace) CheckGolf(
	ctx context.Context, stage *golf.SubmissionChecker, file string, r golf.ReadOptions, o golf.Options,
) (*golf.Result, error) {
	first, err := w.checkGolfAs(ctx, stage, file, nil, r, o)
	if err != nil || first.Verdict != golf.CannotRun || r.Language != "" || first.Bytes == 0 {
		return first, err
	}
	tried := []string{first.Language}
	for _, l := range w.alternatives(ctx, first.Language, strings.TrimPrefix(filepath.Ext(file), ".")) {
		o.Dialect = first.Rejected && w.shareDriver(stage, first.Language, l.Language)
		retried, err := w.checkGolfAs(ctx, stage, file, l.Language, r, o)
		if err != nil || retried.Verdict != golf.CannotRun {
			if err == nil && l.reason != "" {
				retried.Notes = append(retried.Notes, fmt.Sprintf("run as %s, because %s", l.Name, l.reason))
			}
			return retried, err
		}
		tried = append(tried, l.ID)
	}
	if len(tried) > 1 {
		first.OtherLanguages = tried[1:]
	}
	return first, nil
}

// shareDriver reports whether the language called name and the language other are called by the same driver.
func (w *Workspace) shareDriver(stage *golf.SubmissionChecker, name string, other *config.Language) bool {
	root := func(l *config.Language) string { return cmp.Or(stage.Drivers.ForLanguage(l.ID).Base, l.ID) }
	return slices.ContainsFunc(w.Config.Languages, func(l *config.Language) bool { return l.Name == name && root(l) == root(other) })
}

// alternative is an alternative language for a golf submission. The field reason says why the language is tried
// although the file's extension suggests a different one.
type alternative struct {
	*config.Language
	reason string
}

// alternatives lists the languages with an extension, except the language with the name excluded. For each language that
// is not installed, it also lists the language's substitute.
func (w *Workspace) alternatives(ctx context.Context, excluded, extension string) (alternatives []alternative) {
	var later []alternative
	for _, l := range w.Config.Languages {
		if !slices.Contains(l.Extensions, extension) {
			continue
		}
		if stand, ok := w.Config.Language(l.Instead); ok && l.Instead != "" {
			status, err := w.Tools.Ready(ctx, l)
			if err == nil && !status.Ready {
				missing := lang.MissingError{Language: l.Name, Tools: status.Missing}
				why, _, _ := strings.Cut(missing.Error(), "\n")
				later = append(later, alternative{stand, why})
			}
		}
		if l.Name != excluded {
			alternatives = append(alternatives, alternative{l, ""})
		}
	}
	return append(alternatives, later...)
}

// checkGolfAs checks a golf submission in a language. If l is nil, the language is detected.
func (w *Workspace) checkGolfAs(
	ctx context.Context, stage *golf.SubmissionChecker, file string, l *config.Language, r golf.ReadOptions, o golf.Options,
) (*golf.Result, error) {
	answer, flags, err := w.ReadGolfSubmission(stage, file, l, r)
	if missing, ok := errors.AsType[*golf.UnknownLanguageError](err); ok {
		return nil, &judge.UsageError{Err: missing}
	}
	if unusable, ok := errors.AsType[*lang.UnusableError](err); ok {
		return golf.CannotRunResult(file, unusable.Fault.Text), nil
	}
	if err != nil {
		return nil, err
	}
	o.Flags = flags
	if calls := golf.Calls(answer.Driver, stage.Domain.Arity); o.Call != "" && !slices.Contains(calls, o.Call) {
		return nil, &judge.UsageError{
			Err: fmt.Errorf("unknown call %q: %s has %s", o.Call, answer.Language.Name, strings.Join(calls, ", ")),
		}
	}
	result, err := stage.Check(ctx, answer, o)
	if unknown, ok := errors.AsType[*golf.UnknownInputError](err); ok {
		return nil, &judge.UsageError{Err: unknown}
	}
	return result, err
}

// ReadGolfSubmission reads a golf submission from a source file, a post, or standard input. It also returns the flags with
// which it is run.
func (w *Workspace) ReadGolfSubmission(
	stage *golf.SubmissionChecker, file string, language *config.Language, r golf.ReadOptions,
) (*golf.Submission, []string, error) {
	data, err := w.GolfFile(file, r)
	if err != nil {
		return nil, nil, err
	}
	flags, claim, unread := r.Flags, r.Claim, []string(nil)
	if ext := filepath.Ext(file); ext == ".md" || ext == ".markdown" {
		post, err := golf.ParsePost(string(data))
		if err != nil {
			return nil, nil, &judge.UsageError{Err: fmt.Errorf("%s: %w", file, err)}
		}
		if language, err = w.golfLanguage(r, post.Language); err != nil {
			return nil, nil, err
		}
		data, unread = []byte(post.Code), post.IgnoredParts()
		if claim == 0 {
			claim = post.Claim
		}
		if len(flags) == 0 {
			flags = post.Flags
		}
	} else if language == nil {
		if language, err = w.detectGolfLanguage(r, file); err != nil {
			return nil, nil, err
		}
	}
	a, err := golf.NewSubmission(file, language, stage.Drivers.ForLanguage(language.ID), data, r.Encoding, w.Config.CodePages)
	if err != nil {
		return nil, nil, &judge.UsageError{Err: err}
	}
	a.Claim, a.Adjusted = claim, append(unread, a.Adjusted...)
	header, err := readOptional(r.Header)
	if err != nil {
		return nil, nil, err
	}
	footer, err := readOptional(r.Footer)
	if err != nil {
		return nil, nil, err
	}
	a.Wrap(header, footer)
	if r.CountFlags {
		a.CountFlags(flags)
	}
	return a, flags, nil
}

func (w *Workspace) golfLanguage(r golf.ReadOptions, header string) (*config.Language, error) {
	if r.Language != "" {
		header = r.Language
	}
	if l, ok := golf.LanguageOf(w.Config, header); ok {
		return l, nil
	}
	return nil, &golf.UnknownLanguageError{Name: header, Known: w.Config.IDs()}
}

func (w *Workspace) detectGolfLanguage(r golf.ReadOptions, file string) (*config.Language, error) {
	if file == "-" || r.Language != "" {
		return w.golfLanguage(r, "")
	}
	return w.Tools.Detect(cmp.Or(r.Path, file), "")
}

// GolfFile reads the file of a golf submission. The size limit is that of any submission.
func (w *Workspace) GolfFile(file string, r golf.ReadOptions) ([]byte, error) {
	refuse := func(err error) ([]byte, error) {
		return nil, &judge.UsageError{Err: fmt.Errorf("answer %s: %s", file, problem.Reason(err))}
	}
	in := r.Stdin
	if r.Path != "" || file != "-" {
		f, err := os.Open(cmp.Or(r.Path, file))
		if err != nil {
			return refuse(err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
			return refuse(errors.New("not a file"))
		}
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, w.Config.Source.Size+1))
	if err != nil {
		return refuse(err)
	}
	if int64(len(data)) > w.Config.Source.Size {
		return refuse(fmt.Errorf("has more than %d bytes", w.Config.Source.Size))
	}
	return data, nil
}

func readOptional(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", &judge.UsageError{Err: fmt.Errorf("%s: %s", file, problem.Reason(err))}
	}
	return string(data), nil
}
