package judge

import (
	"iter"
	"slices"
)

// Problem is a problem as the judge sees it, whatever format its folder has.
type Problem struct {
	ID     string // the folder's name
	Title  string
	Source string // where the problem comes from; may be empty
	Dir    string // the folder, as the user knows it
	Kind   Kind
	Limits Limits // per case, and per pass of a case

	// Validation limits one run of the checker, the interactor and the other
	// programs that judge; zero is the judge's usual limits for a setter's program.
	Validation Limits
	Passes     int // at most, for one case of a multi-pass problem; 0 is UsualPasses
	// Reruns, where it is not empty, says of each run on a case whether the submission
	// talks to the interactor in it: a problem of Polygon with a run-count. Kind.MultiPass
	// is set then, and no program asks for passes.
	Reruns []bool

	CodeLimit int64 // bytes of the submission's files together; 0 means no limit
	// InFile and OutFile are files in its working directory that a submission reads and
	// writes instead of standard input and output; "" for those. Only programs that run
	// once on an input have them.
	InFile, OutFile string
	// NoFiles says that a submission may not write files in its working directory. What
	// others write goes to a private directory that is emptied after each run.
	NoFiles bool
	// AllOutput says that Limits.Output is for standard output, standard error and the
	// files that a submission writes together, as the format 2025-09 has it; else it is
	// for standard output.
	AllOutput bool

	Reference  *Part // each part is nil where the folder has none
	Validator  *Part
	Generator  *Part
	Interactor *Part // talks to the submission; set exactly where Kind.Interactive is
	Static     *Part // static validator: judges the submission's own files; speaks "kattis"
	Checker    Checking
	Salt       string // goes into the seeds of all generator lines

	Groups  []Group  // in judging order; the samples first
	Grading *Grading // nil: a submission is accepted if each case is, and there are no scores
}

// JudgingLimits are those of one run of a program that judges, where usual are the
// judge's for a setter's program.
func (p *Problem) JudgingLimits(usual Limits) Limits {
	own := p.Validation
	if own.CPU > 0 {
		usual.CPU, usual.Wall = own.CPU, max(usual.Wall, 2*own.CPU)
	}
	if own.Wall > 0 {
		usual.Wall = own.Wall
	}
	if own.Memory > 0 {
		usual.Memory = own.Memory
	}
	if own.Output > 0 {
		usual.Output = own.Output
	}
	return usual
}

// Kind says what a submission does on a case. The zero value is the usual kind:
// it reads one input and prints one output. Interactive and MultiPass go together.
type Kind struct {
	Interactive bool // it talks with the interactor
	MultiPass   bool // it runs again on what the checker or interactor made of its output
	// Answers says that a submission is the outputs themselves, not a program: a
	// file or folder of <case>.out.
	Answers bool
}

// Unanswered says that cases have no answers: where programs talk or run again, and where a
// checker of the setter's judges outputs that were handed in, it often needs none, and no
// reference can be run to print it.
func (p *Problem) Unanswered() bool {
	return p.Reference == nil && (p.Kind.Interactive || p.Kind.MultiPass || p.Kind.Answers && p.Checker.Program != nil)
}

// UsualPasses is the limit on passes where the problem does not say.
const UsualPasses = 2

// Part is one of the setter's programs in a problem folder.
type Part struct {
	Path   string   // file or folder
	Args   []string // given before any other argument; after the file names where it speaks "kattis"
	Speaks string   // its protocol: "kit", "testlib", "kattis", "plain" or Checktestdata

	// PartialFrom, for a checker that speaks testlib, is the exit code that means
	// no percent (testlib's PC_BASE: 50 in its grown-up form): codes from it on are
	// the part of 200 that the output is worth. 0: there are no such codes.
	PartialFrom int
}

// Checktestdata is what a script speaks that describes inputs: it is interpreted, and not
// built.
const Checktestdata = "ctd"

// Checking says how output is judged: by a checker that the judge brings (Name),
// or by the setter's program. An interactive problem whose interactor says all that
// is to say has neither.
type Checking struct {
	Name    string   // name of a builtin checker; "" where Program is set
	Args    []string // options of the builtin checker, given before a case's own
	Program *Part
}

// Sample is the name of the group whose cases stand in the statement.
const Sample = "sample"

// Group is a set of cases that are judged together. In a package whose groups nest,
// each folder with cases is a group, called by its path ("secret/group1/a"), and
// Problem.Grading has the tree.
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
	Ans   string // path of the answer file; "" where the case needs none, and an empty one is shown
	Line  string // the generator line that made it; "" for a case written by hand

	Args        []string   // given to the submission
	Files       []CaseFile // shown in the submission's working directory
	CheckerArgs []string   // given to the checker or interactor, after its own; its group's are among them

	// ValidatorArgs are given to the input validator of a problem folder, after its own
	// and before Args. A package's validators are told by the package.
	ValidatorArgs []string
}

// CaseFile is a file that a submission may read beside its input.
type CaseFile struct {
	Name string // in the working directory; it may have folders in it
	Path string // where it stands
	Data []byte // what it holds, where that is not what stands there
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
// A part of the cases has no grading, as it has no score.
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
	if picked.Count() < p.Count() {
		picked.Grading = nil
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
