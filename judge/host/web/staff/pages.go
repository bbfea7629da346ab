// Package staff serves the pages for the jury of a contest (settings, submissions, rejudgings, final results) and
// for server administrators (workers, audit log). It does not compute scores.
package staff

import (
	"embed"

	"assay/judge/host/auth"
	"assay/judge/host/feed"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// site serves the jury and server pages.
type site struct {
	*web.Site
	feeds *feed.Registry
}

// Pages returns the jury and server pages.
func Pages(s *web.Site) web.Pages {
	p := &site{Site: s, feeds: &feed.Registry{Intake: s.Service}}
	return web.Pages{Templates: templates, Find: access.Find(s), Routes: []web.Route{
		web.Handle("GET /admin/audit", auth.SeeAudit, p.auditPage),
		web.Handle("GET /admin/audit/table.csv", auth.SeeAudit, p.auditTable),
		web.Handle("GET /admin/workers", auth.SeeWorkers, p.workers),
		web.Handle("GET /admin/contests/new", auth.ManageContent, p.newContest),
		web.Handle("POST /admin/contests/new", auth.ManageContent, p.createContest),
		web.Handle("GET /c/{slug}/overview", auth.SeeAll, p.overview),
		web.HandleForm("POST /c/{slug}/start", auth.ChangeContest, p.startContest),
		web.HandleForm("POST /c/{slug}/extend", auth.ChangeContest, p.extendContest),
		web.Handle("GET /c/{slug}/submissions", auth.SeeSite, p.submissions),
		web.Handle("GET /c/{slug}/shadow", auth.SeeAll, p.shadowPage),
		web.HandleForm("POST /c/{slug}/shadow", auth.Finalize, p.acknowledge),
		web.Handle("GET /c/{slug}/finalize", auth.Finalize, p.finalize),
		web.HandleForm("POST /c/{slug}/finalize", auth.Finalize, p.finalizeOrReopen).WithConfirmation(),
		web.HandleForm("POST /c/{slug}/awards", auth.Finalize, p.setAwards),
		web.Handle("GET /c/{slug}/award", auth.Finalize, p.award),
		web.HandleForm("POST /c/{slug}/award", auth.Finalize, p.setAward),
		web.HandleForm("POST /c/{slug}/problems/{label}/judging", auth.Finalize, p.setProblemSettings),
		web.Handle("GET /c/{slug}/export", auth.ChangeContest, p.export),
		web.Handle("GET /c/{slug}/export/{part}", auth.ChangeContest, p.exportPart),
		web.Handle("GET /c/{slug}/media", auth.ChangeContest, p.mediaPage),
		web.Handle("POST /c/{slug}/media", auth.ChangeContest, p.changeMedia),
		web.Handle("GET /c/{slug}/rejudgings", auth.SeeAll, p.rejudgings),
		web.HandleForm("POST /c/{slug}/rejudgings", auth.ChangeContest, p.rejudge),
		web.Handle("GET /c/{slug}/rejudgings/{id}", auth.SeeAll, p.rejudgingPage),
		web.HandleForm("POST /c/{slug}/rejudgings/{id}", auth.ChangeContest, p.endRejudging).WithConfirmation(),
		web.Handle("GET /c/{slug}/edit", auth.ChangeContest, p.settingsForm),
		web.Handle("POST /c/{slug}/edit", auth.ChangeContest, p.changeContest),
		web.Handle("GET /c/{slug}/delete", auth.ChangeContest, p.confirmDeleteContest),
		web.HandleForm("POST /c/{slug}/delete", auth.ChangeContest, p.deleteContest).WithConfirmation(),
	}}
}
