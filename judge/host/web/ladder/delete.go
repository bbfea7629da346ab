package ladder

import (
	"errors"
	"net/http"

	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// deleteLadder deletes a ladder without bots. To confirm, the form must repeat the ladder's address.
func (s *site) deleteLadder(w http.ResponseWriter, r *web.Request) error {
	l := on(r).Ladder
	if r.Field("slug") != l.Slug {
		return &desk.Refusal{Code: http.StatusBadRequest, Text: "Nothing was deleted", Hint: "Type the address " + l.Slug + " to confirm."}
	}
	switch err := s.Store.RemoveLadder(r.Context(), l.ID); {
	case errors.Is(err, store.ErrInUse):
		return &desk.Refusal{
			Code: http.StatusConflict, Text: "Nothing was deleted: the ladder has bots",
			Hint: "To hide the ladder, change its visibility.",
		}
	case err != nil:
		return err
	}
	return s.Done(w, r, "delete ladder", l.Slug, "", "/ladders")
}
