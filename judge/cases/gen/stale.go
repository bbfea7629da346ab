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

// Parts holds the SHA-256 of each program that made the cases. The fields are empty in manifests that lack them.
type Parts struct {
	Generator string `toml:"generator"`
	Validator string `toml:"validator"` // includes the declared input format
	Reference string `toml:"reference"`
}

// parts returns the hashes of the current programs.
func (m *Maker) parts() (now Parts, err error) {
	var format *judge.Part
	if grammar, err := m.Folder.Format(); err == nil && grammar != nil {
		format = &judge.Part{Path: m.Folder.FormatPath()}
	}
	if now.Generator, err = hashParts(m.Folder.Generator); err != nil {
		return now, err
	}
	if now.Validator, err = hashParts(m.Folder.Validator, format); err != nil {
		return now, err
	}
	now.Reference, err = hashParts(m.Folder.Reference)
	return now, err
}

// A stale is a case whose files match its manifest entry, but may have been made by other versions of the
// programs.
type stale struct {
	*ManifestCase
	in, ans string // paths
	// Whether the program for a step has changed.
	drawn, validated, answered bool
}

// staleOf returns the case c with the steps that must be repeated, because their programs have changed. It returns
// nil if the case must be made from scratch.
func (m *Maker) staleOf(c *judge.Case, e *ManifestCase, old *Manifest, now Parts) *stale {
	if e == nil || e.Line != c.Line || e.Seed != m.seed(c) || !m.intact(c, e) {
		return nil
	}
	s := &stale{
		ManifestCase: e, in: c.In, ans: c.Ans,
		drawn:     old.Generator != now.Generator,
		validated: old.Validator != now.Validator,
		answered:  old.Reference != now.Reference,
	}
	if problem.Derived(c.Line) { // drawn using the format, the validator, and numbers in the reference solution
		s.drawn = s.validated || s.answered
	}
	return s
}

// adopt reuses the stored inputs of cases whose generator is unchanged.
func adopt(todo []*task) error {
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
func keepUnchanged(current map[string]*ManifestCase, made map[string]*task) {
	for id, t := range made {
		if t.unchanged() {
			current[id] = t.old.ManifestCase
			delete(made, id)
		}
	}
}
