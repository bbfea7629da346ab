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
	numbers web.NumberCache
}

// Pages returns the ladder and tournament pages.
func Pages(s *web.Site) web.Pages {
	p := &site{Site: s}
	return web.Pages{Templates: templates, Find: p.findLadder, Routes: []web.Route{
		web.Handle("GET /ladders", auth.Enter, p.list),
		web.Handle("GET /tournaments", auth.Make, p.arena),
		web.Handle("POST /tournaments", auth.Make, p.holdEvent),
		web.Handle("GET /tournaments/{event}", auth.Make, p.eventPage),
		web.Handle("POST /tournaments/{event}", auth.Make, p.endEvent),
		web.Handle("GET /tournaments/{event}/log", auth.Make, p.eventLog),
		web.Handle("GET /tournaments/{event}/report", auth.Make, p.eventReport),
		web.Handle("GET /admin/ladders/new", auth.Make, p.newLadder),
		web.Handle("POST /admin/ladders/new", auth.Make, p.makeLadder),
		web.Handle("GET /ladder/{ladder}", auth.SeeLadder, p.ladder),
		web.Handle("POST /ladder/{ladder}", auth.EnterBot, p.enterBot),
		web.Handle("GET /ladder/{ladder}/edit", auth.Make, p.editLadder),
		web.Handle("POST /ladder/{ladder}/edit", auth.Make, p.changeLadder),
		web.HandleForm("POST /ladder/{ladder}/delete", auth.Make, p.deleteLadder).Confirmed(),
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
