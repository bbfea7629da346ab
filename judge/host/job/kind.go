package job

import (
	"fmt"
	"slices"

	"assay/judge"
)

// A Kind says what a worker does for a job.
type Kind string

// The kinds of jobs. All kinds except Submission are parts of flows: each has its own Options in Work and its
// own Output in Result. Package flow plans them.
const (
	Submission Kind = "submission" // judge a submission on the test cases of a problem
	Checks     Kind = "checks"     // verify a problem directory without its solutions
	Solution   Kind = "solution"   // verify one solution of a problem directory
	Proof      Kind = "proof"      // check a golf submission
	Lab        Kind = "lab"        // generate the mutants of a problem's programs
	Mutants    Kind = "mutants"    // judge some of the mutants
	Score      Kind = "score"      // search for inputs that kill the surviving mutants
	Grid       Kind = "grid"       // list what each test case finds
	Opening    Kind = "opening"    // prepare the bots of a tournament
	Games      Kind = "games"      // play games of a tournament
	Look       Kind = "look"       // have a referee describe games
	Trial      Kind = "trial"      // test a bot
)

// kinds lists all kinds with how a server and a worker treat their jobs. Code outside this table, the planners of
// package flow, and the methods of a worker does not compare kinds.
var kinds = map[Kind]struct {
	// judging reports that the events are those of one judging, with files to judge, and are also sent
	// as progress. The events of other kinds are lines for the next jobs of their flow.
	judging bool
	// patient reports that a job that failed on all connected workers waits before they get it again, so that
	// an administrator can repair a machine. Other kinds fail at once, because the caller of the flow waits.
	patient bool
	// preemptible reports that a job takes minutes and stops between two of its programs for jobs of lanes
	// before its own.
	preemptible bool
}{
	Submission: {judging: true, patient: true},
	Checks:     {},
	Solution:   {},
	Proof:      {preemptible: true},
	Lab:        {},
	Mutants:    {},
	Score:      {},
	Grid:       {},
	Opening:    {},
	Games:      {},
	Look:       {},
	Trial:      {},
}

// Judging reports whether a job of the kind judges one submission: its events are read by UnpackJudging. The events
// of other kinds are read by UnpackLines.
func (k Kind) Judging() bool { return kinds[k].judging }

// Patient reports whether a job of the kind waits after it failed on all connected workers, longer each time.
func (k Kind) Patient() bool { return kinds[k].patient }

// Preemptible reports whether a job of the kind stops between two of its programs for jobs of lanes before its own.
func (k Kind) Preemptible() bool { return kinds[k].preemptible }

// ReportsProgress reports whether a worker sends events of the job before its result.
func (w *Work) ReportsProgress() bool { return w.Kind.Judging() && !w.Alone }

// CheckEvents returns an error if the packed events of a result of this work cannot be read.
func (w *Work) CheckEvents(packed []byte) (err error) {
	if w.Kind.Judging() {
		_, err = UnpackJudging(packed)
	} else {
		_, err = UnpackLines(packed)
	}
	return err
}

// UnpackJudging reads the events of a judging. They come from a worker that may send anything.
func UnpackJudging(packed []byte) ([]judge.Event, error) {
	events, err := Unpack(packed)
	for _, e := range events {
		switch e := e.(type) {
		case *judge.CaseJudged:
			err = known(e.Verdict)
		case *judge.GroupJudged:
			if e.Verdict != judge.NotJudged {
				err = known(e.Verdict)
			}
		case *judge.Finished:
			err = known(e.Verdict)
		}
		if err != nil {
			return nil, err
		}
	}
	return events, err
}

// known returns an error if v is no verdict.
func known(v judge.Verdict) error {
	if !slices.Contains(judge.Verdicts(), v) {
		return fmt.Errorf("%.40q is not a verdict", v)
	}
	return nil
}
