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
func (a *api) importContest(w http.ResponseWriter, r *http.Request, who *caller) error {
	var n client.ImportContest
	if err := read(r, &n); err != nil {
		return err
	}
	p, err := contestpackage.Read(n.Files)
	if err != nil {
		return err
	}
	for _, f := range n.Media {
		if err := p.AddMedia(f.Path, f.Digest, f.Size); err != nil {
			return judge.Faults{err}
		}
	}
	plan, err := a.PlanContest(r.Context(), p, n.Contest, a.Passwords)
	if err != nil {
		return err
	}
	report := client.ImportReport{
		Contest: plan.Slug, Lines: []client.ImportLine{}, Unchanged: plan.Unchanged, Notes: plan.Notes, Made: []client.Slip{},
	}
	for _, l := range plan.Lines {
		report.Lines = append(report.Lines, client.ImportLine{State: string(l.State), Kind: l.Kind, ID: l.ID, Note: l.Note})
	}
	if n.DryRun || plan.Empty() {
		return ok(w, report)
	}
	uploaded := func(f media.File) ([]byte, error) {
		if err := a.Has(r.Context(), who.account, job.File{Path: f.Path(), Size: f.Size, Digest: f.Digest}); err != nil {
			return nil, err
		}
		return a.Blobs.Read(f.Digest, f.Size)
	}
	by := store.Entry{Actor: who.name(), Address: r.RemoteAddr}
	made, err := a.ImportContest(r.Context(), plan, who.account, by, a.Passwords, uploaded, func(int, int) {})
	if err != nil {
		return err
	}
	for _, s := range made {
		report.Made = append(report.Made, client.Slip(s))
	}
	return ok(w, report)
}
