// Package ladder serves the pages of ladders, their bots and encounters, and of tournaments. It does not run
// games.
package ladder

import (
	"embed"

	"assay/judge/host/auth"
	"assay/judge/host/web"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// site serves the pages of ladders and tournaments.
type site struct {
	*web.Site
	eventNumbers web.NumberCache
}

// Pages returns the ladder and tournament pages.
func Pages(s *web.Site) web.Pages {
	p := &site{Site: s}
	return web.Pages{Templates: templates, Find: p.findLadder, Routes: []web.Route{
		web.Handle("GET /ladders", auth.UseSite, p.list),
		web.Handle("GET /tournaments", auth.ManageContent, p.arena),
		web.Handle("POST /tournaments", auth.ManageContent, p.startTournament),
		web.Handle("GET /tournaments/{event}", auth.ManageContent, p.tournamentPage),
		web.Handle("POST /tournaments/{event}", auth.ManageContent, p.stopTournament),
		web.Handle("GET /tournaments/{event}/log", auth.ManageContent, p.tournamentLog),
		web.Handle("GET /tournaments/{event}/report", auth.ManageContent, p.tournamentReport),
		web.Handle("GET /admin/ladders/new", auth.ManageContent, p.newLadder),
		web.Handle("POST /admin/ladders/new", auth.ManageContent, p.createLadder),
		web.Handle("GET /ladder/{ladder}", auth.SeeLadder, p.ladder),
		web.Handle("POST /ladder/{ladder}", auth.EnterBot, p.submitBot),
		web.Handle("GET /ladder/{ladder}/edit", auth.ManageContent, p.ladderSettingsForm),
		web.Handle("POST /ladder/{ladder}/edit", auth.ManageContent, p.changeLadder),
		web.HandleForm("POST /ladder/{ladder}/delete", auth.ManageContent, p.deleteLadder).WithConfirmation(),
		web.Handle("GET /ladder/{ladder}/table/events", auth.SeeLadder, p.ladderEvents),
		web.Handle("GET /ladder/{ladder}/games.jsonl", auth.SeeLadder, p.ladderGames),
		web.Handle("GET /ladder/{ladder}/feed.json", auth.SeeLadder, p.ladderFeed),
		web.Handle("GET /ladder/{ladder}/feed.atom", auth.SeeLadder, p.ladderFeed),
		web.Handle("GET /ladder/{ladder}/bot/{bot}", auth.SeeLadder, p.bot),
		web.HandleForm("POST /ladder/{ladder}/bot/{bot}", auth.SeeBot, p.changeBot),
		web.Handle("GET /ladder/{ladder}/bot/{bot}/badge.svg", auth.SeeLadder, p.botBadge),
		web.Handle("GET /ladder/{ladder}/bot/{bot}/source/{file}", auth.SeeBot, p.botSource),
		web.Handle("GET /ladder/{ladder}/e/{encounter}", auth.SeeLadder, p.encounter),
		web.Handle("GET /ladder/{ladder}/e/{encounter}/replay", auth.SeeLadder, p.replay),
	}}
}
