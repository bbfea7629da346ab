package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// missing responds with the requested blobs that the account must upload, because it has not sent them or the
// server lacks them. The other requested blobs are kept as if the account had just sent them.
func (a *api) missing(w http.ResponseWriter, r *http.Request, who *caller) error {
	var asked client.Blobs
	if err := read(r, &asked); err != nil {
		return err
	}
	if len(asked.Blobs) > client.MaxBlobs {
		return &status{
			http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the request names %d blobs; the most is %d", len(asked.Blobs), client.MaxBlobs),
			"ask in several requests",
		}
	}
	var digests []blob.Digest
	for _, b := range asked.Blobs {
		if _, err := blob.Parse(string(b.Digest)); err != nil || b.Size < 0 {
			return &status{http.StatusBadRequest, fmt.Sprintf("%.80q with %d bytes is not a blob", b.Digest, b.Size), ""}
		}
		if err := a.fits(who, b.Size); err != nil {
			return err
		}
		digests = append(digests, b.Digest)
	}
	sent, err := a.Store.SeeSent(r.Context(), who.account.ID, digests)
	if err != nil {
		return err
	}
	lacks := client.Blobs{Blobs: []client.Blob{}}
	for i, b := range asked.Blobs {
		there, err := a.Blobs.Has(b.Digest, b.Size)
		if err != nil {
			return err
		}
		if !sent[i] || !there {
			lacks.Blobs = append(lacks.Blobs, b)
		}
	}
	return ok(w, lacks)
}

// fits rejects a blob that is too large for the caller.
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
	if err := errors.Join(a.fits(who, r.ContentLength), a.HasDisk(desk.RoomForUploads)); err != nil {
		return err
	}
	body := &watched{r: http.MaxBytesReader(w, r.Body, r.ContentLength)}
	// The server never waits for the client's bytes during a turn, or while it holds the lock against garbage
	// collection.
	sent, err := a.Blobs.Stage(body)
	if err == nil {
		defer sent.Close()
		err = sent.Is(d, r.ContentLength)
	}
	if err == nil {
		err = a.inTurn(r, who, func() error {
			a.Sweeping.RLock()
			defer a.Sweeping.RUnlock()
			return a.KeepStaged(r.Context(), who.account, sent, who.may(client.Publish))
		})
	}
	switch {
	case errors.Is(err, blob.ErrDamaged):
		return &status{
			http.StatusBadRequest, fmt.Sprintf("the bytes are not those of the blob %s", d),
			"a file changed while it was sent, or the connection damages what it carries: send it again",
		}
	case desk.BodyRefusal(body.err) != nil:
		return desk.BodyRefusal(body.err)
	case body.err != nil:
		return &status{http.StatusBadRequest, "the request ended too early", ""}
	case err != nil:
		return err
	}
	return ok(w, struct{}{})
}

// A watched is a body that remembers its read error, because the client caused it.
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

// getBlob sends a worker a blob of a job that it was given, or of a bundle that it prepares. An untrusted worker
// gets no blobs of a problem in an open contest. All other blobs are reported as not found.
func (a *api) getBlob(w http.ResponseWriter, r *http.Request, who *caller) error {
	d, err := blob.Parse(r.PathValue("digest"))
	if err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	claim, err := job.ParseClaim(r.Header.Get(client.ClaimHeader))
	if err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	if named, err := a.names(r.Context(), who.worker, claim, d); err != nil {
		return err
	} else if !named {
		return &status{http.StatusNotFound, "nothing that this worker was given names a blob " + string(d), ""}
	}
	f, err := a.Blobs.Find(d)
	if errors.Is(err, fs.ErrNotExist) {
		return &status{http.StatusNotFound, "there is no blob " + string(d), ""}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Cache-Control", "private, immutable, max-age=31536000")
	w.Header().Set("ETag", strconv.Quote(string(d)))
	if info, err := f.Stat(); err == nil { // require at least 100 KB per second
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Minute + time.Duration(info.Size()/100_000)*time.Second))
	}
	http.ServeContent(w, r, "", time.Time{}, f)
	return nil
}

