package pages

import (
	"net/http"
	"slices"

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
	Past     []access.Summary
	Ladders  []ladder.Summary
	Holes    []hole.Line
	LoggedIn bool
	SignOn   bool      // the reader can log in with single sign-on
	First    *firstRun // nil if a contest exists
}

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
	v := homeView{LoggedIn: r.Me != nil, SignOn: r.Me == nil && s.SignOn != nil}
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
			v.Past = append(v.Past, access.NewSummary(s.Site, seat))
		}
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
	return s.RenderPage(w, r, http.StatusOK, "home", s.Name, v)
}

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
