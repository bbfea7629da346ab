package gen

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"assay/judge"
	"assay/judge/cases/format"
	"assay/judge/kit"
	"assay/judge/problem"
)

// Programs holds the built programs of a problem. A missing program is nil.
type Programs struct {
	Generator, Validator, Reference *judge.Program
}

// Build builds the programs of a problem.
func Build(ctx context.Context, b judge.Builder, f *problem.Directory) (p Programs, err error) {
	for _, part := range []struct {
		from *judge.SetterProgram
		to   **judge.Program
	}{{f.Reference, &p.Reference}, {f.Validator, &p.Validator}, {f.Generator, &p.Generator}} {
		if part.from == nil {
			continue
		}
		if *part.to, err = b.BuildProgram(ctx, part.from); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Open returns the generator and the validator of a problem. If the problem has no validator, the returned
// Validator is nil. The caller must close both.
func (p Programs) Open(ctx context.Context, r judge.Runner, f *problem.Directory, limits judge.Limits) (Generator, Validator, error) {
	g, err := OpenGenerator(ctx, r, f, p, limits)
	if err != nil {
		return nil, nil, err
	}
	v, err := OpenValidator(ctx, r, f, p, limits)
	if err != nil && g != nil {
		err = errors.Join(err, g.Close())
	}
	return g, v, err
}

// OpenGenerator returns the Generator of a problem. It draws lines that begin with the word format from the
// declared input format, and runs the problem's program for all others. The limits apply to each case. The caller
// must close the Generator.
func OpenGenerator(ctx context.Context, r judge.Runner, f *problem.Directory, p Programs, limits judge.Limits) (Generator, error) {
	var program Generator
	var err error
	if p.Generator != nil {
		if program, err = NewGenerator(ctx, r, p.Generator, f.Generator, limits); err != nil {
			return nil, locateInProgram(f, "generator", f.Generator, err)
		}
	}
	grammar, err := f.Format()
	if err != nil || grammar == nil {
		if err != nil && program != nil {
			err = errors.Join(err, program.Close())
		}
		return program, err
	}
	d := newFormatGenerator(f, grammar)
	d.program = program
	if p.Validator != nil && len(grammar.InformalConditions()) > 0 {
		if d.validator, err = NewValidator(ctx, r, p.Validator, f.Validator, limits); err != nil {
			return nil, errors.Join(locateInProgram(f, "validator", f.Validator, err), d.Close())
		}
	}
	return d, nil
}

// formatGenerator makes inputs of the declared format.
type formatGenerator struct {
	program   Generator // for lines that do not begin with format; may be nil
	grammar   *format.Grammar
	literals  []int64
	salt      string
	validator Validator // for conditions that the declaration does not state; may be nil
}

func newFormatGenerator(f *problem.Directory, grammar *format.Grammar) *formatGenerator {
	d := &formatGenerator{grammar: grammar, salt: f.Salt}
	if f.Reference != nil {
		d.literals = Literals(f.Reference.Path)
	}
	return d
}

// maxRedraws is the maximum number of inputs drawn until the validator accepts one.
const maxRedraws = 300

func (d *formatGenerator) Generate(ctx context.Context, seed string, args []string) ([]byte, error) {
	if len(args) == 0 || args[0] != problem.FormatWord {
		if d.program == nil {
			return nil, &judge.ProblemError{
				Text: "the problem has no generator",
				Hint: "a line that begins with " + problem.FormatWord + " is made from the declared input format",
			}
		}
		return d.program.Generate(ctx, seed, args)
	}
	o, count, seed, err := d.parseLine(seed, args)
	if err != nil {
		return nil, err
	}
	input, found, err := d.drawDistinct(ctx, seed, o, count)
	if err == nil && found < count {
		err = tooFew(found, count)
	}
	return input, err
}

// parseLine parses a generator line. It returns the options, the seed, and a number n: the line requests the n-th
// distinct input for that seed.
func (d *formatGenerator) parseLine(seed string, args []string) (format.Options, int, string, error) {
	o, err := format.ParseLine(args[1:])
	if err != nil {
		return o, 0, "", &judge.ProblemError{
			Text: err.Error(), Hint: "such as: " + problem.FormatWord + " --mode max --size 100 n=7 m=1..9 --seed 3",
		}
	}
	o.Literals = d.literals
	if line := strings.Join(args, " "); o.Seed > 1 && o.Seed <= maxSeed && seed == kit.Seed(d.salt, line) {
		// The cases of --seed {1..20} differ from each other, even if there are few possible inputs.
		return o, int(o.Seed), kit.Seed(d.salt, strings.Replace(line, fmt.Sprintf("--seed %d", o.Seed), "--seed 1", 1)), nil
	}
	return o, 1, seed, nil
}

// drawDistinct draws inputs until it has found count different ones, and returns the last of them. It gives up after
// maxAlike draws per input, and also returns how many different inputs it found.
func (d *formatGenerator) drawDistinct(ctx context.Context, seed string, o format.Options, count int) (input []byte, found int, err error) {
	raw, err := hex.DecodeString(seed)
	if err != nil || len(raw) != 16 {
		return nil, 0, fmt.Errorf("seed %q is not 32 hexadecimal digits", seed)
	}
	chance := rand.New(rand.NewPCG(binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])))
	seen := map[string]bool{}
	for range maxAlike * count {
		if input, err = d.draw(ctx, chance, o); err != nil {
			return nil, len(seen), err
		}
		if seen[hashBytes(input)] = true; len(seen) == count {
			break
		}
	}
	return input, len(seen), nil
}

