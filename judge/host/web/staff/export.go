package staff

import (
	"net/http"
	"slices"

	"assay/judge/host/contestexport"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// exportView is the page with the archives of a contest.
type exportView struct{ Slug string }

func (s *site) export(w http.ResponseWriter, r *web.Request) error {
	return s.RenderPage(w, r, http.StatusOK, "export", "Export", exportView{access.Of(r).Contest.Slug})
}

// exportPart sends an archive of the contest.
func (s *site) exportPart(w http.ResponseWriter, r *web.Request) error {
	c, part := access.Of(r).Contest, contestexport.Archive(r.PathValue("part"))
	if !slices.Contains(contestexport.Archives, part) {
		return web.ErrNotFound
	}
	w.Header().Set("Content-Type", "application/zip")
	web.SetAttachment(w, c.Slug+"-"+string(part)+".zip")
	if err := contestexport.Write(r.Context(), s.Service, s.Scoreboards, c, part, w); err != nil {
		if r.Context().Err() == nil {
			s.Log.Error("export a contest", "contest", c.Slug, "part", part, "error", err)
		}
		panic(http.ErrAbortHandler) // makes the browser report an incomplete download
	}
	return nil
}
