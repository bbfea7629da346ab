package icpc

import (
	"time"

	"assay/judge"
	"assay/judge/internal/strict"
	"assay/judge/problem"
)

// FromProblem makes a Package from a problem that was read from a directory in another format. It uses the time
// limit of the problem. The caller sets the other fields of the Package.
func FromProblem(judgeProblem *judge.Problem) (*Package, error) {
	root, err := openDir(judgeProblem.Dir)
	if err != nil {
		return nil, err
	}
	p := newPackage(judgeProblem, root)
	p.Format, p.File, p.Foreign, p.scoring = Format2025, "", true, judgeProblem.Grading != nil
	p.Timing = problem.Timing{Limit: judgeProblem.Limits.CPU, Multiplier: 2, Margin: 1, Resolution: time.Second}
	return p, nil
}

// SetInputArgs sets the arguments of all input validators for a case.
func (p *Package) SetInputArgs(c *judge.Case, args ...string) {
	p.flags[c.ID()] = caseFlags{input: &strict.Node{Kind: strict.List}, args: args}
}
