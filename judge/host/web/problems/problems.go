package problems

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"

	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// problemsView is the page of all problems.
type problemsView struct {
	Problems []*store.Problem
	Uploads  []*store.Upload
	Brings   bool // packages can be uploaded
	Name     string
	Errors   web.FieldErrors
}

// mostUploads is the maximum number of uploads that a page lists.
const mostUploads = 30

func (s *site) problems(w http.ResponseWriter, r *web.Request) error {
	return s.problemsPage(w, r, http.StatusOK, problemsView{})
}

func (s *site) problemsPage(w http.ResponseWriter, r *web.Request, code int, v problemsView) (err error) {
	if v.Problems, err = s.Store.Problems(r.Context()); err != nil {
		return err
	}
	if v.Uploads, err = s.Store.Uploads(r.Context(), "", mostUploads); err != nil {
		return err
	}
	v.Brings = s.Uploaded != nil
	return s.Page(w, r, code, "problems", "Problems", v)
}

// uploadPackage stores a package. It opens no archives, because the publisher does that.
func (s *site) uploadPackage(w http.ResponseWriter, r *web.Request) error {
	if s.Uploaded == nil {
		return web.ErrNotFound
	}
	if err := s.HasDisk(desk.RoomForUploads + max(r.ContentLength, 0)); err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, desk.MaxArchive)
	u, file, err := s.readUploadForm(r)
	if file != nil {
		defer file.Close()
	}
	if refusal, is := errors.AsType[*desk.Refusal](err); is {
		return s.problemsPage(w, r, refusal.Code, problemsView{Name: u.Problem, Errors: web.Refused(refusal, "file")})
	}
	if err != nil {
		return err
	}
	known, err := s.Store.Problem(r.Context(), u.Problem)
	if err == nil && !desk.Owns(r.Me, known) && !r.Can(auth.Accounts) {
		return s.problemsPage(w, r, http.StatusForbidden, problemsView{
			Name:   u.Problem,
			Errors: web.FieldErrors{{Field: "name", Text: "The problem " + u.Problem + " belongs to another user. Choose another name."}},
		})
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := s.Store.NoteBlobs(r.Context(), store.Blob{Digest: file.Digest, Size: file.Size, Kind: "archive"}); err != nil {
		return err
	}
	if err := file.Keep(); err != nil {
		return err
	}
	u.Account = r.Me.ID
	if err := s.Store.NewUpload(r.Context(), u); err != nil {
		return err
	}
	if err := s.Audit(r, "bring a package", u.Problem, string(u.Archive)); err != nil {
		return err
	}
	s.Uploaded()
	return web.Redirect(w, r, "/problems/uploads/"+u.ID)
}

// readUploadForm reads the form and stages its file, which must be the last field, while it arrives.
func (s *site) readUploadForm(r *web.Request) (u *store.Upload, file *blob.Staged, err error) {
	u = &store.Upload{}
	err = r.Yield(func() error {
		file, err = s.readUpload(r, u)
		return err
	})
	return u, file, err
}

// readUpload reads the parts of the form.
func (s *site) readUpload(r *web.Request, u *store.Upload) (*blob.Staged, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, web.BadRequest("The form is incomplete. Reload the page and try again.")
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, web.BadRequest("Choose a file: a ZIP archive of a problem package.")
		}
		if err != nil {
			return nil, unread(err)
		}
		switch part.FormName() {
		case "name", "verify":
			text, err := io.ReadAll(io.LimitReader(part, web.SmallForm))
			if err != nil {
				return nil, unread(err)
			}
			if part.FormName() == "name" {
				u.Problem = strings.TrimSpace(string(text))
			} else {
				u.Verify = true
			}
		case "file":
			return s.archive(part, u)
		}
	}
}

// archive stages the file of an upload.
func (s *site) archive(part *multipart.Part, u *store.Upload) (*blob.Staged, error) {
	u.File = path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
	if part.FileName() == "" {
		return nil, web.BadRequest("Choose a file: a ZIP archive of a problem package.")
	}
	if u.Problem == "" {
		u.Problem = strings.ToLower(strings.TrimSuffix(u.File, path.Ext(u.File)))
	}
	if !client.GoodSlug(u.Problem) {
		return nil, web.BadField("name", "%.80q is not a valid problem name. Use at most 64 lower-case letters, digits, dots, "+
			"hyphens and underscores, and begin with a letter or a digit.", u.Problem)
	}
	u.File = strings.ToValidUTF8(u.File[:min(len(u.File), 200)], "")
	var end lastBytes
	file, err := s.Blobs.Stage(io.TeeReader(part, &end))
	if err != nil {
		return nil, unread(err)
	}
	if file.Size == 0 {
		file.Close()
		return nil, web.BadRequest("%s is empty. Choose the ZIP archive of a problem package.", u.File)
	}
	if !bytes.Contains(end, []byte(zipEnd)) {
		file.Close()
		return nil, web.BadRequest("%s is not a complete ZIP archive. Pack the problem directory with zip -r, and choose that file.", u.File)
	}
	u.Archive = file.Digest
	return file, nil
}

// zipEnd is the signature of the record at the end of each ZIP archive. The record has 22 bytes and a comment of
// at most 64 KiB.
const (
	zipEnd     = "PK\x05\x06"
	zipEndSize = 22 + 64<<10
)

// lastBytes keeps the last zipEndSize bytes that are written to it.
type lastBytes []byte

func (l *lastBytes) Write(p []byte) (int, error) {
	*l = append(*l, p...)
	if over := len(*l) - zipEndSize; over > 0 {
		*l = append((*l)[:0], (*l)[over:]...)
	}
	return len(p), nil
}

