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
		web.Handle("GET /golf", auth.Enter, p.list),
		web.Handle("GET /admin/holes/new", auth.Make, p.newHole),
		web.Handle("POST /admin/holes/new", auth.Make, p.makeHole),
		web.Handle("GET /hole/{hole}", auth.SeeHole, p.hole),
		web.Handle("POST /hole/{hole}", auth.Golf, p.golf),
		web.Handle("GET /hole/{hole}/{lang}", auth.SeeHole, p.hole),
		web.Handle("POST /hole/{hole}/{lang}", auth.Golf, p.golf),
		web.Handle("GET /hole/{hole}/edit", auth.Make, p.editHole),
		web.Handle("POST /hole/{hole}/edit", auth.Make, p.changeHole),
		web.Handle("GET /hole/{hole}/recheck", auth.Make, p.askRecheck),
		web.HandleForm("POST /hole/{hole}/recheck", auth.Make, p.recheck),
		web.HandleForm("POST /hole/{hole}/delete", auth.Make, p.deleteHole).Confirmed(),
		web.Handle("GET /hole/{hole}/scoreboard.csv", auth.SeeHole, p.holeTable),
		web.Handle("GET /hole/{hole}/scoreboard.json", auth.SeeHole, p.holeJSON),
		web.Handle("GET /hole/{hole}/feed.json", auth.SeeHole, p.holeFeed),
		web.Handle("GET /hole/{hole}/feed.atom", auth.SeeHole, p.holeFeed),
		web.Handle("GET /hole/{hole}/file/{name...}", auth.SeeHole, p.holeFile),
		web.Handle("GET /hole/{hole}/s/{answer}/badge.svg", auth.SeeHole, p.answerBadge),
		web.Handle("GET /hole/{hole}/s/{answer}", auth.SeeAnswer, p.answerPage),
		web.Handle("GET /hole/{hole}/s/{answer}/events", auth.SeeAnswer, p.answerEvents),
		web.Handle("GET /hole/{hole}/s/{answer}/source", auth.SeeAnswer, p.answerSource),
	}}
}
