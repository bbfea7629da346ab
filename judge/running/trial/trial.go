// Package trial runs a program on the cases of a problem, and has the outcome
// checked: one file for each kind of problem. It implements judge.Bench, and New
// makes the bench that a problem's kind asks for.
//
//	batch.go        one input, one output
//	interactive.go  the program and the interactor talk to each other
//	multipass.go    the program runs again on what the checker or interactor made
//	reruns.go       the program runs as often as the problem says (Polygon)
//	answers.go      the submission is the outputs themselves
//	setter.go       static validators and graders
//	workdir.go      the directory that a program runs in
//
// It does not decide verdicts: judge.Classify, judge.Settle and the checker do; and
// it does not limit anything: the sandbox does.
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

// Way says how a program is run.
type Way struct {
	// Retime has a run that was a little slow, or got too little of the processor,
	// repeated alone before it is judged: where programs share a machine, times vary.
	Retime bool
	// Slow says that a program is known to be too slow: it is ended at its time limit,
	// and a run that is over it is not repeated.
	Slow bool
}

// Setup is what a submission is tried with.
type Setup struct {
	Problem *judge.Problem // with the limits that are to be kept
	Runner  judge.Runner   // for interactive problems a judge.Joiner too
	Crew    *check.Crew    // the setter's programs

	Source string // the submission: a file or a directory
	// ShowSource has the submission see its own files in its working directory.
	ShowSource bool
	Make       func(ctx context.Context) (*lang.Result, error) // builds it; not called for answers
	// Language and Entry are arguments of a static validator; by default the
	// language's id and the name of the file or directory.
	Language, Entry string

	TempDir string // for outputs that are too large for memory; "" is the system's
	Way
	KeepOutput func(c *judge.Case, out *io.SectionReader) error // see Batch
	// Quiet is shared by all benches whose runs may disturb one another; nil is one of
	// this bench alone.
	Quiet *Quiet
}

// Bench is a judge.Bench for one submission. The caller must call Close.
type Bench interface {
	judge.Bench
	// Close ends the setter's programs. No other call may be under way.
	Close() error
}

// New makes a bench. What can be built of the setter's programs is built now.
func New(ctx context.Context, s Setup) (_ Bench, err error) {
	p := s.Problem
	b := &Batch{
		Runner: s.Runner, Make: s.Make, Limits: p.Limits, CodeLimit: p.CodeLimit, Source: s.Source,
		TempDir: s.TempDir, Way: s.Way, KeepOutput: s.KeepOutput, Quiet: s.Quiet,
	}
	b.setter.Setup = s
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	validation := s.Crew.Limits()
	if err := b.setter.build(ctx, validation); err != nil {
		return nil, err
	}
	kind := p.Kind
	switch {
	case len(p.Reruns) > 0:
		return newReruns(ctx, b, validation)
	case kind.Answers && (kind.Interactive || kind.MultiPass):
		return nil, &judge.Fault{File: p.Dir, Text: "a problem whose submissions are outputs has neither an interactor nor several passes"}
	case kind.Interactive && p.Interactor == nil:
		return nil, &judge.Fault{File: p.Dir, Text: "an interactive problem has no interactor"}
	case kind.Interactive:
		return newInteractive(ctx, b, validation)
	case kind.MultiPass:
		return newMultiPass(ctx, b, validation)
	}
	b.Checker, err = s.Crew.Checker(ctx)
	if kind.Answers {
		return &answers{Batch: b}, err
	}
	return b, err
}

// validator makes a setter's program ready to judge in steps.
func (s *Setup) validator(ctx context.Context, p *judge.Part, limits judge.Limits) (*check.Validator, error) {
	program, err := s.Crew.Part(ctx, p)
	if err != nil {
		return nil, err
	}
	v, err := check.NewValidator(s.Runner, program, p.Speaks, p.Args, limits)
	if fault, ok := errors.AsType[*judge.Fault](err); ok && fault.File == "" {
		fault.File = p.Path
	}
	return v, err
}

// joiner is the runner where it can join programs.
func (s *Setup) joiner() (judge.Joiner, error) {
	if j, ok := s.Runner.(judge.Joiner); ok {
		return j, nil
	}
	return nil, fmt.Errorf("judge interactive problems: %T cannot run programs together", s.Runner)
}
