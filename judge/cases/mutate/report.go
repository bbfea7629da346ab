package mutate

import (
	"cmp"
	"slices"

	"assay/judge"
)

// count adds a mutant with state s to the counts.
func count(c *judge.MutantCounts, s judge.MutantState) {
	c.Mutants++
	switch s {
	case Killed:
		c.Killed++
	case Survived:
		c.Survived++
	case Equivalent:
		c.Equivalent++
	case Unseparated:
		c.Unseparated++
	case Unreached:
		c.Unreached++
	}
}

// Report makes a report of the results.
func (l *Runner) Report(results []*Result, h SearchBudget, key string) *judge.AdequacyMeasured {
	r := &judge.AdequacyMeasured{
		Format: judge.EventFormat, Problem: l.Directory.ID, Key: key, Cases: len(l.cases), Seed: h.Seed,
		Searched: h.Count, Notes: l.Notes,
	}
	operators := map[Operator]*judge.MutantCounts{}
	how := map[string]int{}
	for _, s := range l.Subjects {
		program := judge.ProgramMutants{Path: s.Path}
		for _, m := range results {
			if m.Subject != s {
				continue
			}
			if operators[m.Operator] == nil {
				operators[m.Operator] = &judge.MutantCounts{}
			}
			for _, c := range []*judge.MutantCounts{&program.MutantCounts, &r.Total, operators[m.Operator]} {
				count(c, m.State)
			}
			if m.State == Killed {
				how[m.How]++
				continue
			}
			alive := judge.UnkilledMutant{
				State: m.State, Program: s.Path, Place: s.Name(m.Mutant), Operator: string(m.Operator),
				Diff: s.Diff(m.Mutant), Reason: m.Reason,
			}
			if m.FailingInput != nil {
				alive.Input, alive.Answer, alive.Origin = string(m.FailingInput.Input), string(m.FailingInput.Answer), m.FailingInput.Origin
			}
			r.Mutants = append(r.Mutants, alive)
		}
		r.Programs = append(r.Programs, program)
	}
	for _, op := range Operators() {
		if c := operators[op]; c != nil {
			r.Operators = append(r.Operators, judge.OperatorMutants{Operator: string(op), MutantCounts: *c})
		}
	}
	for name, n := range how {
		r.How = append(r.How, judge.KillMethod{How: name, Count: n})
	}
	slices.SortFunc(r.How, func(a, b judge.KillMethod) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.How, b.How))
	})
	return r
}
