package icpc

import (
	"time"

	"assay/judge"
	"assay/judge/packages/strictyaml"
)

// Assembled makes a Package of a folder in another format, which somebody else has
// read: the caller fills in what it has, and then what works on packages works on
// it. The time limit is the problem's.
func Assembled(problem *judge.Problem) (*Package, error) {
	root, err := openFolder(problem.Dir)
	if err != nil {
		return nil, err
	}
	return &Package{
		Problem:   problem,
		Format:    Format2025,
		Foreign:   true,
		Timing:    Timing{Limit: problem.Limits.CPU, Multiplier: 2, Margin: 1, Resolution: time.Second},
		root:      root,
		scoring:   problem.Grading != nil,
		constants: map[string]string{},
		flags:     map[string]caseFlags{},
	}, nil
}

// SetInputArgs sets what all input validators are told about a case.
func (p *Package) SetInputArgs(c *judge.Case, args ...string) {
	p.flags[c.ID()] = caseFlags{input: &strictyaml.Node{Kind: strictyaml.List}, args: args}
}
