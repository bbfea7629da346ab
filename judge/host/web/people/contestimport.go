package people

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/contestpackage"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/media"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

const (
	contestImportPath = "/admin/contests/import"
	// maxUnpacked is the maximum total size in bytes of the files in a contest package.
	maxUnpacked = 1 << 30
	// maxReported is the maximum number of report lines, and of errors, that the page shows.
	maxReported = 2000
)

// maxPackage is the maximum size in bytes of a ZIP archive with a contest package. Tests lower it.
var maxPackage int64 = 256 << 20

// contestImportView is the page that imports a contest package. The first step uploads a package, and the second
// shows the effect of the import.
type contestImportView struct {
	Slug, URL, Username string // as entered
	Package             packageRef
	Plan                *intake.ContestImport // nil before the package is checked, or if it has errors
	Counts              []reportCount
	Lines               []contestpackage.ReportLine // at most maxReported
	More                int                         // number of further lines
	PlanDigest          string
	New                 int // accounts
	Faults              judge.ProblemErrors
	Errors              web.FieldErrors
}

// packageRef refers to an archive that the account has uploaded.
type packageRef struct {
	Name   string // name of the file, or its address
	Digest blob.Digest
	Size   int64
}

// reportCount is how many objects have the same result.
type reportCount struct {
	State string
	N     int
}

// countStates counts the objects of a package by what an import would do with them, such as create or change.
func countStates(p *contestpackage.Plan) []reportCount {
	n := map[contestpackage.Action]int{}
	for _, l := range p.Lines {
		n[l.State]++
	}
	return []reportCount{
		{"added", n[contestpackage.Added]}, {"changed", n[contestpackage.Changed]}, {"unchanged", p.Unchanged},
		{"missing", n[contestpackage.Missing]}, {"skipped", n[contestpackage.Skipped]},
	}
}

// contestImportForm shows the first step.
func (s *site) contestImportForm(w http.ResponseWriter, r *web.Request) error {
	return s.contestImportPage(w, r, http.StatusOK, contestImportView{})
}

func (s *site) contestImportPage(w http.ResponseWriter, r *web.Request, code int, v contestImportView) error {
	title := "Import contest package"
	if code >= 400 {
		title = "Error: " + title
	}
	return s.RenderPage(w, r, code, "contestimport", title, v)
}

// checkContestImport shows the second step: the effect of importing a package. It imports nothing.
func (s *site) checkContestImport(w http.ResponseWriter, r *web.Request) error {
	if err := s.CheckDisk(intake.MinDiskForUploads + max(r.ContentLength, 0)); err != nil {
		return err
	}
	if err := web.ReadMultipart(w, r, maxPackage, "package"); err != nil {
		return err
	}
	v := contestImportView{Slug: r.Field("contest"), URL: r.Field("url"), Username: r.Field("username")}
	archive, err := s.receivePackage(r, &v)
	if err == nil {
		err = s.planContest(r, &v, archive)
	}
	if archive != nil {
		defer archive.Close()
	}
	if err != nil {
		return s.contestImportFailed(w, r, v, err)
	}
	return s.contestImportPage(w, r, http.StatusOK, v)
}

