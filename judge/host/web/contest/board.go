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
	"assay/judge/host/board"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// boardView is the page around a scoreboard.
type boardView struct {
	board.Viewer
	Base  string        // path of the contest's pages
	Board template.HTML // where the scoreboard is inserted
}

// place is the mark in a page that is replaced by a scoreboard. No text from users can be equal to it.
const place = "<!--the board-->"

// Frame returns the function that renders the page around a scoreboard. That page is the same for all readers.
func Frame(server string) board.Frame {
	return func(h board.Heading, to board.Viewer) (before, after []byte, err error) {
		nav := access.NavOf(access.Heading{Slug: h.Slug, Name: h.Name, Jury: to.Staff, Changes: to.Changes, LoggedIn: to.LoggedIn,
			Began: true, Board: true, Clar: true}, "/scoreboard")
		clock := web.ClockAt(time.Now(), h.Starts, h.Ends).Kept()
		head := web.Head{Nav: nav, Clock: &clock}
		page, err := templates.SharedPage(server, "board", "Scoreboard", to.LoggedIn, head, boardView{to, "/c/" + h.Slug, place})
		if err != nil {
			return nil, nil, err
		}
		before, after, _ = bytes.Cut(page, []byte(place))
		return before, after, nil
	}
}

// liveBoard returns the requested scoreboard, and whether it is the jury's.
func (s *site) liveBoard(r *web.Request) (l *board.Live, staff bool, err error) {
	if staff = r.URL.Query().Get("view") == "jury"; staff {
		if err := r.Allow(auth.SeeAll); err != nil {
			return nil, staff, err
		}
	}
	l, err = s.Boards.Board(r.Context(), access.Of(r).Contest.ID)
	return l, staff, err
}

func (s *site) board(w http.ResponseWriter, r *web.Request) error {
	l, staff, err := s.liveBoard(r)
	if err != nil {
		return err
	}
	to := board.Viewer{
		Staff: staff, Changes: staff && r.Can(auth.Change), LoggedIn: r.Me != nil,
		Projector: r.URL.Query().Get("view") == "projector" || r.URL.Query().Get("display") == "hall",
	}
	known, err := l.ServePage(w, r.Request, to)
	if err == nil && !known {
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
	a, own := access.Of(r), ownRow{}
	if a.Team != nil {
		if own.Team = a.Team.ID; a.Team.ExtraTime > 0 {
			own.Ends = a.Ends()
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Add("Vary", "Accept, Cookie")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		to := "/c/" + a.Contest.Slug + "/scoreboard"
		if own.Team != "" {
			to += "#t-" + own.Team
		}
		return web.Redirect(w, r, to)
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(own)
}

func (s *site) boardEvents(w http.ResponseWriter, r *web.Request) error {
	l, staff, err := s.liveBoard(r)
	if err == nil {
		s.Boards.ServeEvents(w, r.Request, l, staff)
	}
	return err
}

func (s *site) boardTable(w http.ResponseWriter, r *web.Request) error {
	l, staff, err := s.liveBoard(r)
	if err == nil {
		l.ServeCSV(w, r.Request, staff)
	}
	return err
}

// changeBoard freezes or unfreezes the public scoreboard.
func (s *site) changeBoard(w http.ResponseWriter, r *web.Request) error {
	c, now := access.Of(r).Contest, s.Time()
	refuse := func(text, hint string) error {
		return &desk.Refusal{Code: http.StatusConflict, Text: text, Hint: hint}
	}
	ended := !c.Ends().IsZero() && !now.Before(c.Ends())
	clock := board.Contest(c, nil)
	at := clock.Time(now)
	do := r.PostForm.Get("do")
	switch do {
	case "freeze":
		if c.Starts.IsZero() || !now.After(c.Starts) || ended {
			return refuse("only the scoreboard of a running contest can be frozen", "set the time of the freeze in the settings of the contest")
		}
		if c.Freeze != 0 && c.Freeze <= at {
			return refuse("the scoreboard is frozen already", "")
		}
		// The time is rounded up to the next millisecond, as in the settings form, so that no public verdict
		// disappears.
		at = (at + time.Millisecond).Truncate(time.Millisecond)
		if c.Freeze > at {
			c.Settings.Planned = c.Freeze
		}
		c.Freeze, c.Thaw = at, time.Time{}
	case "unfreeze":
		if !c.Thaw.IsZero() && ended && !now.Before(c.Thaw) {
			return refuse("the scoreboard is unfrozen already", "")
		}
		if c.Freeze == 0 || c.Freeze > at+time.Millisecond {
			return refuse("the scoreboard is not frozen", "")
		}
		last, err := s.Store.LastEnd(r.Context(), c)
		if err != nil {
			return err
		}
		if ended && now.Before(last) {
			return refuse("the scoreboard cannot be unfrozen before the contest has ended for every team",
				"the last team, with extra time, ends at "+last.Local().Format("15:04:05"))
		}
		if c.Thaw = now; !ended { // the planned freeze applies again
			c.Freeze, c.Thaw = c.Settings.Planned, time.Time{}
			if c.Freeze <= at {
				c.Freeze = 0
			}
		}
		c.Settings.Planned = 0
	default:
		return &desk.Refusal{Code: http.StatusBadRequest, Text: "invalid form: reload the page and try again"}
	}
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	if err := s.Audit(r, "board "+do, c.ID, c.Slug); err != nil && !errors.Is(err, store.ErrFull) {
		return err
	}
	time.Sleep(time.Millisecond) // so that every scoreboard rendered from now on is frozen
	if err := s.Boards.Fresh(r.Context(), c.ID); err != nil {
		return err
	}
	return web.Redirect(w, r, "/c/"+c.Slug+"/scoreboard?view=jury")
}
