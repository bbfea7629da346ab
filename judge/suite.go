package judge

import "fmt"

// Events about generating and measuring test data. Each is complete in itself.

// CasesGenerated reports the result of generating a problem's cases, or of checking that their generator lines still
// make the same cases.
type CasesGenerated struct {
	Format    int    `json:"format"`
	Problem   string `json:"problem"`
	Check     bool   `json:"check,omitempty"` // whether this was only a check
	Cases     int    `json:"cases"`           // number of the problem's cases
	Generated int    `json:"made"`
	Changed   int    `json:"changed"` // how many of Made differ from before
	Kept      int    `json:"kept"`
	Removed   int    `json:"removed"`
	Faults    int    `json:"faults"`
	Reason    string `json:"why,omitempty"` // reason if nothing was done
}

// FreshCasesGenerated means that new cases were generated in addition to the problem's cases.
type FreshCasesGenerated struct {
	Format  int    `json:"format"`
	Problem string `json:"problem"`
	Cases   int    `json:"cases"`
	Seed    uint64 `json:"seed"`
	Dir     string `json:"place"` // directory of the cases
}

// FilesGenerated reports the result of generating a package's data, or of checking that the generators still make the
// same data.
type FilesGenerated struct {
	Format  int      `json:"format"`
	Problem string   `json:"problem"`
	Check   bool     `json:"check,omitempty"`
	Files   int      `json:"files"`
	Changed []string `json:"changed,omitempty"` // paths of files that have changed or, with Check, would change
	Faults  int      `json:"faults"`
}

// SuitePruned lists generator lines that are not needed, because the remaining cases detect everything that the
// cases of these lines detect.
type SuitePruned struct {
	Format  int         `json:"format"`
	Problem string      `json:"problem"`
	Changes []string    `json:"changes"` // changes to problem.toml
	Before  SuiteTotals `json:"before"`
	After   SuiteTotals `json:"after"`
}

// SuiteTotals is the number of cases and of what they detect.
type SuiteTotals struct {
	Cases     int   `json:"cases"`
	Bytes     int64 `json:"bytes"`
	Mutants   int   `json:"mutants"`
	Solutions int   `json:"solutions"`
	Bounds    int   `json:"bounds"`
}

// CoverageMeasured lists which cases cover the requirements of the declared input format.
type CoverageMeasured struct {
	Format  int            `json:"format"`
	Problem string         `json:"problem"`
	File    string         `json:"file"` // file that contains the declaration
	Cases   int            `json:"cases"`
	Goals   []CoverageGoal `json:"goals"` // in declaration order
}

// CoverageGoal is a requirement for coverage: a bound, a word, an alternative, a condition or a feature of a declaration.
type CoverageGoal struct {
	Description string `json:"what"`
	Line        int    `json:"line"`  // line in the declaration
	Cases       int    `json:"cases"` // number of cases that cover it
}

// CoveredCount returns the number of goals that are covered by at least one case.
func (e *CoverageMeasured) CoveredCount() (n int) {
	for _, g := range e.Goals {
		if g.Cases > 0 {
			n++
		}
	}
	return n
}

// SuiteMeasured lists what each case of a problem detects.
type SuiteMeasured struct {
	Format     int               `json:"format"`
	Problem    string            `json:"problem"`
	MaxCounted int               `json:"most"` // maximum number of cases that are counted for each mutant
	Cases      []CaseDetections  `json:"cases"`
	Unique     []UniqueDetection `json:"once,omitempty"` // wrong solutions that are detected by only one case
}

// CaseDetections describes what a case detects.
type CaseDetections struct {
	Case      string `json:"case"` // its id
	Bytes     int64  `json:"bytes"`
	Mutants   int    `json:"mutants"`
	Solutions int    `json:"solutions"`
	Bounds    int    `json:"bounds"`
	Unique    int    `json:"alone"` // how many of all these are detected by no other case
}

