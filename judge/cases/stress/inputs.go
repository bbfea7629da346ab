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
	tester *Tester
	plan   *plan
}

// Inputs returns the infinite sequence of numbered inputs for a seed.
func (l *Tester) Inputs(seed uint64) (*Inputs, error) {
	p, err := l.plan(seed)
	if err != nil {
		return nil, err
	}
	return &Inputs{l, p}, nil
}

// Generate returns input i, which is the same for every call. If the input is not valid, Generate returns nil, nil. It is
// safe for concurrent use.
func (in *Inputs) Generate(ctx context.Context, i int) (*Input, error) {
	b, err := in.tester.acquire()
	if err != nil {
		return nil, err
	}
	defer in.tester.release(b)
	c, err := in.plan.input(ctx, b, i)
	if c == nil || err != nil {
		return nil, err
	}
	return &Input{c.input, c.line, c.origin}, nil
}

// Validate returns what is wrong with an input, or "" if it is valid.
func (l *Tester) Validate(ctx context.Context, name string, input []byte) (string, error) {
	b, err := l.acquire()
	if err != nil {
		return "", err
	}
	defer l.release(b)
	return b.validate(ctx, name, input)
}
