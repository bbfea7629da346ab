package pages

import (
	"net/http"
	"slices"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
	"assay/judge/host/web/hole"
	"assay/judge/host/web/ladder"
)

// homeView is the page that everybody comes to.
type homeView struct {
	Groups  []contestGroup
	Ladders []ladder.Line
	Holes   []*store.Hole
	Empty   bool // there is no contest at all that the reader may see
}

type contestGroup struct {
	Title    string
	Contests []contestLine
}

type contestLine struct {
	Slug, Name string
	Starts     time.Time
	Length     time.Duration
	Clock      web.Clock
	Hidden     bool // but for staff
}

func (s *site) home(w http.ResponseWriter, r *web.Request) error {
	all, err := s.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	groups := map[auth.Phase]*contestGroup{auth.Running: {Title: "Running"}, auth.Before: {Title: "Coming"}, auth.Over: {Title: "Past"}}
	v := homeView{Empty: true}
	for _, c := range slices.Backward(all) {
		seat, err := s.Seat(r.Context(), c, r.Me)
		if err != nil {
			return err
		}
		if !seat.Can(auth.SeeContest) {
			continue
		}
		g := groups[seat.State.Phase]
		g.Contests = append(g.Contests, contestLine{c.Slug, c.Name, c.Starts, c.Length, access.ClockOf(seat, s.Time()), c.Visibility == store.Staff})
		v.Empty = false
	}
	for _, phase := range []auth.Phase{auth.Running, auth.Before, auth.Over} {
		if len(groups[phase].Contests) > 0 {
			v.Groups = append(v.Groups, *groups[phase])
		}
	}
	if v.Ladders, err = ladder.Lines(s.Site, r); err != nil {
		return err
	}
	if v.Holes, err = hole.Lines(s.Site, r); err != nil {
		return err
	}
	v.Empty = v.Empty && len(v.Ladders)+len(v.Holes) == 0
	return s.Page(w, r, http.StatusOK, "home", s.Name, v)
}
