package api

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// missing answers which blobs the server lacks. Those that it has are kept for the next
// two days, so that they are still there when they are named.
func (a *api) missing(w http.ResponseWriter, r *http.Request, who *caller) error {
	var asked client.Blobs
	if err := read(w, r, &asked); err != nil {
		return err
	}
	lacks := client.Blobs{Blobs: []client.Blob{}}
	var noted []store.Blob
	for _, b := range asked.Blobs {
		if _, err := blob.Parse(string(b.Digest)); err != nil || b.Size < 0 {
			return &status{http.StatusBadRequest, fmt.Sprintf("%.80q with %d bytes is not a blob", b.Digest, b.Size), ""}
		}
		if err := a.fits(who, b.Size); err != nil {
			return err
		}
		noted = append(noted, store.Blob{Digest: b.Digest, Size: b.Size, Kind: "upload"})
		if !a.Blobs.Has(b.Digest, b.Size) {
			lacks.Blobs = append(lacks.Blobs, b)
		}
	}
	if err := a.Store.NoteBlobs(r.Context(), noted...); err != nil {
		return err
	}
	return ok(w, lacks)
}

// fits refuses a blob that is too large for who gives it.
func (a *api) fits(who *caller, size int64) error {
	most := a.MaxSize
	if who.may(client.Publish) {
		most = max(most, desk.MaxArchive)
	}
	if size > most {
		return &status{http.StatusRequestEntityTooLarge, fmt.Sprintf("a file has %d bytes; the most is %d", size, most), ""}
	}
	return nil
}

func (a *api) putBlob(w http.ResponseWriter, r *http.Request, who *caller) error {
	d, err := blob.Parse(r.PathValue("digest"))
	if err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	if r.ContentLength < 0 {
		return &status{http.StatusLengthRequired, "the request does not say how long it is", ""}
	}
	if err := errors.Join(a.fits(who, r.ContentLength), a.HasRoom(desk.RoomForUploads)); err != nil {
		return err
	}
	// A MiB takes a second at most, on a connection that is not to be waited for.
	limitTime(w, bodyPatience+time.Duration(r.ContentLength>>20)*time.Second)
	if err := a.Store.NoteBlobs(r.Context(), store.Blob{Digest: d, Size: r.ContentLength, Kind: "upload"}); err != nil {
		return err
	}
	body := &watched{r: http.MaxBytesReader(w, r.Body, r.ContentLength)}
	err = a.Blobs.Put(d, r.ContentLength, body)
	switch {
	case errors.Is(err, blob.ErrDamaged):
		return &status{http.StatusBadRequest, fmt.Sprintf("the bytes are not those of the blob %s", d), "a file changed while it was sent, or the connection damages what it carries: send it again"}
	case body.err != nil:
		return &status{http.StatusBadRequest, "the request ended too early", ""}
	case err != nil:
		return err
	}
	return ok(w, struct{}{})
}

// watched remembers what went wrong with a body, which is the sender's business.
type watched struct {
	r   io.Reader
	err error
}

func (b *watched) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

func (a *api) getBlob(w http.ResponseWriter, r *http.Request, _ *caller) error {
	d, err := blob.Parse(r.PathValue("digest"))
	if err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	f, err := a.Blobs.Find(d)
	if err != nil {
		return &status{http.StatusNotFound, "there is no blob " + string(d), ""}
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "private, immutable, max-age=31536000")
	w.Header().Set("ETag", strconv.Quote(string(d)))
	if info, err := f.Stat(); err == nil { // 100 KB a second are the least
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(bodyPatience + time.Duration(info.Size()/100_000)*time.Second))
	}
	http.ServeContent(w, r, "", time.Time{}, f)
	return nil
}

