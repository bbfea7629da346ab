// Package contest serves the contestants' pages of a contest: problems and their files, submissions, the
// scoreboard, and clarifications. It does not judge.
package contest

import (
	"embed"
	"html/template"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// site serves the contest pages.
type site struct {
	*web.Site
	seen clarificationCache
	runs desk.Memo[runKey, template.HTML]
}

// Pages returns the contest pages.
func Pages(s *web.Site) web.Pages {
	p := &site{Site: s}
	return web.Pages{Templates: templates, Find: access.Find(s), Routes: []web.Route{
		web.Handle("GET /c/{slug}", auth.SeeContest, p.contest),
		web.Handle("GET /c/{slug}/media/{path...}", auth.SeeContest, p.media),
		web.Handle("GET /c/{slug}/booklet", auth.SeeProblems, p.booklet),
		web.Handle("GET /c/{slug}/mine", auth.BeMyself, p.mine),
		web.Handle("GET /c/{slug}/print", auth.SeeClar, p.printPage),
		web.Handle("POST /c/{slug}/print", auth.Print, p.print),
		web.Handle("GET /c/{slug}/p/{label}", auth.SeeProblems, p.problem),
		web.Handle("GET /c/{slug}/p/{label}/sample/{file}", auth.SeeProblems, p.sample),
		web.Handle("GET /c/{slug}/p/{label}/file/{name...}", auth.SeeProblems, p.problemFile),
		web.Handle("GET /c/{slug}/p/{label}/files.zip", auth.SeeProblems, p.problemFiles),
		web.Handle("POST /c/{slug}/p/{label}", auth.Submit, p.submit),
		web.Handle("GET /c/{slug}/s/{n}", auth.SeeJudging, p.judging),
		web.Handle("GET /c/{slug}/s/{n}/events", auth.SeeJudging, p.judgingEvents),
		web.Handle("GET /c/{slug}/s/{n}/source/{file}", auth.SeeJudging, p.source),
		web.HandleForm("POST /c/{slug}/s/{n}/override", auth.Decide, p.mark).Confirmed(),
		web.HandleForm("POST /c/{slug}/s/{n}/verify", auth.Decide, p.verify),
		web.Handle("GET /c/{slug}/scoreboard", auth.SeeBoard, p.board),
		web.Handle("GET /c/{slug}/scoreboard/mine", auth.SeeBoard, p.ownRow),
		web.Handle("GET /c/{slug}/scoreboard/events", auth.SeeBoard, p.boardEvents),
		web.Handle("GET /c/{slug}/scoreboard/table.csv", auth.SeeBoard, p.boardTable),
		web.HandleForm("POST /c/{slug}/scoreboard", auth.Conclude, p.changeBoard).Confirmed(),
		web.Handle("GET /c/{slug}/clar", auth.SeeClar, p.clarifications),
		web.HandleForm("POST /c/{slug}/clar", auth.Ask, p.clarify),
		web.Handle("GET /c/{slug}/clar/new", auth.Ask, p.newClarification),
		web.Handle("GET /c/{slug}/clar/replies", auth.Answer, p.replies),
		web.HandleForm("POST /c/{slug}/clar/replies", auth.Answer, p.setReplies),
		web.Handle("GET /c/{slug}/clar/{number}", auth.Answer, p.question),
		web.HandleForm("POST /c/{slug}/clar/{number}", auth.Answer, p.answer),
		web.HandleForm("POST /c/{slug}/clar/{number}/claim", auth.Answer, p.claim),
		web.Handle("GET /c/{slug}/news/events", auth.SeeClar, p.newsEvents),
	}}
}
