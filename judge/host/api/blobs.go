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
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// missingBlobs responds with the requested blobs that the account must upload, because it has not sent them or the
// server lacks them. The other requested blobs are kept as if the account had just sent them.
func (a *api) missingBlobs(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var requested client.Blobs
	if err := readJSON(r, &requested); err != nil {
		return err
	}
	if len(requested.Blobs) > client.MaxBlobs {
		return &status{
			http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the request names %d blobs; the most is %d", len(requested.Blobs), client.MaxBlobs),
			"ask in several requests",
		}
	}
	var digests []blob.Digest
	for _, b := range requested.Blobs {
		if _, err := blob.Parse(string(b.Digest)); err != nil || b.Size < 0 {
			return &status{http.StatusBadRequest, fmt.Sprintf("%.80q with %d bytes is not a blob", b.Digest, b.Size), ""}
		}
		if err := a.checkBlobSize(caller, b.Size); err != nil {
			return err
		}
		digests = append(digests, b.Digest)
	}
	sent, err := a.Store.HasUploadedEach(r.Context(), caller.account.ID, digests)
	if err != nil {
		return err
	}
	lacks := client.Blobs{Blobs: []client.Blob{}}
	for i, b := range requested.Blobs {
		present, err := a.Blobs.Has(b.Digest, b.Size)
		if err != nil {
			return err
		}
		if !sent[i] || !present {
			lacks.Blobs = append(lacks.Blobs, b)
		}
	}
	return writeOK(w, lacks)
}

// checkBlobSize rejects a blob that is too large for the caller.
func (a *api) checkBlobSize(caller *caller, size int64) error {
	limit := a.MaxSize
	if caller.hasScope(client.Publish) {
		limit = max(limit, intake.MaxArchive)
	}
	if size > limit {
		return &status{http.StatusRequestEntityTooLarge, fmt.Sprintf("a file has %d bytes; the most is %d", size, limit), ""}
	}
	return nil
}

func (a *api) putBlob(w http.ResponseWriter, r *http.Request, caller *caller) error {
	d, err := blob.Parse(r.PathValue("digest"))
	if err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	if r.ContentLength < 0 {
		return &status{http.StatusLengthRequired, "the request does not say how long it is", ""}
	}
	if err := errors.Join(a.checkBlobSize(caller, r.ContentLength), a.CheckDisk(intake.MinDiskForUploads)); err != nil {
		return err
	}
	body := &errorReader{r: http.MaxBytesReader(w, r.Body, r.ContentLength)}
	// The server never waits for the client's bytes during a turn, or while it holds the lock against garbage
	// collection.
	sent, err := a.Blobs.Stage(body)
	if err == nil {
		defer sent.Close()
		err = sent.Verify(d, r.ContentLength)
	}
	if err == nil {
		err = a.inSlot(r, caller, func() error {
			a.CollectLock.RLock()
			defer a.CollectLock.RUnlock()
			return a.StoreUpload(r.Context(), caller.account, sent, caller.hasScope(client.Publish))
		})
	}
	switch {
	case errors.Is(err, blob.ErrDamaged):
		return &status{
			http.StatusBadRequest, fmt.Sprintf("the bytes are not those of the blob %s", d),
			"a file changed while it was sent, or the connection damages what it carries: send it again",
		}
	case intake.BodyRefusal(body.err) != nil:
		return intake.BodyRefusal(body.err)
	case body.err != nil:
		return &status{http.StatusBadRequest, "the request ended too early", ""}
	case err != nil:
		return err
	}
	return writeOK(w, struct{}{})
}

// An errorReader is a body that remembers its read error, because the client caused it.
type errorReader struct {
	r   io.Reader
	err error
}