// receivePackage opens the package of a request. The package is a file in the form, is fetched from the address in
// the form, or was uploaded before and is named in the form.
func (s *site) receivePackage(r *web.Request, v *contestImportView) (archive *os.File, err error) {
	switch {
	case r.MultipartForm != nil && len(r.MultipartForm.File["file"]) > 0 && r.MultipartForm.File["file"][0].Filename != "":
		if v.URL != "" {
			return nil, web.BadRequest("Choose a file or enter an address, not both")
		}
		h := r.MultipartForm.File["file"][0]
		file, err := h.Open()
		if err != nil {
			return nil, err
		}
		defer file.Close()
		v.Package.Name = path.Base(strings.ReplaceAll(h.Filename, `\`, "/"))
		if err := s.storePackage(r, v, file); err != nil {
			return nil, err
		}
	case v.URL != "":
		if err := s.fetchPackage(r, v); err != nil {
			return nil, err
		}
	case r.PostFormValue("package") == "":
		return nil, web.BadRequest("Choose a file or enter an address")
	}
	return s.openPackage(r, v)
}

// openPackage opens an uploaded package. If the current request did not upload a package, openPackage opens the
// earlier upload to which the form refers.
func (s *site) openPackage(r *web.Request, v *contestImportView) (*os.File, error) {
	if v.Package.Digest == "" {
		digest, err := blob.Parse(r.PostFormValue("package"))
		size, _ := strconv.ParseInt(r.PostFormValue("size"), 10, 64) // no package has 0 bytes
		p := packageRef{r.PostFormValue("name"), digest, size}
		if err == nil {
			err = s.CheckUploaded(r.Context(), r.Me, job.File{Path: p.Name, Size: p.Size, Digest: p.Digest})
		}
		switch {
		case digest == "" || web.AsRefusal(err) != nil:
			return nil, web.BadRequest("The form is incomplete: choose the package again")
		case err != nil:
			return nil, err
		}
		v.Package = p
	}
	return s.Blobs.Open(v.Package.Digest, v.Package.Size)
}

// storePackage stores the archive of a package, so that the second step imports what the first step showed.
func (s *site) storePackage(r *web.Request, v *contestImportView, data io.Reader) error {
	staged, err := s.Blobs.Stage(data)
	if err != nil {
		return err
	}
	defer staged.Close()
	if staged.Size > maxPackage {
		return &intake.Refusal{
			Code: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("The package is too large: at most %d MiB are possible", maxPackage>>20),
		}
	}
	unlock := s.pinBlobs()
	defer unlock()
	if err := s.StoreUpload(r.Context(), r.Me, staged, false); err != nil {
		return err
	}
	v.Package.Digest, v.Package.Size = staged.Digest, staged.Size
	return nil
}

// pinBlobs prevents garbage collection from removing blobs that are not yet referred to, until unlock is called.
func (s *site) pinBlobs() (unlock func()) {
	if s.CollectLock == nil {
		return func() {}
	}
	s.CollectLock.RLock()
	return s.CollectLock.RUnlock
}

// fetchPackage reads a package from the address in the form, and stores it as an archive.
func (s *site) fetchPackage(r *web.Request, v *contestImportView) error {
	var archive bytes.Buffer
	err := r.Yield(func() error {
		files, err := shadow.FetchWithPassword(
			r.Context(), &store.ExternalSource{URL: v.URL, Login: v.Username}, r.PostFormValue("password"),
		)
		if err != nil {
			return err
		}
		z := zip.NewWriter(&archive)
		addFile := func(name string, data []byte) error {
			f, err := z.Create(name)
			if err == nil {
				_, err = f.Write(data)
			}
			return err
		}
		for name, data := range files.Texts {
			if err := addFile(name, data); err != nil {
				return err
			}
		}
		for _, name := range files.Media {
			data, err := files.Read(name)
			if err == nil {
				err = addFile(name, data)
			}
			if err != nil {
				return err
			}
		}
		return z.Close()
	})
	if faults, isFaults := errors.AsType[judge.ProblemErrors](err); isFaults {
		return faults
	}
	if err != nil {
		return &intake.Refusal{Code: http.StatusBadGateway, Field: "url", Text: "The package cannot be read from its address: " + err.Error()}
	}
	v.Package.Name = v.URL
	return s.storePackage(r, v, &archive)
}

// planContest reads a package and determines the effect of importing it.
func (s *site) planContest(r *web.Request, v *contestImportView, archive *os.File) error {
	files, err := importableFiles(archive, v.Package.Size)
	if err != nil {
		return err
	}
	pictures, err := files.Inspect()
	if err != nil {
		return asUnreadable(err)
	}
	p, err := contestpackage.Read(files.Texts)
	if err != nil {
		return err
	}
	for _, f := range pictures {
		if fault := p.AddMedia(f.Path(), f.Digest, f.Size); fault != nil {
			return judge.ProblemErrors{fault}
		}
	}
	plan, err := s.PlanContest(r.Context(), p, v.Slug, s.Passwords)
	if err != nil {
		return err
	}
	v.Plan, v.Lines, v.Counts = plan, plan.Lines, countStates(plan.Plan)
	if v.More = len(v.Lines) - maxReported; v.More > 0 {
		v.Lines = v.Lines[:maxReported]
	}
	for _, account := range plan.Import.Accounts {
		if account.Account == nil {
			v.New++
		}
	}
	shown, err := json.Marshal([]any{v.Package.Digest, plan.Slug, plan.Lines, plan.Notes})
	sum := sha256.Sum256(shown)
	v.PlanDigest = hex.EncodeToString(sum[:])
	return err
}

// importableFiles returns the files of an archive that can be imported.
func importableFiles(archive io.ReaderAt, size int64) (*contestpackage.Files, error) {
	z, err := zip.NewReader(archive, size)
	if err != nil {
		return nil, web.BadRequest("The file is not a ZIP archive: upload the ZIP archive of a contest package")
	}
	var unpacked uint64
	for _, f := range z.File {
		if unpacked += f.UncompressedSize64; unpacked > maxUnpacked || f.UncompressedSize64 > maxUnpacked {
			return nil, &intake.Refusal{
				Code: http.StatusRequestEntityTooLarge,
				Text: fmt.Sprintf("The files of the package are too large: at most %d MiB are possible", maxUnpacked>>20),
			}
		}
	}
	files, err := contestpackage.Collect(z)
	return files, asUnreadable(err)
}

// asUnreadable converts an error from a damaged archive to a refusal.
func asUnreadable(err error) error {
	var pathErr *fs.PathError
	damaged := errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrChecksum) || errors.Is(err, zip.ErrAlgorithm) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &pathErr)
	if damaged || err != nil && strings.Contains(err.Error(), "flate: corrupt") {
		return web.BadRequest("The ZIP archive is damaged: %s", err)
	}
	return err
}

// contestImportFailed shows the errors of a package.
func (s *site) contestImportFailed(w http.ResponseWriter, r *web.Request, v contestImportView, err error) error {
	v.Plan = nil
	field := "file"
	if v.URL != "" {
		field = "url"
	}
	if faults, isFaults := errors.AsType[judge.ProblemErrors](err); isFaults {
		v.Errors.Add(field, "The package has %s.", web.CountText(len(faults), "error", "errors"))
		v.Faults = faults
		if len(faults) > maxReported {
			v.Faults = faults[:maxReported]
		}
		return s.contestImportPage(w, r, http.StatusBadRequest, v)
	}
	refused, isFaults := errors.AsType[*intake.Refusal](err)
	if !isFaults {
		return err
	}
	v.Errors = web.RefusalErrors(refused, field)
	return s.contestImportPage(w, r, refused.Code, v)
}

// applyContestImport imports a package if the effect is the same as in the preview in the form, and shows the
// login sheets once. Otherwise it shows a new preview.
func (s *site) applyContestImport(w http.ResponseWriter, r *web.Request) error {
	v := contestImportView{Slug: r.Field("contest")}
	archive, err := s.openPackage(r, &v)
	if err != nil {
		return s.contestImportFailed(w, r, v, err)
	}
	defer archive.Close()
	if err := s.planContest(r, &v, archive); err != nil {
		return s.contestImportFailed(w, r, v, err)
	}
	if r.PostFormValue("seen") != v.PlanDigest || v.Plan.Empty() {
		v.Errors.Add("", "The contest or the accounts have changed since the preview. Check the report again.")
		return s.contestImportPage(w, r, http.StatusConflict, v)
	}
	files, err := importableFiles(archive, v.Package.Size)
	if err != nil {
		return err
	}
	read := func(f media.File) ([]byte, error) {
		data, err := files.Read(f.Path())
		if err == nil {
			err = s.StoreBlob(r.Context(), r.Me, data)
		}
		return data, err
	}
	return s.loginSheetsPage(w, r, "Importing the contest", func(ctx context.Context, progress web.Progress) (loginSheetsView, error) {
		sheets, err := s.ImportContest(ctx, v.Plan, r.Me, s.AuditEntry(r, ""), s.Passwords, read, progress)
		if err != nil {
			return loginSheetsView{}, err
		}
		view := s.importedSheets(ctx, v.Plan.Slug, sheets)
		view.Counts = v.Counts
		return view, nil
	})
}

// importedSheets returns the login sheets of an import, with the team and groups of each account. Passwords are
// created only once, so it returns the sheets even if teams cannot be read.
func (s *site) importedSheets(ctx context.Context, slug string, sheets []auth.Credentials) loginSheetsView {
	v := loginSheetsView{FirstStep: "Upload or address", AfterImport: true, Back: "/c/" + slug}
	teams := map[string]*store.Team{} // by username
	if c, err := s.Store.ContestBySlug(ctx, slug); err == nil {
		v.Contest, v.Starts = c.Name, c.Starts
		contestTeams, err1 := s.Store.Teams(ctx, c.ID)
		listed, err2 := s.Store.ContestAccounts(ctx, c.ID)
		if err1 == nil && err2 == nil {
			for _, account := range listed {
				if index := slices.IndexFunc(contestTeams, func(t *store.Team) bool { return t.ExtID == account.Team }); index >= 0 {
					teams[account.Account.Login] = contestTeams[index]
				}
			}
		}
	}
	for _, credentials := range sheets {
		account := loginSheet{Credentials: credentials}
		if team := teams[credentials.Login]; team != nil {
			account.Team, account.Group = team.Name, strings.Join(team.Groups, ", ")
		}
		v.Sheets = append(v.Sheets, account)
	}
	return v
}
