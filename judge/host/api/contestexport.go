package api

import (
	"net/http"
	"slices"

	"assay/judge/host/auth"
	"assay/judge/host/contestexport"
	"assay/judge/host/store"
)

// exportContest sends the requested part of a contest as a ZIP archive.
func (a *api) exportContest(w http.ResponseWriter, r *http.Request, who *caller) error {
	slug, part := r.PathValue("slug"), contestexport.Archive(r.PathValue("part"))
	seat, err := a.seatIn(r, who, slug)
	switch {
	case err != nil:
		return err
	case seat.Contest.ID == store.Practice || !seat.Can(auth.Change):
		return noContest(slug)
	case !slices.Contains(contestexport.Archives, part):
		return &status{http.StatusNotFound, "a contest has no such archive", ""}
	}
	w.Header().Set("Content-Type", "application/zip")
	if err := contestexport.Write(r.Context(), a.Desk, a.Boards, seat.Contest, part, w); err != nil {
		a.Log.Error("export a contest", "contest", slug, "part", part, "error", err)
		panic(http.ErrAbortHandler) // so that the client cannot mistake the incomplete archive for a complete one
	}
	return nil
}
