package problem

import (
	"fmt"
	"slices"

	"assay/judge"
	"assay/judge/internal/suggest"
)

// UnknownError means that the problem does not contain a group or case.
type UnknownError struct {
	Problem string
	What    string // "group" or "case"
	Name    string
	Hint    string
}

// Error names the problem and the missing group or case, with the hint on the next line.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("problem %s has no %s %q\n    %s", e.Problem, e.What, e.Name, e.Hint)
}

// Pick returns the problem with only the named groups and cases. Empty lists mean all of them. If a name matches
// neither a group nor a case, the error is an *UnknownError. If a case has not been generated or is not plain
// text, the error is a *judge.ProblemError.
func (f *Directory) Pick(groups, cases []string) (*judge.Problem, error) {
	var groupNames, caseNames []string
	for _, g := range f.Groups {
		groupNames = append(groupNames, g.Name)
		for _, c := range g.Cases {
			if len(groups) == 0 || slices.Contains(groups, g.Name) {
				caseNames = append(caseNames, c.Name, c.ID())
			}
		}
	}
	for _, g := range groups {
		if !slices.Contains(groupNames, g) {
			return nil, &UnknownError{f.ID, "group", g, suggest.Hint(g, groupNames)}
		}
	}
	for _, c := range cases {
		if !slices.Contains(caseNames, c) {
			return nil, &UnknownError{f.ID, "case", c, suggest.Hint(c, caseNames)}
		}
	}
	picked := f.Select(groups, cases)
	missing := slices.DeleteFunc(f.Ungenerated(), func(c *judge.Case) bool { return !picked.HasCase(c.ID()) })
	if fault := f.NotGenerated(missing); fault != nil {
		return nil, fault
	}
	if fault := marked(picked); fault != nil {
		return nil, fault
	}
	return picked, nil
}

// Blame returns judge.Caller.
func (*UnknownError) Blame() judge.Blame { return judge.Caller }
