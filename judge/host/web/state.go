package web

import (
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/report"
)

// A Line is a submission as listed.
type Line struct {
	Slug     string // slug of the contest
	Number   int64
	Label    string // problem label
	Who      string
	Details  []string // name of the account, if it differs from the team's name; groups of the team
	Language string   // name of the language; empty if unknown
	Program  string
	Received time.Time
	At       string // contest time; empty before the start
	Late     bool   // after the end; counts as practice
	State    State
	Time     string // CPU time of the slowest test case; empty if the reader may not know it
	Memory   string // peak memory over all test cases; likewise
}

// A SubmissionList is a list of submissions.
type SubmissionList struct {
	Lines  []Line
	Teams  bool // shows who submitted
	Times  bool // shows Line.Time
	Memory bool // shows Line.Memory
}

// A State is the verdict of a submission or the progress of judging, as far as the reader may know it.
type State struct {
	Class   string // CSS class
	Code    string // empty if there is no verdict
	Words   string
	Score   string
	Pending bool
	Note    string // the jury's decision; may be empty
}

// CurrentState returns the state of a submission, including the jury's decisions. Unless jury is set, a judge
// error is shown as a delay, and an unverified verdict is hidden.
func (s *Site) CurrentState(sub *store.Submission, jury bool) (v State) {
	if sub.Verify == store.Unverified && !jury {
		return State{Class: "none", Words: "judging", Pending: true}
	}
	if v = StateOf(s.Dispatch.JobState(sub.Judgement, sub.State), sub.Verdict, sub.Score, jury); sub.Overridden {
		v = StateOf(store.JobDone, sub.Verdict, sub.Score, true)
		v.Note = "by the jury"
	}
	if sub.Ignored {
		v.Note = "ignored"
	}
	if jury && sub.Verify.Pending() {
		v.Note = "not verified"
	}
	if jury && sub.Paused && v.Pending {
		v.Words = "judging paused"
	}
	return v
}

// StateOf returns the state of a judgement for display. The state of the judgement's job must come from
// dispatch.JobState. Unless jury is set, a judge error is shown as a delay.
func StateOf(state store.JobState, v judge.Verdict, score string, jury bool) State {
	switch {
	case state == store.JobCancelled:
		return State{Class: "none", Words: "cancelled"}
	case (state == store.JobFailed || v == judge.JudgeError) && !jury:
		return State{Class: "none", Words: "pending: the jury is investigating"}
	case v != judge.NotJudged:
		return State{Class: report.VerdictClass(v), Code: string(v), Words: v.Words(), Score: score}
	case state == store.JobFailed:
		return State{Class: "je", Code: string(judge.JudgeError), Words: "no worker could judge it"}
	case state == store.JobDispatched:
		return State{Class: "none", Words: "judging", Pending: true}
	}
	return State{Class: "none", Words: "waiting", Pending: true}
}
