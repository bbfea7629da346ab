package hole

import (
	"net/http"

	"assay/judge/host/web"
)

// recheckView counts the submissions of a hole that a recheck would check.
type recheckView struct {
	Slug, Name        string
	Valid, Rechecking int // number of valid submissions, and of those being rechecked
}

// Ready returns the number of submissions that a recheck would check.
func (v recheckView) Ready() int { return v.Valid - v.Rechecking }

func (s *site) countRecheck(r *web.Request) (v recheckView, err error) {
	h := accessOf(r).Hole
	v.Slug, v.Name = h.Slug, h.Name
	v.Valid, v.Rechecking, err = s.Store.CountValidGolfSubmissions(r.Context(), h.ID)
	return v, err
}

// confirmRecheck shows the effect of a recheck before it starts.
func (s *site) confirmRecheck(w http.ResponseWriter, r *web.Request) error {
	v, err := s.countRecheck(r)
	if err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "recheck", "Recheck submissions", v)
}

// recheck starts a recheck of all valid submissions of the hole.
func (s *site) recheck(w http.ResponseWriter, r *web.Request) error {
	h := accessOf(r).Hole
	n, err := s.Dispatch.Recheck(r.Context(), h.ID)
	if err != nil {
		return err
	}
	return s.AuditAndRedirect(w, r, "recheck hole", h.Slug, web.CountText(n, "submission", "submissions"), "/hole/"+h.Slug+"/edit#recheck")
}
