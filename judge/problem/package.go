package problem

import (
	"path/filepath"
	"time"

	"assay/judge"
)

// Formats finds and reads problem packages, which are directories of other forms than the judge's own.
type Formats struct {
	Files     []string                                                      // files that make a directory a package
	Is        func(dir string) bool                                         // reports whether dir is a package
	IsArchive func(path string) bool                                        // by its name; a package may be in it
	Open      func(dir string, usual judge.Limits) (*Package, judge.Faults) // with faults, nothing can be judged
	// Assemble makes a Package of a problem that was not read from a package, so that it can be used like
	// one.
	Assemble func(p *judge.Problem) (*Package, error)
}

// Package is a problem package that was read, of any format: what it contains in addition to judge.Problem.
type Package struct {
	*judge.Problem
	File     string       // the file that makes the directory a package; empty if none
	Foreign  bool         // not in the ICPC format, with other rules for names
	Warnings judge.Faults // errors that do not prevent judging
	// Assumed describes the settings of a directory of inputs and answers, which has none of its own. It is
	// empty for others.
	Assumed     string
	Timing      Timing
	Submissions []*Submission
	Inputs      []*InputValidator
	Extra       []Proof // cases of invalid_input, invalid_output and valid_output
	Form
}

// Form is what depends on the format of a package. An empty language means the first one of the statement.
// Methods that write to a directory create it.
type Form interface {
	InputArgs(v *InputValidator, c *judge.Case) []string // of a validator for a case
	KnownLanguage(s *Submission) bool                    // whether it has a file in a language of the format
	StatementFile(language string) string
	StatementFiles() []string                     // in every language
	Markdown(language string) (string, error)     // the statement with its samples
	Languages() []string                          // of the statements, the preferred one first
	Document(language string) (path, kind string) // the statement as a file: kind is "pdf" or "html", or empty if there is none
	Attachments() []string                        // sorted paths of the files that contestants get
	// Unshown returns how many pictures the statements have, faults for those that are missing or cannot be
	// shown, and what else in the statements is not shown.
	Unshown() (n int, faults, warnings judge.Faults)
	// Formulas returns how many formulas the statements have, the broken ones, and the ones that pages cannot
	// draw.
	Formulas() (n int, broken, warnings judge.Faults)
	ShowIncluded()                                          // shows the files of include/default to submissions as they run
	Includes(of func(code string) bool) []string            // directories of include/ for a language
	Header(program string) func(name string) ([]byte, bool) // finds headers that a program includes
	// Stage copies a program into the form that is built, with the files of the named directories of include/. Entry
	// is the file that starts it, if known.
	Stage(program, to string, include []string, entry string) (*Staged, error)
}

// Staged is a copy of a program that can be built.
type Staged struct {
	Path  string // the file or directory
	Entry string // the file of a directory that starts it; empty if its language decides
}

// Timing says how long a submission may take, or how to find that out.
type Timing struct {
	Limit      time.Duration // zero if the package does not say
	Strict     bool          // the format requires Limit to be at least Multiplier times the slowest
	Multiplier float64       // limit divided by the slowest run that must be in time
	Margin     float64       // fastest run that must be too slow, divided by the limit
	Resolution time.Duration // the limit is a multiple of this
}

// SetTime sets the time limit, and the wall time limit that belongs to it.
func (p *Package) SetTime(limit time.Duration) { p.Limits.CPU, p.Limits.Wall = limit, wallFor(limit) }

// Submission returns the submission at a path, or nil if the package has none there.
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

// InputValidator is a program that must accept every input, or a grammar in the checktestdata language, which
// speaks "ctd".
type InputValidator struct {
	judge.Part
	Name string
}

// Proof is a case that tests the validators.
type Proof struct {
	Kind ProofKind
	judge.Case
	Out string // path of the output; empty for InvalidInput
}

// ProofKind says what a Proof tests.
type ProofKind string

const (
	InvalidInput  ProofKind = "invalid_input"  // an input validator must reject the input
	InvalidOutput ProofKind = "invalid_output" // the output validator must reject the output
	ValidOutput   ProofKind = "valid_output"   // the output validator must accept the output
)