func tooFew(found, wanted int) error {
	text := fmt.Sprintf("the line makes only %d different inputs, not %d", found, wanted)
	if found == 1 {
		text = "the line makes the same input with every seed"
	}
	return &judge.ProblemError{Text: text, Hint: "use fewer seeds, or give the generator other arguments"}
}

// checkSeedCounts reports all lines drawn from the declared format that have more seeds than distinct inputs. It starts no
// program. If only a validator can tell whether an input is valid, such lines are found later, when their cases
// are generated.
func (m *CaseGenerator) checkSeedCounts(todo []*task) error {
	grammar, err := m.Directory.Format()
	if err != nil || grammar == nil || m.Directory.Validator != nil && len(grammar.InformalConditions()) > 0 {
		return err
	}
	d := newFormatGenerator(m.Directory, grammar)
	var first []string // seeds of lines, in line order
	last := map[string]*distinctRequest{}
	for _, t := range todo {
		if !problem.Derived(t.c.Line) {
			continue
		}
		o, count, seed, err := d.parseLine(m.seed(t.c), strings.Fields(t.c.Line))
		if err != nil {
			return m.locateInCase(t.c, err)
		}
		if count == 1 {
			continue
		}
		if last[seed] == nil {
			first = append(first, seed)
			last[seed] = &distinctRequest{}
		}
		if count > last[seed].count {
			*last[seed] = distinctRequest{t.c, o, count}
		}
	}
	var faults judge.ProblemErrors
	for _, seed := range first {
		r := last[seed]
		_, found, err := d.drawDistinct(context.Background(), seed, r.o, r.count) // starts no program
		if err == nil && found < r.count {
			err = tooFew(found, r.count)
		}
		if err == nil {
			continue
		}
		fault, ok := errors.AsType[*judge.ProblemError](m.locateInCase(r.c, err))
		if !ok {
			return err
		}
		faults = append(faults, fault)
	}
	return faults.AsError()
}

// A distinctRequest is the case of a generator line that needs the most distinct inputs, with the options and the number
// of these inputs.
type distinctRequest struct {
	c     *judge.Case
	o     format.Options
	count int
}

const (
	maxSeed  = 1000 // the cases of a line differ for seeds up to this one
	maxAlike = 50   // draws per case
)

// draw draws an input that the validator accepts.
func (d *formatGenerator) draw(ctx context.Context, chance *rand.Rand, o format.Options) ([]byte, error) {
	said := ""
	for range maxRedraws {
		input, err := d.grammar.Draw(chance, o)
		if err != nil {
			return nil, &judge.ProblemError{Text: err.Error(), Hint: "fix the line, or the conditions in " + d.grammar.File}
		}
		if d.validator == nil {
			return input, nil
		}
		if said, err = d.validator.Validate(ctx, problem.FormatWord, input); err != nil || said == "" {
			return input, err
		}
	}
	return nil, &judge.ProblemError{
		Text: fmt.Sprintf("the validator refuses each of %d inputs that were drawn; the last one: %s", maxRedraws, said),
		Hint: "declare more of its conditions in " + d.grammar.File,
	}
}

func (d *formatGenerator) Close() error {
	var errs []error
	if d.program != nil {
		errs = append(errs, d.program.Close())
	}
	if d.validator != nil {
		errs = append(errs, d.validator.Close())
	}
	return errors.Join(errs...)
}

// OpenValidator returns the Validator of a problem. It applies the declared input format, the program, or the
// format and then the program. If the problem has neither, OpenValidator returns nil. The limits apply to each
// case. The caller must close the Validator.
func OpenValidator(ctx context.Context, r judge.Runner, f *problem.Directory, p Programs, limits judge.Limits) (Validator, error) {
	grammar, err := f.Format()
	if err != nil {
		return nil, err
	}
	var program Validator
	if p.Validator != nil {
		if program, err = newPerCaseValidator(ctx, r, p.Validator, f, limits); err != nil {
			return nil, locateInProgram(f, "validator", f.Validator, err)
		}
	}
	if grammar == nil {
		return program, nil
	}
	return &formatValidator{grammar, program}, nil
}

// locateInProgram sets the position of a fault to the program's key in problem.toml, unless a generator line caused the
// fault.
func locateInProgram(f *problem.Directory, key string, part *judge.SetterProgram, err error) error {
	fault, ok := err.(*judge.ProblemError)
	switch {
	case !ok || fault.File != "":
		return err
	case part == nil:
		return &judge.ProblemError{File: f.Dir, Text: fault.Text, Hint: fault.Hint}
	case f.Package != nil:
		return &judge.ProblemError{File: part.Path, Text: fault.Text, Hint: fault.Hint}
	}
	return f.Fault(key, part.Path+": "+fault.Text, fault.Hint)
}

// A formatValidator validator checks inputs against the declared format, and then with the program.
type formatValidator struct {
	grammar *format.Grammar
	program Validator // may be nil
}

func (d *formatValidator) Validate(ctx context.Context, name string, input []byte) (string, error) {
	if refusal := d.grammar.Check(input); refusal != nil {
		return "input, " + refusal.Error(), nil
	}
	if d.program == nil {
		return "", nil
	}
	return d.program.Validate(ctx, name, input)
}

func (d *formatValidator) Close() error {
	if d.program == nil {
		return nil
	}
	return d.program.Close()
}
