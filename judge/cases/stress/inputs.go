package stress

import "context"

// An Input is a valid input of a problem.
type Input struct {
	Text   []byte
	Line   string // generator line that made it; empty if there is none
	Origin string // describes where it comes from, for reports
}

// Inputs generates the inputs of a search, for other packages.
type Inputs struct {
	lab  *Lab
	plan *plan
}

// Inputs returns the infinite sequence of numbered inputs for a seed.
func (l *Lab) Inputs(seed uint64) (*Inputs, error) {
	p, err := l.plan(seed)
	if err != nil {
		return nil, err
	}
	return &Inputs{l, p}, nil
}

// Make returns input i, which is the same for every call. If the input is not valid, Make returns nil, nil. It is
// safe for concurrent use.
func (in *Inputs) Make(ctx context.Context, i int) (*Input, error) {
	b, err := in.lab.take()
	if err != nil {
		return nil, err
	}
	defer in.lab.give(b)
	c, err := in.plan.input(ctx, b, i)
	if c == nil || err != nil {
		return nil, err
	}
	return &Input{c.input, c.line, c.origin}, nil
}

// Validate returns what is wrong with an input, or "" if it is valid.
func (l *Lab) Validate(ctx context.Context, name string, input []byte) (string, error) {
	b, err := l.take()
	if err != nil {
		return "", err
	}
	defer l.give(b)
	return b.validate(ctx, name, input)
}