func (a *api) problems(w http.ResponseWriter, r *http.Request, who *caller) error {
	rows, err := a.seen(r, who)
	if err != nil {
		return err
	}
	all := []client.Problem{}
	for _, p := range rows {
		if !who.may(client.Publish) {
			p.Bundle = "" // it names what is secret
		}
		all = append(all, client.Problem{Slug: p.Slug, Title: p.Title, Bundle: p.Bundle, Made: p.Made})
	}
	return ok(w, all)
}

// seen are the problems that who asks may know of.
func (a *api) seen(r *http.Request, who *caller) (all []*store.Problem, err error) {
	rows, err := a.Store.Problems(r.Context())
	if err != nil || who.may(client.Publish) {
		return rows, err
	}
	for _, p := range rows {
		sees, err := a.Sees(r.Context(), who.account, p.Slug)
		if err != nil {
			return nil, err
		}
		if sees {
			all = append(all, p)
		}
	}
	return all, nil
}

// putProblem makes a bundle the one of a problem. All its blobs must be there.
func (a *api) putProblem(w http.ResponseWriter, r *http.Request, who *caller) error {
	slug := r.PathValue("slug")
	if !client.GoodSlug(slug) {
		return &status{http.StatusBadRequest, fmt.Sprintf("%.80q is not the name of a problem: small letters, digits, . - and _, 64 at most", slug), ""}
	}
	var n client.NewProblem
	if err := errors.Join(read(w, r, &n), short("title", n.Title)); err != nil {
		return err
	}
	known, err := a.Store.Problem(r.Context(), slug)
	if err == nil && known.Owner != who.account.ID && !who.may(client.Admin) {
		return &status{http.StatusForbidden, "the problem " + slug + " is somebody else's", ""}
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	id, err := a.whole(n)
	if err != nil {
		return err
	}
	p, err := a.Store.PutBundle(r.Context(), store.NewBundle{
		Problem: slug, Title: n.Title, Owner: who.account.ID, ID: id, Manifest: n.Manifest, Config: n.Config, Sheet: n.Sheet, MadeBy: who.account.ID,
	})
	if err != nil {
		return err
	}
	a.Dispatch.Published(job.Bundle{Problem: slug, Manifest: id, Config: n.Config})
	return a.done(w, r, who, "publish", slug, string(id), client.Problem{Slug: p.Slug, Title: p.Title, Bundle: p.Bundle, Made: p.Made})
}

// whole returns the id of a bundle of which every blob is there.
func (a *api) whole(n client.NewProblem) (blob.Digest, error) {
	lacks := func(what string, d blob.Digest) error {
		return &status{http.StatusConflict, fmt.Sprintf("the server lacks the blob %.80s: %s", d, what), "send it first"}
	}
	for what, d := range map[string]blob.Digest{"the manifest": n.Manifest, "the configuration": n.Config} {
		if _, err := blob.Parse(string(d)); err != nil {
			return "", &judge.Misuse{Err: fmt.Errorf("%s: %w", what, err)}
		}
	}
	if f, err := a.Blobs.Find(n.Config); err != nil {
		return "", lacks("the configuration", n.Config)
	} else {
		f.Close()
	}
	data, err := a.Blobs.Read(n.Manifest, bundle.MaxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return "", lacks("the manifest", n.Manifest)
	}
	if err != nil {
		return "", err
	}
	m, err := bundle.ParseManifest("the bundle", data)
	if err != nil {
		return "", err
	}
	for _, e := range m.Blobs() {
		if !a.Blobs.Has(e.Digest, e.Size) {
			return "", lacks(e.Path, e.Digest)
		}
	}
	if n.Sheet != "" {
		if _, err := blob.Parse(string(n.Sheet)); err != nil {
			return "", &judge.Misuse{Err: fmt.Errorf("the sheet: %w", err)}
		}
		data, err := a.Blobs.Read(n.Sheet, client.MaxSheet)
		if errors.Is(err, fs.ErrNotExist) {
			return "", lacks("the sheet", n.Sheet)
		}
		if err == nil {
			_, err = client.ParseSheet(data)
		}
		if err != nil {
			return "", err
		}
	}
	return m.ID(), nil
}
