package api

import (
	"net/http"
	"slices"

	"assay/judge/host/auth"
	"assay/judge/host/contestexport"
	"assay/judge/host/store"
)

// exportContest sends the requested part of a contest as a ZIP archive.
func (a *api) exportContest(w http.ResponseWriter, r *http.Request, caller *caller) error {
	slug, part := r.PathValue("slug"), contestexport.Archive(r.PathValue("part"))
	contestAccess, err := a.accessTo(r, caller, slug)
	switch {
	case err != nil:
		return err
	case contestAccess.Contest.ID == store.Practice || !contestAccess.Can(auth.ChangeContest):
		return noContest(slug)
	case !slices.Contains(contestexport.Archives, part):
		return &status{http.StatusNotFound, "a contest has no such archive", ""}
	}
	w.Header().Set("Content-Type", "application/zip")
	if err := contestexport.Write(r.Context(), a.Service, a.Scoreboards, contestAccess.Contest, part, w); err != nil {
		a.Log.Error("export a contest", "contest", slug, "part", part, "error", err)
		panic(http.ErrAbortHandler) // so that the client cannot mistake the incomplete archive for a complete one
	}
	return nil
}
