package golf

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/kit"
	"assay/judge/problem"
)

// Input is an input in a domain.
type Input struct {
	Args []string
	Edge bool // whether it is an edge case, on which submissions are often wrong
}

func (in Input) String() string { return strings.Join(in.Args, " ") }

// Domain contains every input of a problem, cheap ones first.
type Domain struct {
	Arity   int
	Inputs  []Input
	Samples []int // indices of the inputs that the statement shows, cheap ones first
	index   map[string]int
}

// Index returns the index of the input with the given text.
func (d *Domain) Index(text string) (int, bool) {
	i, ok := d.index[strings.Join(strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,;\t\n()[]", c) }), " ")]
	return i, ok
}

// maxInputs is the maximum number of inputs that a generator may list.
const maxInputs = 1_000_000

// ParseDomain parses the output of a domain's generator. Each line is one input, as integers separated by blanks.
// A line that ends with "!" is an edge case.
func ParseDomain(text string, arity int) (*Domain, error) {
	d := &Domain{Arity: arity, index: map[string]int{}}
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		words := strings.Fields(line)
		in := Input{Args: words}
		if len(words) > 0 && words[len(words)-1] == "!" {
			in.Args, in.Edge = words[:len(words)-1], true
		}
		if len(in.Args) != arity {
			return nil, fmt.Errorf("line %d of the domain has %d numbers, want %d", n+1, len(in.Args), arity)
		}
		for _, w := range in.Args {
			if _, err := strconv.ParseInt(w, 10, 64); err != nil {
				return nil, fmt.Errorf("line %d of the domain: %q is not a whole number", n+1, w)
			}
		}
		if _, twice := d.index[in.String()]; twice {
			return nil, fmt.Errorf("line %d of the domain: the input %s occurs twice", n+1, in)
		}
		if len(d.Inputs) == maxInputs {
			return nil, fmt.Errorf("the domain has more than %d inputs", maxInputs)
		}
		d.index[in.String()] = len(d.Inputs)
		d.Inputs = append(d.Inputs, in)
	}
	return d, nil
}

// OpenDomain runs the problem's generator to list the domain. Its samples are the problem's samples that the
// domain contains. If the setter is at fault, OpenDomain returns a *judge.ProblemError.
func OpenDomain(
	ctx context.Context, r judge.Runner, f *problem.Directory, program *judge.Program, limits judge.Limits,
	read func(path string) ([]byte, error),
) (*Domain, error) {
	g, err := gen.NewGenerator(ctx, r, program, f.Golf.Generator, limits)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	text, err := g.Generate(ctx, kit.Seed(f.Salt, f.Golf.Domain), strings.Fields(f.Golf.Domain))
	if err != nil {
		return nil, err
	}
	d, err := ParseDomain(string(text), f.Golf.Arity)
	if err != nil {
		return nil, f.Fault("golf.domain", err.Error(), "print one input per line")
	}
	for _, group := range f.Groups {
		if group.Name != problem.Sample {
			continue
		}
		for _, c := range group.Cases {
			data, err := read(c.In)
			if err != nil {
				return nil, err
			}
			if i, ok := d.Index(string(data)); ok {
				d.Samples = append(d.Samples, i)
			}
		}
	}
	if len(d.Samples) == 0 {
		return nil, f.Fault(
			"golf.domain", "no sample of the statement is in the domain",
			"the way to call an answer is found by trying the samples",
		)
	}
	slices.Sort(d.Samples)
	return d, nil
}
