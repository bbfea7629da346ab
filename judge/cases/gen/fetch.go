package gen

import (
	"context"
	"fmt"
	"os"

	"assay/judge"
	"assay/judge/problem"
)

// MissingCases returns the cases that are not stored with the problem and have not been generated on this machine.
func MissingCases(f *problem.Directory) (list []*judge.Case) {
	for _, c := range f.Ungenerated() {
		if !f.Stored(c.Group) {
			list = append(list, c)
		}
	}
	return list
}

// GenerateMissing generates the cases that are neither stored with the problem nor already generated on this machine. If a
// generated case does not match the manifest, GenerateMissing returns a *judge.ProblemError.
func (m *CaseGenerator) GenerateMissing(ctx context.Context) error {
	var todo []*task
	for _, c := range MissingCases(m.Directory) {
		t := &task{c: c, seed: m.seed(c)}
		if manifest, _ := ReadManifest(m.dir(c.Group)); manifest != nil {
			if e := manifest.entry(c.Name); e != nil && e.Line == c.Line && m.isSeed(c, e.Seed) {
				t.seed = e.Seed // the case may have been redrawn
			}
		}
		todo = append(todo, t)
	}
	if len(todo) == 0 {
		return nil
	}
	staging, err := os.MkdirTemp("", "assay-fetch-*")
	if err != nil {
		return fmt.Errorf("create a directory for the cases: %w", err)
	}
	defer os.RemoveAll(staging)
	if err := m.draw(ctx, staging, todo); err != nil {
		return err
	}
	if err := m.finishAll(ctx, todo); err != nil {
		return err
	}
	again := "if the change is meant, run: judge generate " + m.Directory.ID
	var missing []*judge.Case
	for _, t := range todo {
		manifest, faults := ReadManifest(m.dir(t.c.Group))
		if len(faults) > 0 {
			return faults
		}
		switch e := manifest.entry(t.c.Name); {
		case e == nil:
			missing = append(missing, t.c)
		case e.In != t.in || e.Ans != t.ans:
			return m.Directory.CaseFault(t.c, fmt.Sprintf("case %s, which is not stored, is not what the manifest says", t.c.ID()), again)
		}
	}
	if fault := m.Directory.NotGenerated(missing); fault != nil {
		return fault
	}
	for _, t := range todo {
		if err := t.install(); err != nil {
			return err
		}
	}
	return nil
}
