package pages

import (
	"net/http"
	"slices"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
	"assay/judge/host/web/hole"
	"assay/judge/host/web/ladder"
)

// homeView is the home page.
type homeView struct {
	Running  []*access.RunningContest
	Upcoming []access.Summary
	Past     []*access.PastContest // newest first; at most maxPast unless the address asks for more
	AllPast  int                   // number of past contests
	Search   string                // text that the names must contain; may be empty
	Ladders  []ladder.Summary
	Holes    []hole.Line
	LoggedIn bool
	SignOn   bool      // the reader can log in with single sign-on
	First    *firstRun // nil if a contest exists
}

// maxPast is the number of past contests that the page shows if the reader does not ask for all.
const maxPast = 10

// Nothing reports whether the page has no contest, hole or ladder for its reader.
func (v homeView) Nothing() bool {
	return len(v.Running)+len(v.Upcoming)+len(v.Past)+len(v.Ladders)+len(v.Holes) == 0
}

// firstRun is the help for a new administrator.
type firstRun struct {
	Name     string // name of the reader
	Problems []string
	Workers  int
	Secure   bool
	OnlyHere bool
	URL      string
	Backups  web.Backups
}

func (s *site) home(w http.ResponseWriter, r *web.Request) error {
	all, err := s.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	v := homeView{Search: strings.TrimSpace(r.FormValue("q")), LoggedIn: r.Me != nil, SignOn: r.Me == nil && s.SignOn != nil}
	for _, c := range slices.Backward(all) {
		seat, err := s.ContestAccess(r.Context(), c, r.Me)
		if err != nil {
			return err
		}
		if !seat.Can(auth.SeeContest) {
			continue
		}
		switch seat.State.Phase {
		case auth.Running:
			one, err := access.NewRunningContest(r.Context(), s.Site, seat)
			if err != nil {
				return err
			}
			v.Running = append(v.Running, one)
		case auth.Before:
			v.Upcoming = append(v.Upcoming, access.NewSummary(s.Site, seat))
		default:
			v.Past = append(v.Past, access.NewPastContest(s.Site, seat))
		}
	}
	if v.AllPast = len(v.Past); r.FormValue("past") != "all" && v.Search == "" {
		v.Past = v.Past[:min(len(v.Past), maxPast)]
	}
	slices.SortStableFunc(v.Upcoming, func(a, b access.Summary) int { return a.Starts.Compare(b.Starts) })
	if v.Ladders, err = ladder.Lines(s.Site, r); err != nil {
		return err
	}
	if v.Holes, err = hole.Lines(s.Site, r); err != nil {
		return err
	}
	if r.Can(auth.ManageContent) && len(v.Running)+len(v.Upcoming)+len(v.Past) == 0 {
		if v.First, err = s.firstRun(r); err != nil {
			return err
		}
	}
	v.filter()
	for _, c := range v.Past {
		if err := c.ReadStanding(r.Context(), s.Site); err != nil {
			return err
		}
	}
	return s.RenderPage(w, r, http.StatusOK, "home", s.Name, v)
}

// filter removes the contests, holes and ladders whose names do not contain v.Search.
func (v *homeView) filter() {
	lacks := func(name string) bool { return !strings.Contains(strings.ToLower(name), strings.ToLower(v.Search)) }
	v.Running = slices.DeleteFunc(v.Running, func(c *access.RunningContest) bool { return lacks(c.Name) })
	v.Upcoming = slices.DeleteFunc(v.Upcoming, func(c access.Summary) bool { return lacks(c.Name) })
	v.Past = slices.DeleteFunc(v.Past, func(c *access.PastContest) bool { return lacks(c.Name) })
	v.Holes = slices.DeleteFunc(v.Holes, func(h hole.Line) bool { return lacks(h.Name) })
	v.Ladders = slices.DeleteFunc(v.Ladders, func(l ladder.Summary) bool { return lacks(l.Name) })
}

// Folds reports whether the page does not show all past contests. If so, it has a search field.
func (v homeView) Folds() bool { return v.AllPast > maxPast }

// firstRun checks what a new server already contains.
func (s *site) firstRun(r *web.Request) (*firstRun, error) {
	v := &firstRun{Name: r.Me.Display, Secure: !s.Insecure(r), OnlyHere: s.IsLoopback(), URL: s.URL}
	problems, err := s.Store.Problems(r.Context())
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		v.Problems = append(v.Problems, p.Title)
	}
	workers, err := s.Store.Workers(r.Context())
	if err != nil {
		return nil, err
	}
	for _, one := range workers {
		if one.State == store.WorkerActive && s.Dispatch.WorkerStatus(one.Name).Connected {
			v.Workers++
		}
	}
	if s.Options.Backups != nil {
		v.Backups = s.Options.Backups()
	}
	return v, nil
}
