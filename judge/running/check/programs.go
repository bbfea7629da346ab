package check

import (
	"context"
	"errors"
	"sync"

	"assay/judge"
)

// A SetterPrograms builds the setter's programs of a problem, and starts its checkers. It is safe for concurrent use.
type SetterPrograms struct {
	judge.Builder
	Problem       *judge.Problem
	Runner        judge.Runner
	DefaultLimits judge.Limits // limits of a setter's program, if the problem sets none
	// Locate sets the file and line of a fault in the options of a built-in checker. If nil, faults name the
	// problem directory.
	Locate func(*judge.ProblemError) *judge.ProblemError

	mu      sync.Mutex
	checker *judge.Program // nil until it is built
}

// Limits returns the limits for one run of a checker, validator or interactor.
func (c *SetterPrograms) Limits() judge.Limits { return c.Problem.JudgingLimits(c.DefaultLimits) }

// Checker returns a new checker, for one submission.
func (c *SetterPrograms) Checker(ctx context.Context) (Checker, error) {
	part := c.Problem.Checker.Program
	if part == nil {
		made, err := Builtin(c.Problem.Checker.Name, c.Problem.Checker.Args)
		if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
			return nil, c.located(fault)
		}
		return made, err
	}
	program, err := c.build(ctx, part)
	if err != nil {
		return nil, err
	}
	return Program(c.Runner, part, program, c.Limits())
}

func (c *SetterPrograms) located(f *judge.ProblemError) *judge.ProblemError {
	switch {
	case c.Locate != nil:
		return c.Locate(f)
	case f.File == "":
		f.File = c.Problem.Dir
	}
	return f
}

// build builds the checker once.
func (c *SetterPrograms) build(ctx context.Context, part *judge.SetterProgram) (*judge.Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.checker != nil {
		return c.checker, nil
	}
	made, err := c.BuildProgram(ctx, part)
	if err != nil {
		return nil, err
	}
	c.checker = made
	return made, nil
}
