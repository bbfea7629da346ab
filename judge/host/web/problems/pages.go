// Package problems serves the pages of problem packages: uploads, versions of a problem, and the differences
// between two versions. It opens no archives, because the publisher does that.
package problems

import (
	"embed"

	"assay/judge/host/auth"
	"assay/judge/host/web"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// site serves the pages of problem packages.
type site struct{ *web.Site }

// Pages returns the pages of problem packages.
func Pages(s *web.Site) web.Pages {
	p := &site{Site: s}
	return web.Pages{Templates: templates, Routes: []web.Route{
		web.Handle("GET /problems", auth.ManageContent, p.problems),
		web.Handle("POST /problems", auth.ManageContent, p.uploadPackage),
		web.Handle("GET /problems/uploads/{id}", auth.ManageContent, p.upload),
		web.Handle("GET /problem/{name}", auth.ManageContent, p.versions),
		web.Handle("GET /problem/{name}/compare", auth.ManageContent, p.compare),
	}}
}
