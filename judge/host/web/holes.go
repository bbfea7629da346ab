package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/store"
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
func (holeEditView) Word(v store.Visibility) string { return visibilityWords[v] }

func (s *site) newHole(w http.ResponseWriter, r *ask) error {
	return s.holeForm(w, r, http.StatusOK, holeEditView{New: true, Visibility: string(store.Public)})
}

// holeForm draws the form.
func (s *site) holeForm(w http.ResponseWriter, r *ask, code int, v holeEditView) error {
	all, err := s.usable(r)
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
	return s.page(w, r, code, "holeedit", title, v)
}

// holeOf reads the form into a hole. What cannot be is told in the view.
func (s *site) holeOf(w http.ResponseWriter, r *ask, h *store.Hole) (v holeEditView, err error) {
	if err := form(w, r, small); err != nil {
		return v, err
	}
	field := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
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

func (s *site) makeHole(w http.ResponseWriter, r *ask) error {
	h := &store.Hole{}
	v, err := s.holeOf(w, r, h)
	if err != nil {
		return err
	}
	v.New, h.Slug, h.ProblemSlug = true, v.Slug, v.Problem
	if v.Wrong == "" && !slugs.MatchString(v.Slug) {
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
	if err := s.audit(r.Context(), r, "new hole", h.Slug, v.Problem); err != nil {
		return err
	}
	return go303(w, r, "/hole/"+h.Slug)
}

// golfable says why there can be no hole for a problem; "" for that there can.
func (s *site) golfable(r *ask, slug string) (string, error) {
	p, err := s.usableProblem(r, slug)
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

func (s *site) editHole(w http.ResponseWriter, r *ask) error {
	h := r.at.Hole
	return s.holeForm(w, r, http.StatusOK, holeEditView{
		Slug: h.Slug, Name: h.Name, Problem: h.ProblemSlug, Visibility: string(h.Visibility), Revision: fmt.Sprint(h.Revision), Shown: h.Shown, Closed: h.Closed,
	})
}

func (s *site) changeHole(w http.ResponseWriter, r *ask) error {
	h := *r.at.Hole
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
	if err := s.audit(r.Context(), r, "change hole", h.Slug, detail); err != nil {
		return err
	}
	return go303(w, r, "/hole/"+h.Slug)
}

// holeLines are the holes that the caller may see.
func (s *site) holeLines(r *ask) (lines []*store.Hole, err error) {
	all, err := s.Store.Holes(r.Context())
	for _, h := range slices.Backward(all) {
		t, err := s.HoleSeat(r.Context(), h, r.me)
		if err != nil {
			return nil, err
		}
		if t.Can(auth.SeeHole) {
			lines = append(lines, h)
		}
	}
	return lines, err
}
