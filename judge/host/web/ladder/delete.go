package ladder

import (
	"errors"
	"net/http"

	"assay/judge/host/store"
	"assay/judge/host/web"
)

// deleteLadder deletes a ladder without bots. To confirm, the form must repeat the ladder's address.
func (s *site) deleteLadder(w http.ResponseWriter, r *web.Request) error {
	l, bots := requestOf(r).Ladder, requestOf(r).Bots
	err := store.ErrInUse
	if len(bots) == 0 {
		if r.Field("slug") != l.Slug {
			return s.savedLadder(
				w, r, http.StatusBadRequest,
				web.FieldErrors{{Field: "remove-slug", Text: "Type the address " + l.Slug + " to confirm."}},
			)
		}
		err = s.Store.RemoveLadder(r.Context(), l.ID)
	}
	switch {
	case errors.Is(err, store.ErrInUse):
		return s.savedLadder(
			w, r, http.StatusConflict,
			web.FieldErrors{{Text: "The ladder has bots. To hide the ladder, change its visibility."}},
		)
	case err != nil:
		return err
	}
	return s.AuditAndRedirect(w, r, "delete ladder", l.Slug, "", "/ladders")
}
