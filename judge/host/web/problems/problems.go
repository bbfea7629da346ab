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
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// problemsView is the page of all problems.
type problemsView struct {
	Problems  []*store.Problem
	Uploads   []*store.Upload
	CanUpload bool // packages can be uploaded
	Name      string
	Errors    web.FieldErrors
}

// maxUploads is the maximum number of uploads that a page lists.
const maxUploads = 30

func (s *site) problems(w http.ResponseWriter, r *web.Request) error {
	return s.problemsPage(w, r, http.StatusOK, problemsView{})
}

func (s *site) problemsPage(w http.ResponseWriter, r *web.Request, code int, v problemsView) (err error) {
	if v.Problems, err = s.Store.Problems(r.Context()); err != nil {
		return err
	}
	if v.Uploads, err = s.Store.Uploads(r.Context(), "", maxUploads); err != nil {
		return err
	}
	v.CanUpload = s.OnUpload != nil
	return s.RenderPage(w, r, code, "problems", "Problems", v)
}

// uploadPackage stores a package. It opens no archives, because the publisher does that.
func (s *site) uploadPackage(w http.ResponseWriter, r *web.Request) error {
	if s.OnUpload == nil {
		return web.ErrNotFound
	}
	if err := s.CheckDisk(intake.MinDiskForUploads + max(r.ContentLength, 0)); err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, intake.MaxArchive)
	u, file, err := s.readUploadForm(r)
	if file != nil {
		defer file.Close()
	}
	if refusal, is := errors.AsType[*intake.Refusal](err); is {
		return s.problemsPage(w, r, refusal.Code, problemsView{Name: u.Problem, Errors: web.RefusalErrors(refusal, "file")})
	}
	if err != nil {
		return err
	}
	known, err := s.Store.Problem(r.Context(), u.Problem)
	if err == nil && !intake.Owns(r.Me, known) && !r.Can(auth.ManageAccounts) {
		return s.problemsPage(w, r, http.StatusForbidden, problemsView{
			Name:   u.Problem,
			Errors: web.FieldErrors{{Field: "name", Text: "The problem " + u.Problem + " belongs to another user. Choose another name."}},
		})
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err := s.Store.RecordBlobs(r.Context(), store.Blob{Digest: file.Digest, Size: file.Size, Kind: "archive"}); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	u.Account = r.Me.ID
	if err := s.Store.NewUpload(r.Context(), u); err != nil {
		return err
	}
	if err := s.Audit(r, "bring a package", u.Problem, string(u.Archive)); err != nil {
		return err
	}
	s.OnUpload()
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
			return nil, readError(err)
		}
		switch part.FormName() {
		case "name", "verify":
			text, err := io.ReadAll(io.LimitReader(part, web.MaxSmallForm))
			if err != nil {
				return nil, readError(err)
			}
			if part.FormName() == "name" {
				u.Problem = strings.TrimSpace(string(text))
			} else {
				u.Verify = true
			}
		case "file":
			return s.stageArchive(part, u)
		}
	}
}

// stageArchive stages the file of an upload.
func (s *site) stageArchive(part *multipart.Part, u *store.Upload) (*blob.Staged, error) {
	u.File = path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
	if part.FileName() == "" {
		return nil, web.BadRequest("Choose a file: a ZIP archive of a problem package.")
	}
	if u.Problem == "" {
		u.Problem = strings.ToLower(strings.TrimSuffix(u.File, path.Ext(u.File)))
	}
	if !client.ValidSlug(u.Problem) {
		return nil, web.BadField("name", "%.80q is not a valid problem name. Use at most 64 lower-case letters, digits, dots, "+
			"hyphens and underscores, and begin with a letter or a digit.", u.Problem)
	}
	u.File = strings.ToValidUTF8(u.File[:min(len(u.File), 200)], "")
	var end lastBytes
	file, err := s.Blobs.Stage(io.TeeReader(part, &end))
	if err != nil {
		return nil, readError(err)
	}
	if file.Size == 0 {
		file.Close()
		return nil, web.BadRequest("%s is empty. Choose the ZIP archive of a problem package.", u.File)
	}
	if !bytes.Contains(end, []byte(zipEndSignature)) {
		file.Close()
		return nil, web.BadRequest(
			"%s is not a complete ZIP archive. Pack the problem directory with zip -r, and choose that file.", u.File,
		)
	}
	u.Archive = file.Digest
	return file, nil
}

// zipEndSignature is the signature of the record at the end of each ZIP archive. The record has 22 bytes and a comment of
// at most 64 KiB.
const (
	zipEndSignature = "PK\x05\x06"
	zipEndSize      = 22 + 64<<10
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

// readError converts an error from reading a form.
func readError(err error) error {
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return &intake.Refusal{
			Code: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("The archive is too large: at most %d MiB are allowed.", intake.MaxArchive>>20),
		}
	}
	if refusal := intake.BodyRefusal(err); refusal != nil {
		return refusal
	}
	return err
}

// uploadView is the page of an uploaded package.
type uploadView struct {
	*store.Upload
	Report   string
	NoWorker bool // the package is waiting, and no worker is connected
}