// names reports whether a worker's claim is valid and entitles the worker to blob d.
func (a *api) names(ctx context.Context, w *store.Worker, c job.Claim, d blob.Digest) (bool, error) {
	named, manifest := []blob.Digest{c.Bundle}, c.Bundle
	if c.Job != "" {
		work, err := a.Store.GivenTo(ctx, w, c.Job, c.Token)
		if errors.Is(err, store.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		named, manifest = work.Blobs(), work.Bundle
	} else {
		problems, err := a.Store.ProblemsWith(ctx, c.Bundle)
		if err != nil || len(problems) == 0 {
			return false, err
		}
		for _, p := range problems {
			if w.Guest {
				if reserved, err := a.Store.Reserved(ctx, p.Slug); err != nil || reserved {
					return false, err
				}
			}
			named = append(named, p.Config)
		}
	}
	if slices.Contains(named, d) {
		return true, nil
	}
	inside, err := a.bundles.inside(a.Blobs, manifest)
	return inside[d], err
}

// bundles caches the lists of blobs in manifests, which never change.
type bundles struct {
	mu    sync.Mutex
	all   map[blob.Digest]map[blob.Digest]bool
	names int // total
}

// mostNames is the maximum number of cached blob names. If it is exceeded, the cache is cleared.
const mostNames = 300_000

// inside returns the set of blobs that a manifest lists. If the manifest does not exist or is invalid, the set is
// empty.
func (b *bundles) inside(from *blob.Dir, manifest blob.Digest) (map[blob.Digest]bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known, is := b.all[manifest]; is {
		return known, nil
	}
	data, err := from.Read(manifest, bundle.MaxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := bundle.ParseManifest("the bundle", data)
	if err != nil {
		return nil, nil
	}
	named := map[blob.Digest]bool{}
	for _, e := range m.Blobs() {
		named[e.Digest] = true
	}
	if b.all == nil || b.names+len(named) > mostNames {
		b.all, b.names = map[blob.Digest]map[blob.Digest]bool{}, 0
	}
	b.all[manifest] = named
	b.names += len(named)
	return named, nil
}

func (a *api) problems(w http.ResponseWriter, r *http.Request, who *caller) error {
	rows, err := a.seen(r, who)
	if err != nil {
		return err
	}
	all := []client.Problem{}
	for _, p := range rows {
		if !usesAll(who) && !desk.Owns(who.account, p) {
			p.Bundle = "" // it identifies secret data
		}
		all = append(all, client.Problem{Slug: p.Slug, Title: p.Title, Bundle: p.Bundle, Made: p.Made})
	}
	return ok(w, all)
}

// seen returns the problems that the caller may see.
func (a *api) seen(r *http.Request, who *caller) (all []*store.Problem, err error) {
	rows, err := a.Store.Problems(r.Context())
	if err != nil || usesAll(who) {
		return rows, err
	}
	for _, p := range rows {
		if desk.Owns(who.account, p) {
			all = append(all, p)
			continue
		}
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

// usesAll reports whether the caller may see and use the problems of all owners. This requires the scope admin, or
// the scope publish together with a role that allows auth.AllProblems.
func usesAll(who *caller) bool {
	return who.may(client.Admin) || who.may(client.Publish) && auth.Can(desk.Role(who.account), auth.AllProblems, auth.State{})
}

// putProblem publishes a bundle as a problem. All blobs of the bundle must have been uploaded.
func (a *api) putProblem(w http.ResponseWriter, r *http.Request, who *caller) error {
	slug := r.PathValue("slug")
	if !client.GoodSlug(slug) {
		return &status{
			http.StatusBadRequest,
			fmt.Sprintf("%.80q is not the name of a problem: small letters, digits, . - and _, 64 at most", slug), "",
		}
	}
	var n client.NewProblem
	if err := errors.Join(read(r, &n), short("title", n.Title)); err != nil {
		return err
	}
	others := &status{http.StatusForbidden, "the problem " + slug + " belongs to another account", "choose another name: --as NAME"}
	known, err := a.Store.Problem(r.Context(), slug)
	if err == nil && !desk.Owns(who.account, known) && !who.may(client.Admin) {
		return others
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	practice, err := practiceOf(n.Practice)
	if err != nil {
		return err
	}
	id, err := a.whole(r.Context(), who, n)
	if err != nil {
		return err
	}
	p, err := a.Store.PutBundle(r.Context(), store.NewBundle{
		Problem: slug, Title: n.Title, Owner: who.account.ID, ID: id, Manifest: n.Manifest, Config: n.Config, Sheet: n.Sheet,
		MadeBy: who.account.ID, Anybodys: who.may(client.Admin), Practice: practice, Candidate: n.Candidate,
	})
	if errors.Is(err, store.ErrNotFound) {
		return &status{
			http.StatusConflict, "a candidate needs an active version, and the server has no problem " + slug, "publish it without --candidate",
		}
	}
	if errors.Is(err, store.ErrTaken) { // a concurrent request created it
		return others
	}
	if err != nil {
		return err
	}
	action := "publish"
	if n.Candidate { // workers fetch the bundle when a rejudging needs it
		action = "publish candidate"
	} else {
		a.Dispatch.Published(job.Bundle{Problem: slug, Manifest: id, Config: n.Config})
	}
	return a.done(w, r, who, action, slug, string(id), client.Problem{Slug: p.Slug, Title: p.Title, Bundle: p.Bundle, Made: p.Made})
}

// practiceOf returns the practice setting of a request, or nil if it has none.
func practiceOf(word string) (*store.PracticeLevel, error) {
	p := store.PracticeLevel(word)
	switch {
	case word == "":
		return nil, nil
	case word == client.PracticeDefault:
		p = ""
	case !slices.Contains(store.PracticeLevels, p):
		return nil, &status{http.StatusBadRequest, fmt.Sprintf("invalid practice %.40q", word), "it is off, verdict, samples, all, or default"}
	}
	return &p, nil
}

// whole returns the id of a bundle if the account has uploaded all its blobs.
func (a *api) whole(ctx context.Context, who *caller, n client.NewProblem) (blob.Digest, error) {
	// piece reads a blob that a request refers to directly.
	piece := func(what string, d blob.Digest, most int64) ([]byte, error) {
		if _, err := blob.Parse(string(d)); err != nil {
			return nil, &judge.Misuse{Err: fmt.Errorf("%s: %w", what, err)}
		}
		sent, err := a.Store.Sent(ctx, who.account.ID, d)
		if err != nil {
			return nil, err
		}
		data, err := a.Blobs.Read(d, most)
		if !sent || errors.Is(err, fs.ErrNotExist) {
			return nil, &status{http.StatusConflict, fmt.Sprintf("the server lacks the blob %.80s: %s", d, what), "send it first"}
		}
		return data, err
	}
	data, err := piece("the manifest", n.Manifest, bundle.MaxManifest)
	if err == nil {
		_, err = piece("the configuration", n.Config, bundle.MaxConfig)
	}
	if err != nil {
		return "", err
	}
	m, err := bundle.ParseManifest("the bundle", data)
	if err != nil {
		return "", err
	}
	for _, e := range m.Blobs() {
		if err := a.Has(ctx, who.account, job.File{Path: e.Path, Size: e.Size, Digest: e.Digest}); err != nil {
			return "", err
		}
	}
	if n.Sheet != "" {
		data, err := piece("the sheet", n.Sheet, client.MaxSheet)
		var sheet *client.Sheet
		if err == nil {
			sheet, err = client.ParseSheet(data)
		}
		if err != nil {
			return "", err
		}
		// Every account that sees the problem can read these files, so they must be in the bundle.
		inBundle := map[blob.Digest]int64{}
		for _, e := range m.Blobs() {
			inBundle[e.Digest] = e.Size
		}
		for _, f := range sheet.Files {
			if size, is := inBundle[f.Digest]; len(f.Data) == 0 && (!is || size != f.Size) {
				return "", &status{
					http.StatusBadRequest, fmt.Sprintf("the sheet names the file %.100q, which the bundle does not have", f.Name),
					"publish it again: judge publish PROBLEM --to URL",
				}
			}
		}
	}
	return m.ID(), nil
}
