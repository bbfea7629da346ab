// Package hole serves the pages of holes: the statement, rankings, golf submissions with their checks, feeds, and
// the form that creates or changes a hole. It does not check submissions.
package hole

import (
	"embed"

	"assay/judge/host/auth"
	"assay/judge/host/web"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// site serves the hole pages.
type site struct{ *web.Site }

// Pages returns the hole pages.
func Pages(s *web.Site) web.Pages {
	p := &site{Site: s}
	return web.Pages{Templates: templates, Find: p.findHole, Routes: []web.Route{
		web.Handle("GET /golf", auth.UseSite, p.list),
		web.Handle("GET /admin/holes/new", auth.ManageContent, p.newHole),
		web.Handle("POST /admin/holes/new", auth.ManageContent, p.createHole),
		web.Handle("GET /hole/{hole}", auth.SeeHole, p.hole),
		web.Handle("POST /hole/{hole}", auth.SubmitGolf, p.submit),
		web.Handle("GET /hole/{hole}/{lang}", auth.SeeHole, p.hole),
		web.Handle("POST /hole/{hole}/{lang}", auth.SubmitGolf, p.submit),
		web.Handle("GET /hole/{hole}/edit", auth.ManageContent, p.holeSettings),
		web.Handle("POST /hole/{hole}/edit", auth.ManageContent, p.changeHole),
		web.Handle("GET /hole/{hole}/recheck", auth.ManageContent, p.confirmRecheck),
		web.HandleForm("POST /hole/{hole}/recheck", auth.ManageContent, p.recheck),
		web.HandleForm("POST /hole/{hole}/delete", auth.ManageContent, p.deleteHole).WithConfirmation(),
		web.Handle("GET /hole/{hole}/scoreboard.csv", auth.SeeHole, p.holeTable),
		web.Handle("GET /hole/{hole}/scoreboard.json", auth.SeeHole, p.holeJSON),
		web.Handle("GET /hole/{hole}/feed.json", auth.SeeHole, p.holeFeed),
		web.Handle("GET /hole/{hole}/feed.atom", auth.SeeHole, p.holeFeed),
		web.Handle("GET /hole/{hole}/file/{name...}", auth.SeeHole, p.holeFile),
		web.Handle("GET /hole/{hole}/s/{answer}/badge.svg", auth.SeeHole, p.submissionBadge),
		web.Handle("GET /hole/{hole}/s/{answer}", auth.SeeGolfSubmission, p.submissionPage),
		web.Handle("GET /hole/{hole}/s/{answer}/events", auth.SeeGolfSubmission, p.submissionEvents),
		web.Handle("GET /hole/{hole}/s/{answer}/source", auth.SeeGolfSubmission, p.submissionSource),
	}}
}
