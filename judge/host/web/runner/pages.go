// Package runner serves the pages for balloon runners, who carry balloons and prints to the teams of a contest. It
// does not decide which balloons are due; package scoring does.
package runner

import (
	"embed"

	"assay/judge/host/auth"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// site serves the runner pages.
type site struct{ *web.Site }

// Pages returns the runner pages.
func Pages(s *web.Site) web.Pages {
	p := &site{s}
	return web.Pages{Templates: templates, Find: access.Find(s), Routes: []web.Route{
		web.Handle("GET /c/{slug}/balloons", auth.Deliver, p.balloons),
		web.Handle("GET /c/{slug}/balloons/events", auth.Deliver, p.balloonEvents),
		web.Handle("GET /c/{slug}/balloons.csv", auth.Deliver, p.balloonTable),
		web.HandleForm("POST /c/{slug}/balloons", auth.Deliver, p.changeDelivery),
		web.Handle("GET /c/{slug}/prints", auth.Deliver, p.prints),
		web.Handle("GET /c/{slug}/prints/events", auth.Deliver, p.printEvents),
		web.Handle("GET /c/{slug}/prints/{number}", auth.Deliver, p.sheets),
		web.HandleForm("POST /c/{slug}/prints/{number}", auth.Deliver, p.setPrint),
		web.HandleForm("POST /c/{slug}/balloons/freeze", auth.ChangeContest, p.setBalloonsInFreeze),
	}}
}
