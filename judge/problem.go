package judge

import (
	"iter"
	"slices"
)

// Problem is a puzzle as the judge sees it, whatever format its folder has.
type Problem struct {
	ID     string // the folder's name
	Title  string
	Source string // where the puzzle comes from; may be empty
	Dir    string // the folder, as the user knows it
	Limits Limits // per case

	Reference *Part // each part is nil where the folder has none
	Validator *Part
	Generator *Part
	Checker   Checking
	Salt      string // goes into the seeds of all generator lines

	Groups []Group // in judging order; the samples first
}

// Part is one of the setter's programs in a problem folder.
type Part struct {
	Path   string   // file or folder
	Args   []string // given before any other argument
	Speaks string   // its protocol: "kit", "testlib", "kattis" or "plain"
}

// Checking says how output is judged: by a checker that the judge brings (Name),
// or by the setter's program.
type Checking struct {
	Name    string   // name of a builtin checker; "" where Program is set
	Args    []string // options of the builtin checker
	Program *Part
}

// Group is a set of cases that are judged together.
type Group struct {
	Name        string
	Description string
	Cases       []Case // in judging order
}

// Case is one input with the answer that the reference gave to it.
type Case struct {
	Group string
	Name  string // unique in its group
	In    string // path of the input file
	Ans   string // path of the answer file
	Line  string // the generator line that made it; "" for a case written by hand
}

// ID names the case within its problem: "edge/corner-0-0".
func (c *Case) ID() string { return c.Group + "/" + c.Name }

// Count returns the number of cases of all groups.
func (p *Problem) Count() int {
	n := 0
	for _, g := range p.Groups {
		n += len(g.Cases)
	}
	return n
}

// Select returns a copy of the problem that has only the named groups and cases;
// empty lists select everything. A case is named by its name or by "group/name".
func (p *Problem) Select(groups, cases []string) *Problem {
	picked := *p
	picked.Groups = nil
	for _, g := range p.Groups {
		if len(groups) > 0 && !slices.Contains(groups, g.Name) {
			continue
		}
		kept := g
		if len(cases) > 0 {
			kept.Cases = nil
			for _, c := range g.Cases {
				if slices.Contains(cases, c.Name) || slices.Contains(cases, c.ID()) {
					kept.Cases = append(kept.Cases, c)
				}
			}
		}
		if len(kept.Cases) > 0 {
			picked.Groups = append(picked.Groups, kept)
		}
	}
	return &picked
}

// allCases yields the cases of all groups in judging order.
func allCases(p *Problem) iter.Seq[*Case] {
	return func(yield func(*Case) bool) {
		for g := range p.Groups {
			for c := range p.Groups[g].Cases {
				if !yield(&p.Groups[g].Cases[c]) {
					return
				}
			}
		}
	}
}

// Has says whether the problem has the case with this id.
func (p *Problem) Has(id string) bool {
	for c := range allCases(p) {
		if c.ID() == id {
			return true
		}
	}
	return false
}
