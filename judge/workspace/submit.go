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

// Submission is what somebody submits, and how it is to be judged.
type Submission struct {
	Path     string // a file or a folder
	Name     string // what reports call it; "" is the path
	Language string // asked for; "" for what its name tells
	// Groups and Cases are the only ones to judge; empty lists are all.
	Groups, Cases []string
	TimeFactor    float64 // multiplies the time limits; 0 is 1
	NoRetime      bool    // do not repeat alone what was a little slow
	// Keep, if it is not nil, is called with each case's output. It may be called from
	// several goroutines.
	Keep func(c *judge.Case, out *io.SectionReader) error
}

// Submit judges a submission. Whatever is wrong with the submission itself is a
// verdict: one that no language can use does not compile, and the log says why. What
// happens goes to listen, in order; what it returns is the last event.
func (w *Workspace) Submit(ctx context.Context, p *Problem, s Submission, o judge.Options, listen func(judge.Event)) (sum *judge.Finished, err error) {
	if _, err := os.Stat(s.Path); err != nil {
		return nil, &judge.Misuse{Err: fmt.Errorf("solution %s: %s", s.Path, problem.Reason(err))}
	}
	picked, err := p.pick(s.Groups, s.Cases)
	if err != nil {
		return nil, err
	}
	e, err := p.submitted(s.Path, s.Language)
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
		build, done = early(ctx, build)
		defer done()
	}
	bench, err := p.bench(ctx, picked, s.Path, build, trial.Way{Retime: !s.NoRetime}, s.Keep)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, bench.Close()) }()
	name := s.Name
	if name == "" {
		name = s.Path
	}
	listen(w.Started(picked, name, e.language))
	for _, note := range notes {
		listen(&judge.Noted{Text: note})
	}
	o.Preparing = w.Tools.Preparing
	return judge.Run(ctx, picked, bench, o.Lending(), listen)
}

// early starts to build a submission, so that it is built while the checker is. Build returns what came of
// that, and done waits for it. In a workspace that shares its processors with others, it would disturb a run
// that must be alone.
func early(
	ctx context.Context, start func(context.Context) (*lang.Result, error),
) (build func(context.Context) (*lang.Result, error), done func()) {
	var made *lang.Result
	var err error
	over := make(chan struct{})
	go func() { // ends with start, for which done waits
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

// pick picks cases of the problem, while it is not being prepared.
func (p *Problem) pick(groups, cases []string) (*judge.Problem, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Pick(groups, cases)
}

// Known says, before anything is judged, that nobody can tell in which language a
// submission is: whoever is there to say it made a mistake.
func (p *Problem) Known(path, language string) error {
	if p.Kind.Answers || p.Package != nil && p.Package.Submission(path) != nil {
		return nil
	}
	_, err := p.w.Tools.DetectSure(path, language)
	if unusable, ok := errors.AsType[*lang.UnusableError](err); !ok {
		return err
	} else if unusable.Untold {
		return &judge.Misuse{Err: unusable}
	}
	return nil
}

// submitted is a submission as it is found, usable or not.
func (p *Problem) submitted(path, language string) (*entry, error) {
	if p.Kind.Answers {
		return &entry{path: path}, nil
	}
	e, err := p.enter(path, language)
	if log, ok := unusable(path, err); ok {
		return &entry{path: path, build: func(context.Context) (*lang.Result, error) { return &lang.Result{Log: log}, nil }}, nil
	}
	if err != nil {
		return nil, err
	}
	build := e.build
	e.build = func(ctx context.Context) (*lang.Result, error) {
		made, err := build(ctx)
		if log, ok := unusable(path, err); ok {
			return &lang.Result{Log: log}, nil
		}
		return made, err
	}
	return e, nil
}

// unusable is what a contestant is told of a submission at path that no language can
// use. Where it lies is nobody's business.
func unusable(path string, err error) (log string, ok bool) {
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

// answersLanguage is what reports call the language of a submission that is outputs.
const answersLanguage = "outputs"

// Started is the event that opens a submission; l is nil for one whose language is not
// known, and for one that is outputs.
func (w *Workspace) Started(p *judge.Problem, path string, l *config.Language) *judge.Started {
	e := &judge.Started{
		Format: judge.EventFormat, Problem: p.ID, Title: p.Title, Program: path,
		TimeMS: p.Limits.CPU.Milliseconds(), Memory: p.Limits.Memory, Cases: p.Count(),
	}
	switch {
	case l != nil:
		e.Language, e.Faster = l.Name, l.Faster
	case p.Kind.Answers:
		e.Language = answersLanguage
	}
	for _, g := range p.Groups {
		e.Groups = append(e.Groups, g.Name)
	}
	e.Rung, e.Weaker = w.Rung()
	return e
}
