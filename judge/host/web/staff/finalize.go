package staff

import (
	"net/http"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// finalizeView is the page of the final results, with the checks that must pass before.
type finalizeView struct {
	Slug      string
	Finalized time.Time // zero while they are not final
	Checks    []checkLine
	Ready     bool
}

// Needed returns how many checks must pass.
func (v finalizeView) Needed() (n int) {
	for _, c := range v.Checks {
		if !c.Note {
			n++
		}
	}
	return n
}

// Failed returns how many checks do not pass.
func (v finalizeView) Failed() (n int) {
	for _, c := range v.Checks {
		if !c.Note && !c.Good {
			n++
		}
	}
	return n
}

// A checkLine is a check, or a note, which does not have to pass.
type checkLine struct {
	Good, Note   bool
	Text, Detail string
	Link, Do     string // the page where it is fixed, below the path of the contest, and the text of the button
}

// checks runs the checks that must pass before the results can be final.
func (s *site) checks(r *web.Request) (v finalizeView, err error) {
	c, now := access.Of(r).Contest, s.Time()
	v = finalizeView{Slug: c.Slug, Finalized: c.Finalized, Ready: true}
	check := func(bad bool, good string, wrong checkLine) {
		if !bad {
			v.Checks = append(v.Checks, checkLine{Good: true, Text: good})
			return
		}
		v.Ready = false
		v.Checks = append(v.Checks, wrong)
	}
	last, err := s.lastEnd(r)
	if err != nil {
		return v, err
	}
	ended := !c.Ends().IsZero() && !now.Before(c.Ends())
	wrong := checkLine{Text: "The contest has not ended", Link: "/edit", Do: "Open settings"}
	if ended {
		wrong.Text = "The contest has not ended for every team"
		wrong.Detail = "The last team, with extra time, ends at " + last.Local().Format("15:04:05") + "."
	}
	check(!ended || now.Before(last), "The contest has ended for every team", wrong)
	l, err := s.Boards.Board(r.Context(), c.ID)
	if err != nil {
		return v, err
	}
	open := l.Open()
	check(open > 0, "Every submission of the scoreboard has a verdict", checkLine{
		Text: web.Counted(open, "submission has", "submissions have") + " no verdict", Detail: "Pending, or with a judge error.",
		Link: "/submissions?verdict=" + store.Unjudged, Do: "Open submissions",
	})
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
	check(running > 0, "No rejudging is open", checkLine{
		Text: web.Counted(running, "rejudging is", "rejudgings are") + " open", Detail: "Apply or cancel each of them.",
		Link: "/rejudgings", Do: "Open rejudgings",
	})
	questions, err := s.Store.OpenQuestions(r.Context(), c.ID)
	if err != nil {
		return v, err
	}
	check(questions > 0, "All clarification requests are answered", checkLine{
		Text: web.Counted(questions, "clarification request is", "clarification requests are") + " unanswered",
		Link: "/clar?open=yes", Do: "Open clarifications",
	})
	if c.Freeze > 0 && (c.Thaw.IsZero() || now.Before(c.Thaw)) {
		v.Checks = append(v.Checks, checkLine{
			Note: true, Text: "The public scoreboard is still frozen", Detail: "You can unfreeze it before or after you finalize the results.",
			Link: "/board?view=staff", Do: "Open scoreboard",
		})
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

// setFinal makes the results final if all checks pass, or reopens them.
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
			return web.BadRequest("Enter a reason to reopen the results")
		}
		c.Finalized = time.Time{}
	default:
		return web.BadRequest("Unknown action: reload the page and try again")
	}
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	return s.Done(w, r, map[string]string{"final": "results final", "open": "results open again"}[do], c.Slug, why, "/c/"+c.Slug+"/finalize")
}

// lastEnd returns the time at which the contest ends for the last team.
func (s *site) lastEnd(r *web.Request) (time.Time, error) {
	teams, err := s.Store.Teams(r.Context(), access.Of(r).Contest.ID)
	var extra time.Duration
	for _, t := range teams {
		extra = max(extra, t.ExtraTime)
	}
	return access.Of(r).Contest.Ends().Add(extra), err
}