func (b *errorReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// getBlob sends a worker a blob of a job that it was given, or of a bundle that it prepares. An untrusted worker
// gets no blobs of a problem in an open contest. All other blobs are reported as not found.
func (a *api) getBlob(w http.ResponseWriter, r *http.Request, caller *caller) error {
	d, err := blob.Parse(r.PathValue("digest"))
	if err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	claim, err := job.ParseClaim(r.Header.Get(client.ClaimHeader))
	if err != nil {
		return &status{http.StatusBadRequest, err.Error(), ""}
	}
	if allowed, err := a.claimAllows(r.Context(), caller.worker, claim, d); err != nil {
		return err
	} else if !allowed {
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

// claimAllows reports whether a worker's claim is valid and entitles the worker to blob d.
func (a *api) claimAllows(ctx context.Context, w *store.Worker, c job.Claim, d blob.Digest) (bool, error) {
	digests, manifest := []blob.Digest{c.Bundle}, c.Bundle
	if c.Job != "" {
		work, err := a.Store.AssignedWorkFor(ctx, w, c.Job, c.Token)
		if errors.Is(err, store.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		digests, manifest = work.Blobs(), work.Bundle
	} else {
		problems, err := a.Store.ProblemsWithBundle(ctx, c.Bundle)
		if err != nil || len(problems) == 0 {
			return false, err
		}
		for _, p := range problems {
			if w.Untrusted {
				if reserved, err := a.Store.IsReserved(ctx, p.Slug); err != nil || reserved {
					return false, err
				}
			}
			digests = append(digests, p.Config)
		}
	}
	if slices.Contains(digests, d) {
		return true, nil
	}
	inside, err := a.bundles.blobsOf(a.Blobs, manifest)
	return inside[d], err
}

// manifestCache caches the lists of blobs in manifests, which never change.
type manifestCache struct {
	mu       sync.Mutex
	contents map[blob.Digest]map[blob.Digest]bool
	total    int // total
}

// maxNames is the maximum number of cached blob names. If it is exceeded, the cache is cleared.
const maxNames = 300_000

// blobsOf returns the set of blobs that a manifest lists. If the manifest does not exist or is invalid, the set is
// empty.
func (b *manifestCache) blobsOf(blobs *blob.Dir, manifest blob.Digest) (map[blob.Digest]bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cached, found := b.contents[manifest]; found {
		return cached, nil
	}
	data, err := blobs.Read(manifest, bundle.MaxManifest)
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
	digests := map[blob.Digest]bool{}
	for _, e := range m.Blobs() {
		digests[e.Digest] = true
	}
	if b.contents == nil || b.total+len(digests) > maxNames {
		b.contents, b.total = map[blob.Digest]map[blob.Digest]bool{}, 0
	}
	b.contents[manifest] = digests
	b.total += len(digests)
	return digests, nil
}

func (a *api) problems(w http.ResponseWriter, r *http.Request, caller *caller) error {
	rows, err := a.visibleProblems(r, caller)
	if err != nil {
		return err
	}
	problems := []client.Problem{}
	for _, p := range rows {
		if !mayUseAllProblems(caller) && !intake.Owns(caller.account, p) {
			p.Bundle = "" // it identifies secret data
		}
		problems = append(problems, client.Problem{Slug: p.Slug, Title: p.Title, Bundle: p.Bundle, Made: p.Made})
	}
	return writeOK(w, problems)
}

// visibleProblems returns the problems that the caller may see.
func (a *api) visibleProblems(r *http.Request, caller *caller) (all []*store.Problem, err error) {
	rows, err := a.Store.Problems(r.Context())
	if err != nil || mayUseAllProblems(caller) {
		return rows, err
	}
	for _, p := range rows {
		if intake.Owns(caller.account, p) {
			all = append(all, p)
			continue
		}
		sees, err := a.CanSeeProblem(r.Context(), caller.account, p.Slug)
		if err != nil {
			return nil, err
		}
		if sees {
			all = append(all, p)
		}
	}
	return all, nil
}

// mayUseAllProblems reports whether the caller may see and use the problems of all owners. This requires the scope admin, or
// the scope publish together with a role that allows auth.AllProblems.
func mayUseAllProblems(caller *caller) bool {
	return caller.hasScope(client.Admin) ||
		caller.hasScope(client.Publish) && auth.Can(intake.ServerRole(caller.account), auth.AllProblems, auth.State{})
}

// putProblem publishes a bundle as a problem. All blobs of the bundle must have been uploaded.
func (a *api) putProblem(w http.ResponseWriter, r *http.Request, caller *caller) error {
	slug := r.PathValue("slug")
	if !client.ValidSlug(slug) {
		return &status{
			http.StatusBadRequest,
			fmt.Sprintf("%.80q is not the name of a problem: small letters, digits, . - and _, 64 at most", slug), "",
		}
	}
	var n client.NewProblem
	if err := errors.Join(readJSON(r, &n), checkText("title", n.Title)); err != nil {
		return err
	}
	others := &status{http.StatusForbidden, "the problem " + slug + " belongs to another account", "choose another name: --as NAME"}
	existing, err := a.Store.Problem(r.Context(), slug)
	if err == nil && !intake.Owns(caller.account, existing) && !caller.hasScope(client.Admin) {
		return others
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	practice, err := practiceOf(n.Practice)
	if err != nil {
		return err
	}
	id, err := a.checkBundle(r.Context(), caller, n)
	if err != nil {
		return err
	}
	p, err := a.Store.PutBundle(r.Context(), store.NewBundle{
		Problem: slug, Title: n.Title, Owner: caller.account.ID, ID: id, Manifest: n.Manifest, Config: n.Config, ProblemInfo: n.Info,
		MadeBy: caller.account.ID, AnyOwner: caller.hasScope(client.Admin), Practice: practice, Candidate: n.Candidate,
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
		a.Dispatch.WarmAll(job.Bundle{Problem: slug, Manifest: id, Config: n.Config})
	}
	return a.auditAndRespond(
		w, r, caller, action, slug, string(id),
		client.Problem{Slug: p.Slug, Title: p.Title, Bundle: p.Bundle, Made: p.Made},
	)
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
		return nil, &status{
			http.StatusBadRequest, fmt.Sprintf("invalid practice %.40q", word),
			"it is off, verdict, samples, all, or default",
		}
	}
	return &p, nil
}

// checkBundle returns the id of a bundle if the account has uploaded all its blobs.
func (a *api) checkBundle(ctx context.Context, caller *caller, n client.NewProblem) (blob.Digest, error) {
	// piece reads a blob that a request refers to directly.
	readPart := func(noun string, d blob.Digest, limit int64) ([]byte, error) {
		if _, err := blob.Parse(string(d)); err != nil {
			return nil, &judge.UsageError{Err: fmt.Errorf("%s: %w", noun, err)}
		}
		sent, err := a.Store.HasUploaded(ctx, caller.account.ID, d)
		if err != nil {
			return nil, err
		}
		data, err := a.Blobs.Read(d, limit)
		if !sent || errors.Is(err, fs.ErrNotExist) {
			return nil, &status{http.StatusConflict, fmt.Sprintf("the server lacks the blob %.80s: %s", d, noun), "send it first"}
		}
		return data, err
	}
	data, err := readPart("the manifest", n.Manifest, bundle.MaxManifest)
	if err == nil {
		_, err = readPart("the configuration", n.Config, bundle.MaxConfig)
	}
	if err != nil {
		return "", err
	}
	m, err := bundle.ParseManifest("the bundle", data)
	if err != nil {
		return "", err
	}
	for _, e := range m.Blobs() {
		if err := a.CheckUploaded(ctx, caller.account, job.File{Path: e.Path, Size: e.Size, Digest: e.Digest}); err != nil {
			return "", err
		}
	}
	if n.Info != "" {
		data, err := readPart("the sheet", n.Info, client.MaxProblemInfo)
		var info *client.ProblemInfo
		if err == nil {
			info, err = client.ParseProblemInfo(data)
		}
		if err != nil {
			return "", err
		}
		// Every account that sees the problem can read these files, so they must be in the bundle.
		inBundle := map[blob.Digest]int64{}
		for _, e := range m.Blobs() {
			inBundle[e.Digest] = e.Size
		}
		for _, f := range info.Files {
			if size, found := inBundle[f.Digest]; len(f.Data) == 0 && (!found || size != f.Size) {
				return "", &status{
					http.StatusBadRequest, fmt.Sprintf("the sheet names the file %.100q, which the bundle does not have", f.Name),
					"publish it again: judge publish PROBLEM --to URL",
				}
			}
		}
	}
	return m.ID(), nil
}
