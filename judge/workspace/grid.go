package workspace

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"assay/judge"
	"assay/judge/cases/mutate"
	"assay/judge/problem"
)

// Grid records what each case of a problem detects.
type Grid struct {
	folder *Problem
	cases  []*judge.Case
	number map[string]int // by id
	things []thing
}

// thing is something that the cases must detect: a mutant, a wrong solution, or a bound of the input.
type thing struct {
	name string
	kind string // "mutant", "solution", "bound"
	by   []int  // indexes of the cases that detect it
}

// mostKillers is the maximum number of cases that are recorded as killers of a mutant.
const mostKillers = 12

// Grid measures the problem's cases: it judges the problem's mutants, and every solution under solutions/.
// Progress is called with the number of mutants that have been judged. It may be nil.
func (p *Problem) Grid(ctx context.Context, progress func(done, of int)) (*Grid, error) {
	g := &Grid{folder: p, number: map[string]int{}}
	for k := range p.Groups {
		for i := range p.Groups[k].Cases {
			one := &p.Groups[k].Cases[i]
			g.number[one.ID()] = len(g.cases)
			g.cases = append(g.cases, one)
		}
	}
	if err := g.bounds(); err != nil {
		return nil, err
	}
	lab, err := p.Mutants(ctx, p.Accepted())
	if err != nil {
		return nil, err
	}
	lab.Progress = progress
	results, err := lab.Judge(ctx)
	if err == nil {
		err = lab.Grid(ctx, results, mostKillers)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if r.State == mutate.Killed {
			g.add("mutant", fmt.Sprintf("%s (%s)", r.Subject.Name(r.Mutant), r.Operator), r.Killers)
		}
	}
	verifier := p.Verifier()
	verifier.Several = true
	_, err = verifier.Run(ctx, func(e judge.Event) {
		if s, ok := e.(*judge.SolutionJudged); ok && len(s.Killers) > 0 {
			g.add("solution", s.Path, s.Killers)
		}
	})
	return g, err
}

func (g *Grid) add(kind, name string, killers []string) {
	t := thing{name: name, kind: kind}
	for _, id := range killers {
		if i, known := g.number[id]; known {
			t.by = append(t.by, i)
		}
	}
	g.things = append(g.things, t)
}

// bounds adds the requirements of the declared input format to the things that the cases must detect.
func (g *Grid) bounds() error {
	grammar, err := g.folder.Format()
	if err != nil || grammar == nil {
		return err
	}
	by := map[string][]string{}
	var names []string
	for _, one := range g.cases {
		input, err := os.ReadFile(one.In)
		if err != nil {
			return g.folder.CaseFault(one, fmt.Sprintf("case %s: %s", one.ID(), problem.Reason(err)), "run: judge generate "+g.folder.ID)
		}
		coverage := grammar.NewCoverage()
		if coverage.Add(input) != nil {
			continue // verify reports the error
		}
		for _, goal := range coverage.Goals() {
			name := fmt.Sprintf("line %d: %s", goal.Row, goal.What)
			if goal.Count == 0 {
				continue
			}
			if by[name] == nil {
				names = append(names, name)
			}
			by[name] = append(by[name], one.ID())
		}
	}
	for _, name := range names {
		g.add("bound", name, by[name])
	}
	return nil
}

// sets returns the indexes of the things that each case detects.
func (g *Grid) sets() [][]int {
	sets := make([][]int, len(g.cases))
	for t, thing := range g.things {
		for _, i := range thing.by {
			sets[i] = append(sets[i], t)
		}
	}
	return sets
}

// size returns the size of a case's files in bytes.
func size(c *judge.Case) (n int64) {
	for _, path := range []string{c.In, c.Ans} {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return n
}

// Event returns the grid as an event with a row for each case.
func (g *Grid) Event() *judge.SuiteMeasured {
	e := &judge.SuiteMeasured{Format: judge.EventFormat, Problem: g.folder.ID, Most: mostKillers}
	alone := make([]int, len(g.cases))
	for _, t := range g.things {
		if len(t.by) == 1 {
			alone[t.by[0]]++
		}
	}
	sets := g.sets()
	for i, c := range g.cases {
		n := map[string]int{}
		for _, t := range sets[i] {
			n[g.things[t].kind]++
		}
		e.Cases = append(
			e.Cases,
			judge.CaseFinds{Case: c.ID(), Bytes: size(c), Mutants: n["mutant"], Solutions: n["solution"], Bounds: n["bound"], Alone: alone[i]},
		)
	}
	for _, t := range g.once() {
		e.Once = append(e.Once, judge.FoundOnce{Case: g.cases[t.by[0]].ID(), Kind: t.kind, Name: t.name})
	}
	return e
}

// once lists the wrong solutions that only one case detects.
func (g *Grid) once() (list []thing) {
	for _, t := range g.things {
		if t.kind == "solution" && len(t.by) == 1 {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b thing) int { return cmp.Compare(a.by[0], b.by[0]) })
	return list
}

// Needed picks the cases that are needed: samples, manually written cases, tiny cases, and enough others. A thing
// that at least two of all cases detect must also be detected by at least two needed cases.
func (g *Grid) Needed(tiny int64) map[string]bool {
	const twice = 2
	must := make([]bool, len(g.cases))
	for i, c := range g.cases {
		must[i] = c.Group == problem.Sample || c.Line == "" || size(c) <= tiny
	}
	needed := map[string]bool{}
	for i := range must {
		needed[g.cases[i].ID()] = must[i]
	}
	for _, i := range mutate.Cover(g.sets(), twice, must) {
		needed[g.cases[i].ID()] = true
	}
	return needed
}

// Tally counts the cases for which keep returns true, their bytes, and the things of each kind that they detect.
func (g *Grid) Tally(keep func(c *judge.Case) bool) (n judge.Tally) {
	for _, c := range g.cases {
		if keep(c) {
			n.Cases++
			n.Bytes += size(c)
		}
	}
	found := map[string]int{}
	for _, t := range g.things {
		if slices.ContainsFunc(t.by, func(i int) bool { return keep(g.cases[i]) }) {
			found[t.kind]++
		}
	}
	n.Mutants, n.Solutions, n.Bounds = found["mutant"], found["solution"], found["bound"]
	return n
}
