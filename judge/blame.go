package judge

import (
	"context"
	"errors"
)

// Blame says whose fault an error is. What a program makes of an error, an exit
// code or an answer to a request, follows from it alone.
type Blame string

const (
	// Nobody is to blame where nothing went wrong.
	Nobody Blame = ""
	// Asker is who asked: a name that nothing has, a file that is not there.
	Asker Blame = "asker"
	// Contestant is who wrote the submission, which cannot be used. Judged, it gets
	// a verdict.
	Contestant Blame = "contestant"
	// Setter is who wrote the problem folder or the configuration.
	Setter Blame = "setter"
	// Machine is the judge, or the machine that it runs on.
	Machine Blame = "machine"
	// Interrupted is for what was ended before it was done.
	Interrupted Blame = "interrupted"
)

// Blamed is an error that knows whose fault it is.
type Blamed interface {
	error
	Blame() Blame
}

// Whose says whose fault an error is. Of an error that wraps others the outermost
// that knows decides: who calls may know better than who was called. What nobody
// knows is the machine's.
func Whose(err error) Blame {
	if err == nil {
		return Nobody
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

// Error is the mistake, in words.
func (e *Misuse) Error() string { return e.Err.Error() }

// Unwrap returns the mistake itself.
func (e *Misuse) Unwrap() error { return e.Err }

// Blame is the asker's.
func (*Misuse) Blame() Blame { return Asker }

// Blame is the setter's.
func (*Fault) Blame() Blame { return Setter }

// Blame is the setter's.
func (Faults) Blame() Blame { return Setter }
