package gen

import (
	"fmt"
	"os"

	"assay/judge"
	"assay/judge/problem"
)

// After a program has changed, the cases that it made may still be right. What is done again is what the
// program does: a new validator looks at the inputs that are there, a new reference answers them, and what a
// new generator prints is compared with them. Cases that stay as they were are kept.

// Parts are the SHA-256 of the single programs, as they were. They are empty in manifests that do not have them.
type Parts struct {
	Generator string `toml:"generator"`
	Validator string `toml:"validator"` // with the declared input format
	Reference string `toml:"reference"`
}

// parts hashes the programs as they are now.
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

// stale is a case whose files are those of its entry, which other programs may have made.
type stale struct {
	*ManifestCase
	in, ans string // paths
	// What programs did that have changed since.
	drawn, validated, answered bool
}

// staleOf returns which of the programs that made a case have changed. It is nil if the case must be made from the
// start.
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
	if problem.Derived(c.Line) { // drawn from the format, with the validator, and with numbers that the reference solution has
		s.drawn = s.validated || s.answered
	}
	return s
}

// adopt takes the inputs of the cases whose generator is the same.
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

// sameInput reports whether the case was drawn as it was before.
func (t *task) sameInput() bool { return t.old != nil && t.seed == t.old.Seed && t.in == t.old.In }

// unchecked reports whether the present validator has not seen the input.
func (t *task) unchecked() bool { return !t.sameInput() || t.old.validated }

// unchanged reports whether nothing about the case has changed.
func (t *task) unchanged() bool { return t.sameInput() && t.ans == t.old.Ans }

// keepUnchanged moves the cases that have not changed from made to current.
func keepUnchanged(current map[string]*ManifestCase, made map[string]*task) {
	for id, t := range made {
		if t.unchanged() {
			current[id] = t.old.ManifestCase
			delete(made, id)
		}
	}
}
