package judge

import "fmt"

// The events of making and measuring test data. Each stands for itself: what it says
// is whole.

// CasesMade closes the making of a problem's cases, or the proof that they are what
// their lines make.
type CasesMade struct {
	Format  int    `json:"format"`
	Problem string `json:"problem"`
	Check   bool   `json:"check,omitempty"` // nothing was to be changed
	Cases   int    `json:"cases"`           // of the problem
	Made    int    `json:"made"`
	Changed int    `json:"changed"` // of those made, so many are other than before
	Kept    int    `json:"kept"`
	Removed int    `json:"removed"`
	Faults  int    `json:"faults"`
	Why     string `json:"why,omitempty"` // nothing was done
}

// FreshMade says that new cases were made beside those of the problem.
type FreshMade struct {
	Format  int    `json:"format"`
	Problem string `json:"problem"`
	Cases   int    `json:"cases"`
	Seed    uint64 `json:"seed"`
	Place   string `json:"place"` // the folder that they are in
}

// FilesMade closes the making of a package's data, or the proof that it is as it is
// made.
type FilesMade struct {
	Format  int      `json:"format"`
	Problem string   `json:"problem"`
	Check   bool     `json:"check,omitempty"`
	Files   int      `json:"files"`
	Changed []string `json:"changed,omitempty"` // paths of files that are, or with Check would be, other than before
	Faults  int      `json:"faults"`
}

// SuitePruned says which generator lines find nothing that others do not find.
type SuitePruned struct {
	Format  int      `json:"format"`
	Problem string   `json:"problem"`
	Changes []string `json:"changes"` // of problem.toml
	Before  Tally    `json:"before"`
	After   Tally    `json:"after"`
}

// Tally is how many cases there are, and what they find.
type Tally struct {
	Cases     int   `json:"cases"`
	Bytes     int64 `json:"bytes"`
	Mutants   int   `json:"mutants"`
	Solutions int   `json:"solutions"`
	Bounds    int   `json:"bounds"`
}

// CoverageShown says which cases show what the declared input format wants to be seen.
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
	Cases int    `json:"cases"` // that show it
}

// Shown is how many goals some case shows.
func (e *CoverageShown) Shown() (n int) {
	for _, g := range e.Goals {
		if g.Cases > 0 {
			n++
		}
	}
	return n
}

// SuiteMeasured says what each case of a problem finds.
type SuiteMeasured struct {
	Format  int         `json:"format"`
	Problem string      `json:"problem"`
	Most    int         `json:"most"` // cases that are counted for each mutant
	Cases   []CaseFinds `json:"cases"`
	Once    []FoundOnce `json:"once,omitempty"` // wrong solutions that one case alone finds
}

// CaseFinds is what a case finds.
type CaseFinds struct {
	Case      string `json:"case"` // its id
	Bytes     int64  `json:"bytes"`
	Mutants   int    `json:"mutants"`
	Solutions int    `json:"solutions"`
	Bounds    int    `json:"bounds"`
	Alone     int    `json:"alone"` // of all these, no other case finds so many
}

// FoundOnce is something that one case alone finds.
type FoundOnce struct {
	Case string `json:"case"`
	Kind string `json:"kind"` // "solution"
	Name string `json:"name"`
}

// AdequacyMeasured says which mutants of right programs the cases kill.
type AdequacyMeasured struct {
	Format    int               `json:"format"`
	Problem   string            `json:"problem"`
	Key       string            `json:"key"` // hash of all that the measurement depends on
	Cases     int               `json:"cases"`
	Seed      uint64            `json:"seed"`
	Searched  int               `json:"searched"` // inputs that were to be looked at for each survivor
	Programs  []ProgramMutants  `json:"programs"`
	Operators []OperatorMutants `json:"operators"`
	Total     MutantCounts      `json:"total"`
	How       []Death           `json:"how"` // how the killed ones died
	Mutants   []LivingMutant    `json:"mutants"`
	Notes     []string          `json:"notes,omitempty"`
	All       bool              `json:"all,omitempty"` // those that no input separates are to be listed, too
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

// Score is how many of the mutants that are known to be wrong the cases kill, in
// percent. It is never rounded up to 100.
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

// OperatorMutants are the mutants that one kind of slip makes.
type OperatorMutants struct {
	Operator string `json:"operator"`
	MutantCounts
}

// Death is a way in which mutants die.
type Death struct {
	How   string `json:"how"`
	Count int    `json:"count"`
}

// MutantState is what has become of a mutant.
type MutantState string

// The states of mutants.
const (
	// MutantKilled is a mutant that a case tells from the right program.
	MutantKilled MutantState = "killed"
	// MutantSurvived is one that no case tells from it, but another input does.
	MutantSurvived MutantState = "survived"
	// MutantEquivalent is one that a person has marked as right.
	MutantEquivalent MutantState = "equivalent"
	// MutantUnseparated is one that no input which was tried tells from it.
	MutantUnseparated MutantState = "unseparated"
	// MutantUnreached is one whose change no input which was tried reaches.
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
	Input    string      `json:"input,omitempty"`  // that kills it
	Answer   string      `json:"answer,omitempty"`
	Origin   string      `json:"origin,omitempty"` // of the input
}

// Listed are the mutants that a reader is to see.
func (e *AdequacyMeasured) Listed() (list []LivingMutant) {
	for _, m := range e.Mutants {
		if m.State == MutantSurvived || e.All && m.State != MutantUnreached {
			list = append(list, m)
		}
	}
	return list
}

// Score is the measurement in one line.
func (e *AdequacyMeasured) Score() string {
	text := fmt.Sprintf("mutation score: %.1f %% (%d of %d killed)", e.Total.Score(), e.Total.Killed, e.Total.Killed+e.Total.Survived)
	if n := e.Total.Unseparated; n > 0 {
		text += fmt.Sprintf("; no input tells %d more from the right program", n)
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
