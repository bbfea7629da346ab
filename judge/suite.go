package judge

import "fmt"

// Events of making and measuring test data. Each is complete in itself.

// CasesMade closes making a problem's cases, or checking that they are what their lines make.
type CasesMade struct {
	Format  int    `json:"format"`
	Problem string `json:"problem"`
	Check   bool   `json:"check,omitempty"` // nothing was to be changed
	Cases   int    `json:"cases"`           // of the problem
	Made    int    `json:"made"`
	Changed int    `json:"changed"` // number of Made that differ from before
	Kept    int    `json:"kept"`
	Removed int    `json:"removed"`
	Faults  int    `json:"faults"`
	Why     string `json:"why,omitempty"` // nothing was done
}

// FreshMade means that new cases were made in addition to those of the problem.
type FreshMade struct {
	Format  int    `json:"format"`
	Problem string `json:"problem"`
	Cases   int    `json:"cases"`
	Seed    uint64 `json:"seed"`
	Place   string `json:"place"` // their directory
}

// FilesMade closes making a package's data, or checking that it is what its generators make.
type FilesMade struct {
	Format  int      `json:"format"`
	Problem string   `json:"problem"`
	Check   bool     `json:"check,omitempty"`
	Files   int      `json:"files"`
	Changed []string `json:"changed,omitempty"` // paths of files that have changed, or with Check would change
	Faults  int      `json:"faults"`
}

// SuitePruned lists generator lines whose cases detect nothing new.
type SuitePruned struct {
	Format  int      `json:"format"`
	Problem string   `json:"problem"`
	Changes []string `json:"changes"` // of problem.toml
	Before  Tally    `json:"before"`
	After   Tally    `json:"after"`
}

// Tally is how many cases there are, and what they detect.
type Tally struct {
	Cases     int   `json:"cases"`
	Bytes     int64 `json:"bytes"`
	Mutants   int   `json:"mutants"`
	Solutions int   `json:"solutions"`
	Bounds    int   `json:"bounds"`
}

// CoverageShown lists which cases cover what the declared input format requires.
type CoverageShown struct {
	Format  int    `json:"format"`
	Problem string `json:"problem"`
	File    string `json:"file"` // the declaration
	Cases   int    `json:"cases"`
	Goals   []Goal `json:"goals"` // in the order of the declaration
}

// Goal is a bound, a word, an alternative, a condition or a feature of a declaration.
type Goal struct {
	What  string `json:"what"`
	Line  int    `json:"line"`  // of the declaration
	Cases int    `json:"cases"` // number of cases that cover it
}

// Shown returns how many goals are covered by some case.
func (e *CoverageShown) Shown() (n int) {
	for _, g := range e.Goals {
		if g.Cases > 0 {
			n++
		}
	}
	return n
}

// SuiteMeasured lists what each case of a problem detects.
type SuiteMeasured struct {
	Format  int         `json:"format"`
	Problem string      `json:"problem"`
	Most    int         `json:"most"` // most cases that are counted for each mutant
	Cases   []CaseFinds `json:"cases"`
	Once    []FoundOnce `json:"once,omitempty"` // wrong solutions that only one case detects
}

// CaseFinds is what a case detects.
type CaseFinds struct {
	Case      string `json:"case"` // its id
	Bytes     int64  `json:"bytes"`
	Mutants   int    `json:"mutants"`
	Solutions int    `json:"solutions"`
	Bounds    int    `json:"bounds"`
	Alone     int    `json:"alone"` // how many of all these no other case detects
}

// FoundOnce is something that only one case detects.
type FoundOnce struct {
	Case string `json:"case"`
	Kind string `json:"kind"` // "solution"
	Name string `json:"name"`
}