// unread converts an error from reading a form.
func unread(err error) error {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return &desk.Refusal{
			Code: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("The archive is too large: at most %d MiB are allowed.", desk.MaxArchive>>20),
		}
	}
	if refusal := desk.BodyRefusal(err); refusal != nil {
		return refusal
	}
	return err
}

// uploadView is the page of an uploaded package.
type uploadView struct {
	*store.Upload
	Report string
	Alone  bool // the package is waiting, and no worker is connected
}

// mostReport is the maximum size in bytes of a report that a page shows.
const mostReport = 1 << 20

func (s *site) upload(w http.ResponseWriter, r *web.Request) error {
	u, err := s.Store.Upload(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	v := uploadView{Upload: u}
	if u.Report != "" {
		text, err := s.Blobs.Read(u.Report, mostReport)
		if err != nil {
			return err
		}
		v.Report = strings.ToValidUTF8(string(text), "\uFFFD")
	}
	if v.Alone = u.State == store.UploadWaiting && u.Verify; v.Alone {
		workers, err := s.Store.Workers(r.Context())
		if err != nil {
			return err
		}
		v.Alone = !slices.ContainsFunc(workers, func(one *store.Worker) bool { return s.Dispatch.Presence(one.Name).Connected })
	}
	return s.Page(w, r, http.StatusOK, "upload", "Package for "+u.Problem, v)
}

// versionsView is the page of a problem, with its bundles and uploads.
type versionsView struct {
	*store.Problem
	Versions []store.Version
	Uploads  []*store.Upload
	Contests []*store.Contest
	Practice store.PracticeLevel // what practice shows; disabled while a contest uses the problem
}

func (s *site) versions(w http.ResponseWriter, r *web.Request) error {
	p, err := s.Store.Problem(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	v := versionsView{Problem: p, Practice: s.PracticeOf(p)}
	if v.Versions, err = s.Store.Versions(r.Context(), p); err != nil {
		return err
	}
	if v.Uploads, err = s.Store.Uploads(r.Context(), p.Slug, mostUploads); err != nil {
		return err
	}
	if v.Contests, err = s.Store.ContestsOf(r.Context(), p.Slug); err != nil {
		return err
	}
	return s.Page(w, r, http.StatusOK, "versions", p.Title, v)
}

// compareView lists the differences between two versions.
type compareView struct {
	*store.Problem
	Old, New store.Version
	Changes  []change
	Same     int // files
}

// change is a file that differs.
type change struct {
	Path     string
	What     string // added, removed or changed
	Old, New int64  // bytes
	was, is  blob.Digest
	Lines    []diffLine // difference, if the file is text
	Cut      bool       // the difference is incomplete
}

func (s *site) compare(w http.ResponseWriter, r *web.Request) error {
	p, err := s.Store.Problem(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	all, err := s.Store.Versions(r.Context(), p)
	if err != nil {
		return err
	}
	v := compareView{Problem: p}
	var of [2]*bundle.Manifest
	for i, side := range []struct {
		field string
		to    *store.Version
	}{{"old", &v.Old}, {"new", &v.New}} {
		at := slices.IndexFunc(all, func(one store.Version) bool { return string(one.ID) == r.FormValue(side.field) })
		if at < 0 {
			return web.BadRequest("Choose two versions of %s to compare", p.Slug)
		}
		*side.to = all[at]
		data, err := s.Blobs.Read(all[at].Manifest, bundle.MaxManifest)
		if err == nil {
			of[i], err = bundle.ParseManifest("the bundle "+string(all[at].ID), data)
		}
		if err != nil {
			return err
		}
	}
	v.Changes, v.Same = changes(of[0], of[1])
	s.differ(v.Changes)
	return s.Page(w, r, http.StatusOK, "compare", "Compare versions of "+p.Title, v)
}

// mostDiffered is the maximum number of files that are compared line by line.
const mostDiffered = 50

// differ sets the line differences of changed text files. Files that cannot be read are shown without a
// difference, like binary files.
func (s *site) differ(all []change) {
	n := 0
	for i := range all {
		c := &all[i]
		if c.What != "changed" || c.was == c.is || max(c.Old, c.New) > mostCompared || n == mostDiffered {
			continue
		}
		was, err1 := s.Blobs.Read(c.was, mostCompared)
		is, err2 := s.Blobs.Read(c.is, mostCompared)
		if err := errors.Join(err1, err2); err != nil {
			s.Log.Warn("compare two versions of a file", "path", c.Path, "error", err)
			continue
		}
		if isText(was) && isText(is) {
			n++
			whole := false
			c.Lines, whole = textDiff(string(was), string(is))
			c.Cut = !whole
		}
	}
}

// changes lists the files that differ between two bundles, and counts the files that are the same.
func changes(before, after *bundle.Manifest) (all []change, same int) {
	type file struct {
		digest     blob.Digest
		size       int64
		executable bool
	}
	files := func(m *bundle.Manifest) map[string]file {
		all := map[string]file{m.Frozen.Path: {m.Frozen.Digest, m.Frozen.Size, false}}
		for _, e := range m.Files {
			all[e.Path] = file{e.Digest, e.Size, e.Executable}
		}
		return all
	}
	was, is := files(before), files(after)
	for name, f := range is {
		old, there := was[name]
		switch {
		case !there:
			all = append(all, change{Path: name, What: "added", New: f.size, is: f.digest})
		case old != f:
			all = append(all, change{Path: name, What: "changed", Old: old.size, New: f.size, was: old.digest, is: f.digest})
		default:
			same++
		}
	}
	for name, f := range was {
		if _, there := is[name]; !there {
			all = append(all, change{Path: name, What: "removed", Old: f.size, was: f.digest})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Compare(a.Path, b.Path) })
	return all, same
}
