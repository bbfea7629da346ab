package check

import (
	"context"
	"errors"
	"sync"

	"assay/judge"
)

// A Crew builds the setter's programs of a problem, and starts its checkers. It is safe for concurrent use.
type Crew struct {
	judge.Builder
	Problem *judge.Problem
	Runner  judge.Runner
	Usual   judge.Limits // limits of a setter's program, if the problem sets none
	// Place sets the file and line of a fault in the options of a built-in checker. If nil, faults name the
	// problem directory.
	Place func(*judge.Fault) *judge.Fault

	mu      sync.Mutex
	checker *judge.Program // nil until it is built
}

// Limits returns the limits for one run of a checker, validator or interactor.
func (c *Crew) Limits() judge.Limits { return c.Problem.JudgingLimits(c.Usual) }

// Checker returns a new checker, for one submission.
func (c *Crew) Checker(ctx context.Context) (Checker, error) {
	part := c.Problem.Checker.Program
	if part == nil {
		made, err := Builtin(c.Problem.Checker.Name, c.Problem.Checker.Args)
		if fault, ok := errors.AsType[*judge.Fault](err); ok {
			return nil, c.placed(fault)
		}
		return made, err
	}
	program, err := c.build(ctx, part)
	if err != nil {
		return nil, err
	}
	return Program(c.Runner, part, program, c.Limits())
}

func (c *Crew) placed(f *judge.Fault) *judge.Fault {
	switch {
	case c.Place != nil:
		return c.Place(f)
	case f.File == "":
		f.File = c.Problem.Dir
	}
	return f
}

// build builds the checker once.
func (c *Crew) build(ctx context.Context, part *judge.Part) (*judge.Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.checker != nil {
		return c.checker, nil
	}
	made, err := c.Part(ctx, part)
	if err != nil {
		return nil, err
	}
	c.checker = made
	return made, nil
}
