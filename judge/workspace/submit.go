package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/running/config"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// Submission is a submission with settings for judging it.
type Submission struct {
	Path     string // a file or a directory
	Name     string // name in reports; if empty, the path is used
	Language string // requested language; if empty, the file name decides
	// Groups and Cases select the cases to be judged. Empty lists mean all.
	Groups, Cases []string
	TimeFactor    float64 // factor for the time limits; zero means 1
	NoRetime      bool    // do not repeat runs that are slightly over the limit
	// OnOutput, if not nil, is called with the output for each case. It may be called from several goroutines.
	OnOutput func(c *judge.Case, out *io.SectionReader) error
}

// Submit judges a submission. Any error in the submission gives a verdict: without a usable language, it is a
// compile error, and the log explains it. Events are passed to listen, in order. Submit returns the last event.
func (w *Workspace) Submit(ctx context.Context, p *Problem, s Submission, o judge.Options, listen func(judge.Event)) (
	sum *judge.Finished, err error,
) {
	if _, err := os.Stat(s.Path); err != nil {
		return nil, &judge.UsageError{Err: fmt.Errorf("solution %s: %s", s.Path, problem.Reason(err))}
	}
	picked, err := p.selectCases(s.Groups, s.Cases)
	if err != nil {
		return nil, err
	}
	e, err := p.findSubmission(s.Path, s.Language)
	if err != nil {
		return nil, err
	}
	notes, err := p.Notes(ctx)
	if err != nil {
		return nil, err
	}
	if picked.Limits = p.Limits; s.TimeFactor > 0 {
		picked.Limits = p.Limits.Scaled(s.TimeFactor)
	}
	build := e.build
	if build != nil && !p.w.shared {
		var done func()
		build, done = buildEarly(ctx, build)
		defer done()
	}
	var bench trial.Executor
	if e.unusable { // for example an empty file, whose author need not wait for the checker
		bench = &trial.Batch{BuildSubmission: build}
	} else if bench, err = p.newBench(ctx, picked, s.Path, build, trial.RunMode{Retime: !s.NoRetime}, s.OnOutput); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bench.Close()) }()
	name := s.Name
	if name == "" {
		name = s.Path
	}
	listen(w.StartedEvent(picked, name, e.language))
	for _, note := range notes {
		listen(&judge.Noted{Text: note})
	}
	o.Preparing = w.Tools.Preparing
	return judge.Run(ctx, picked, bench, o.WithExtraJobs(), listen)
}

// buildEarly starts building a submission at once, while the checker is being built. The function build returns the
// result, and the function done waits until the build has ended. Submit does not use early in a workspace that
// shares its CPUs with others, because the build would disturb a run that must be alone.
func buildEarly(
	ctx context.Context, start func(context.Context) (*lang.Result, error),
) (build func(context.Context) (*lang.Result, error), cancel func()) {
	var made *lang.Result
	var err error
	over := make(chan struct{})
	go func() { // ends with start; done waits for it
		defer close(over)
		made, err = start(ctx)
	}()
	build = func(ctx context.Context) (*lang.Result, error) {
		select {
		case <-over:
			return made, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return build, func() { <-over }
}

// selectCases selects cases of the problem. It waits while the problem is being prepared.
func (p *Problem) selectCases(groups, cases []string) (*judge.Problem, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Pick(groups, cases)
}

// CheckLanguage returns an error if the language of a submission is unknown. Call it before anything is judged, if the
// user can be asked to choose a language.
func (p *Problem) CheckLanguage(path, language string) error {
	if p.Kind.OutputOnly || p.Package != nil && p.Package.Submission(path) != nil {
		return nil
	}
	_, err := p.w.Tools.DetectStrict(path, language)
	if unusable, ok := errors.AsType[*lang.UnusableError](err); !ok {
		return err
	} else if unusable.NeedsLanguage {
		return &judge.UsageError{Err: unusable}
	}
	return nil
}

// findSubmission returns the submission at a path. If the submission is unusable, its build fails with a log that
// explains why.
func (p *Problem) findSubmission(path, language string) (*submissionEntry, error) {
	if p.Kind.OutputOnly {
		return &submissionEntry{path: path}, nil
	}
	e, err := p.findEntry(path, language)
	if log, ok := unusableLog(path, err); ok {
		failed := func(context.Context) (*lang.Result, error) { return &lang.Result{Log: log}, nil }
		return &submissionEntry{path: path, unusable: true, build: failed}, nil
	}
	if err != nil {
		return nil, err
	}
	build := e.build
	e.build = func(ctx context.Context) (*lang.Result, error) {
		made, err := build(ctx)
		if log, ok := unusableLog(path, err); ok {
			return &lang.Result{Log: log}, nil
		}
		return made, err
	}
	return e, nil
}

// unusableLog returns the log for a contestant whose submission cannot be used in any language. It does not reveal
// paths on this machine. If err has another cause, ok is false.
func unusableLog(path string, err error) (log string, ok bool) {
	u, ok := errors.AsType[*lang.UnusableError](err)
	if !ok {
		return "", false
	}
	f := *u.Fault
	if rel, err := filepath.Rel(filepath.Dir(path), f.File); f.File != "" && err == nil {
		f.File = rel
	}
	return f.Error(), true
}

// answersLanguage is the language shown in reports for a submission that consists of outputs.
const answersLanguage = "outputs"

// StartedEvent returns the first event for a submission. L is nil if the language is unknown, or the submission
// consists of outputs.
func (w *Workspace) StartedEvent(p *judge.Problem, path string, l *config.Language) *judge.Started {
	e := &judge.Started{
		Format: judge.EventFormat, Problem: p.ID, Title: p.Title, Program: path,
		TimeMS: p.Limits.CPU.Milliseconds(), Memory: p.Limits.Memory, Cases: p.CaseCount(),
	}
	switch {
	case l != nil:
		e.Language, e.Faster = l.Name, l.Faster
	case p.Kind.OutputOnly:
		e.Language = answersLanguage
	}
	for _, g := range p.Groups {
		e.Groups = append(e.Groups, g.Name)
	}
	e.Isolation, e.Unenforced = w.Isolation()
	return e
}
