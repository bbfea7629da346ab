package api

import (
	"net/http"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/contestpackage"
	"assay/judge/host/job"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// importContest imports a contest package, or reports what the import would do.
func (a *api) importContest(w http.ResponseWriter, r *http.Request, caller *caller) error {
	var n client.ContestImport
	if err := readJSON(r, &n); err != nil {
		return err
	}
	p, err := contestpackage.Read(n.Files)
	if err != nil {
		return err
	}
	for _, f := range n.Media {
		if err := p.AddMedia(f.Path, f.Digest, f.Size); err != nil {
			return judge.ProblemErrors{err}
		}
	}
	plan, err := a.PlanContest(r.Context(), p, n.Contest, a.Passwords)
	if err != nil {
		return err
	}
	report := client.ImportReport{
		Contest: plan.Slug, Lines: []client.ImportLine{}, Unchanged: plan.Unchanged, Notes: plan.Notes, Created: []client.Credentials{},
	}
	for _, l := range plan.Lines {
		report.Lines = append(report.Lines, client.ImportLine{State: string(l.State), Kind: l.Kind, ID: l.ID, Note: l.Note})
	}
	if n.DryRun || plan.Empty() {
		return writeOK(w, report)
	}
	uploaded := func(f media.File) ([]byte, error) {
		if err := a.CheckUploaded(r.Context(), caller.account, job.File{Path: f.Path(), Size: f.Size, Digest: f.Digest}); err != nil {
			return nil, err
		}
		return a.Blobs.Read(f.Digest, f.Size)
	}
	entry := store.AuditEntry{Actor: caller.name(), Address: r.RemoteAddr}
	sheets, err := a.ImportContest(r.Context(), plan, caller.account, entry, a.Passwords, uploaded, func(int, int) {})
	if err != nil {
		return err
	}
	for _, s := range sheets {
		report.Created = append(report.Created, client.Credentials(s))
	}
	return writeOK(w, report)
}
