package api

import (
	"net/http"

	"assay/judge/host/client"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
)

// shadowContest makes a contest follow another judging system.
func (a *api) shadowContest(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var n client.NewShadow
	if err := readJSON(r, &n); err != nil {
		return err
	}
	source := store.ExternalSource{
		URL: n.URL, Login: n.Login, SecretFile: n.SecretFile, Account: caller.account.ID,
		UseOwnVerdicts: n.OwnVerdicts,
	}
	slug, err := shadow.Start(r.Context(), a.Service, source, n.Contest)
	if err != nil {
		return err
	}
	return a.auditAndRespond(w, r, caller, "shadow", slug, n.URL, client.ShadowedContest{Contest: slug})
}

// endShadow makes a contest stop following another judging system.
func (a *api) endShadow(w http.ResponseWriter, r *http.Request, caller *caller) error {
	c, err := a.Store.ContestBySlug(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	if err := a.Store.Unfollow(r.Context(), c.ID); err != nil {
		return err
	}
	return a.auditAndRespond(w, r, caller, "end shadow", c.Slug, "", client.ShadowedContest{Contest: c.Slug})
}
