package gen

import (
	"context"
	"os"

	"assay/judge"
	"assay/judge/problem"
)

// InvalidInputs returns inputs that are not valid for any problem. A validator that accepts one of them does not check
// its input.
func InvalidInputs() []struct{ Name, Text string } {
	return []struct{ Name, Text string }{
		{"an empty file", ""},
		{"a lone line feed", "\n"},
		{"bytes that are not text", "\x00\xff\xfe\x01\n"},
		{"a sentence", "this is not an input of any problem, is it?\n"},
	}
}

// checkInvalidInputs returns a fault if the validator accepts any input of InvalidInputs.
func (m *CaseGenerator) checkInvalidInputs(ctx context.Context, v Validator) error {
	for _, junk := range InvalidInputs() {
		text, err := v.Validate(ctx, "junk", []byte(junk.Text))
		if err != nil {
			return m.locateInValidator(err)
		}
		if text == "" {
			return m.locateInValidator(&judge.ProblemError{
				Text: "the validator accepts " + junk.Name,
				Hint: "read the input to its last byte, and nothing else (kit: Space, EOLN, EOF)",
			})
		}
	}
	return nil
}

// locateInValidator sets the position of a fault to the validator's key.
func (m *CaseGenerator) locateInValidator(err error) error {
	return locateInProgram(m.Directory, "validator", m.Directory.Validator, err)
}

// rejectedInputFault returns the fault for a generated input that the validator rejects. If the validator also rejects the
// samples, the fault blames the validator.
func (w *caseWorker) rejectedInputFault(ctx context.Context, text string) error {
	samples, refused := 0, 0
	for _, g := range w.crew.m.Directory.Groups {
		for i := range g.Cases {
			input, err := os.ReadFile(g.Cases[i].In)
			if g.Name != problem.Sample || err != nil {
				continue
			}
			samples++
			if why, err := w.validator.Validate(ctx, g.Cases[i].ID(), input); err == nil && why != "" {
				refused++
			}
		}
	}
	if samples > 0 && refused == samples {
		return w.crew.m.locateInValidator(
			&judge.ProblemError{Text: "the validator refuses every input, the samples too: " + text, Hint: "fix the validator"},
		)
	}
	return &judge.ProblemError{Text: "the generated input is not valid: " + text, Hint: "fix the line, the generator or the validator"}
}
