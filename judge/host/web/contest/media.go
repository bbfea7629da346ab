package contest

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/client"
	"assay/judge/host/media"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// media sends a picture or document of the contest.
func (s *site) media(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	all, err := s.Store.Media(r.Context(), c.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(f media.File) bool { return f.Href() == r.PathValue("path") })
	if at < 0 {
		return web.ErrNotFound
	}
	f := all[at]
	seen, err := s.seesMedia(r, f)
	if err != nil {
		return err
	}
	if !seen {
		return web.ErrNotFound
	}
	data, err := s.Blobs.Read(f.Digest, f.Size)
	if err != nil {
		return err
	}
	web.AllowMedia(w, f.Mime)
	w.Header().Set("ETag", `"`+f.MD5+`"`)
	w.Header().Set("Cache-Control", "private, max-age=3600")
	http.ServeContent(w, r.Request, "", time.Time{}, bytes.NewReader(data))
	return nil
}

// seesMedia reports whether the caller may see a file. The jury sees all files. Other readers see the files that
// the Contest API shows to the public.
func (s *site) seesMedia(r *web.Request, f media.File) (bool, error) {
	if r.Can(auth.SeeAll) {
		return true, nil
	}
	if f.Property == media.ProblemSet {
		return r.Can(auth.SeeProblems), nil
	}
	facts := clics.Facts{}
	if f.Type == media.Teams {
		teams, err := s.Store.Teams(r.Context(), access.Of(r).Contest.ID)
		if err != nil {
			return false, err
		}
		at := slices.IndexFunc(teams, func(t *store.Team) bool { return t.ExtID == f.Object })
		facts.Hidden = at < 0 || teams[at].Hidden
	}
	return clics.Visible(clics.Public, clics.Type(f.Type), facts), nil
}

// document sends the statement of a problem as a PDF. It returns false, nil if the address does not request one.
func (s *site) document(w http.ResponseWriter, r *web.Request) (bool, error) {
	p := access.Of(r).Problem
	if r.PathValue("label") == p.Label || !strings.HasSuffix(r.PathValue("label"), access.Document) {
		return false, nil
	}
	sheet, err := s.Sheet(p.Problem)
	if err != nil {
		return true, err
	}
	if sheet == nil {
		return true, s.documentOfPrimary(w, r)
	}
	inPDF := slices.DeleteFunc(slices.Clone(sheet.In(access.Of(r).Contest.Settings.Statements)), func(one client.SheetStatement) bool {
		f := sheet.File(one.Document)
		return f == nil || f.Type != media.PDF
	})
	one := s.choose(w, r, inPDF)
	if one == nil {
		return true, s.documentOfPrimary(w, r)
	}
	return true, s.SendSheetFile(w, sheet, one.Document)
}

// documentOfPrimary sends the statement that the contest copied from its primary.
func (s *site) documentOfPrimary(w http.ResponseWriter, r *web.Request) error {
	all, err := s.Store.Media(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	for _, f := range all {
		if f.Type == media.Problems && f.Object == access.Of(r).Problem.ExtID && f.Property == media.Statement {
			data, err := s.Blobs.Read(f.Digest, f.Size)
			if err != nil {
				return err
			}
			web.AllowMedia(w, f.Mime)
			w.Header().Set("Cache-Control", "private, max-age=3600")
			http.ServeContent(w, r.Request, "", time.Time{}, bytes.NewReader(data))
			return nil
		}
	}
	return web.ErrNotFound
}
