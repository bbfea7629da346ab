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

// Programs are the built programs of a problem; nil for those that it does not have.
type Programs struct {
	Generator, Validator, Reference *judge.Program
}

// Build builds the programs of a problem.
func Build(ctx context.Context, b judge.Builder, f *problem.Folder) (p Programs, err error) {
	for _, part := range []struct {
		from *judge.Part
		to   **judge.Program
	}{{f.Reference, &p.Reference}, {f.Validator, &p.Validator}, {f.Generator, &p.Generator}} {
		if part.from == nil {
			continue
		}
		if *part.to, err = b.Part(ctx, part.from); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Open opens what makes and what checks the inputs of a problem; the validator is nil
// where it has none. Close them.
func (p Programs) Open(ctx context.Context, r judge.Runner, f *problem.Folder, limits judge.Limits) (Generator, Validator, error) {
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

// OpenGenerator makes the Generator of a problem: of its program, of the declared
// input format for lines that ask for it, or of both. Limits are for one case. Close
// it.
func OpenGenerator(ctx context.Context, r judge.Runner, f *problem.Folder, p Programs, limits judge.Limits) (Generator, error) {
	var program Generator
	var err error
	if p.Generator != nil {
		if program, err = NewGenerator(ctx, r, p.Generator, f.Generator, limits); err != nil {
			return nil, ofPart(f, "generator", f.Generator, err)
		}
	}
	grammar, err := f.Format()
	if err != nil || grammar == nil {
		if err != nil && program != nil {
			err = errors.Join(err, program.Close())
		}
		return program, err
	}
	d := &derived{program: program, grammar: grammar, salt: f.Salt}
	if f.Reference != nil {
		d.literals = Literals(f.Reference.Path)
	}
	if p.Validator != nil && len(grammar.Beyond()) > 0 {
		if d.validator, err = NewValidator(ctx, r, p.Validator, f.Validator, limits); err != nil {
			return nil, errors.Join(ofPart(f, "validator", f.Validator, err), d.Close())
		}
	}
	return d, nil
}

// derived makes inputs of the declared format.
type derived struct {
	program   Generator // for all other lines; nil for none
	grammar   *format.Grammar
	literals  []int64
	salt      string
	validator Validator // of what the declaration does not say; nil for none
}

// redraws is how many inputs are drawn until the validator takes one.
const redraws = 300

func (d *derived) Generate(ctx context.Context, seed string, args []string) ([]byte, error) {
	if len(args) == 0 || args[0] != problem.FormatWord {
		if d.program == nil {
			return nil, &judge.Fault{Text: "the problem has no generator", Hint: "a line that begins with " + problem.FormatWord + " is made from the declared input format"}
		}
		return d.program.Generate(ctx, seed, args)
	}
	o, err := format.Line(args[1:])
	if err != nil {
		return nil, &judge.Fault{Text: err.Error(), Hint: "such as: " + problem.FormatWord + " --mode max --size 100 n=7 m=1..9 --seed 3"}
	}
	o.Literals = d.literals
	count := 1
	if line := strings.Join(args, " "); o.Seed > 1 && o.Seed <= maxSeed && seed == kit.Seed(d.salt, line) {
		// The cases of --seed {1..20} differ from each other, however few there are.
		count = int(o.Seed)
		seed = kit.Seed(d.salt, strings.Replace(line, fmt.Sprintf("--seed %d", o.Seed), "--seed 1", 1))
	}
	raw, err := hex.DecodeString(seed)
	if err != nil || len(raw) != 16 {
		return nil, fmt.Errorf("seed %q is not 32 hexadecimal digits", seed)
	}
	chance := rand.New(rand.NewPCG(binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])))
	seen := map[string]bool{}
	for range maxAlike * count {
		input, err := d.draw(ctx, chance, o)
		if err != nil {
			return nil, err
		}
		if digest := hashBytes(input); !seen[digest] {
			seen[digest] = true
			if len(seen) == count {
				return input, nil
			}
		}
	}
	text := fmt.Sprintf("the line makes only %d different inputs", len(seen))
	if len(seen) == 1 {
		text = "the line makes the same input with every seed"
	}
	return nil, &judge.Fault{Text: text, Hint: "take fewer seeds, or give it other arguments"}
}

const (
	maxSeed  = 1000 // up to which the cases of a line differ for sure
	maxAlike = 50   // draws for each of them
)

// draw draws an input that the validator takes.
func (d *derived) draw(ctx context.Context, chance *rand.Rand, o format.Options) ([]byte, error) {
	said := ""
	for range redraws {
		input, err := d.grammar.Draw(chance, o)
		if err != nil {
			return nil, &judge.Fault{Text: err.Error(), Hint: "mend the line, or the conditions in " + d.grammar.File}
		}
		if d.validator == nil {
			return input, nil
		}
		if said, err = d.validator.Validate(ctx, problem.FormatWord, input); err != nil || said == "" {
			return input, err
		}
	}
	return nil, &judge.Fault{Text: fmt.Sprintf("the validator refuses each of %d inputs that were drawn; the last one: %s", redraws, said), Hint: "declare more of what it demands in " + d.grammar.File}
}

func (d *derived) Close() error {
	var errs []error
	if d.program != nil {
		errs = append(errs, d.program.Close())
	}
	if d.validator != nil {
		errs = append(errs, d.validator.Close())
	}
	return errors.Join(errs...)
}

// OpenValidator makes the Validator of a problem: of the declared input format, of
// its program, or of both, the format first. It is nil where the problem has neither.
// Limits are for one case. Close it.
func OpenValidator(ctx context.Context, r judge.Runner, f *problem.Folder, p Programs, limits judge.Limits) (Validator, error) {
	grammar, err := f.Format()
	if err != nil {
		return nil, err
	}
	var program Validator
	if p.Validator != nil {
		if program, err = newInformed(ctx, r, p.Validator, f, limits); err != nil {
			return nil, ofPart(f, "validator", f.Validator, err)
		}
	}
	if grammar == nil {
		return program, nil
	}
	return &declared{grammar, program}, nil
}

// ofPart gives a fault of one of the problem's programs, which no line brought about,
// the place of the program in problem.toml.
func ofPart(f *problem.Folder, key string, part *judge.Part, err error) error {
	fault, ok := err.(*judge.Fault)
	switch {
	case !ok || fault.File != "":
		return err
	case part == nil:
		return &judge.Fault{File: f.Dir, Text: fault.Text, Hint: fault.Hint}
	case f.Package != nil:
		return &judge.Fault{File: part.Path, Text: fault.Text, Hint: fault.Hint}
	}
	return f.Fault(key, part.Path+": "+fault.Text, fault.Hint)
}

// declared holds inputs against the declared format, and then asks the program.
type declared struct {
	grammar *format.Grammar
	program Validator // nil for none
}

func (d *declared) Validate(ctx context.Context, name string, input []byte) (string, error) {
	if refusal := d.grammar.Check(input); refusal != nil {
		return "input, " + refusal.Error(), nil
	}
	if d.program == nil {
		return "", nil
	}
	return d.program.Validate(ctx, name, input)
}

func (d *declared) Close() error {
	if d.program == nil {
		return nil
	}
	return d.program.Close()
}
