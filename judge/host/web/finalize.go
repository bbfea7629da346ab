package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// finalizeView says what is in the way of final results.
type finalizeView struct {
	Slug      string
	Finalized time.Time // zero while they are not final
	Checks    []checkLine
	Ready     bool
}

// checkLine is one thing that must be so; a note is nothing that must.
type checkLine struct {
	Good, Note bool
	Text       string
	Link, Do   string // where it is mended, below the contest's path, and what that is called; "" for nowhere
}

// checks looks at everything that final results need.
func (s *site) checks(r *ask) (v finalizeView, err error) {
	c, now := r.seat.Contest, s.Time()
	v = finalizeView{Slug: c.Slug, Finalized: c.Finalized, Ready: true}
	check := func(bad bool, wrong, good, link, do string) {
		if !bad {
			v.Checks = append(v.Checks, checkLine{Good: true, Text: good})
			return
		}
		v.Ready = false
		v.Checks = append(v.Checks, checkLine{Text: wrong, Link: link, Do: do})
	}
	last, err := s.lastEnd(r)
	if err != nil {
		return v, err
	}
	ended := !c.Ends().IsZero() && !now.Before(c.Ends())
	wrong := "the contest is not over yet"
	if ended {
		wrong = "the contest is not over yet for a team that has extra time: it is at " + last.Local().Format("15:04:05")
	}
	check(!ended || now.Before(last), wrong, "the contest is over, for all teams", "/edit", "Settings")
	l, err := s.Boards.Board(r.Context(), c.ID)
	if err != nil {
		return v, err
	}
	open := l.Open()
	check(open > 0, counted(open, "submission has", "submissions have")+" no verdict yet; a judge error is none", "every submission that counts has a verdict", "/submissions?verdict="+store.Unjudged, "Submissions without a verdict")
	rejudgings, err := s.Store.Rejudgings(r.Context(), c.ID)
	if err != nil {
		return v, err
	}
	running := 0
	for _, one := range rejudgings {
		if one.State == store.RejudgingRunning {
			running++
		}
	}
	check(running > 0, counted(running, "rejudging is", "rejudgings are")+" neither applied nor cancelled", "no rejudging is open", "/rejudgings", "Rejudgings")
	questions, err := s.Store.OpenQuestions(r.Context(), c.ID)
	if err != nil {
		return v, err
	}
	check(questions > 0, counted(questions, "question has", "questions have")+" no answer", "every question has an answer", "/clar?open=yes", "Questions without an answer")
	if c.Freeze > 0 && (c.Thaw.IsZero() || now.Before(c.Thaw)) {
		v.Checks = append(v.Checks, checkLine{Note: true, Text: "the public's board stands still; it goes on when you show the public everything, before or after this", Link: "/board?view=staff", Do: "Board"})
	}
	return v, nil
}

// counted writes a number before a word of one, or of many.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

func (s *site) finalize(w http.ResponseWriter, r *ask) error {
	v, err := s.checks(r)
	if err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, "finalize", "Final results", v)
}

// setFinal makes the results final, where nothing is in the way, or opens them again.
func (s *site) setFinal(w http.ResponseWriter, r *ask) error {
	if err := form(w, r, small); err != nil {
		return err
	}
	c, do, why := r.seat.Contest, r.PostFormValue("do"), strings.TrimSpace(r.PostFormValue("why"))
	switch do {
	case "final":
		v, err := s.checks(r)
		if err != nil {
			return err
		}
		if !v.Ready {
			return s.page(w, r, http.StatusConflict, "finalize", "Final results", v)
		}
		c.Finalized = s.Time()
	case "open":
		if why == "" {
			return bad("results that were final are opened with a reason")
		}
		c.Finalized = time.Time{}
	default:
		return bad("the form asks for nothing that is known here")
	}
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	if err := s.audit(r.Context(), r, map[string]string{"final": "results final", "open": "results open again"}[do], c.Slug, why); err != nil {
		return err
	}
	return go303(w, r, "/c/"+c.Slug+"/finalize")
}

// lastEnd is when a contest ends for the last team.
func (s *site) lastEnd(r *ask) (time.Time, error) {
	teams, err := s.Store.Teams(r.Context(), r.seat.Contest.ID)
	var extra time.Duration
	for _, t := range teams {
		extra = max(extra, t.ExtraTime)
	}
	return r.seat.Contest.Ends().Add(extra), err
}

// unchanged refuses what would change results that are final.
func (s *site) unchanged(r *ask) error {
	if r.seat == nil || r.seat.Contest.Finalized.IsZero() {
		return nil
	}
	return &desk.Refusal{Code: http.StatusConflict, Text: "the results of " + r.seat.Contest.Name + " are final, and this could change them", Hint: "open them again first, under Final results"}
}