// AdequacyMeasured lists which mutants of correct programs the cases kill.
type AdequacyMeasured struct {
	Format    int               `json:"format"`
	Problem   string            `json:"problem"`
	Key       string            `json:"key"` // hash of everything that the measurement depends on
	Cases     int               `json:"cases"`
	Seed      uint64            `json:"seed"`
	Searched  int               `json:"searched"` // inputs to try for each surviving mutant
	Programs  []ProgramMutants  `json:"programs"`
	Operators []OperatorMutants `json:"operators"`
	Total     MutantCounts      `json:"total"`
	How       []Death           `json:"how"` // how the killed ones died
	Mutants   []LivingMutant    `json:"mutants"`
	Notes     []string          `json:"notes,omitempty"`
	All       bool              `json:"all,omitempty"` // list also those that no input distinguishes from the correct program
}

// MutantCounts are numbers of mutants.
type MutantCounts struct {
	Mutants     int `json:"mutants"`
	Killed      int `json:"killed"`
	Survived    int `json:"survived"`
	Equivalent  int `json:"equivalent"`
	Unseparated int `json:"unseparated"`
	Unreached   int `json:"unreached"`
}

// Score returns the percentage of mutants known to be wrong that the cases kill. It is never rounded up to
// 100.
func (c MutantCounts) Score() float64 {
	if c.Killed+c.Survived == 0 {
		return 100
	}
	return float64(1000*c.Killed/(c.Killed+c.Survived)) / 10
}

// ProgramMutants are the mutants of a program.
type ProgramMutants struct {
	Path string `json:"path"`
	MutantCounts
}

// OperatorMutants are the mutants of one kind of mutation.
type OperatorMutants struct {
	Operator string `json:"operator"`
	MutantCounts
}

// Death is a way in which mutants die.
type Death struct {
	How   string `json:"how"`
	Count int    `json:"count"`
}

// MutantState is the state of a mutant.
type MutantState string

// The states of mutants.
const (
	// MutantKilled: a case distinguishes it from the correct program.
	MutantKilled MutantState = "killed"
	// MutantSurvived: no case distinguishes it, but another input does.
	MutantSurvived MutantState = "survived"
	// MutantEquivalent: a person has marked it as correct.
	MutantEquivalent MutantState = "equivalent"
	// MutantUnseparated: no input that was tried distinguishes it.
	MutantUnseparated MutantState = "unseparated"
	// MutantUnreached: no input that was tried reaches its change.
	MutantUnreached MutantState = "unreached"
)

// LivingMutant is a mutant that no case kills.
type LivingMutant struct {
	State    MutantState `json:"state"`
	Program  string      `json:"program"`
	Place    string      `json:"place"` // file and line
	Operator string      `json:"operator"`
	Diff     string      `json:"diff"`
	Reason   string      `json:"reason,omitempty"` // of a mark
	Input    string      `json:"input,omitempty"`  // an input that kills it
	Answer   string      `json:"answer,omitempty"`
	Origin   string      `json:"origin,omitempty"` // of the input
}

// Listed returns the mutants that a reader should see.
func (e *AdequacyMeasured) Listed() (list []LivingMutant) {
	for _, m := range e.Mutants {
		if m.State == MutantSurvived || e.All && m.State != MutantUnreached {
			list = append(list, m)
		}
	}
	return list
}

// Score summarizes the measurement in one line.
func (e *AdequacyMeasured) Score() string {
	text := fmt.Sprintf("mutation score: %.1f %% (%d of %d killed)", e.Total.Score(), e.Total.Killed, e.Total.Killed+e.Total.Survived)
	if n := e.Total.Unseparated; n > 0 {
		text += fmt.Sprintf("; no input distinguishes %d more from the correct program", n)
	}
	return text
}

func (*CasesMade) kind() string        { return "cases-made" }
func (*FreshMade) kind() string        { return "fresh-made" }
func (*FilesMade) kind() string        { return "files-made" }
func (*SuitePruned) kind() string      { return "suite-pruned" }
func (*CoverageShown) kind() string    { return "coverage" }
func (*SuiteMeasured) kind() string    { return "suite" }
func (*AdequacyMeasured) kind() string { return "adequacy" }
