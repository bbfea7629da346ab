package gen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"assay/judge"
	"assay/judge/problem"
)

// Redraw regenerates the inputs of some groups with the seeds of their manifests, and compares them with the
// manifests. It changes nothing. It returns the number of generated inputs and the cases whose inputs differ. If
// there are such cases, it also returns a fault.
func (m *CaseGenerator) Redraw(
	ctx context.Context, groups []string,
) (n int, faults judge.ProblemErrors, mismatched []*judge.Case, err error) {
	var todo []*task
	was := map[*task]string{} // SHA-256 of the input
	for _, g := range m.Directory.Groups {
		if !slices.Contains(groups, g.Name) {
			continue
		}
		manifest, flaws := ReadManifest(m.dir(g.Name))
		if len(flaws) > 0 {
			continue // Compare has reported the error
		}
		for i := range g.Cases {
			c := &g.Cases[i]
			if e := manifest.entry(c.Name); c.Line != "" && e != nil && e.Line == c.Line && m.isSeed(c, e.Seed) {
				t := &task{c: c, seed: e.Seed}
				todo, was[t] = append(todo, t), e.In
			}
		}
	}
	programs, err := Build(ctx, m.Builder, m.Directory)
	if err != nil {
		return 0, nil, nil, err
	}
	var mu sync.Mutex
	changed := map[*task]bool{}
	err = m.forEachGenerator(ctx, &programSet{programs, m}, todo, func(g Generator, t *task) error {
		input, err := g.Generate(ctx, t.seed, strings.Fields(t.c.Line))
		if err == nil && hashBytes(input) != was[t] {
			mu.Lock()
			defer mu.Unlock()
			changed[t] = true
		}
		return err
	})
	if fault, ok := errors.AsType[*judge.ProblemError](err); ok { // the generator failed, so its inputs are unknown
		for _, t := range todo {
			mismatched = append(mismatched, t.c)
		}
		return len(todo), judge.ProblemErrors{fault}, mismatched, nil
	}
	if err != nil {
		return 0, nil, nil, err
	}
	for _, t := range todo {
		if changed[t] {
			mismatched = append(mismatched, t.c)
		}
	}
	if len(mismatched) > 0 {
		text := fmt.Sprintf("the input of case %s is not what its line makes now", mismatched[0].ID())
		if more := len(mismatched) - 1; more > 0 {
			text = fmt.Sprintf(
				"the inputs of %d of %d cases, such as %s, are not what their lines make now", len(mismatched),
				len(todo), mismatched[0].ID(),
			)
		}
		hint := "if the change is meant, run: judge generate " + m.Directory.ID
		if !slices.ContainsFunc(mismatched, func(c *judge.Case) bool { return !problem.Derived(c.Line) }) {
			hint = "lines that begin with format draw numbers of the reference's source, too; " + hint
		}
		faults = judge.ProblemErrors{m.Directory.CaseFault(mismatched[0], text, hint)}
	}
	return len(todo), faults, mismatched, nil
}
