package staff

import (
	"errors"
	"net/http"

	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// deleteContestView is the page that asks for confirmation before a contest is deleted.
type deleteContestView struct {
	Slug, Name string
	Use        store.ContestUse
	Errors     web.FieldErrors
}

func (s *site) confirmDeleteContest(w http.ResponseWriter, r *web.Request) error {
	return s.deleteContestPage(w, r, http.StatusOK, nil)
}

func (s *site) deleteContestPage(w http.ResponseWriter, r *web.Request, code int, message web.FieldErrors) error {
	c := access.Of(r).Contest
	use, err := s.Store.ContestUse(r.Context(), c.ID)
	if err != nil {
		return err
	}
	return s.RenderPage(w, r, code, "deletecontest", "Delete contest", deleteContestView{c.Slug, c.Name, use, message})
}

// deleteContest deletes a contest without submissions. To confirm, the form must repeat the contest's address.
func (s *site) deleteContest(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	use, err := s.Store.ContestUse(r.Context(), c.ID)
	if err != nil {
		return err
	}
	err = store.ErrInUse
	if !use.Any() {
		if r.Field("slug") != c.Slug {
			return s.deleteContestPage(
				w, r, http.StatusBadRequest,
				web.FieldErrors{{Field: "slug", Text: "Type the address " + c.Slug + " to confirm."}},
			)
		}
		err = s.Store.RemoveContest(r.Context(), c)
	}
	switch {
	case errors.Is(err, store.ErrInUse):
		return s.deleteContestPage(w, r, http.StatusConflict, web.FieldErrors{{Text: "The contest has submissions."}})
	case err != nil:
		return err
	}
	detail := "with " + web.CountText(
		int(use.Teams), "team", "teams",
	) + ", " + web.CountText(
		int(use.Clarifications), "clarification", "clarifications",
	)
	return s.AuditAndRedirect(w, r, "delete contest", c.Slug, detail, "/")
}
