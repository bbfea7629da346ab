// Package contest serves the contestants' pages of a contest: problems and their files, submissions, the
// scoreboard, and clarifications. It does not judge.
package contest

import (
	"embed"
	"html/template"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// site serves the contest pages.
type site struct {
	*web.Site
	clarificationNumbers clarificationCache
	judgementHTML        intake.Cache[judgementKey, template.HTML]
}

// Pages returns the contest pages.
func Pages(s *web.Site) web.Pages {
	p := &site{Site: s}
	return web.Pages{Templates: templates, Find: access.Find(s), Routes: []web.Route{
		web.Handle("GET /c/{slug}", auth.SeeContest, p.contest),
		web.Handle("GET /c/{slug}/media/{path...}", auth.SeeContest, p.mediaFile),
		web.Handle("GET /c/{slug}/booklet", auth.SeeProblems, p.booklet),
		web.Handle("GET /c/{slug}/mine", auth.ManageOwnAccount, p.ownSubmissions),
		web.Handle("GET /c/{slug}/print", auth.SeeClarifications, p.printPage),
		web.Handle("POST /c/{slug}/print", auth.Print, p.print),
		web.Handle("GET /c/{slug}/p/{label}", auth.SeeProblems, p.problem),
		web.Handle("GET /c/{slug}/p/{label}/sample/{file}", auth.SeeProblems, p.sample),
		web.Handle("GET /c/{slug}/p/{label}/file/{name...}", auth.SeeProblems, p.problemFile),
		web.Handle("GET /c/{slug}/p/{label}/files.zip", auth.SeeProblems, p.problemFiles),
		web.Handle("POST /c/{slug}/p/{label}", auth.Submit, p.submit),
		web.Handle("GET /c/{slug}/s/{n}", auth.SeeJudgement, p.submission),
		web.Handle("GET /c/{slug}/s/{n}/events", auth.SeeJudgement, p.submissionEvents),
		web.Handle("GET /c/{slug}/s/{n}/source/{file}", auth.SeeJudgement, p.source),
		web.HandleForm("POST /c/{slug}/s/{n}/override", auth.OverrideVerdict, p.overrideVerdict).WithConfirmation(),
		web.HandleForm("POST /c/{slug}/s/{n}/verify", auth.OverrideVerdict, p.verify),
		web.Handle("GET /c/{slug}/scoreboard", auth.SeeScoreboard, p.scoreboard),
		web.Handle("GET /c/{slug}/scoreboard/mine", auth.SeeScoreboard, p.ownRow),
		web.Handle("GET /c/{slug}/scoreboard/events", auth.SeeScoreboard, p.scoreboardEvents),
		web.Handle("GET /c/{slug}/scoreboard/table.csv", auth.SeeScoreboard, p.scoreboardTable),
		web.HandleForm("POST /c/{slug}/scoreboard", auth.Finalize, p.changeScoreboard).WithConfirmation(),
		web.Handle("GET /c/{slug}/clar", auth.SeeClarifications, p.clarifications),
		web.HandleForm("POST /c/{slug}/clar", auth.RequestClarification, p.clarify),
		web.Handle("GET /c/{slug}/clar/new", auth.RequestClarification, p.newClarification),
		web.Handle("GET /c/{slug}/clar/replies", auth.AnswerClarification, p.replies),
		web.HandleForm("POST /c/{slug}/clar/replies", auth.AnswerClarification, p.setReplies),
		web.Handle("GET /c/{slug}/clar/{number}", auth.AnswerClarification, p.clarificationRequestPage),
		web.HandleForm("POST /c/{slug}/clar/{number}", auth.AnswerClarification, p.answerRequest),
		web.HandleForm("POST /c/{slug}/clar/{number}/claim", auth.AnswerClarification, p.claimRequest),
		web.Handle("GET /c/{slug}/news/events", auth.SeeClarifications, p.unreadEvents),
	}}
}
