package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"assay/judge/host/board"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// rejudge begins a rejudging.
func (a *api) rejudge(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.NewRejudging
	if err := read(r, &n); err != nil {
		return err
	}
	c, err := a.contest(r, r.PathValue("slug"))
	if err != nil {
		return err
	}
	choice := desk.Choice{Problem: n.Problem, Who: n.Who, Group: n.Group, Verdict: n.Verdict, Language: n.Language, Time: n.Time, Worker: n.Worker, Version: n.Version}
	asked := desk.NewRejudging{Choice: choice, All: n.All, Why: n.Why, Against: n.Against, Repeats: n.Repeats}
	made, left, err := a.Rejudge(r.Context(), c, asked, who.account)
	if err != nil {
		return err
	}
	answer := rejudgingOf(made)
	answer.Left = left
	return a.done(w, r, who, "rejudge", made.ID, made.Why, answer)
}

func rejudgingOf(r *store.Rejudging) client.Rejudging {
	return client.Rejudging{
		ID: r.ID, Why: r.Why, By: r.Login, State: string(r.State), Made: r.Made, Version: string(r.Bundle), Repeats: r.Repeats,
		Submissions: r.Submissions, Open: r.Open,
	}
}

// rejudgings lists the rejudgings of a contest.
func (a *api) rejudgings(w http.ResponseWriter, r *http.Request, _ *caller) error {
	c, err := a.contest(r, r.PathValue("slug"))
	if err != nil {
		return err
	}
	rows, err := a.Store.Rejudgings(r.Context(), c.ID)
	if err != nil {
		return err
	}
	all := []client.Rejudging{}
	for _, one := range rows {
		all = append(all, rejudgingOf(one))
	}
	return ok(w, all)
}

// rejudging responds with what a rejudging would change.
func (a *api) rejudging(w http.ResponseWriter, r *http.Request, _ *caller) error {
	one, err := a.Store.Rejudging(r.Context(), r.PathValue("id"))
	if errors.Is(err, store.ErrNotFound) {
		return noRejudging(r)
	}
	if err != nil {
		return err
	}
	rows, err := a.Store.RejudgedOf(r.Context(), one.ID)
	if err != nil {
		return err
	}
	answer := rejudgingOf(one)
	for _, s := range rows {
		var runs []string
		if s.Differ() {
			for _, run := range s.Runs {
				runs = append(runs, strings.TrimSpace(string(run.Verdict)+" "+run.Score))
			}
		}
		answer.Rejudged = append(answer.Rejudged, client.Rejudged{
			Number: s.Number, Problem: s.Problem, Login: s.Login, Was: s.Was, WasScore: s.WasScore, Done: s.Done, Now: s.Verdict, NowScore: s.Score,
			Changed: s.Changed(), Reason: s.Reason, Runs: runs,
		})
	}
	if one.State != store.RejudgingRunning || one.Contest == store.Practice {
		return ok(w, answer)
	}
	moves, err := a.Boards.Moves(r.Context(), one.Contest, rows)
	if err != nil {
		return err
	}
	for _, m := range moves {
		answer.Moves = append(answer.Moves, moveOf(m))
	}
	return ok(w, answer)
}

func moveOf(m board.Move) client.Move {
	return client.Move{
		Team: m.Now.Team.Name, WasRank: m.Was.Rank, NowRank: m.Now.Rank,
		Was: client.Reach{Solved: m.Was.Solved, Points: m.Was.Points, TimeS: int64(m.Was.Time / time.Second)},
		Now: client.Reach{Solved: m.Now.Solved, Points: m.Now.Points, TimeS: int64(m.Now.Time / time.Second)},
	}
}

func noRejudging(r *http.Request) error {
	return &status{
		http.StatusNotFound, fmt.Sprintf("there is no rejudging %.80q", r.PathValue("id")),
		"see: judged admin rejudge list CONTEST",
	}
}

// endRejudging applies or cancels a rejudging.
func (a *api) endRejudging(w http.ResponseWriter, r *http.Request, who *caller) error {
	var s client.SetRejudging
	if err := read(r, &s); err != nil {
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
	return a.done(w, r, who, "rejudging "+s.State, id, "", struct{}{})
}
