package hole

import (
	"errors"
	"net/http"

	"assay/judge/host/store"
	"assay/judge/host/web"
)

// deleteHole deletes a hole without golf submissions. To confirm, the form must repeat the hole's address.
func (s *site) deleteHole(w http.ResponseWriter, r *web.Request) error {
	h := accessOf(r).Hole
	err := store.ErrInUse
	if h.Submissions == 0 {
		if r.Field("slug") != h.Slug {
			return s.savedHole(
				w, r, http.StatusBadRequest,
				web.FieldErrors{{Field: "remove-slug", Text: "Type the address " + h.Slug + " to confirm."}},
			)
		}
		err = s.Store.RemoveHole(r.Context(), h.ID)
	}
	switch {
	case errors.Is(err, store.ErrInUse):
		return s.savedHole(
			w, r, http.StatusConflict,
			web.FieldErrors{{Text: "The hole has golf submissions. To hide the hole, change its visibility."}},
		)
	case err != nil:
		return err
	}
	return s.AuditAndRedirect(w, r, "delete hole", h.Slug, "", "/golf")
}