// UniqueDetection is something that is detected by only one case.
type UniqueDetection struct {
	Case string `json:"case"`
	Kind string `json:"kind"` // "solution"
	Name string `json:"name"`
}

// AdequacyMeasured lists which mutants of correct programs the cases kill.
type AdequacyMeasured struct {
	Format    int               `json:"format"`
	Problem   string            `json:"problem"`
	Key       string            `json:"key"` // hash of everything that affects the measurement
	Cases     int               `json:"cases"`
	Seed      uint64            `json:"seed"`
	Searched  int               `json:"searched"` // number of inputs to try for each surviving mutant
	Programs  []ProgramMutants  `json:"programs"`
	Operators []OperatorMutants `json:"operators"`
	Total     MutantCounts      `json:"total"`
	How       []KillMethod      `json:"how"` // how the killed mutants died
	Mutants   []UnkilledMutant  `json:"mutants"`
	Notes     []string          `json:"notes,omitempty"`
	All       bool              `json:"all,omitempty"` // also list mutants that no input distinguishes from the correct program
}

// MutantCounts counts mutants by state.
type MutantCounts struct {
	Mutants     int `json:"mutants"`
	Killed      int `json:"killed"`
	Survived    int `json:"survived"`
	Equivalent  int `json:"equivalent"`
	Unseparated int `json:"unseparated"`
	Unreached   int `json:"unreached"`
}

// Score returns the percentage of the mutants known to be wrong that the cases kill. It is rounded down, so it is
// 100 only if all of them are killed.
func (c MutantCounts) Score() float64 {
	if c.Killed+c.Survived == 0 {
		return 100
	}
	return float64(1000*c.Killed/(c.Killed+c.Survived)) / 10
}

// ProgramMutants counts the mutants of a program.
type ProgramMutants struct {
	Path string `json:"path"`
	MutantCounts
}

// OperatorMutants counts the mutants made by one kind of mutation.
type OperatorMutants struct {
	Operator string `json:"operator"`
	MutantCounts
}

// KillMethod is a way in which mutants are killed.
type KillMethod struct {
	How   string `json:"how"`
	Count int    `json:"count"`
}

// MutantState is the state of a mutant.
type MutantState string

// The states of mutants.
const (
	// MutantKilled means that the output for a case shows that the mutant differs from the correct program.
	MutantKilled MutantState = "killed"
	// MutantSurvived means that no case shows that the mutant differs from the correct program, but another input
	// does.
	MutantSurvived MutantState = "survived"
	// MutantEquivalent means that the setter has marked the mutant as correct.
	MutantEquivalent MutantState = "equivalent"
	// MutantUnseparated means that no input that was tried shows that the mutant differs from the correct program.
	MutantUnseparated MutantState = "unseparated"
	// MutantUnreached means that none of the inputs that were tried reaches the mutant's change.
	MutantUnreached MutantState = "unreached"
)

// UnkilledMutant is a mutant that no case kills.
type UnkilledMutant struct {
	State    MutantState `json:"state"`
	Program  string      `json:"program"`
	Place    string      `json:"place"` // file and line
	Operator string      `json:"operator"`
	Diff     string      `json:"diff"`
	Reason   string      `json:"reason,omitempty"` // of a mark
	Input    string      `json:"input,omitempty"`  // an input that kills the mutant
	Answer   string      `json:"answer,omitempty"`
	Origin   string      `json:"origin,omitempty"` // origin of the input
}

// Listed returns the mutants that should be shown.
func (e *AdequacyMeasured) Listed() (list []UnkilledMutant) {
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

func (*CasesGenerated) kind() string      { return "cases-made" }
func (*FreshCasesGenerated) kind() string { return "fresh-made" }
func (*FilesGenerated) kind() string      { return "files-made" }
func (*SuitePruned) kind() string         { return "suite-pruned" }
func (*CoverageMeasured) kind() string    { return "coverage" }
func (*SuiteMeasured) kind() string       { return "suite" }
func (*AdequacyMeasured) kind() string    { return "adequacy" }
