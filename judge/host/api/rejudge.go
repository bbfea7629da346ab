package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
)

// rejudge begins a rejudging.
func (a *api) rejudge(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var n client.NewRejudging
	if err := readJSON(r, &n); err != nil {
		return err
	}
	c, err := a.findContest(r, r.PathValue("slug"))
	if err != nil {
		return err
	}
	choice := intake.SubmissionQuery{
		Problem: n.Problem, Who: n.Author, Group: n.Group, Verdict: n.Verdict, Language: n.Language, Time: n.Time,
		Worker: n.Worker, Version: n.Version,
	}
	request := intake.NewRejudging{SubmissionQuery: choice, All: n.All, Why: n.Reason, Against: n.TargetVersion, Repeats: n.Repeats}
	created, omitted, err := a.Rejudge(r.Context(), c, request, caller.account)
	if err != nil {
		return err
	}
	answer := clientRejudging(created)
	answer.LeftOut = omitted
	return a.auditAndRespond(w, r, caller, "rejudge", created.ID, created.Why, answer)
}

func clientRejudging(r *store.Rejudging) client.Rejudging {
	return client.Rejudging{
		ID: r.ID, Reason: r.Why, Author: r.Login, State: string(r.State), Created: r.Made, Version: string(r.Bundle), Repeats: r.Repeats,
		Submissions: r.Submissions, Pending: r.Pending,
	}
}

// rejudgings lists the rejudgings of a contest.
func (a *api) rejudgings(w http.ResponseWriter, r *http.Request, _ *caller) error {
	c, err := a.findContest(r, r.PathValue("slug"))
	if err != nil {
		return err
	}
	rows, err := a.Store.Rejudgings(r.Context(), c.ID)
	if err != nil {
		return err
	}
	rejudgings := []client.Rejudging{}
	for _, rejudging := range rows {
		rejudgings = append(rejudgings, clientRejudging(rejudging))
	}
	return writeOK(w, rejudgings)
}

// rejudging responds with what a rejudging would change.
func (a *api) rejudging(w http.ResponseWriter, r *http.Request, _ *caller) error {
	rejudging, err := a.Store.Rejudging(r.Context(), r.PathValue("id"))
	if errors.Is(err, store.ErrNotFound) {
		return noRejudging(r)
	}
	if err != nil {
		return err
	}
	rows, err := a.Store.RejudgedSubmissions(r.Context(), rejudging.ID)
	if err != nil {
		return err
	}
	answer := clientRejudging(rejudging)
	for _, s := range rows {
		var runs []string
		if s.RunsDiffer() {
			for _, run := range s.Runs {
				runs = append(runs, strings.TrimSpace(string(run.Verdict)+" "+run.Score))
			}
		}
		answer.Rejudged = append(answer.Rejudged, client.RejudgedSubmission{
			Number: s.Number, Problem: s.Problem, Login: s.Login, OldVerdict: s.OldVerdict, OldScore: s.OldScore, Done: s.Ended,
			NewVerdict: s.Verdict, NewScore: s.Score,
			Changed: s.ChangesResult(), Reason: s.Reason, Runs: runs,
		})
	}
	if rejudging.State != store.RejudgingRunning || rejudging.Contest == store.Practice {
		return writeOK(w, answer)
	}
	moves, err := a.Scoreboards.RankChanges(r.Context(), rejudging.Contest, rows)
	if err != nil {
		return err
	}
	for _, m := range moves {
		answer.RankChanges = append(answer.RankChanges, clientMove(m))
	}
	return writeOK(w, answer)
}

func clientMove(m scoreboard.RankChange) client.RankChange {
	return client.RankChange{
		Team: m.After.Team.Name, OldRank: m.Before.Rank, NewRank: m.After.Rank,
		OldResult: client.TeamResult{Solved: m.Before.Solved, Points: m.Before.Points, TimeS: int64(m.Before.Time / time.Second)},
		NewResult: client.TeamResult{Solved: m.After.Solved, Points: m.After.Points, TimeS: int64(m.After.Time / time.Second)},
	}
}

func noRejudging(r *http.Request) error {
	return &status{
		http.StatusNotFound, fmt.Sprintf("there is no rejudging %.80q", r.PathValue("id")),
		"see: judged admin rejudge list CONTEST",
	}
}

// endRejudging applies or cancels a rejudging.
func (a *api) endRejudging(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var s client.RejudgingUpdate
	if err := readJSON(r, &s); err != nil {
		return err
	}
	state, id := store.RejudgingState(s.State), r.PathValue("id")
	if state != store.RejudgingApplied && state != store.RejudgingCancelled {
		return &status{http.StatusBadRequest, fmt.Sprintf("%.40q is no end of a rejudging: applied, cancelled", s.State), ""}
	}
	err := a.EndRejudging(r.Context(), id, state == store.RejudgingApplied)
	if errors.Is(err, store.ErrNotFound) {
		return noRejudging(r)
	}
	if err != nil {
		return err
	}
	return a.auditAndRespond(w, r, caller, "rejudging "+s.State, id, "", struct{}{})
}
