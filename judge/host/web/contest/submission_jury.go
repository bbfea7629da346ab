package contest

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// juryView is what only the jury sees of a submission.
type juryView struct {
	Worker, Machine, Version, IsolationLevel, Reason string
	Toolchains                                       map[string]string // maps language ids to versions
	Mark                                             overridesView
	Verify                                           *verifyView // nil if nothing was or must be verified
	CanRejudge                                       bool        // the reader may create a rejudging
	State                                            web.State
	History                                          []historyLine // newest first
	OtherSubmissions                                 []web.Line    // by the same team or account on the same problem
	All                                              string        // link to a search for all of them
}

// A historyLine is a judgement or a verdict override of a submission.
type historyLine struct {
	At      string // contest time; empty before the start
	Time    time.Time
	Text    string
	Why     string     // reason for an override or a rejudging
	Link    string     // to the rejudging; may be empty
	Detail  string     // worker and toolchains
	State   *web.State // may be nil
	Current bool       // it is the current judgement
}

// maxOthers is the maximum number of other submissions listed.
const maxOthers = 12

// juryPart returns the part of a submission's page that only the jury sees.
func (s *site) juryPart(r *web.Request, lister *access.Lister) (*juryView, error) {
	a, sub := access.Of(r), access.Of(r).Submission
	j, err := s.Store.Judgement(r.Context(), sub.ID)
	if err != nil {
		return nil, err
	}
	v := &juryView{
		Worker: j.Worker, Machine: j.Machine, Version: j.Version, IsolationLevel: j.IsolationLevel, Toolchains: j.Toolchains,
		Reason:     j.Reason,
		CanRejudge: r.Can(auth.ChangeContest),
	}
	if v.Mark, err = s.readOverrides(r); err != nil {
		return nil, err
	}
	if v.Verify, err = s.verification(r, j); err != nil {
		return nil, err
	}
	v.State = s.CurrentState(sub, true)
	if v.History, err = s.history(r, v.Mark.Overrides); err != nil {
		return nil, err
	}
	f := store.SubmissionFilter{Contest: a.Contest.ID, Problem: sub.Problem, Team: sub.Team, Limit: maxOthers}
	if v.All = sub.Login; sub.Team == "" {
		f.Account = sub.Account
	}
	others, err := s.Store.Submissions(r.Context(), f)
	if err != nil {
		return nil, err
	}
	for _, submission := range others {
		v.OtherSubmissions = append(v.OtherSubmissions, lister.Line(submission, time.Time{}))
	}
	return v, nil
}

// originText says why a judgement was made.
var originText = map[store.Origin]string{
	store.OriginFirst: "Judged", store.OriginNearLimit: "Rejudged: near the time limit",
	store.OriginUntrusted: "Rejudged: an untrusted worker judged it before",
}

// history returns the judgements and verdict overrides of a submission.
func (s *site) history(r *web.Request, overrides []store.Override) ([]historyLine, error) {
	a := access.Of(r)
	past, err := s.Store.JudgementsOf(r.Context(), a.Submission.ID)
	if err != nil {
		return nil, err
	}
	var lines []historyLine
	for _, j := range past {
		state := web.StateOf(s.Dispatch.JobState(j.ID, j.State), j.Verdict, j.Score, true)
		line := historyLine{
			Time: j.Started, Text: originText[j.Origin],
			Detail: fmt.Sprintf("package %.6s", j.Bundle), State: &state, Current: j.ID == a.Submission.Judgement,
		}
		if !j.Ended.IsZero() {
			line.Time = j.Ended
		}
		if j.Worker != "" {
			line.Detail += ", worker " + j.Worker
		}
		if j.Rejudging != "" {
			if line.Why = j.Why; r.Can(auth.SeeAll) {
				line.Link = fmt.Sprintf("/c/%s/rejudgings/%s", a.Contest.Slug, j.Rejudging)
			}
			line.Text = cmp.Or(line.Text, "Rejudged") +
				map[store.RejudgingState]string{store.RejudgingRunning: ", not applied yet", store.RejudgingCancelled: ", cancelled"}[j.RejudgingState]
		}
		lines = append(lines, line)
	}
	for _, m := range overrides {
		line := historyLine{Time: m.At, Text: "As judged, by " + m.Login, Why: m.Why}
		if m.Ignored {
			line.Text = "Ignored by " + m.Login
		} else if m.Verdict != "" {
			state := web.StateOf(store.JobDone, m.Verdict, "", true)
			line.Text, line.State = "Changed by "+m.Login, &state
		}
		lines = append(lines, line)
	}
	slices.SortStableFunc(lines, func(x, y historyLine) int { return y.Time.Compare(x.Time) })
	for i := range lines {
		lines[i].At = a.ContestTime(lines[i].Time)
	}
	return lines, nil
}
