package hole

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// holeVisibilities are who may see a hole: it has no teams.
var holeVisibilities = []store.Visibility{store.Public, store.Accounts, store.Staff}

// holeEditView is the form in which a hole is made or changed.
type holeEditView struct {
	New                  bool
	Slug, Name, Problem  string
	Visibility, Revision string
	Shown, Closed        bool
	Problems             []*store.Problem // that have a domain
	Visibilities         []store.Visibility
	Wrong                string
}

// Word is what a choice is called.
func (holeEditView) Word(v store.Visibility) string {
	return web.ChoiceName(web.Visibilities, string(v))
}

func (s *site) newHole(w http.ResponseWriter, r *web.Request) error {
	return s.holeForm(w, r, http.StatusOK, holeEditView{New: true, Visibility: string(store.Public)})
}

// holeForm draws the form.
func (s *site) holeForm(w http.ResponseWriter, r *web.Request, code int, v holeEditView) error {
	all, err := s.UsableProblems(r.Context(), r.Me, nil)
	if err != nil {
		return err
	}
	for _, p := range all {
		sheet, err := s.Sheet(p)
		if err != nil {
			return err
		}
		if sheet != nil && sheet.Golf {
			v.Problems = append(v.Problems, p)
		}
	}
	v.Visibilities = holeVisibilities
	title := "New hole"
	if !v.New {
		title = "Change " + v.Name
	}
	return s.Page(w, r, code, "holeedit", title, v)
}

// holeOf reads the form into a hole. What cannot be is told in the view.
func (s *site) holeOf(w http.ResponseWriter, r *web.Request, h *store.Hole) (v holeEditView, err error) {
	if err := web.ReadForm(w, r, web.SmallForm); err != nil {
		return v, err
	}
	field := r.Field
	v = holeEditView{
		Slug: field("slug"), Name: field("name"), Problem: field("problem"), Visibility: field("visibility"), Revision: field("revision"),
		Shown: field("shown") != "", Closed: field("closed") != "",
	}
	revision, rerr := strconv.ParseInt(cmp.Or(v.Revision, "0"), 10, 64)
	h.Name, h.Visibility, h.Shown, h.Closed, h.Revision = v.Name, store.Visibility(v.Visibility), v.Shown, v.Closed, revision
	v.Wrong = auth.BadName(v.Name)
	switch {
	case v.Wrong != "":
	case rerr != nil:
		v.Wrong = "the form is not whole: load the page again"
	case !slices.Contains(holeVisibilities, h.Visibility):
		v.Wrong = "say who sees the hole"
	}
	return v, nil
}

func (s *site) makeHole(w http.ResponseWriter, r *web.Request) error {
	h := &store.Hole{}
	v, err := s.holeOf(w, r, h)
	if err != nil {
		return err
	}
	v.New, h.Slug, h.ProblemSlug = true, v.Slug, v.Problem
	if v.Wrong == "" && !store.GoodSlug(v.Slug) {
		v.Wrong = "an address has small letters, digits and -, up to 40 of them, as wythoff"
	}
	if v.Wrong == "" {
		if v.Wrong, err = s.golfable(r, v.Problem); err != nil {
			return err
		}
	}
	if v.Wrong == "" {
		err = s.Store.NewHole(r.Context(), h)
		if errors.Is(err, store.ErrTaken) {
			v.Wrong, err = "there is a hole with this address already", nil
		}
	}
	if err != nil {
		return err
	}
	if v.Wrong != "" {
		return s.holeForm(w, r, http.StatusBadRequest, v)
	}
	return s.Done(w, r, "new hole", h.Slug, v.Problem, "/hole/"+h.Slug)
}

// golfable says why there can be no hole for a problem; "" for that there can.
func (s *site) golfable(r *web.Request, slug string) (string, error) {
	p, err := s.UsableProblem(r, slug)
	if errors.Is(err, store.ErrNotFound) {
		return "choose the problem of the hole", nil
	}
	if err != nil {
		return "", err
	}
	sheet, err := s.Sheet(p)
	if err == nil && (sheet == nil || !sheet.Golf) {
		return fmt.Sprintf("%s is not a golf problem: its problem.toml has no [golf] table, or it was published before holes could be made; publish it again", slug), nil
	}
	return "", err
}

func (s *site) editHole(w http.ResponseWriter, r *web.Request) error {
	h := at(r).Hole
	return s.holeForm(w, r, http.StatusOK, holeEditView{
		Slug: h.Slug, Name: h.Name, Problem: h.ProblemSlug, Visibility: string(h.Visibility), Revision: fmt.Sprint(h.Revision), Shown: h.Shown, Closed: h.Closed,
	})
}

func (s *site) changeHole(w http.ResponseWriter, r *web.Request) error {
	h := *at(r).Hole
	v, err := s.holeOf(w, r, &h)
	if err != nil {
		return err
	}
	if v.Slug, v.Problem = h.Slug, h.ProblemSlug; v.Wrong != "" {
		return s.holeForm(w, r, http.StatusBadRequest, v)
	}
	if err := s.Store.SetHole(r.Context(), &h); err != nil {
		return err
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
