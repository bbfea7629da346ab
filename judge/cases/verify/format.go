package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"assay/judge"
	"assay/judge/cases/format"
	"assay/judge/cases/gen"
)

// agreementInputs is the number of inputs drawn from the declared format and passed to the validator.
const agreementInputs = 60

// maxShown is the maximum number of faults shown for one disagreement.
const maxShown = 3

// agreement compares the validator with the declared input format. The validator must accept inputs drawn from the
// format, and reject inputs that nearly match it.
func (v *Verifier) agreement(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	grammar, err := v.Directory.Format()
	if grammar == nil || err != nil {
		return 0, nil, nil // Lint has reported errors in the format
	}
	validator, err := v.validator(ctx)
	if validator == nil || err != nil {
		return 0, nil, err
	}
	defer validator.Close()
	n, faults, err = v.checkAccepts(ctx, grammar, validator)
	if err != nil || len(faults) > 0 {
		return n, faults, err
	}
	more, faults, err := v.checkRejects(ctx, grammar, validator)
	return n + more, faults, err
}

// checkAccepts passes inputs drawn from the declared format to the validator. The validator may reject some of them,
// because the declaration may be incomplete, but not all.
func (v *Verifier) checkAccepts(
	ctx context.Context, grammar *format.Grammar, validator gen.Validator,
) (n int, faults judge.ProblemErrors, err error) {
	taken, said := 0, ""
	for i := range agreementInputs {
		o := format.Options{Size: 1 + int64(i)/4}
		if i%20 == 19 {
			o.Size, o.MaxSize = 0, 1<<20
		}
		input, err := grammar.Draw(rand.New(rand.NewPCG(uint64(i), 0)), o)
		if err != nil {
			return n, judge.ProblemErrors{
				{File: v.Directory.FormatPath(), Text: err.Error(), Hint: "check that some inputs satisfy all conditions"},
			}, nil
		}
		n++
		text, err := validator.Validate(ctx, "drawn", input)
		if err != nil {
			return n, nil, v.locateInProgram(v.Directory.Validator, err)
		}
		if text == "" {
			taken++
			continue
		}
		said = text
		if len(grammar.InformalConditions()) == 0 && len(faults) < maxShown {
			faults = append(faults, &judge.ProblemError{
				File: v.Directory.FormatPath(), Text: "the validator refuses an input of the declared format: " + text,
				Hint: "fix one of them, or say what only the validator can tell: beyond \"...\"\nthe input was:\n" + excerpt(input),
			})
		}
	}
	if taken == 0 && len(faults) == 0 {
		faults = judge.ProblemErrors{{
			File: v.Directory.FormatPath(),
			Text: fmt.Sprintf("the validator refuses each of %d inputs of the declared format; the last one: %s", n, said),
			Hint: "declare more of what it demands",
		}}
	}
	return n, faults, nil
}

// checkRejects passes inputs that nearly match the format to the validator, which must reject them.
func (v *Verifier) checkRejects(
	ctx context.Context, grammar *format.Grammar, validator gen.Validator,
) (n int, faults judge.ProblemErrors, err error) {
	wrong, err := grammar.NearMisses(rand.New(rand.NewPCG(1, 0)), format.Options{})
	if err != nil {
		return 0, judge.ProblemErrors{{File: v.Directory.FormatPath(), Text: err.Error()}}, nil
	}
	for _, w := range wrong {
		n++
		text, err := validator.Validate(ctx, "nearly", w.Text)
		if err != nil {
			return n, faults, v.locateInProgram(v.Directory.Validator, err)
		}
		if text == "" && len(faults) < maxShown {
			faults = append(faults, &judge.ProblemError{
				File: v.Directory.Validator.Path, Text: fmt.Sprintf(
					"the validator accepts what the declared format refuses (%s): %s", w.Description,
					grammar.Check(w.Text),
				),
				Hint: "fix one of them; the input was:\n" + excerpt(w.Text),
			})
		}
	}
	return n, faults, nil
}

// excerpt returns the beginning of an input, with escapes for invisible characters.
func excerpt(input []byte) string {
	const most = 300
	head := input[:min(len(input), most)]
	var b strings.Builder
	for line := range strings.Lines(string(head)) {
		text := strings.TrimSuffix(line, "\n")
		if shown := fmt.Sprintf("%q", text); text != strings.TrimSpace(text) || shown != `"`+text+`"` {
			text = shown
		}
		b.WriteString(text + "\n")
	}
	if len(input) > most {
		fmt.Fprintf(&b, "... (%d bytes)", len(input))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// coverage reports which bounds, words, alternatives and features of the declared input format occur in the cases.
// It adds notes about those that do not occur.
func (v *Verifier) coverage() error {
	grammar, err := v.Directory.Format()
	if grammar == nil || err != nil {
		return nil // Lint has reported errors in the format
	}
	c := grammar.NewCoverage()
	for one := range v.cases {
		input, err := os.ReadFile(one.In)
		if err != nil {
			return err
		}
		c.Add(input) // the previous step has reported invalid cases
	}
	goals := c.Goals()
	var missing []string
	for _, g := range goals {
		if g.Count == 0 {
			missing = append(missing, fmt.Sprintf("%s (line %d)", g.Description, g.Line))
		}
	}
	v.report("the cases show what the format declares", len(goals)-len(missing), nil)
	if len(missing) > 0 {
		v.onEvent(&judge.Noted{Text: fmt.Sprintf(
			"%d of %d things that %s declares are in no case: %s", len(missing), len(goals),
			v.Directory.FormatPath(), strings.Join(missing, "; "),
		)})
	}
	return nil
}
