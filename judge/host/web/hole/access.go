package hole

import (
	"context"
	"errors"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// An access is the hole and golf submission in an address, and the caller's permissions.
type access struct {
	*intake.HoleAccess
	now        time.Time
	submission *store.GolfSubmission // with the number in the address; nil if it has none
}

// accessOf returns the access of a request.
func accessOf(r *web.Request) *access { return r.Access.(*access) }

// findHole resolves the hole and the golf submission in an address.
func (s *site) findHole(r *web.Request) (web.Access, error) {
	if r.PathValue("hole") == "" {
		return nil, nil
	}
	h, err := s.Store.Hole(r.Context(), r.PathValue("hole"))
	if errors.Is(err, store.ErrNotFound) {
		return nil, r.NotFoundError()
	}
	if err != nil {
		return nil, err
	}
	holeAccess, err := s.HoleAccess(r.Context(), h, r.Me)
	if err != nil {
		return nil, err
	}
	a := &access{HoleAccess: holeAccess, now: s.Time()}
	if !a.Can(auth.SeeHole) || r.PathValue("answer") == "" {
		return a, nil
	}
	if a.submission, err = s.submissionOf(r.Context(), h, r.PathValue("answer")); err == nil {
		a.HoleAccess = a.ForSubmission(a.submission)
	}
	return a, err
}

// Refusal returns an error that says why the caller may not perform an action at the hole. If it returns nil, Can
// decides.
func (a *access) Refusal(_ *web.Request, action auth.Action) error {
	switch {
	case a.Can(action):
		return nil
	case !a.Can(auth.SeeHole) || a.submission != nil:
		return web.ErrNotFound
	case a.State.Phase == auth.Over:
		return a.Closed()
	}
	return nil
}

// Head returns the head of the hole's pages.
func (a *access) Head(*web.Request) (web.Head, error) {
	return web.Head{Nav: web.Nav{Object: &web.Tab{Link: "/hole/" + a.Hole.Slug, Name: a.Hole.Name}}}, nil
}

// submissionOf returns the golf submission of a hole with the number in an address.
func (s *site) submissionOf(ctx context.Context, h *store.Hole, number string) (*store.GolfSubmission, error) {
	n, ok := parseNumber(number)
	if !ok {
		return nil, web.ErrNotFound
	}
	a, err := s.Store.GolfSubmission(ctx, h.ID, n)
	if errors.Is(err, store.ErrNotFound) {
		err = web.ErrNotFound
	}
	return a, err
}
