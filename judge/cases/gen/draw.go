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

func (m *Maker) seed(c *judge.Case) string { return kit.Seed(m.Folder.Salt, c.Line) }

// otherSeed returns the seed for the next draw of a case. The parameter tries is the number of inputs already
// drawn for the case. Other cases have these inputs.
func (m *Maker) otherSeed(c *judge.Case, tries int) string {
	return kit.Seed(m.Folder.Salt, fmt.Sprintf("%s again %d", c.Line, tries))
}

// isSeed reports whether a case can have been generated with seed.
func (m *Maker) isSeed(c *judge.Case, seed string) bool {
	if seed == m.seed(c) {
		return true
	}
	for tries := 1; tries <= maxAlike; tries++ {
		if seed == m.otherSeed(c, tries) {
			return true
		}
	}
	return false
}

// drawApart draws the inputs of cases so that no two are the same. If several cases get the same input, one of
// them keeps it, and the others are redrawn. The result must not depend on which cases are stored, so a case that
// was redrawn is never taken from the store. drawApart removes the cases that it redraws from the map current.
func (m *Maker) drawApart(current map[string]*ManifestCase, todo []*task, draw func([]*task) error) (made map[string]*task, err error) {
	made = map[string]*task{}
	for first := true; first || len(todo) > 0; first = false {
		if len(todo) > 0 {
			if err := draw(todo); err != nil {
				return nil, err
			}
		}
		for _, t := range todo {
			if t.same++; t.in != t.before {
				t.same = 0
			}
			made[t.c.ID()] = t
			delete(current, t.c.ID())
		}
		todo = m.apart(current, made)
	}
	return made, m.duplicates(current, made)
}

// maxSame is how many times in a row the same input must be drawn before drawApart assumes that the generator
// makes no other input.
const maxSame = 6

// apart gives another seed to each case that must be redrawn, up to a limit. It returns the tasks of these cases.
func (m *Maker) apart(current map[string]*ManifestCase, made map[string]*task) (again []*task) {
	for _, same := range m.alike(current, made) {
		keeps := keeper(same, made)
		for i, c := range same {
			t := made[c.ID()]
			if t == nil {
				t = &task{c: c}
				if e := current[c.ID()]; e != nil {
					t.in = e.In
				}
			}
			if i == keeps || c.Line == "" || t.tries == maxAlike || t.fixed() && !problem.Derived(c.Line) {
				continue
			}
			t.tries++
			t.seed, t.before, t.in, t.ans = m.otherSeed(c, t.tries), t.in, "", ""
			again = append(again, t)
		}
	}
	return again
}

// keeper returns the index of the case that keeps an input shared by several cases. It prefers a handwritten case
// or one whose input cannot change, then a case of the generator program, and then the first case.
func keeper(same []*judge.Case, made map[string]*task) int {
	for _, keeps := range []func(c *judge.Case) bool{
		func(c *judge.Case) bool { return c.Line == "" },
		func(c *judge.Case) bool { return made[c.ID()] != nil && made[c.ID()].fixed() },
		func(c *judge.Case) bool { return !problem.Derived(c.Line) },
	} {
		if i := slices.IndexFunc(same, keeps); i >= 0 {
			return i
		}
	}
	return 0
}

// stand sets the paths of the tasks' staged files, which are in the directory staging.
func stand(staging string, todo []*task) {
	for _, t := range todo {
		t.staged = filepath.Join(staging, t.c.Group, t.c.Name)
	}
}

// draw generates the missing inputs of tasks into the directory staging.
func (m *Maker) draw(ctx context.Context, staging string, todo []*task) error {
	stand(staging, todo)
	todo = slices.DeleteFunc(slices.Clone(todo), (*task).drawn)
	if len(todo) == 0 {
		return nil
	}
	crew, err := m.hire(ctx)
	if err != nil {
		return err
	}
	done := m.counter("inputs made", len(todo))
	return m.generators(ctx, crew, todo, func(g Generator, t *task) error {
		defer done()
		input, err := g.Generate(ctx, t.seed, strings.Fields(t.c.Line))
		if err != nil {
			return err
		}
		if text, hint := Flaw(input); text != "" {
			return &judge.Fault{Text: "the generated input " + text, Hint: hint}
		}
		return t.writeInput(input)
	})
}

// generators calls do for each task, in order. Each concurrent call gets a separate generator.
func (m *Maker) generators(ctx context.Context, crew *crew, todo []*task, do func(g Generator, t *task) error) error {
	return share(ctx, m.Jobs, todo, func(ctx context.Context) (worker[*task], error) {
		g, err := OpenGenerator(ctx, m.Runner, m.Folder, crew.Programs, m.Limits)
		if err != nil {
			return worker[*task]{}, err
		}
		return worker[*task]{func(t *task) error { return m.blame(t.c, do(g, t)) }, g.Close}, nil
	})
}
