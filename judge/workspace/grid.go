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
	folder  *Problem
	cases   []*judge.Case
	number  map[string]int // detectedBy id
	targets []target
}

// target is something that the cases must detect: a mutant, a wrong solution, or a bound of the input.
type target struct {
	name       string
	kind       string // "mutant", "solution", "bound"
	detectedBy []int  // indexes of the cases that detect it
}

// maxKillers is the maximum number of cases that are recorded as killers of a mutant.
const maxKillers = 12

// MeasureGrid measures the problem's cases: it judges the problem's mutants, and every solution under solutions/.
// Progress is called with the number of mutants that have been judged. It may be nil.
func (p *Problem) MeasureGrid(ctx context.Context, progress func(done, of int)) (*Grid, error) {
	g := &Grid{folder: p, number: map[string]int{}}
	for k := range p.Groups {
		for i := range p.Groups[k].Cases {
			one := &p.Groups[k].Cases[i]
			g.number[one.ID()] = len(g.cases)
			g.cases = append(g.cases, one)
		}
	}
	if err := g.addBounds(); err != nil {
		return nil, err
	}
	lab, err := p.MutantRunner(ctx, p.AcceptedSolutions())
	if err != nil {
		return nil, err
	}
	lab.Progress = progress
	results, err := lab.Judge(ctx)
	if err == nil {
		err = lab.FindKillers(ctx, results, maxKillers)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		if r.State == mutate.Killed {
			g.addTarget("mutant", fmt.Sprintf("%s (%s)", r.Subject.Name(r.Mutant), r.Operator), r.Killers)
		}
	}
	verifier := p.Verifier()
	verifier.Several = true
	_, err = verifier.Run(ctx, func(e judge.Event) {
		if s, ok := e.(*judge.SolutionJudged); ok && len(s.Killers) > 0 {
			g.addTarget("solution", s.Path, s.Killers)
		}
	})
	return g, err
}

func (g *Grid) addTarget(kind, name string, killers []string) {
	t := target{name: name, kind: kind}
	for _, id := range killers {
		if i, known := g.number[id]; known {
			t.detectedBy = append(t.detectedBy, i)
		}
	}
	g.targets = append(g.targets, t)
}

// addBounds adds the requirements of the declared input format to the things that the cases must detect.
func (g *Grid) addBounds() error {
	grammar, err := g.folder.Format()
	if err != nil || grammar == nil {
		return err
	}
	detectors := map[string][]string{}
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
			name := fmt.Sprintf("line %d: %s", goal.Line, goal.Description)
			if goal.Count == 0 {
				continue
			}
			if detectors[name] == nil {
				names = append(names, name)
			}
			detectors[name] = append(detectors[name], one.ID())
		}
	}
	for _, name := range names {
		g.addTarget("bound", name, detectors[name])
	}
	return nil
}

// detectedSets returns the indexes of the things that each case detects.
func (g *Grid) detectedSets() [][]int {
	sets := make([][]int, len(g.cases))
	for t, thing := range g.targets {
		for _, i := range thing.detectedBy {
			sets[i] = append(sets[i], t)
		}
	}
	return sets
}

// caseSize returns the size of a case's files in bytes.
func caseSize(c *judge.Case) (n int64) {
	for _, path := range []string{c.In, c.Ans} {
		if info, err := os.Stat(path); err == nil {
			n += info.Size()
		}
	}
	return n
}

// Event returns the grid as an event with a row for each case.
func (g *Grid) Event() *judge.SuiteMeasured {
	e := &judge.SuiteMeasured{Format: judge.EventFormat, Problem: g.folder.ID, MaxCounted: maxKillers}
	alone := make([]int, len(g.cases))
	for _, t := range g.targets {
		if len(t.detectedBy) == 1 {
			alone[t.detectedBy[0]]++
		}
	}
	sets := g.detectedSets()
	for i, c := range g.cases {
		n := map[string]int{}
		for _, t := range sets[i] {
			n[g.targets[t].kind]++
		}
		e.Cases = append(
			e.Cases,
			judge.CaseDetections{
				Case: c.ID(), Bytes: caseSize(c), Mutants: n["mutant"], Solutions: n["solution"], Bounds: n["bound"],
				Unique: alone[i],
			},
		)
	}
	for _, t := range g.detectedOnce() {
		e.Unique = append(e.Unique, judge.UniqueDetection{Case: g.cases[t.detectedBy[0]].ID(), Kind: t.kind, Name: t.name})
	}
	return e
}

// detectedOnce lists the wrong solutions that only one case detects.
func (g *Grid) detectedOnce() (list []target) {
	for _, t := range g.targets {
		if t.kind == "solution" && len(t.detectedBy) == 1 {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b target) int { return cmp.Compare(a.detectedBy[0], b.detectedBy[0]) })
	return list
}

// NeededCases picks the cases that are needed: samples, manually written cases, tiny cases, and enough others. A thing
// that at least two of all cases detect must also be detected by at least two needed cases.
func (g *Grid) NeededCases(tiny int64) map[string]bool {
	const twice = 2
	must := make([]bool, len(g.cases))
	for i, c := range g.cases {
		must[i] = c.Group == problem.Sample || c.Line == "" || caseSize(c) <= tiny
	}
	needed := map[string]bool{}
	for i := range must {
		needed[g.cases[i].ID()] = must[i]
	}
	for _, i := range mutate.Cover(g.detectedSets(), twice, must) {
		needed[g.cases[i].ID()] = true
	}
	return needed
}

// Tally counts the cases for which keep returns true, their bytes, and the things of each kind that they detect.
func (g *Grid) Tally(keep func(c *judge.Case) bool) (n judge.SuiteTotals) {
	for _, c := range g.cases {
		if keep(c) {
			n.Cases++
			n.Bytes += caseSize(c)
		}
	}
	detected := map[string]int{}
	for _, t := range g.targets {
		if slices.ContainsFunc(t.detectedBy, func(i int) bool { return keep(g.cases[i]) }) {
			detected[t.kind]++
		}
	}
	n.Mutants, n.Solutions, n.Bounds = detected["mutant"], detected["solution"], detected["bound"]
	return n
}
