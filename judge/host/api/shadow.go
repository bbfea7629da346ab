package api

import (
	"net/http"

	"assay/judge/host/client"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
)

// shadowContest makes a contest follow another judging system.
func (a *api) shadowContest(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.ShadowContest
	if err := read(r, &n); err != nil {
		return err
	}
	source := store.Source{URL: n.URL, Login: n.Login, SecretFile: n.SecretFile, Account: who.account.ID, Ours: n.Ours}
	slug, err := shadow.Begin(r.Context(), a.Desk, source, n.Contest)
	if err != nil {
		return err
	}
	return a.done(w, r, who, "shadow", slug, n.URL, client.Shadowed{Contest: slug})
}

// endShadow makes a contest stop following another judging system.
func (a *api) endShadow(w http.ResponseWriter, r *http.Request, who *caller) error {
	c, err := a.Store.ContestBySlug(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	if err := a.Store.Unfollow(r.Context(), c.ID); err != nil {
		return err
	}
	return a.done(w, r, who, "end shadow", c.Slug, "", client.Shadowed{Contest: c.Slug})
}
