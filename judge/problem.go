package judge

import (
	"iter"
	"slices"
)

// Problem is a problem as the judge sees it, independent of the format of its directory.
type Problem struct {
	ID     string // name of the directory
	Title  string
	Source string // where the problem comes from; may be empty
	Dir    string // the directory, as written by the user
	Kind   Kind
	Limits Limits // per case, and per pass of a case

	// Validation contains the limits for one run of the checker, the interactor, or another program that judges.
	// If zero, the judge's default limits for a setter's program apply.
	Validation Limits
	Passes     int // maximum number of passes on a case; zero means DefaultPasses
	// Reruns, if not empty, reports for each run on a case whether the submission interacts with the interactor.
	// It is set for a Polygon problem with a run-count. Then Kind.MultiPass is set, and no program requests
	// passes.
	Reruns []bool

	CodeLimit int64 // total bytes of the submission's files; zero means no limit
	// InFile and OutFile are files in the working directory that a submission uses instead of standard input and
	// output. If empty, it uses the standard streams. Only programs that run once on an input may use such files.
	InFile, OutFile string
	// NoFiles means that a submission may not write files in its working directory. If it is false, the files go
	// to a private directory that is emptied after each run.
	NoFiles bool
	// AllOutput means that Limits.Output applies to the total of standard output, standard error and written
	// files, as in the format 2025-09. Otherwise it applies only to standard output.
	AllOutput bool

	Reference  *SetterProgram // each of these parts is nil if the directory does not contain it
	Validator  *SetterProgram
	Generator  *SetterProgram
	Interactor *SetterProgram // interacts with the submission; set if and only if Kind.Interactive is
	Static     *SetterProgram // static validator of the submission's own files; uses protocol "kattis"
	Checker    CheckerSpec
	Salt       string // part of the seeds of all generator lines

	Groups  []Group  // in judging order; the samples first
	Grading *Grading // if nil, there are no scores, and every case must be accepted
}

// JudgingLimits returns the limits for one run of a program that judges. Defaults contains the judge's limits for a
// setter's program.
func (p *Problem) JudgingLimits(defaults Limits) Limits {
	own := p.Validation
	if own.CPU > 0 {
		defaults.CPU, defaults.Wall = own.CPU, max(defaults.Wall, 2*own.CPU)
	}
	if own.Wall > 0 {
		defaults.Wall = own.Wall
	}
	if own.Memory > 0 {
		defaults.Memory = own.Memory
	}
	if own.Output > 0 {
		defaults.Output = own.Output
	}
	return defaults
}

// Kind describes what a submission does on a case. With the zero value, it reads one input and prints one output.
// Interactive and MultiPass can be combined.
type Kind struct {
	Interactive bool // the submission interacts with the interactor
	MultiPass   bool // it runs again on input that the checker or interactor made from its output
	// OutputOnly means that a submission consists of the outputs themselves: a file or directory of <case>.out.
	OutputOnly bool
}

// LacksAnswers reports whether cases have no answers because there is no reference solution. This is the case if
// programs interact or run several times. It is also the case if a setter's checker judges submitted outputs: it
// often needs no answers, and no reference solution can print them.
func (p *Problem) LacksAnswers() bool {
	return p.Reference == nil && (p.Kind.Interactive || p.Kind.MultiPass || p.Kind.OutputOnly && p.Checker.Program != nil)
}

// DefaultPasses is the default maximum number of passes.
const DefaultPasses = 2

// SetterProgram is one of the setter's programs in a problem directory.
type SetterProgram struct {
	Path     string   // file or directory
	Args     []string // passed before other arguments; with "kattis", after the file names
	Protocol string   // its protocol: "kit", "testlib", "kattis", "plain" or Checktestdata

	// PartialFrom applies to a checker that uses testlib. It is the exit code for zero percent (testlib's PC_BASE,
	// 50 in its adult form). This code and higher codes give the score of the output, in units of 1/200. If zero,
	// exit codes give no scores.
	PartialFrom int
}

// Checktestdata is the protocol of a script that describes inputs. The script is interpreted, not built.
const Checktestdata = "ctd"

// CheckerSpec describes how output is judged: by a built-in checker (Name), or by the setter's program. If the
// interactor alone judges, neither is set.
type CheckerSpec struct {
	Name    string   // name of a built-in checker; empty if Program is set
	Args    []string // options of the built-in checker, passed before a case's own
	Program *SetterProgram
}

// SampleGroup is the name of the group whose cases are shown in the statement.
const SampleGroup = "sample"

// Group is a set of cases that are judged together. In a package with nested groups, each directory with cases is
// a group, named by its path ("secret/group1/a"), and Problem.Grading contains the tree.
type Group struct {
	Name        string
	Description string
	Cases       []Case // in judging order
}

// Case is an input with the reference solution's answer.
type Case struct {
	Group string
	Name  string // unique in its group
	In    string // path of the input file
	Ans   string // path of the answer file; empty if not needed: reports show an empty answer
	Line  string // the generator line that made the case; empty for a case written by hand

	Args        []string   // passed to the submission
	Files       []CaseFile // placed in the submission's working directory
	CheckerArgs []string   // passed to the checker or interactor, after its own and including the group's

	// ValidatorArgs are passed to the input validator of a problem directory, after the validator's own arguments
	// and before Args. In a package, the package determines the arguments.
	ValidatorArgs []string
}

// CaseFile is a file that a submission may read beside its input.
type CaseFile struct {
	Name string // path in the working directory
	Path string // path of the file
	Data []byte // the content, if not nil; otherwise that of the file at Path
}

// ID returns the name of the case within its problem, such as "edge/corner-0-0".
func (c *Case) ID() string { return c.Group + "/" + c.Name }

// CaseCount returns the number of cases of all groups.
func (p *Problem) CaseCount() int {
	n := 0
	for _, g := range p.Groups {
		n += len(g.Cases)
	}
	return n
}

// Select returns a copy of the problem that contains only the named groups and cases. Empty lists mean all of
// them. A case is given by its name or by "group/name". If cases are missing, the copy has no grading, because a
// part of the cases does not give a score.
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
	if picked.CaseCount() < p.CaseCount() {
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

// HasCase reports whether the problem contains the case with this id.
func (p *Problem) HasCase(id string) bool {
	for c := range allCases(p) {
		if c.ID() == id {
			return true
		}
	}
	return false
}
