package contest

import (
	"bytes"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// scoreboardView is the page around a scoreboard.
type scoreboardView struct {
	scoreboard.Viewer
	Base  string        // path of the contest's pages
	Board template.HTML // where the scoreboard is inserted
}

// scoreboardMark is the mark in a page that is replaced by a scoreboard. No text from users can be equal to it.
const scoreboardMark = "<!--the board-->"

// Frame returns the function that renders the page around a scoreboard. That page is the same for all readers.
func Frame(server string) scoreboard.Frame {
	return func(h scoreboard.Heading, viewer scoreboard.Viewer) (before, after []byte, err error) {
		nav := access.NavOf(
			access.Heading{Slug: h.Slug, Name: h.Name, Jury: viewer.Jury, CanChange: viewer.CanChange, LoggedIn: viewer.LoggedIn,
				SeesProblems: true, SeesScoreboard: true, SeesClarifications: true},
			"/scoreboard",
		)
		clock := web.ClockAt(time.Now(), h.Starts, h.Ends).WithoutCountdown()
		head := web.Head{Nav: nav, Clock: &clock}
		page, err := templates.RenderShared(
			server, "scoreboard", "Scoreboard", viewer.LoggedIn, head,
			scoreboardView{viewer, "/c/" + h.Slug, scoreboardMark},
		)
		if err != nil {
			return nil, nil, err
		}
		before, after, _ = bytes.Cut(page, []byte(scoreboardMark))
		return before, after, nil
	}
}

// liveScoreboard returns the requested scoreboard, and whether it is the jury's.
func (s *site) liveScoreboard(r *web.Request) (l *scoreboard.Live, jury bool, err error) {
	if jury = r.URL.Query().Get("view") == "jury"; jury {
		if err := r.CheckPermission(auth.SeeAll); err != nil {
			return nil, jury, err
		}
	}
	l, err = s.Scoreboards.Scoreboard(r.Context(), access.Of(r).Contest.ID)
	return l, jury, err
}

func (s *site) scoreboard(w http.ResponseWriter, r *web.Request) error {
	l, jury, err := s.liveScoreboard(r)
	if err != nil {
		return err
	}
	viewer := scoreboard.Viewer{
		Jury: jury, CanChange: jury && r.Can(auth.ChangeContest), LoggedIn: r.Me != nil,
		Projector: r.URL.Query().Get("view") == "projector" || r.URL.Query().Get("display") == "hall",
	}
	found, err := l.ServePage(w, r.Request, viewer)
	if err == nil && !found {
		return web.ErrNotFound
	}
	return err
}

// ownRow contains the data of a reader's own team for a scoreboard page. The page itself is the same for all
// readers.
type ownRow struct {
	Team string    `json:"team"`          // id; empty if the reader has no team
	Ends time.Time `json:"ends,omitzero"` // zero if the team has no extra time
}

// ownRow redirects a browser to the row of the reader's team. If the request comes from a script, which does not
// ask for a page, the response is an ownRow in JSON.
func (s *site) ownRow(w http.ResponseWriter, r *web.Request) error {
	a, row := access.Of(r), ownRow{}
	if a.Team != nil {
		if row.Team = a.Team.ID; a.Team.ExtraTime > 0 {
			row.Ends = a.Ends()
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Add("Vary", "Accept, Cookie")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		path := "/c/" + a.Contest.Slug + "/scoreboard"
		if row.Team != "" {
			path += "#t-" + row.Team
		}
		return web.Redirect(w, r, path)
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(row)
}

func (s *site) scoreboardEvents(w http.ResponseWriter, r *web.Request) error {
	l, jury, err := s.liveScoreboard(r)
	if err == nil {
		s.Scoreboards.ServeEvents(w, r.Request, l, jury)
	}
	return err
}

func (s *site) scoreboardTable(w http.ResponseWriter, r *web.Request) error {
	l, jury, err := s.liveScoreboard(r)
	if err == nil {
		l.ServeCSV(w, r.Request, jury)
	}
	return err
}

// changeScoreboard freezes or unfreezes the public scoreboard.
func (s *site) changeScoreboard(w http.ResponseWriter, r *web.Request) error {
	c, now := access.Of(r).Contest, s.Time()
	refuse := func(text, hint string) error {
		return &intake.Refusal{Code: http.StatusConflict, Text: text, Hint: hint}
	}
	ended := !c.Ends().IsZero() && !now.Before(c.Ends())
	clock := scoreboard.Contest(c, nil)
	freezeTime := clock.Time(now)
	do := r.PostForm.Get("do")
	switch do {
	case "freeze":
		if c.Starts.IsZero() || !now.After(c.Starts) || ended {
			return refuse(
				"only the scoreboard of a running contest can be frozen",
				"set the time of the freeze in the settings of the contest",
			)
		}
		if c.Freeze != 0 && c.Freeze <= freezeTime {
			return refuse("the scoreboard is frozen already", "")
		}
		// The time is rounded up to the next millisecond, as in the settings form, so that no public verdict
		// disappears.
		freezeTime = (freezeTime + time.Millisecond).Truncate(time.Millisecond)
		if c.Freeze > freezeTime {
			c.Settings.Planned = c.Freeze
		}
		c.Freeze, c.Thaw = freezeTime, time.Time{}
	case "unfreeze":
		if !c.Thaw.IsZero() && ended && !now.Before(c.Thaw) {
			return refuse("the scoreboard is unfrozen already", "")
		}
		if c.Freeze == 0 || c.Freeze > freezeTime+time.Millisecond {
			return refuse("the scoreboard is not frozen", "")
		}
		end, err := s.Store.LastEnd(r.Context(), c)
		if err != nil {
			return err
		}
		if ended && now.Before(end) {
			return refuse("the scoreboard cannot be unfrozen before the contest has ended for every team",
				"the last team, with extra time, ends at "+end.Local().Format("15:04:05"))
		}
		if c.Thaw = now; !ended { // the planned freeze applies again
			c.Freeze, c.Thaw = c.Settings.Planned, time.Time{}
			if c.Freeze <= freezeTime {
				c.Freeze = 0
			}
		}
		c.Settings.Planned = 0
	default:
		return &intake.Refusal{Code: http.StatusBadRequest, Text: "invalid form: reload the page and try again"}
	}
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	if err := s.Audit(r, "board "+do, c.ID, c.Slug); err != nil && !errors.Is(err, store.ErrDiskFull) {
		return err
	}
	time.Sleep(time.Millisecond) // so that every scoreboard rendered from now on is frozen
	if err := s.Scoreboards.Refresh(r.Context(), c.ID); err != nil {
		return err
	}
	return web.Redirect(w, r, "/c/"+c.Slug+"/scoreboard?view=jury")
}
