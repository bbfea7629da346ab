package api

import (
	"bytes"
	"net/http"
	"slices"
	"time"

	"assay/judge/host/clics"
	"assay/judge/host/media"
)

// contestFile sends a file that belongs to the contest itself.
func contestFile(c *apiClient, w http.ResponseWriter, r *http.Request, path []string) error {
	if _, is := media.FindProperty(media.Contest, path[0]); !is {
		return errNoPath
	}
	return c.sendMedia(w, r, clics.Contest, "", path[0], path[1])
}

// objectFile sends a file that belongs to an object of the contest.
func objectFile(c *apiClient, w http.ResponseWriter, r *http.Request, path []string) error {
	return c.sendMedia(w, r, clics.Type(path[0]), path[1], path[2], path[3])
}

// sendMedia sends a file that belongs to an object. If the id is empty, the file belongs to the contest itself.
func (c *apiClient) sendMedia(w http.ResponseWriter, r *http.Request, typ clics.Type, id, property, name string) error {
	if !slices.Contains(clics.Types, typ) {
		return errNoPath
	}
	f, found, err := c.File(c.reader, typ, id, property, name)
	if err != nil {
		return err
	}
	if !found {
		return errNoPath
	}
	data, err := c.Blobs.Read(f.Digest, f.Size)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", f.MediaType)
	h.Set("ETag", `"`+f.MD5+`"`)
	h.Set("Cache-Control", "public, max-age=3600")
	if c.caller != nil {
		h.Set("Cache-Control", "private, max-age=3600")
	}
	h.Add("Vary", "Authorization")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'")
	if f.Attachment {
		h.Set("Content-Disposition", "attachment")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	return nil
}
