package judge

import (
	"context"
	"errors"
)

// A Blame names the party at fault for an error. It alone determines the exit code of a command and the status of
// a response.
type Blame string

const (
	// NoBlame means that there is no error.
	NoBlame Blame = ""
	// Caller means that the caller is at fault, for example for an unknown name or a missing file.
	Caller Blame = "caller"
	// Contestant means that the author of an unusable submission is at fault. A judged submission gets a verdict
	// instead.
	Contestant Blame = "contestant"
	// Setter means that the author of the problem directory or the configuration is at fault.
	Setter Blame = "setter"
	// Machine is the judge, or the machine that it runs on.
	Machine Blame = "machine"
	// Interrupted means that the work was stopped before it was done.
	Interrupted Blame = "interrupted"
)

// Blamed is an error that reports who is at fault.
type Blamed interface {
	error
	Blame() Blame
}

// BlameOf returns the party at fault for err. In a chain of wrapped errors, the outermost Blamed decides, because a
// caller may know better than the function it called. If the chain contains no Blamed, the machine is at fault.
func BlameOf(err error) Blame {
	if err == nil {
		return NoBlame
	}
	if known, ok := errors.AsType[Blamed](err); ok {
		return known.Blame()
	}
	if errors.Is(err, context.Canceled) {
		return Interrupted
	}
	return Machine
}

// UsageError is a mistake of the caller.
type UsageError struct{ Err error }

// Error returns the text of the mistake.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *UsageError) Unwrap() error { return e.Err }

// Blame returns Caller.
func (*UsageError) Blame() Blame { return Caller }

// Blame returns Setter.
func (*ProblemError) Blame() Blame { return Setter }

// Blame returns Setter.
func (ProblemErrors) Blame() Blame { return Setter }
