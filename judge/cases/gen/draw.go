package gen

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/kit"
	"assay/judge/problem"
)

func (m *CaseGenerator) seed(c *judge.Case) string { return kit.Seed(m.Directory.Salt, c.Line) }

// nextSeed returns the seed for the next draw of a case. The parameter tries is the number of inputs already
// drawn for the case. Other cases have these inputs.
func (m *CaseGenerator) nextSeed(c *judge.Case, attempts int) string {
	return kit.Seed(m.Directory.Salt, fmt.Sprintf("%s again %d", c.Line, attempts))
}

// isSeed reports whether a case can have been generated with seed.
func (m *CaseGenerator) isSeed(c *judge.Case, seed string) bool {
	if seed == m.seed(c) {
		return true
	}
	for tries := 1; tries <= maxAlike; tries++ {
		if seed == m.nextSeed(c, tries) {
			return true
		}
	}
	return false
}

// drawDistinct draws the inputs of cases so that no two are the same. If several cases get the same input, one of
// them keeps it, and the others are redrawn. The result must not depend on which cases are stored, so a case that
// was redrawn is never taken from the store. drawDistinct removes the cases that it redraws from the map current.
func (m *CaseGenerator) drawDistinct(
	current map[string]*ManifestCase, todo []*task, draw func([]*task) error,
) (tasks map[string]*task, err error) {
	tasks = map[string]*task{}
	for first := true; first || len(todo) > 0; first = false {
		if len(todo) > 0 {
			if err := draw(todo); err != nil {
				return nil, err
			}
		}
		for _, t := range todo {
			if t.repeats++; t.in != t.previousHash {
				t.repeats = 0
			}
			tasks[t.c.ID()] = t
			delete(current, t.c.ID())
		}
		todo = m.reseed(current, tasks)
	}
	return tasks, m.duplicates(current, tasks)
}

// maxSame is how many times in a row the same input must be drawn before drawDistinct assumes that the generator
// makes no other input.
const maxSame = 6

// reseed gives another seed to each case that must be redrawn, up to a limit. It returns the tasks of these cases.
func (m *CaseGenerator) reseed(current map[string]*ManifestCase, tasks map[string]*task) (redrawn []*task) {
	for _, same := range m.duplicateSets(current, tasks) {
		keeps := keptIndex(same, tasks)
		for i, c := range same {
			t := tasks[c.ID()]
			if t == nil {
				t = &task{c: c}
				if e := current[c.ID()]; e != nil {
					t.in = e.In
				}
			}
			if i == keeps || c.Line == "" || t.attempts == maxAlike || t.fixed() && !problem.Derived(c.Line) {
				continue
			}
			t.attempts++
			t.seed, t.previousHash, t.in, t.ans = m.nextSeed(c, t.attempts), t.in, "", ""
			redrawn = append(redrawn, t)
		}
	}
	return redrawn
}

// keptIndex returns the index of the case that keeps an input shared by several cases. It prefers a handwritten case
// or one whose input cannot change, then a case of the generator program, and then the first case.
func keptIndex(same []*judge.Case, tasks map[string]*task) int {
	for _, keeps := range []func(c *judge.Case) bool{
		func(c *judge.Case) bool { return c.Line == "" },
		func(c *judge.Case) bool { return tasks[c.ID()] != nil && tasks[c.ID()].fixed() },
		func(c *judge.Case) bool { return !problem.Derived(c.Line) },
	} {
		if i := slices.IndexFunc(same, keeps); i >= 0 {
			return i
		}
	}
	return 0
}

// setStagedPaths sets the paths of the tasks' staged files, which are in the directory staging.
func setStagedPaths(staging string, todo []*task) {
	for _, t := range todo {
		t.staged = filepath.Join(staging, t.c.Group, t.c.Name)
	}
}

// draw generates the missing inputs of tasks into the directory staging.
func (m *CaseGenerator) draw(ctx context.Context, staging string, todo []*task) error {
	setStagedPaths(staging, todo)
	todo = slices.DeleteFunc(slices.Clone(todo), (*task).drawn)
	if len(todo) == 0 {
		return nil
	}
	crew, err := m.buildPrograms(ctx)
	if err != nil {
		return err
	}
	done := m.counter("inputs made", len(todo))
	return m.forEachGenerator(ctx, crew, todo, func(g Generator, t *task) error {
		defer done()
		input, err := g.Generate(ctx, t.seed, strings.Fields(t.c.Line))
		if err != nil {
			return err
		}
		if text, hint := EncodingProblem(input); text != "" {
			return &judge.ProblemError{Text: "the generated input " + text, Hint: hint}
		}
		return t.writeInput(input)
	})
}

// forEachGenerator calls do for each task, in order. Each concurrent call gets a separate generator.
func (m *CaseGenerator) forEachGenerator(ctx context.Context, crew *programSet, todo []*task, do func(g Generator, t *task) error) error {
	return runWorkers(ctx, m.Jobs, todo, func(ctx context.Context) (worker[*task], error) {
		g, err := OpenGenerator(ctx, m.Runner, m.Directory, crew.Programs, m.Limits)
		if err != nil {
			return worker[*task]{}, err
		}
		return worker[*task]{func(t *task) error { return m.locateInCase(t.c, do(g, t)) }, g.Close}, nil
	})
}
