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

// mediaFile sends a picture or document of the contest.
func (s *site) mediaFile(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	stored, err := s.Store.Media(r.Context(), c.ID)
	if err != nil {
		return err
	}
	index := slices.IndexFunc(stored, func(f media.File) bool { return f.Href() == r.PathValue("path") })
	if index < 0 {
		return web.ErrNotFound
	}
	f := stored[index]
	visible, err := s.canReadMedia(r, f)
	if err != nil {
		return err
	}
	if !visible {
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

// canReadMedia reports whether the caller may see a file. The jury sees all files. Other readers see the files that
// the Contest API shows to the public.
func (s *site) canReadMedia(r *web.Request, f media.File) (bool, error) {
	if r.Can(auth.SeeAll) {
		return true, nil
	}
	if f.Property == media.ProblemSet {
		return r.Can(auth.SeeProblems), nil
	}
	facts := clics.Visibility{}
	if f.Type == media.Teams {
		teams, err := s.Store.Teams(r.Context(), access.Of(r).Contest.ID)
		if err != nil {
			return false, err
		}
		index := slices.IndexFunc(teams, func(t *store.Team) bool { return t.ExtID == f.Object })
		facts.Hidden = index < 0 || teams[index].Hidden
	}
	return clics.Visible(clics.Public, clics.Type(f.Type), facts), nil
}

// statementDocument sends the statement of a problem as a PDF. It returns false, nil if the address does not request one.
func (s *site) statementDocument(w http.ResponseWriter, r *web.Request) (bool, error) {
	p := access.Of(r).Problem
	if r.PathValue("label") == p.Label || !strings.HasSuffix(r.PathValue("label"), access.DocumentSuffix) {
		return false, nil
	}
	info, err := s.ProblemInfo(p.Problem)
	if err != nil {
		return true, err
	}
	if info == nil {
		return true, s.primaryDocument(w, r)
	}
	inPDF := slices.DeleteFunc(slices.Clone(info.StatementsIn(access.Of(r).Contest.Settings.Statements)), func(one client.Statement) bool {
		f := info.File(one.Document)
		return f == nil || f.Type != media.PDF
	})
	one := s.chooseStatement(w, r, inPDF)
	if one == nil {
		return true, s.primaryDocument(w, r)
	}
	return true, s.SendProblemFile(w, info, one.Document)
}

// primaryDocument sends the statement that the contest copied from its primary.
func (s *site) primaryDocument(w http.ResponseWriter, r *web.Request) error {
	stored, err := s.Store.Media(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	for _, f := range stored {
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
