package hole

import (
	"errors"
	"net/http"

	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// deleteHole deletes a hole without golf submissions. To confirm, the form must repeat the hole's address.
func (s *site) deleteHole(w http.ResponseWriter, r *web.Request) error {
	h := at(r).Hole
	if r.Field("slug") != h.Slug {
		return &desk.Refusal{Code: http.StatusBadRequest, Text: "Nothing was deleted", Hint: "Type the address " + h.Slug + " to confirm."}
	}
	switch err := s.Store.RemoveHole(r.Context(), h.ID); {
	case errors.Is(err, store.ErrInUse):
		return &desk.Refusal{
			Code: http.StatusConflict, Text: "Nothing was deleted: the hole has golf submissions",
			Hint: "To hide the hole, change its visibility.",
		}
	case err != nil:
		return err
	}
	return s.Done(w, r, "delete hole", h.Slug, "", "/golf")
}
