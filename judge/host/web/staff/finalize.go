package staff

import (
	"net/http"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
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
func (s *site) checks(r *web.Request) (v finalizeView, err error) {
	c, now := access.Of(r).Contest, s.Time()
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
	check(open > 0, web.Counted(open, "submission has", "submissions have")+" no verdict yet; a judge error is none", "every submission that counts has a verdict", "/submissions?verdict="+store.Unjudged, "Submissions without a verdict")
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
	check(running > 0, web.Counted(running, "rejudging is", "rejudgings are")+" neither applied nor cancelled", "no rejudging is open", "/rejudgings", "Rejudgings")
	questions, err := s.Store.OpenQuestions(r.Context(), c.ID)
	if err != nil {
		return v, err
	}
	check(questions > 0, web.Counted(questions, "question has", "questions have")+" no answer", "every question has an answer", "/clar?open=yes", "Questions without an answer")
	if c.Freeze > 0 && (c.Thaw.IsZero() || now.Before(c.Thaw)) {
		v.Checks = append(v.Checks, checkLine{Note: true, Text: "the public's board stands still; it goes on when you show the public everything, before or after this", Link: "/board?view=staff", Do: "Board"})
	}
	return v, nil
}

func (s *site) finalize(w http.ResponseWriter, r *web.Request) error {
	v, err := s.checks(r)
	if err != nil {
		return err
	}
	return s.Page(w, r, http.StatusOK, "finalize", "Final results", v)
}

// setFinal makes the results final, where nothing is in the way, or opens them again.
func (s *site) setFinal(w http.ResponseWriter, r *web.Request) error {
	c, do, why := access.Of(r).Contest, r.PostFormValue("do"), r.Field("why")
	switch do {
	case "final":
		v, err := s.checks(r)
		if err != nil {
			return err
		}
		if !v.Ready {
			return s.Page(w, r, http.StatusConflict, "finalize", "Final results", v)
		}
		c.Finalized = s.Time()
	case "open":
		if why == "" {
			return web.BadRequest("results that were final are opened with a reason")
		}
		c.Finalized = time.Time{}
	default:
		return web.BadRequest("the form asks for nothing that is known here")
	}
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	return s.Done(w, r, map[string]string{"final": "results final", "open": "results open again"}[do], c.Slug, why, "/c/"+c.Slug+"/finalize")
}

// lastEnd is when a contest ends for the last team.
func (s *site) lastEnd(r *web.Request) (time.Time, error) {
	teams, err := s.Store.Teams(r.Context(), access.Of(r).Contest.ID)
	var extra time.Duration
	for _, t := range teams {
		extra = max(extra, t.ExtraTime)
	}
	return access.Of(r).Contest.Ends().Add(extra), err
}
