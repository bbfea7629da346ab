package judge

import (
	"context"
	"errors"
)

// A Blame is who is at fault for an error. It alone determines the exit code of a command and the status of a
// response.
type Blame string

const (
	// NoBlame means that there is no error.
	NoBlame Blame = ""
	// Caller is the caller, who used an unknown name or a missing file.
	Caller Blame = "caller"
	// Contestant is the author of a submission that cannot be used. When judged, it gets a verdict.
	Contestant Blame = "contestant"
	// Setter is the author of the problem directory or the configuration.
	Setter Blame = "setter"
	// Machine is the judge, or the machine that it runs on.
	Machine Blame = "machine"
	// Interrupted is for work that was ended before it was done.
	Interrupted Blame = "interrupted"
)

// Blamed is an error that knows who is at fault.
type Blamed interface {
	error
	Blame() Blame
}

// Whose returns who is at fault for an error. In a chain of wrapped errors the outermost Blamed decides,
// because a caller may know better. Without one, the machine is at fault.
func Whose(err error) Blame {
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

// Misuse is a mistake of the caller.
type Misuse struct{ Err error }

// Error returns the text of the mistake.
func (e *Misuse) Error() string { return e.Err.Error() }

// Unwrap returns the mistake itself.
func (e *Misuse) Unwrap() error { return e.Err }

// Blame returns the caller.
func (*Misuse) Blame() Blame { return Caller }

// Blame returns Setter.
func (*Fault) Blame() Blame { return Setter }

// Blame returns Setter.
func (Faults) Blame() Blame { return Setter }
