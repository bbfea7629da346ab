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
	Wrong      string
}

func (s *site) askDeleteContest(w http.ResponseWriter, r *web.Request) error {
	return s.deleteContestPage(w, r, http.StatusOK, "")
}

func (s *site) deleteContestPage(w http.ResponseWriter, r *web.Request, code int, wrong string) error {
	c := access.Of(r).Contest
	use, err := s.Store.UseOfContest(r.Context(), c.ID)
	if err != nil {
		return err
	}
	return s.Page(w, r, code, "deletecontest", "Delete contest", deleteContestView{c.Slug, c.Name, use, wrong})
}

// deleteContest deletes a contest without submissions. To confirm, the form must repeat the contest's address.
func (s *site) deleteContest(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	if r.Field("slug") != c.Slug {
		return s.deleteContestPage(w, r, http.StatusBadRequest, "Nothing was deleted. Type the address "+c.Slug+" to confirm.")
	}
	use, err := s.Store.UseOfContest(r.Context(), c.ID)
	if err != nil {
		return err
	}
	switch err := s.Store.RemoveContest(r.Context(), c); {
	case errors.Is(err, store.ErrInUse):
		return s.deleteContestPage(w, r, http.StatusConflict, "Nothing was deleted: the contest has submissions.")
	case err != nil:
		return err
	}
	did := "with " + web.Counted(int(use.Teams), "team", "teams") + ", " + web.Counted(int(use.Clarifications), "clarification", "clarifications")
	return s.Done(w, r, "delete contest", c.Slug, did, "/")
}
