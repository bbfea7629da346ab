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
	p := &site{Site: s, feeds: &feed.Registry{Desk: s.Desk}}
	return web.Pages{Templates: templates, Find: access.Find(s), Routes: []web.Route{
		web.Handle("GET /admin/audit", auth.SeeAudit, p.auditPage),
		web.Handle("GET /admin/audit/table.csv", auth.SeeAudit, p.auditTable),
		web.Handle("GET /admin/workers", auth.Machines, p.workers),
		web.Handle("GET /admin/contests/new", auth.Make, p.newContest),
		web.Handle("POST /admin/contests/new", auth.Make, p.makeContest),
		web.Handle("GET /c/{slug}/overview", auth.SeeAll, p.overview),
		web.HandleForm("POST /c/{slug}/start", auth.Change, p.start),
		web.HandleForm("POST /c/{slug}/extend", auth.Change, p.extend),
		web.Handle("GET /c/{slug}/submissions", auth.SeeSite, p.submissions),
		web.Handle("GET /c/{slug}/shadow", auth.SeeAll, p.shadowPage),
		web.HandleForm("POST /c/{slug}/shadow", auth.Conclude, p.acknowledge),
		web.Handle("GET /c/{slug}/finalize", auth.Conclude, p.finalize),
		web.HandleForm("POST /c/{slug}/finalize", auth.Conclude, p.setFinal).Confirmed(),
		web.HandleForm("POST /c/{slug}/awards", auth.Conclude, p.setAwards),
		web.Handle("GET /c/{slug}/award", auth.Conclude, p.award),
		web.HandleForm("POST /c/{slug}/award", auth.Conclude, p.setAward),
		web.HandleForm("POST /c/{slug}/problems/{label}/judging", auth.Conclude, p.setJudging),
		web.Handle("GET /c/{slug}/export", auth.Change, p.export),
		web.Handle("GET /c/{slug}/export/{part}", auth.Change, p.exportPart),
		web.Handle("GET /c/{slug}/media", auth.Change, p.mediaPage),
		web.Handle("POST /c/{slug}/media", auth.Change, p.changeMedia),
		web.Handle("GET /c/{slug}/rejudgings", auth.SeeAll, p.rejudgings),
		web.HandleForm("POST /c/{slug}/rejudgings", auth.Change, p.rejudge),
		web.Handle("GET /c/{slug}/rejudgings/{id}", auth.SeeAll, p.rejudging),
		web.HandleForm("POST /c/{slug}/rejudgings/{id}", auth.Change, p.endRejudging).Confirmed(),
		web.Handle("GET /c/{slug}/edit", auth.Change, p.editContest),
		web.Handle("POST /c/{slug}/edit", auth.Change, p.changeContest),
		web.Handle("GET /c/{slug}/delete", auth.Change, p.askDeleteContest),
		web.HandleForm("POST /c/{slug}/delete", auth.Change, p.deleteContest).Confirmed(),
	}}
}
