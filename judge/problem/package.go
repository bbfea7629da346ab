package problem

import (
	"path/filepath"
	"time"

	"assay/judge"
)

// Formats finds and reads problem packages, which are folders of other forms than the
// judge's own.
type Formats struct {
	Files     []string                                                      // what makes a folder a package
	Is        func(dir string) bool                                         // a package
	IsArchive func(path string) bool                                        // by its name; a package may be in it
	Open      func(dir string, usual judge.Limits) (*Package, judge.Faults) // with faults, nothing can be judged
	// Assemble makes a Package of a problem that was read from a folder of no format, so
	// that what works on packages works on it.
	Assemble func(p *judge.Problem) (*Package, error)
}

// Package is a problem package that was read: what it says beyond judge.Problem, in
// whatever format.
type Package struct {
	*judge.Problem
	File    string       // what makes the folder a package; "" for none
	Foreign bool         // not of the ICPC's format, with other rules for names
	Flaws   judge.Faults // with which submissions can be judged nevertheless
	// Assumed says what counts for a folder of inputs and answers, which says nothing itself. It
	// is empty for others.
	Assumed     string
	Timing      Timing
	Submissions []*Submission
	Inputs      []*InputValidator
	Extra       []Proof // cases of invalid_input, invalid_output and valid_output
	Form
}

// Form is what only the format of a package can tell. A language is "" for the first of
// the statement, and the folder to is made.
type Form interface {
	InputArgs(v *InputValidator, c *judge.Case) []string // of a validator for a case
	KnownLanguage(s *Submission) bool                    // has a file in a language of the format
	StatementFile(language string) string
	StatementFiles() []string                     // in every language
	Markdown(language string) (string, error)     // the statement with its samples
	Languages() []string                          // of the statements, the preferred one first
	Document(language string) (path, kind string) // the statement as a file: kind is "pdf" or "html"; "" if there is none
	Attachments() []string                        // paths of the files that contestants get, sorted
	// Unshown returns how many pictures the statements have, those that are not there, and what
	// else the statements have that is not shown.
	Unshown() (n int, missing, warnings judge.Faults)
	// Formulas returns how many formulas the statements have, those that are broken, and those that
	// pages cannot draw.
	Formulas() (n int, broken, warnings judge.Faults)
	ShowIncluded()                                          // the files of include/default, to submissions as they run
	Includes(of func(code string) bool) []string            // folders of include/ for a language
	Header(program string) func(name string) ([]byte, bool) // that a program names
	// Stage copies a program as it is to be built: with the files of the folders of
	// include/ that are named. Entry is the file that starts it, if that is known.
	Stage(program, to string, include []string, entry string) (*Staged, error)
}

// Staged is a copy of a program that can be built.
type Staged struct {
	Path  string // the file or folder
	Entry string // the file of a folder that starts it; "" where its language tells
}

// Timing says how long a submission may take, or how that is to be found out.
type Timing struct {
	Limit      time.Duration // 0 where the package does not say
	Strict     bool          // the format wants Limit to be at least Multiplier times the slowest
	Multiplier float64       // limit over the slowest run that must be in time
	Margin     float64       // slowest run that must be too slow over the limit
	Resolution time.Duration // the limit is a multiple of this
}

// SetTime sets the time limit, and the wall limit that goes with it.
func (p *Package) SetTime(limit time.Duration) { p.Limits.CPU, p.Limits.Wall = limit, wallFor(limit) }

// Submission finds the submission at a path, nil if it is none of the package's.
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

// InputValidator is a program that must accept every input, or a grammar in the
// checktestdata language, which speaks "ctd".
type InputValidator struct {
	judge.Part
	Name string
}

// Proof is a case that is there to prove something about the validators.
type Proof struct {
	Kind ProofKind
	judge.Case
	Out string // path of the output; "" for InvalidInput
}

// ProofKind says what a Proof proves.
type ProofKind string

const (
	InvalidInput  ProofKind = "invalid_input"  // an input validator refuses the input
	InvalidOutput ProofKind = "invalid_output" // the output validator refuses the output
	ValidOutput   ProofKind = "valid_output"   // the output validator accepts the output
)
