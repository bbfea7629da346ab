// Package pages lists the packages of web pages. It also serves the home page, which combines
// parts of several of them, and no other page.
package pages

import (
	"embed"

	"assay/judge/host/auth"
	"assay/judge/host/web"
	"assay/judge/host/web/contest"
	"assay/judge/host/web/hole"
	"assay/judge/host/web/ladder"
	"assay/judge/host/web/people"
	"assay/judge/host/web/problems"
	"assay/judge/host/web/runner"
	"assay/judge/host/web/staff"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// All lists the pages of a server.
var All = []func(*web.Site) web.Pages{
	home, contest.Pages, people.Pages, hole.Pages, ladder.Pages, problems.Pages, runner.Pages, staff.Pages,
}

// home returns the home page.
func home(s *web.Site) web.Pages {
	p := &site{s}
	return web.Pages{Templates: templates, Routes: []web.Route{web.Handle("GET /{$}", auth.UseSite, p.home)}}
}

// site serves the home page.
type site struct{ *web.Site }
