package job

import (
	"fmt"
	"slices"

	"assay/judge"
)

// A Kind is the kind of work in a job.
type Kind string

// The kinds of jobs. All kinds except Submission occur in workflows: each has its own type of Options in Work and
// of Output in Result. Package workflow plans them.
const (
	Submission       Kind = "submission" // judge a submission on the test cases of a problem
	Checks           Kind = "checks"     // verify a problem directory without its solutions
	Solution         Kind = "solution"   // verify one solution of a problem directory
	GolfCheck        Kind = "proof"      // check a golf submission
	MutantGeneration Kind = "lab"        // generate the mutants of a problem's programs
	Mutants          Kind = "mutants"    // judge some of the mutants
	Score            Kind = "score"      // search for inputs that kill the surviving mutants
	Grid             Kind = "grid"       // list what each test case finds
	Opening          Kind = "opening"    // prepare the bots of a tournament
	Games            Kind = "games"      // play games of a tournament
	Analysis         Kind = "look"       // describe games with a referee
	Trial            Kind = "trial"      // test a bot
)

// kinds lists all kinds, and how a server and a worker handle their jobs. Only this table, the planners of package
// workflow, and the methods of a worker may compare kinds.
var kinds = map[Kind]struct {
	// judging reports whether a job judges the files of one submission. Its events are then the events of that
	// judgement, and are also sent as progress. For other kinds, the events are lines for later jobs of the
	// workflow.
	judging bool
	// patient reports whether a job that failed on all connected workers is retried after a while, so that an
	// administrator can repair a machine. Other kinds fail immediately, because the caller of the workflow is
	// waiting.
	patient bool
	// preemptible reports whether a job takes minutes, and pauses between two of its programs for jobs with higher
	// priority.
	preemptible bool
}{
	Submission:       {judging: true, patient: true},
	Checks:           {},
	Solution:         {},
	GolfCheck:        {preemptible: true},
	MutantGeneration: {},
	Mutants:          {},
	Score:            {},
	Grid:             {},
	Opening:          {},
	Games:            {},
	Analysis:         {},
	Trial:            {},
}

// JudgesSubmission reports whether a job of kind k judges one submission. If so, UnpackJudgement reads its events.
// UnpackLines reads those of other kinds.
func (k Kind) JudgesSubmission() bool { return kinds[k].judging }

// RetriesLater reports whether a job of kind k is retried after it failed on all connected workers, after increasing
// delays.
func (k Kind) RetriesLater() bool { return kinds[k].patient }

// Preemptible reports whether a job of kind k pauses between two of its programs for jobs with higher priority.
func (k Kind) Preemptible() bool { return kinds[k].preemptible }

// ReportsProgress reports whether a worker sends events of the job before the result.
func (w *Work) ReportsProgress() bool { return w.Kind.JudgesSubmission() && !w.Retime }

// CheckEvents returns an error if the packed events of a result of this work cannot be read.
func (w *Work) CheckEvents(packed []byte) (err error) {
	if w.Kind.JudgesSubmission() {
		_, err = UnpackJudgement(packed)
	} else {
		_, err = UnpackLines(packed)
	}
	return err
}

// UnpackJudgement reads the events of a judgement. They come from a worker, so they are not trusted.
func UnpackJudgement(packed []byte) ([]judge.Event, error) {
	events, err := Unpack(packed)
	for _, e := range events {
		switch e := e.(type) {
		case *judge.CaseJudged:
			err = checkVerdict(e.Verdict)
		case *judge.GroupJudged:
			if e.Verdict != judge.NotJudged {
				err = checkVerdict(e.Verdict)
			}
		case *judge.Finished:
			err = checkVerdict(e.Verdict)
		}
		if err != nil {
			return nil, err
		}
	}
	return events, err
}

// checkVerdict returns an error if v is not a known verdict.
func checkVerdict(v judge.Verdict) error {
	if !slices.Contains(judge.Verdicts(), v) {
		return fmt.Errorf("%.40q is not a verdict", v)
	}
	return nil
}
