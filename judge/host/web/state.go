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
	Program  string
	Received time.Time
	At       string // contest time; empty before the start
	Late     bool   // after the end; counts as practice
	State    State
}

// linesView is a list of submissions. All reports whether they are by several users.
type linesView struct {
	Lines []Line
	All   bool
}

// A State is the verdict of a submission or the progress of judging, as far as the reader may know it.
type State struct {
	Class string // CSS class
	Code  string // empty if there is no verdict
	Words string
	Score string
	Open  bool
	Note  string // the jury's decision; may be empty
}

// CurrentState returns the state of a submission, including the jury's decisions. Unless staff is set, a judge
// error is shown as a delay, and an unverified verdict is hidden.
func (s *Site) CurrentState(sub *store.Submission, staff bool) (v State) {
	if sub.Verify == store.Unverified && !staff {
		return State{Class: "none", Words: "judging", Open: true}
	}
	if v = StateOf(s.Dispatch.JobState(sub.Judgement, sub.State), sub.Verdict, sub.Score, staff); sub.Given {
		v = StateOf(store.Done, sub.Verdict, sub.Score, true)
		v.Note = "by the jury"
	}
	if sub.Ignored {
		v.Note = "ignored"
	}
	if staff && sub.Verify.Open() {
		v.Note = "not verified"
	}
	if staff && sub.Paused && v.Open {
		v.Words = "judging paused"
	}
	return v
}

// StateOf returns the state of a judgement for display. The state of the judgement's job must come from
// dispatch.JobState. Unless staff is set, a judge error is shown as a delay.
func StateOf(state store.JobState, v judge.Verdict, score string, staff bool) State {
	switch {
	case state == store.Cancelled:
		return State{Class: "none", Words: "cancelled"}
	case (state == store.Failed || v == judge.JudgeError) && !staff:
		return State{Class: "none", Words: "pending: the jury is investigating"}
	case v != judge.NotJudged:
		return State{Class: report.VerdictClass(v), Code: string(v), Words: v.Words(), Score: score}
	case state == store.Failed:
		return State{Class: "je", Code: string(judge.JudgeError), Words: "no worker could judge it"}
	case state == store.Out:
		return State{Class: "none", Words: "judging", Open: true}
	}
	return State{Class: "none", Words: "waiting", Open: true}
}
