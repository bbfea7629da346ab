package problem

import (
	"path/filepath"
	"time"

	"assay/judge"
)

// Formats finds and reads problem packages, which are directories in formats other than the judge's own.
type Formats struct {
	Files     []string                                                             // names of files that identify a directory as a package
	Is        func(dir string) bool                                                // reports whether dir is a package
	IsArchive func(path string) bool                                               // by its name; a package may be in it
	Open      func(dir string, usual judge.Limits) (*Package, judge.ProblemErrors) // if there are faults, nothing can be judged
	// Assemble makes a Package from a problem that was not read from a package, so that it can be used like one.
	Assemble func(p *judge.Problem) (*Package, error)
}

// Package is a problem package of any format. It contains the data that is not in judge.Problem.
type Package struct {
	*judge.Problem
	File     string              // the file that identifies the package; empty if none
	Foreign  bool                // whether its format is not ICPC, with other rules for names
	Warnings judge.ProblemErrors // errors that do not prevent judging
	// Assumed describes the settings that are assumed for a plain directory of inputs and answers. It is empty for
	// other packages.
	Assumed     string
	Timing      Timing
	Submissions []*Submission
	Inputs      []*InputValidator
	Extra       []Proof // cases in invalid_input, invalid_output, and valid_output
	Form
}

// Form contains the methods that depend on the package format. An empty language stands for the statement's first
// one. Methods that write to a directory create it.
type Form interface {
	InputArgs(v *InputValidator, c *judge.Case) []string // arguments of a validator for a case
	KnownLanguage(s *Submission) bool                    // reports whether the format knows the language of one of its files
	StatementFile(language string) string
	StatementFiles() []string                     // paths of the statements in all languages
	Markdown(language string) (string, error)     // the statement with its samples
	Languages() []string                          // languages of the statements, the preferred one first
	Document(language string) (path, kind string) // the statement's PDF or HTML file; kind is "pdf", "html", or empty if none
	Attachments() []string                        // sorted paths of the files that contestants get
	// CheckPictures returns the number of pictures in the statements, and faults for those that are missing or cannot be
	// shown. The warnings are about other content that is not shown.
	CheckPictures() (n int, faults, warnings judge.ProblemErrors)
	// CheckFormulas returns the number of formulas in the statements, the broken ones, and those that pages cannot
	// render.
	CheckFormulas() (n int, broken, warnings judge.ProblemErrors)
	ShowIncluded()                                          // makes the files of include/default visible to running submissions
	Includes(of func(code string) bool) []string            // directories of include/ for a language
	Header(program string) func(name string) ([]byte, bool) // finds headers that a program includes
	// Stage copies a program and prepares it for building, with the files of the named directories of include/. If
	// not empty, entry is the file that starts the program.
	Stage(program, to string, include []string, entry string) (*Staged, error)
}

// Staged is a copy of a program that can be built.
type Staged struct {
	Path  string // the file or directory
	Entry string // the file that starts a directory; if empty, the language decides
}

// Timing is the time limit of a package, or how to determine it.
type Timing struct {
	Limit      time.Duration // zero if the package does not set it
	Strict     bool          // whether the format requires Limit >= Multiplier times the slowest run
	Multiplier float64       // time limit divided by the time of the slowest run that must be in time
	Margin     float64       // time of the fastest run that must be too slow, divided by the limit
	Resolution time.Duration // the limit is a multiple of this
}

// SetTime sets the time limit and the corresponding wall time limit.
func (p *Package) SetTime(limit time.Duration) { p.Limits.CPU, p.Limits.Wall = limit, wallFor(limit) }

// Submission returns the submission with this path, or nil if the package has none there.
func (p *Package) Submission(path string) *Submission {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil
	}
	for _, s := range p.Submissions {
		if abs, err := filepath.Abs(s.Path); err == nil && abs == full {
			return s
		}
	}
	return nil
}

// InputValidator is a program that must accept every input, or a grammar in the checktestdata language, whose
// protocol is "ctd".
type InputValidator struct {
	judge.SetterProgram
	Name string
}

// Proof is a case that tests the validators.
type Proof struct {
	Kind ProofKind
	judge.Case
	Out string // path of the output; empty for InvalidInput
}

// ProofKind is what a Proof tests.
type ProofKind string

const (
	InvalidInput  ProofKind = "invalid_input"  // an input validator must reject the input
	InvalidOutput ProofKind = "invalid_output" // the output validator must reject the output
	ValidOutput   ProofKind = "valid_output"   // the output validator must accept the output
)