// maxReportSize is the maximum size in bytes of a report that a page shows.
const maxReportSize = 1 << 20

func (s *site) upload(w http.ResponseWriter, r *web.Request) error {
	u, err := s.Store.Upload(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	v := uploadView{Upload: u}
	if u.Report != "" {
		text, err := s.Blobs.Read(u.Report, maxReportSize)
		if err != nil {
			return err
		}
		v.Report = strings.ToValidUTF8(string(text), "\uFFFD")
	}
	if v.NoWorker = u.State == store.UploadWaiting && u.Verify; v.NoWorker {
		workers, err := s.Store.Workers(r.Context())
		if err != nil {
			return err
		}
		v.NoWorker = !slices.ContainsFunc(workers, func(one *store.Worker) bool { return s.Dispatch.WorkerStatus(one.Name).Connected })
	}
	return s.RenderPage(w, r, http.StatusOK, "upload", "Package for "+u.Problem, v)
}

// versionsView is the page of a problem, with its bundles and uploads.
type versionsView struct {
	*store.Problem
	Versions []store.BundleVersion
	Uploads  []*store.Upload
	Contests []*store.Contest
	Practice store.PracticeLevel // what practice shows; disabled while a contest uses the problem
}

func (s *site) versions(w http.ResponseWriter, r *web.Request) error {
	p, err := s.Store.Problem(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	v := versionsView{Problem: p, Practice: s.DefaultPractice(p)}
	if v.Versions, err = s.Store.BundleVersions(r.Context(), p); err != nil {
		return err
	}
	if v.Uploads, err = s.Store.Uploads(r.Context(), p.Slug, maxUploads); err != nil {
		return err
	}
	if v.Contests, err = s.Store.ContestsWithProblem(r.Context(), p.Slug); err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "versions", p.Title, v)
}

// compareView lists the differences between two versions.
type compareView struct {
	*store.Problem
	Old, New store.BundleVersion
	Changes  []change
	Same     int // files
}

// change is a file that differs.
type change struct {
	Path                 string
	Kind                 string // added, removed or changed
	Old, New             int64  // bytes
	oldDigest, newDigest blob.Digest
	Lines                []diffLine // difference, if the file is text
	Cut                  bool       // the difference is incomplete
}

func (s *site) compare(w http.ResponseWriter, r *web.Request) error {
	p, err := s.Store.Problem(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	all, err := s.Store.BundleVersions(r.Context(), p)
	if err != nil {
		return err
	}
	v := compareView{Problem: p}
	var of [2]*bundle.Manifest
	for i, side := range []struct {
		field string
		to    *store.BundleVersion
	}{{"old", &v.Old}, {"new", &v.New}} {
		at := slices.IndexFunc(all, func(one store.BundleVersion) bool { return string(one.ID) == r.FormValue(side.field) })
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
	v.Changes, v.Same = changedFiles(of[0], of[1])
	s.addLineDiffs(v.Changes)
	return s.RenderPage(w, r, http.StatusOK, "compare", "Compare versions of "+p.Title, v)
}

// maxFileDiffs is the maximum number of files that are compared line by line.
const maxFileDiffs = 50

// addLineDiffs sets the line differences of changed text files. Files that cannot be read are shown without a
// difference, like binary files.
func (s *site) addLineDiffs(changed []change) {
	n := 0
	for i := range changed {
		c := &changed[i]
		if c.Kind != "changed" || c.oldDigest == c.newDigest || max(c.Old, c.New) > maxCompared || n == maxFileDiffs {
			continue
		}
		was, err1 := s.Blobs.Read(c.oldDigest, maxCompared)
		is, err2 := s.Blobs.Read(c.newDigest, maxCompared)
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

// changedFiles lists the files that differ between two bundles, and counts the files that are the same.
func changedFiles(before, after *bundle.Manifest) (changed []change, same int) {
	type file struct {
		digest     blob.Digest
		size       int64
		executable bool
	}
	files := func(m *bundle.Manifest) map[string]file {
		changed := map[string]file{m.Findings.Path: {m.Findings.Digest, m.Findings.Size, false}}
		for _, e := range m.Files {
			changed[e.Path] = file{e.Digest, e.Size, e.Executable}
		}
		return changed
	}
	was, is := files(before), files(after)
	for name, f := range is {
		old, there := was[name]
		switch {
		case !there:
			changed = append(changed, change{Path: name, Kind: "added", New: f.size, newDigest: f.digest})
		case old != f:
			changed = append(
				changed,
				change{Path: name, Kind: "changed", Old: old.size, New: f.size, oldDigest: old.digest, newDigest: f.digest},
			)
		default:
			same++
		}
	}
	for name, f := range was {
		if _, there := is[name]; !there {
			changed = append(changed, change{Path: name, Kind: "removed", Old: f.size, oldDigest: f.digest})
		}
	}
	slices.SortFunc(changed, func(a, b change) int { return cmp.Compare(a.Path, b.Path) })
	return changed, same
}
