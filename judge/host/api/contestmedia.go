package api

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/contestpackage"
	"assay/judge/host/job"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// contestFile sends a file of the contest itself.
func contestFile(c *apiClient, w http.ResponseWriter, r *http.Request, path []string) error {
	if _, is := media.Find(media.Contest, path[0]); !is {
		return nothingThere
	}
	return c.media(w, r, clics.Contest, "", path[0], path[1])
}

// objectFile sends a file of an object of the contest.
func objectFile(c *apiClient, w http.ResponseWriter, r *http.Request, path []string) error {
	return c.media(w, r, clics.Type(path[0]), path[1], path[2], path[3])
}

// media sends a file of an object, or of the contest itself if the id is empty.
func (c *apiClient) media(w http.ResponseWriter, r *http.Request, typ clics.Type, id, property, name string) error {
	if !slices.Contains(clics.Types, typ) {
		return nothingThere
	}
	f, seen, err := c.File(c.to, typ, id, property, name)
	if err != nil {
		return err
	}
	if !seen {
		return nothingThere
	}
	data, err := c.Blobs.Read(f.Digest, f.Size)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", f.Mime)
	h.Set("ETag", `"`+f.MD5+`"`)
	h.Set("Cache-Control", "public, max-age=3600")
	if c.who != nil {
		h.Set("Cache-Control", "private, max-age=3600")
	}
	h.Add("Vary", "Authorization")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'")
	if f.Attached {
		h.Set("Content-Disposition", "attachment")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}

// importMedia reads the new files of a package, which the caller has uploaded, and makes what is to be stored of them.
func (a *api) importMedia(ctx context.Context, who *store.Account, plan *contestpackage.Plan, there []media.File) error {
	var faults judge.Faults
	var fresh []media.File
	for _, f := range plan.Media {
		if err := a.Has(ctx, who, job.File{Path: f.Path(), Size: f.Size, Digest: f.Digest}); err != nil {
			return err
		}
		data, err := a.Blobs.Read(f.Digest, f.Size)
		if err != nil {
			return err
		}
		one, err := media.New(f.Place, data)
		if err != nil {
			faults = append(faults, &judge.Fault{File: f.Path(), Text: err.Error()})
		}
		fresh = append(fresh, one)
	}
	err := faults.AsError()
	if err == nil {
		plan.Import.Media, err = a.WithScaled(ctx, who, there, fresh)
	}
	return err
}
