// Package trial runs a program on the cases of a problem, and has the output checked. It has one file for each
// kind of problem. It implements judge.Executor, and New returns the bench for a problem's kind.
//
//	batch.go        one input, one output
//	interactive.go  the program and the interactor talk to each other
//	multipass.go    the program runs again on the output of the checker or interactor
//	reruns.go       the program runs as often as the problem requires (Polygon)
//	answers.go      the submission consists of outputs
//	setter.go       static validators and graders
//	workdir.go      the directory that a program runs in
//
// It does not decide verdicts: judge.Classify, judge.ClassifyInteractive and the checker do. It does not limit programs: the
// sandbox does.
package trial

import (
	"context"
	"errors"
	"fmt"
	"io"

	"assay/judge"
	"assay/judge/running/check"
	"assay/judge/running/lang"
)

// RunMode is how a program is run.
type RunMode struct {
	// Retime repeats a run alone, before it is judged, if it was slightly too slow or got too little CPU time.
	// Times vary if programs share a machine.
	Retime bool
	// KnownSlow means that a program is known to be too slow. It is killed at its time limit, and a run over the
	// limit is not repeated.
	KnownSlow bool
}

// Setup contains everything that a bench needs.
type Setup struct {
	Problem  *judge.Problem        // includes the limits to be enforced
	Runner   judge.Runner          // for interactive problems, also a judge.Joiner
	Programs *check.SetterPrograms // the setter's programs

	Source string // the submission: a file or a directory
	// ShowSource makes the submission's own files visible in its working directory.
	ShowSource      bool
	BuildSubmission func(ctx context.Context) (*lang.Result, error) // builds the submission; not called if it consists of outputs
	// Language and Entry are arguments for a static validator. The defaults are the language's id and the name of
	// the file or directory.
	Language, Entry string

	TempDir string // directory for outputs too large for memory; if empty, the system's default
	RunMode
	KeepOutput func(c *judge.Case, out *io.SectionReader) error // see Batch
	// Exclusive is shared by all benches whose runs may disturb each other. If nil, this bench has its own.
	Exclusive *ExclusiveLock
}

// Executor is a judge.Executor for one submission. The caller must call Close.
type Executor interface {
	judge.Executor
	// Close stops the setter's programs. No other call may be in progress.
	Close() error
}

// New returns a bench. It builds the setter's programs that the bench needs.
func New(ctx context.Context, s Setup) (_ Executor, err error) {
	p := s.Problem
	b := &Batch{
		Runner: s.Runner, BuildSubmission: s.BuildSubmission, Limits: p.Limits, CodeLimit: p.CodeLimit, Source: s.Source,
		TempDir: s.TempDir, RunMode: s.RunMode, KeepOutput: s.KeepOutput, Exclusive: s.Exclusive,
	}
	b.setter.Setup = s
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	validation := s.Programs.Limits()
	if err := b.setter.build(ctx, validation); err != nil {
		return nil, err
	}
	kind := p.Kind
	switch {
	case len(p.Reruns) > 0:
		return newReruns(ctx, b, validation)
	case kind.OutputOnly && (kind.Interactive || kind.MultiPass):
		return nil, &judge.ProblemError{
			File: p.Dir, Text: "a problem whose submissions are outputs has neither an interactor nor several passes",
		}
	case kind.Interactive && p.Interactor == nil:
		return nil, &judge.ProblemError{File: p.Dir, Text: "an interactive problem has no interactor"}
	case kind.Interactive:
		return newInteractive(ctx, b, validation)
	case kind.MultiPass:
		return newMultiPass(ctx, b, validation)
	}
	b.Checker, err = s.Programs.Checker(ctx)
	if kind.OutputOnly {
		return &outputOnly{Batch: b}, err
	}
	return b, err
}

// validator builds a setter's program and returns it as a Validator.
func (s *Setup) validator(ctx context.Context, p *judge.SetterProgram, limits judge.Limits) (*check.Validator, error) {
	program, err := s.Programs.BuildProgram(ctx, p)
	if err != nil {
		return nil, err
	}
	v, err := check.NewValidator(s.Runner, program, p.Protocol, p.Args, limits)
	if fault, ok := errors.AsType[*judge.ProblemError](err); ok && fault.File == "" {
		fault.File = p.Path
	}
	return v, err
}

// joiner returns the runner as a Joiner, or an error if it is not one.
func (s *Setup) joiner() (judge.Joiner, error) {
	if j, ok := s.Runner.(judge.Joiner); ok {
		return j, nil
	}
	return nil, fmt.Errorf("judge interactive problems: %T cannot run programs together", s.Runner)
}
