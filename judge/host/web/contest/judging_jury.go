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

// staffView is what only the jury sees of a submission.
type staffView struct {
	Worker, Machine, Version, Rung, Reason string
	Toolchains                             map[string]string // maps language ids to versions
	Mark                                   markView
	Verify                                 *verifyView // nil if nothing was or must be verified
	Changes                                bool        // the reader may create a rejudging
	State                                  web.State
	History                                []historyLine // newest first
	Others                                 []web.Line    // by the same team or account on the same problem
	All                                    string        // link to a search for all of them
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

// mostOthers is the maximum number of other submissions listed.
const mostOthers = 12

// staffPart returns the part of a submission's page that only the jury sees.
func (s *site) staffPart(r *web.Request, label string) (*staffView, error) {
	a, sub := access.Of(r), access.Of(r).Submission
	j, err := s.Store.Judgement(r.Context(), sub.ID)
	if err != nil {
		return nil, err
	}
	v := &staffView{
		Worker: j.Worker, Machine: j.Machine, Version: j.Version, Rung: j.Rung, Toolchains: j.Toolchains, Reason: j.Reason,
		Changes: r.Can(auth.Change),
	}
	if v.Mark, err = s.marks(r); err != nil {
		return nil, err
	}
	if v.Verify, err = s.verification(r, j); err != nil {
		return nil, err
	}
	v.State = s.CurrentState(sub, true)
	if v.History, err = s.history(r, v.Mark.Marks); err != nil {
		return nil, err
	}
	f := store.Filter{Contest: a.Contest.ID, Problem: sub.Problem, Team: sub.Team, Limit: mostOthers}
	if v.All = sub.Login; sub.Team == "" {
		f.Account = sub.Account
	}
	others, err := s.Store.Submissions(r.Context(), f)
	if err != nil {
		return nil, err
	}
	for _, one := range others {
		v.Others = append(v.Others, a.Line(one, map[string]string{sub.Problem: label}, time.Time{}))
	}
	return v, nil
}

// history returns the judgements and verdict overrides of a submission.
func (s *site) history(r *web.Request, marks []store.Mark) ([]historyLine, error) {
	a := access.Of(r)
	past, err := s.Store.JudgementsOf(r.Context(), a.Submission.ID)
	if err != nil {
		return nil, err
	}
	var all []historyLine
	for _, j := range past {
		state := web.StateOf(s.Dispatch.JobState(j.ID, j.State), j.Verdict, j.Score, true)
		line := historyLine{
			Time: j.Started, Text: map[store.Origin]string{store.First: "Judged",
				store.Borderline: "Rejudged: near the time limit", store.OfGuest: "Rejudged: an untrusted worker judged it before"}[j.Origin],
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
		all = append(all, line)
	}
	for _, m := range marks {
		line := historyLine{Time: m.At, Text: "As judged, by " + m.Login, Why: m.Why}
		if m.Ignored {
			line.Text = "Ignored by " + m.Login
		} else if m.Verdict != "" {
			state := web.StateOf(store.Done, m.Verdict, "", true)
			line.Text, line.State = "Changed by "+m.Login, &state
		}
		all = append(all, line)
	}
	slices.SortStableFunc(all, func(x, y historyLine) int { return y.Time.Compare(x.Time) })
	for i := range all {
		all[i].At = a.At(all[i].Time)
	}
	return all, nil
}
