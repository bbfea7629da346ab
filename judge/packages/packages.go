// Package packages finds and reads problem packages of other formats. It asks packages icpc and polygon in turn,
// and does not know any format itself.
package packages

import (
	"assay/judge"
	"assay/judge/packages/icpc"
	"assay/judge/packages/polygon"
	"assay/judge/problem"
)

// Formats reads packages of all formats.
var Formats = &problem.Formats{
	Files:     []string{icpc.File, polygon.File},
	Is:        func(dir string) bool { return icpc.IsPackage(dir) || polygon.IsPackage(dir) },
	IsArchive: icpc.IsArchive,
	Open: func(dir string, usual judge.Limits) (*problem.Package, judge.ProblemErrors) {
		if icpc.IsPackage(dir) {
			return known(icpc.Open(dir, usual))
		}
		return known(polygon.Open(dir, usual))
	},
	Assemble: func(p *judge.Problem) (*problem.Package, error) { return known(icpc.FromProblem(p)) },
}

// known returns the part of a package that the rest of the judge uses.
func known[E any](p *icpc.Package, err E) (*problem.Package, E) {
	if p == nil {
		return nil, err
	}
	return &p.Package, err
}
