package gen

import (
	"fmt"
	"os"

	"assay/judge"
	"assay/judge/problem"
)

// A changed program does not necessarily change its cases. So only the work of that program is repeated. A new
// validator checks the stored inputs, and a new reference solution answers them. A new generator generates the
// inputs again, and these are compared with the stored ones. Cases that turn out to be unchanged are kept.

// ProgramHashes holds the SHA-256 of each program that made the cases. The fields are empty in manifests that lack them.
type ProgramHashes struct {
	Generator string `toml:"generator"`
	Validator string `toml:"validator"` // includes the declared input format
	Reference string `toml:"reference"`
}

// programHashes returns the hashes of the current programs.
func (m *CaseGenerator) programHashes() (hashes ProgramHashes, err error) {
	var format *judge.SetterProgram
	if grammar, err := m.Directory.Format(); err == nil && grammar != nil {
		format = &judge.SetterProgram{Path: m.Directory.FormatPath()}
	}
	if hashes.Generator, err = hashParts(m.Directory.Generator); err != nil {
		return hashes, err
	}
	if hashes.Validator, err = hashParts(m.Directory.Validator, format); err != nil {
		return hashes, err
	}
	hashes.Reference, err = hashParts(m.Directory.Reference)
	return hashes, err
}

// A storedCase is a case whose files match its manifest entry, but may have been made by other versions of the
// programs.
type storedCase struct {
	*ManifestCase
	in, ans string // paths
	// Whether the program for a step has changed.
	drawn, validated, answered bool
}

// storedCaseOf returns the case c with the steps that must be repeated, because their programs have changed. It returns
// nil if the case must be made from scratch.
func (m *CaseGenerator) storedCaseOf(c *judge.Case, e *ManifestCase, old *Manifest, current ProgramHashes) *storedCase {
	if e == nil || e.Line != c.Line || e.Seed != m.seed(c) || !m.intact(c, e) {
		return nil
	}
	s := &storedCase{
		ManifestCase: e, in: c.In, ans: c.Ans,
		drawn:     old.Generator != current.Generator,
		validated: old.Validator != current.Validator,
		answered:  old.Reference != current.Reference,
	}
	if problem.Derived(c.Line) { // drawn using the format, the validator, and numbers in the reference solution
		s.drawn = s.validated || s.answered
	}
	return s
}

// reuseInputs reuses the stored inputs of cases whose generator is unchanged.
func reuseInputs(todo []*task) error {
	for _, t := range todo {
		if t.old == nil || t.old.drawn || t.drawn() || t.seed != t.old.Seed {
			continue
		}
		input, err := os.ReadFile(t.old.in)
		if err == nil {
			err = t.writeInput(input)
		}
		if err != nil {
			return fmt.Errorf("take over case %s: %w", t.c.ID(), err)
		}
	}
	return nil
}

// sameInput reports whether the task has the same seed and input as the stored case.
func (t *task) sameInput() bool { return t.old != nil && t.seed == t.old.Seed && t.in == t.old.In }

// unchecked reports whether the current validator has not yet checked the input.
func (t *task) unchecked() bool { return !t.sameInput() || t.old.validated }

// unchanged reports whether the task has the same input and answer as the stored case.
func (t *task) unchanged() bool { return t.sameInput() && t.ans == t.old.Ans }

// keepUnchanged moves unchanged cases from made to current.
func keepUnchanged(current map[string]*ManifestCase, tasks map[string]*task) {
	for id, t := range tasks {
		if t.unchanged() {
			current[id] = t.old.ManifestCase
			delete(tasks, id)
		}
	}
}
