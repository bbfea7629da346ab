package judge

import (
	"iter"
	"slices"
)

// Problem is a problem as the judge sees it, whatever format its directory has.
type Problem struct {
	ID     string // the directory's name
	Title  string
	Source string // where the problem comes from; may be empty
	Dir    string // the directory, as the user knows it
	Kind   Kind
	Limits Limits // per case, and per pass of a case

	// Validation limits one run of the checker, the interactor and the other programs that judge. If zero,
	// the judge's default limits for a setter's program apply.
	Validation Limits
	Passes     int // maximum for one case of a multi-pass problem; zero means UsualPasses
	// Reruns, if not empty, says for each run on a case whether the submission interacts with the interactor.
	// It is set for a Polygon problem with a run-count. Then Kind.MultiPass is set, and no program requests
	// passes.
	Reruns []bool

	CodeLimit int64 // total bytes of the submission's files; zero means no limit
	// InFile and OutFile are files in the working directory that a submission uses instead of standard input
	// and output. If empty, it uses those. Only programs that run once on an input have them.
	InFile, OutFile string
	// NoFiles means that a submission may not write files in its working directory. Files of other
	// submissions go to a private directory that is emptied after each run.
	NoFiles bool
	// AllOutput means that Limits.Output applies to standard output, standard error and written files
	// together, as in the format 2025-09. Otherwise it applies to standard output.
	AllOutput bool

	Reference  *Part // each part is nil if the directory has none
	Validator  *Part
	Generator  *Part
	Interactor *Part // interacts with the submission; set if and only if Kind.Interactive is
	Static     *Part // static validator: judges the submission's own files; speaks "kattis"
	Checker    Checking
	Salt       string // goes into the seeds of all generator lines

	Groups  []Group  // in judging order; the samples first
	Grading *Grading // nil: a submission is accepted if each case is, and there are no scores
}

// JudgingLimits returns the limits for one run of a program that judges. Usual are the judge's limits for a
// setter's program.
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

// Kind says what a submission does on a case. With the zero value, it reads one input and prints one output.
// Interactive and MultiPass can be combined.
type Kind struct {
	Interactive bool // it interacts with the interactor
	MultiPass   bool // it runs again on what the checker or interactor made of its output
	// Answers means that a submission consists of the outputs themselves: a file or directory of <case>.out.
	Answers bool
}

// Unanswered reports whether cases have no answers. That is so if programs interact or run several times. It
// is also so if a setter's checker judges submitted outputs: it often needs no answers, and no reference
// solution can print them.
func (p *Problem) Unanswered() bool {
	return p.Reference == nil && (p.Kind.Interactive || p.Kind.MultiPass || p.Kind.Answers && p.Checker.Program != nil)
}

// UsualPasses is the default limit on passes.
const UsualPasses = 2

// Part is one of the setter's programs in a problem directory.
type Part struct {
	Path   string   // file or directory
	Args   []string // passed before any other argument; after the file names if it speaks "kattis"
	Speaks string   // its protocol: "kit", "testlib", "kattis", "plain" or Checktestdata

	// PartialFrom, for a checker that speaks testlib, is the exit code that means zero percent (testlib's
	// PC_BASE, 50 in its adult form). Exit codes from it on give the score of the output in parts of 200.
	// Zero means that there are no such codes.
	PartialFrom int
}

// Checktestdata is the protocol of a script that describes inputs. It is interpreted, and not built.
const Checktestdata = "ctd"

// Checking says how output is judged: by a built-in checker (Name), or by the setter's program. It has
// neither if the interactor alone judges.
type Checking struct {
	Name    string   // name of a built-in checker; empty if Program is set
	Args    []string // options of the built-in checker, passed before a case's own
	Program *Part
}

// Sample is the name of the group whose cases are shown in the statement.
const Sample = "sample"

// Group is a set of cases that are judged together. In a package with nested groups, each directory with
// cases is a group, named by its path ("secret/group1/a"), and Problem.Grading has the tree.
type Group struct {
	Name        string
	Description string
	Cases       []Case // in judging order
}

// Case is one input with its answer by the reference solution.
type Case struct {
	Group string
	Name  string // unique in its group
	In    string // path of the input file
	Ans   string // path of the answer file; empty if the case needs none, and an empty one is shown
	Line  string // the generator line that made it; empty for a case written by hand

	Args        []string   // passed to the submission
	Files       []CaseFile // shown in the submission's working directory
	CheckerArgs []string   // passed to the checker or interactor, after its own; includes those of the group

	// ValidatorArgs are passed to the input validator of a problem directory, after its own and before Args.
	// In a package, the package determines the arguments.
	ValidatorArgs []string
}

// CaseFile is a file that a submission may read beside its input.
type CaseFile struct {
	Name string // path in the working directory
	Path string // path of the file
	Data []byte // the content, if it differs from the file at Path
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

// Select returns a copy of the problem that has only the named groups and cases. Empty lists mean everything.
// A case is named by its name or by "group/name". A part of the cases has no grading, because it has no
// score.
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

// Has reports whether the problem has the case with this id.
func (p *Problem) Has(id string) bool {
	for c := range allCases(p) {
		if c.ID() == id {
			return true
		}
	}
	return false
}
