package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/atomicfile"
	"assay/judge/kit"
	"assay/judge/problem"
)

// A FreshCase is a case made from a generator line with another seed than the line's own.
type FreshCase struct {
	Line   string
	Input  []byte
	Answer []byte
}

// maxIdleRounds is the number of rounds without a new input after which GenerateFresh stops. A round covers all lines.
const maxIdleRounds = 3

// GenerateFresh generates count new cases. In each round, it uses every generator line with a seed derived from the line,
// the argument seed, and the round. It omits repeated inputs and inputs that the problem already has. The same
// seed gives the same cases. Fresh writes no files.
func (m *CaseGenerator) GenerateFresh(ctx context.Context, count int, seed uint64) ([]*FreshCase, error) {
	if m.Directory.Generator == nil && m.Directory.FormatPath() == "" {
		return nil, m.Directory.Fault("generator", "without a generator there are no fresh cases", `add: [generator] program = "generator"`)
	}
	crew, err := m.buildPrograms(ctx)
	if err != nil {
		return nil, err
	}
	w, err := crew.worker(ctx)
	if err != nil {
		return nil, err
	}
	defer w.close()
	seen := map[string]bool{}
	var lines []*judge.Case
	for g := range m.Directory.Groups {
		for i := range m.Directory.Groups[g].Cases {
			c := &m.Directory.Groups[g].Cases[i]
			if digest, err := hashFile(c.In); err == nil {
				seen[digest] = true
			}
			if c.Line == "" {
				continue
			}
			lines = append(lines, c)
			input, err := w.input(ctx, c, m.seed(c)) // the case may not have been generated yet
			if err != nil {
				return nil, m.locateInCase(c, err)
			}
			seen[hashBytes(input)] = true
		}
	}
	if len(lines) == 0 && m.Directory.FormatPath() != "" {
		lines = append(lines, &judge.Case{Group: "fresh", Name: problem.FormatWord, Line: problem.FormatWord})
	}
	var made []*FreshCase
	for round, idle := 0, 0; len(made) < count && idle < maxIdleRounds; round++ {
		before := len(made)
		for _, c := range lines {
			if len(made) == count {
				break
			}
			salt := fmt.Sprintf("%s fresh %d %d", m.Directory.Salt, seed, round)
			input, err := w.input(ctx, c, kit.Seed(salt, c.Line))
			if err != nil {
				return nil, m.locateInCase(c, err)
			}
			if digest := hashBytes(input); !seen[digest] {
				seen[digest] = true
				made = append(made, &FreshCase{Line: c.Line, Input: input})
			}
		}
		idle++
		if len(made) > before {
			idle = 0
		}
	}
	if len(made) < count {
		return nil, m.Directory.Fault(
			"generator",
			fmt.Sprintf("the lines make only %d new cases, not %d", len(made), count),
			"a line that depends on its seed makes ever new cases; any other line always makes the same case",
		)
	}
	return made, m.answerFresh(ctx, crew, made)
}

// input generates an input, and checks that it is valid.
func (w *caseWorker) input(ctx context.Context, c *judge.Case, seed string) ([]byte, error) {
	input, err := w.generator.Generate(ctx, seed, strings.Fields(c.Line))
	if err != nil {
		return nil, err
	}
	if text, hint := EncodingProblem(input); text != "" {
		return nil, &judge.ProblemError{Text: "the generated input " + text, Hint: hint}
	}
	if w.validator == nil {
		return input, nil
	}
	text, err := w.validator.Validate(ctx, c.ID(), input)
	if err == nil && text != "" {
		err = &judge.ProblemError{Text: "the generated input is not valid: " + text, Hint: "fix the line, the generator or the validator"}
	}
	return input, err
}

// answerFresh runs the reference solution on fresh cases.
func (m *CaseGenerator) answerFresh(ctx context.Context, crew *programSet, fresh []*FreshCase) error {
	done := m.counter("cases made", len(fresh))
	return forEach(ctx, m.Jobs, fresh, func(ctx context.Context, f *FreshCase) (err error) {
		f.Answer, err = RunReference(ctx, m.Runner, crew.Reference, m.Directory.Reference, m.Directory.Limits, bytes.NewReader(f.Input))
		if fault, ok := errors.AsType[*judge.ProblemError](err); ok && fault.File == "" {
			placed := *fault
			placed.File, placed.Text = m.Directory.Reference.Path, fmt.Sprintf("line %q with another seed: %s", f.Line, fault.Text)
			err = &placed
		}
		done()
		return err
	})
}

// AddCase stores a case in the problem's directory cases/<group>/, which contains handwritten cases. A file
// <name>.desc describes the origin of the case. AddCase returns the path of the input. If another case has the same
// input, or the name is not valid, it returns a *judge.ProblemError.
func AddCase(f *problem.Directory, group, name string, input, answer []byte, provenance string) (string, error) {
	for _, n := range []string{group, name} {
		if !problem.GoodName(n) {
			return "", &judge.ProblemError{
				File: f.Dir, Text: fmt.Sprintf("%q cannot be the name of a group or a case", n),
				Hint: "use letters, digits, - _ and . only",
			}
		}
	}
	digest := hashBytes(input)
	for _, g := range f.Groups {
		for i := range g.Cases {
			if have, err := hashFile(g.Cases[i].In); err == nil && have == digest {
				return "", &judge.ProblemError{File: g.Cases[i].In, Text: fmt.Sprintf("case %s has the same input", g.Cases[i].ID())}
			}
		}
	}
	base := filepath.Join(f.Dir, "cases", group, name)
	if _, err := os.Stat(base + ".in"); err == nil {
		return "", &judge.ProblemError{
			File: base + ".in", Text: "there is already a case of this name",
			Hint: "choose another name for the case or for its group",
		}
	}
	for _, file := range []struct {
		ext  string
		data []byte
	}{{".desc", []byte(provenance)}, {".ans", answer}, {".in", input}} {
		if file.ext == ".ans" && f.LacksAnswers() {
			continue
		}
		if err := atomicfile.Write(base+file.ext, file.data); err != nil {
			return "", fmt.Errorf("keep case %s/%s: %w", group, name, err)
		}
	}
	return base + ".in", nil
}
