package hole

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// holeEditView is the form for a new hole, or for the settings of an existing one.
type holeEditView struct {
	New                  bool
	Slug, Name, Problem  string
	Visibility, Revision string
	Shown, Closed        bool
	Title                string // title of an existing hole's problem
	Answers              int64  // number of submissions
	Made                 time.Time
	Closes               string // as entered; empty means never
	Zone                 web.Zone
	ZoneLabel            string
	Problems             []*store.Problem // choices for a new hole
	Visibilities         []web.Choice     // choices of visibility
	Recheck              recheckView
	Removal              *web.Removal // nil for a new hole
	Errors               web.FieldErrors
	Undeleted            web.FieldErrors // why the hole was not deleted
	Stale                bool            // another user saved the settings since the form was rendered
}

// Access summarizes the settings in its group.
func (v holeEditView) Access() string {
	text := strings.ToLower(web.ChoiceName(web.OpenVisibilities, v.Visibility))
	if v.Shown {
		return text + "; everyone reads valid submissions"
	}
	return text + "; source code hidden"
}

// State summarizes the settings in its group.
func (v holeEditView) State() string {
	closes, err := v.Zone.ReadMoment(v.Closes)
	switch {
	case v.Closed:
		return "closed"
	case err == nil && !closes.IsZero():
		return "closes " + closes.Format("2 Jan 2006, 15:04")
	}
	return "open for submissions"
}

func (s *site) newHole(w http.ResponseWriter, r *web.Request) error {
	return s.holeForm(w, r, http.StatusOK, holeEditView{New: true, Visibility: string(store.VisibilityPublic)})
}

// holeForm renders the form.
func (s *site) holeForm(w http.ResponseWriter, r *web.Request, code int, v holeEditView) (err error) {
	title := "New golf hole"
	if v.New {
		if v.Problems, err = s.golfProblems(r); err != nil {
			return err
		}
	} else {
		h := accessOf(r).Hole
		p, err := s.Store.Problem(r.Context(), h.ProblemSlug)
		if err != nil {
			return err
		}
		title, v.Slug, v.Problem, v.Title, v.Answers, v.Made = "Settings", h.Slug, h.ProblemSlug, p.Title, h.Submissions, h.Made
		if v.Recheck, err = s.countRecheck(r); err != nil {
			return err
		}
		v.Removal = &web.Removal{Kind: "hole", Slug: h.Slug, Errors: v.Undeleted}
		if h.Submissions > 0 {
			v.Removal.Content = web.CountText(int(h.Submissions), "submission", "submissions")
		}
	}
	v.Visibilities, v.Zone = web.OpenVisibilities, r.Zone()
	closes, _ := v.Zone.ReadMoment(v.Closes) // if invalid, the label is for the current time
	v.ZoneLabel = v.Zone.Label(closes, s.Time())
	return s.RenderPage(w, r, code, "holeedit", title, v)
}

// golfProblems returns the problems that the caller may use for a hole: those with a [golf] table.
func (s *site) golfProblems(r *web.Request) (golf []*store.Problem, err error) {
	problems, err := s.UsableProblems(r.Context(), r.Me, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		info, err := s.ProblemInfo(p)
		if err != nil {
			return nil, err
		}
		if info != nil && info.Golf {
			golf = append(golf, p)
		}
	}
	return golf, nil
}

// readHole reads the form into a hole. It records invalid fields in the view's Errors.
func (s *site) readHole(w http.ResponseWriter, r *web.Request, h *store.Hole) (v holeEditView, err error) {
	if err := web.ReadForm(w, r, web.MaxSmallForm); err != nil {
		return v, err
	}
	field := r.Field
	v = holeEditView{
		Slug: field("slug"), Name: field("name"), Problem: field("problem"), Visibility: field("visibility"), Revision: field("revision"),
		Shown: field("shown") != "", Closed: field("closed") != "", Closes: field("closes"),
	}
	h.Name, h.Visibility, h.ShowSubmissions = v.Name, store.Visibility(v.Visibility), v.Shown
	if h.Revision, err = strconv.ParseInt(cmp.Or(v.Revision, "0"), 10, 64); err != nil {
		v.Errors.Add("name", "The form is incomplete: load the page again.")
	}
	v.Errors.CheckName(v.Name)
	v.Errors.CheckChoice("visibility", v.Visibility, web.OpenVisibilities)
	s.readClosing(r, &v, h)
	return v, nil
}

// readClosing reads whether and when the hole closes. A hole that was closed by its closing time keeps that time.
func (s *site) readClosing(r *web.Request, v *holeEditView, h *store.Hole) {
	closes, err := r.Zone().ReadMoment(v.Closes)
	past := !closes.IsZero() && !s.Time().Before(closes)
	switch {
	case err != nil:
		v.Errors.Add("closes", "Enter a date and a time, for example 12 Dec 2026, 18:00, or leave it empty.")
	case past && !v.Closed:
		v.Errors.Add("closes", "This time has passed. Enter a later one, leave it empty, or select Closed.")
	}
	h.Closed, h.Closes = v.Closed && (h.Closed || !past), closes
}

