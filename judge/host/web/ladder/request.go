package ladder

import (
	"errors"
	"net/http"
	"strconv"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/ladder"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// A ladderRequest is the ladder, bot or encounter in an address, and the caller's permissions.
type ladderRequest struct {
	*ladder.View
	*intake.Access
	bot       *store.Bot       // in the address; nil if it names none
	encounter *store.Encounter // in the address; nil if it names none
}

// requestOf returns the ladder of a request.
func requestOf(r *web.Request) *ladderRequest { return r.Access.(*ladderRequest) }

// Refusal returns an error that says why the caller may not perform an action on the ladder. If it returns nil,
// Can decides.
func (l *ladderRequest) Refusal(_ *web.Request, a auth.Action) error {
	switch {
	case l.Can(a):
		return nil
	case l.bot != nil:
		return web.ErrNotFound
	case !l.Open:
		return l.Closed()
	}
	return nil
}

// Head returns the head of the ladder's pages.
func (l *ladderRequest) Head(*web.Request) (web.Head, error) {
	return web.Head{Nav: web.Nav{Object: &web.Tab{Link: "/ladder/" + l.Slug, Name: l.Name}}}, nil
}

// findLadder resolves the ladder in an address, and the bot or the encounter if the address contains one.
func (s *site) findLadder(r *web.Request) (web.Access, error) {
	if r.PathValue("ladder") == "" {
		return nil, nil
	}
	l, err := s.Store.LadderBySlug(r.Context(), r.PathValue("ladder"))
	if errors.Is(err, store.ErrNotFound) {
		return nil, r.NotFoundError()
	}
	if err != nil {
		return nil, err
	}
	on := &ladderRequest{Access: intake.LadderAccess(l, r.Me)}
	if !on.Can(auth.SeeLadder) {
		return nil, r.NotFoundError()
	}
	if on.View, err = s.Ladders.View(r.Context(), l); err != nil {
		return nil, err
	}
	if text := r.PathValue("bot"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if on.bot = on.Bot(n); err != nil || on.bot == nil {
			return on, web.ErrNotFound
		}
		on.Access = on.ForBot(on.bot)
	}
	if text := r.PathValue("encounter"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return on, web.ErrNotFound
		}
		if on.encounter, err = s.Store.Encounter(r.Context(), l.ID, n); err != nil {
			return on, err
		}
	}
	return on, nil
}

// listView lists the ladders.
type listView struct {
	Ladders             []Summary
	CanCreate, LoggedIn bool
}

func (s *site) list(w http.ResponseWriter, r *web.Request) (err error) {
	v := listView{CanCreate: r.Can(auth.ManageContent), LoggedIn: r.Me != nil}
	if v.Ladders, err = Lines(s.Site, r); err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "ladders", "Ladders", v)
}
