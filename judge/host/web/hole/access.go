package hole

import (
	"context"
	"errors"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// An access is the hole and golf submission in an address, and the caller's permissions.
type access struct {
	*desk.HoleSeat
	now    time.Time
	answer *store.Answer // with the number in the address; nil if it has none
}

// at returns the access of a request.
func at(r *web.Request) *access { return r.Access.(*access) }

// findHole resolves the hole and the golf submission in an address.
func (s *site) findHole(r *web.Request) (web.Access, error) {
	if r.PathValue("hole") == "" {
		return nil, nil
	}
	h, err := s.Store.Hole(r.Context(), r.PathValue("hole"))
	if errors.Is(err, store.ErrNotFound) {
		return nil, r.Hidden()
	}
	if err != nil {
		return nil, err
	}
	seat, err := s.HoleSeat(r.Context(), h, r.Me)
	if err != nil {
		return nil, err
	}
	a := &access{HoleSeat: seat, now: s.Time()}
	if !a.Can(auth.SeeHole) || r.PathValue("answer") == "" {
		return a, nil
	}
	if a.answer, err = s.answerOf(r.Context(), h, r.PathValue("answer")); err == nil {
		a.HoleSeat = a.Look(a.answer)
	}
	return a, err
}

// Refusal returns an error that says why the caller may not perform an action at the hole. If it returns nil, Can
// decides.
func (a *access) Refusal(_ *web.Request, action auth.Action) error {
	switch {
	case a.Can(action):
		return nil
	case !a.Can(auth.SeeHole) || a.answer != nil:
		return web.ErrNotFound
	case a.State.Phase == auth.Over:
		return a.Closed()
	}
	return nil
}

// Head returns the head of the hole's pages.
func (a *access) Head(*web.Request) (web.Head, error) {
	return web.Head{Nav: web.Nav{Place: &web.Tab{Link: "/hole/" + a.Hole.Slug, Name: a.Hole.Name}}}, nil
}

// answerOf returns the golf submission of a hole with the number in an address.
func (s *site) answerOf(ctx context.Context, h *store.Hole, number string) (*store.Answer, error) {
	n, ok := whole(number)
	if !ok {
		return nil, web.ErrNotFound
	}
	a, err := s.Store.Answer(ctx, h.ID, n)
	if errors.Is(err, store.ErrNotFound) {
		err = web.ErrNotFound
	}
	return a, err
}