func (s *site) createHole(w http.ResponseWriter, r *web.Request) error {
	h := &store.Hole{}
	v, err := s.readHole(w, r, h)
	if err != nil {
		return err
	}
	golf, err := s.golfProblems(r)
	if err != nil {
		return err
	}
	v.New = true
	v.Slug = v.Errors.ReadSlug(v.Slug, v.Name, "spring-golf")
	if !slices.ContainsFunc(golf, func(p *store.Problem) bool { return p.Slug == v.Problem }) {
		v.Errors.Add("problem", "Choose a problem from the list. It has those whose problem.toml has a [golf] table; a "+
			"problem that lacks it here needs to be published again.")
	}
	if h.Slug, h.ProblemSlug = v.Slug, v.Problem; len(v.Errors) == 0 {
		err = s.Store.NewHole(r.Context(), h)
		if errors.Is(err, store.ErrTaken) {
			v.Errors.Add("slug", "Another hole has this web address.")
			err = nil
		}
	}
	if err != nil {
		return err
	}
	if len(v.Errors) > 0 {
		return s.holeForm(w, r, http.StatusBadRequest, v)
	}
	return s.AuditAndRedirect(w, r, "new hole", h.Slug, v.Problem, "/hole/"+h.Slug)
}

func (s *site) holeSettings(w http.ResponseWriter, r *web.Request) error {
	return s.savedHole(w, r, http.StatusOK, nil)
}

// savedHole renders the form with the saved settings. The argument undeleted says why the hole was not deleted.
func (s *site) savedHole(w http.ResponseWriter, r *web.Request, code int, undeleted web.FieldErrors) error {
	h := accessOf(r).Hole
	return s.holeForm(w, r, code, holeEditView{
		Undeleted: undeleted,
		Name:      h.Name, Visibility: string(h.Visibility), Revision: fmt.Sprint(h.Revision), Shown: h.ShowSubmissions,
		Closed: h.IsClosed(accessOf(r).now),
		Closes: r.Zone().FormatMoment(h.Closes),
	})
}

func (s *site) changeHole(w http.ResponseWriter, r *web.Request) error {
	h := *accessOf(r).Hole
	v, err := s.readHole(w, r, &h)
	if err != nil {
		return err
	}
	code := http.StatusBadRequest
	if len(v.Errors) == 0 {
		err = s.Store.SetHole(r.Context(), &h)
		if errors.Is(err, store.ErrChanged) {
			code, v.Stale, v.Revision, err = http.StatusConflict, true, fmt.Sprint(accessOf(r).Hole.Revision), nil
		}
	}
	if err != nil {
		return err
	}
	if len(v.Errors) > 0 || v.Stale {
		return s.holeForm(w, r, code, v)
	}
	detail := fmt.Sprintf("visibility %s, answers shown %t, closed %t", h.Visibility, h.ShowSubmissions, h.Closed)
	if !h.Closes.IsZero() {
		detail += ", closes " + h.Closes.UTC().Format(time.RFC3339)
	}
	return s.AuditAndRedirect(w, r, "change hole", h.Slug, detail, "/hole/"+h.Slug)
}

// A Line is a hole as listed.
type Line struct {
	*store.Hole
	Over   bool                  // the hole is closed
	Record *store.GolfSubmission // shortest valid submission; nil if there is none
	Own    int                   // bytes of the reader's shortest valid submission; 0 if there is none
}

func newLine(h *store.Hole, now time.Time) Line { return Line{Hole: h, Over: h.IsClosed(now)} }

// Lines returns the holes that the caller may see.
func Lines(s *web.Site, r *web.Request) (lines []Line, err error) {
	holes, err := s.Store.Holes(r.Context())
	if err != nil {
		return nil, err
	}
	for _, h := range slices.Backward(holes) {
		t, err := s.HoleAccess(r.Context(), h, r.Me)
		if err != nil {
			return nil, err
		}
		if !t.Can(auth.SeeHole) {
			continue
		}
		line := newLine(h, s.Time())
		if line.Record, err = s.Store.HoleRecord(r.Context(), h.ID); errors.Is(err, store.ErrNotFound) {
			line.Record = nil
		} else if err != nil {
			return nil, err
		}
		if r.Me != nil && line.Record != nil {
			line.Own, err = s.Store.ShortestGolfSubmission(r.Context(), h.ID, r.Me.ID)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// listView lists the holes.
type listView struct {
	Holes               []Line
	CanCreate, LoggedIn bool
}

func (s *site) list(w http.ResponseWriter, r *web.Request) (err error) {
	v := listView{CanCreate: r.Can(auth.ManageContent), LoggedIn: r.Me != nil}
	if v.Holes, err = Lines(s.Site, r); err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "holes", "Code golf", v)
}
