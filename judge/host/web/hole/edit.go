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

// holeEditView is the form in which a hole is made or changed.
type holeEditView struct {
	New                  bool
	Slug, Name, Problem  string
	Visibility, Revision string
	Shown, Closed        bool
	Title                string // of the problem of a hole that exists
	Answers              int64  // submissions to it
	Made                 time.Time
	Problems             []*store.Problem // that a new hole can have
	Seen                 []web.Choice     // visibilities
	Errors               web.FieldErrors
	Stale                bool // someone else saved the settings since the form was drawn
}

// Access says in short what the fields of the group are set to.
func (v holeEditView) Access() string {
	text := strings.ToLower(web.ChoiceName(web.OpenVisibilities, v.Visibility))
	if v.Shown {
		return text + "; everyone reads valid submissions"
	}
	return text + "; source code hidden"
}

func (s *site) newHole(w http.ResponseWriter, r *web.Request) error {
	return s.holeForm(w, r, http.StatusOK, holeEditView{New: true, Visibility: string(store.Public)})
}

// holeForm draws the form.
func (s *site) holeForm(w http.ResponseWriter, r *web.Request, code int, v holeEditView) (err error) {
	title := "New golf hole"
	if v.New {
		if v.Problems, err = s.golfProblems(r); err != nil {
			return err
		}
	} else {
		h := at(r).Hole
		p, err := s.Store.Problem(r.Context(), h.ProblemSlug)
		if err != nil {
			return err
		}
		title, v.Slug, v.Problem, v.Title, v.Answers, v.Made = "Settings", h.Slug, h.ProblemSlug, p.Title, h.Answers, h.Made
	}
	v.Seen = web.OpenVisibilities
	return s.Page(w, r, code, "holeedit", v.Errors.Title(title), v)
}

// golfProblems returns the problems that a hole of the caller can have: those with a [golf] table.
func (s *site) golfProblems(r *web.Request) (golf []*store.Problem, err error) {
	all, err := s.UsableProblems(r.Context(), r.Me, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		sheet, err := s.Sheet(p)
		if err != nil {
			return nil, err
		}
		if sheet != nil && sheet.Golf {
			golf = append(golf, p)
		}
	}
	return golf, nil
}

// readHole reads the form into a hole. What cannot be is in the view's Errors.
func (s *site) readHole(w http.ResponseWriter, r *web.Request, h *store.Hole) (v holeEditView, err error) {
	if err := web.ReadForm(w, r, web.SmallForm); err != nil {
		return v, err
	}
	field := r.Field
	v = holeEditView{
		Slug: field("slug"), Name: field("name"), Problem: field("problem"), Visibility: field("visibility"), Revision: field("revision"),
		Shown: field("shown") != "", Closed: field("closed") != "",
	}
	h.Name, h.Visibility, h.Shown, h.Closed = v.Name, store.Visibility(v.Visibility), v.Shown, v.Closed
	if h.Revision, err = strconv.ParseInt(cmp.Or(v.Revision, "0"), 10, 64); err != nil {
		v.Errors.Add("name", "The form is incomplete: load the page again.")
	}
	v.Errors.Name(v.Name)
	v.Errors.Choice("visibility", v.Visibility, web.OpenVisibilities)
	return v, nil
}

func (s *site) makeHole(w http.ResponseWriter, r *web.Request) error {
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
	v.Slug = v.Errors.Slug(v.Slug, v.Name, "spring-golf")
	if !slices.ContainsFunc(golf, func(p *store.Problem) bool { return p.Slug == v.Problem }) {
		v.Errors.Add("problem", "Choose a problem from the list. It has those whose problem.toml has a [golf] table; a problem that lacks it here needs to be published again.")
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
	return s.Done(w, r, "new hole", h.Slug, v.Problem, "/hole/"+h.Slug)
}

func (s *site) editHole(w http.ResponseWriter, r *web.Request) error {
	h := at(r).Hole
	return s.holeForm(w, r, http.StatusOK, holeEditView{
		Name: h.Name, Visibility: string(h.Visibility), Revision: fmt.Sprint(h.Revision), Shown: h.Shown, Closed: h.Closed,
	})
}

func (s *site) changeHole(w http.ResponseWriter, r *web.Request) error {
	h := *at(r).Hole
	v, err := s.readHole(w, r, &h)
	if err != nil {
		return err
	}
	code := http.StatusBadRequest
	if len(v.Errors) == 0 {
		err = s.Store.SetHole(r.Context(), &h)
		if errors.Is(err, store.ErrChanged) {
			code, v.Stale, v.Revision, err = http.StatusConflict, true, fmt.Sprint(at(r).Hole.Revision), nil
		}
	}
	if err != nil {
		return err
	}
	if len(v.Errors) > 0 || v.Stale {
		return s.holeForm(w, r, code, v)
	}
	detail := fmt.Sprintf("visibility %s, answers shown %t, closed %t", h.Visibility, h.Shown, h.Closed)
	return s.Done(w, r, "change hole", h.Slug, detail, "/hole/"+h.Slug)
}

// Lines returns the holes that the caller may see, for a list.
func Lines(s *web.Site, r *web.Request) (lines []*store.Hole, err error) {
	all, err := s.Store.Holes(r.Context())
	for _, h := range slices.Backward(all) {
		t, err := s.HoleSeat(r.Context(), h, r.Me)
		if err != nil {
			return nil, err
		}
		if t.Can(auth.SeeHole) {
			lines = append(lines, h)
		}
	}
	return lines, err
}

// listView lists the holes.
type listView struct {
	Holes           []*store.Hole
	Makes, LoggedIn bool
}

func (s *site) list(w http.ResponseWriter, r *web.Request) (err error) {
	v := listView{Makes: r.Can(auth.Make), LoggedIn: r.Me != nil}
	if v.Holes, err = Lines(s.Site, r); err != nil {
		return err
	}
	return s.Page(w, r, http.StatusOK, "golf", "Code golf", v)
}
