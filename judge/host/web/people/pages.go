// Package people serves the pages of accounts: setup, login, registration and invitations, the reader's account,
// all accounts, and the teams of a contest with their import. It never shows
// a password again.
package people

import (
	"embed"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// site serves the pages of accounts and teams.
type site struct {
	*web.Site
	registrations desk.Recent // per network: IPv6 gives one machine many addresses
}

// Pages returns the account and team pages.
func Pages(s *web.Site) web.Pages {
	p := &site{Site: s}
	return web.Pages{Templates: templates, Find: access.Find(s), Routes: []web.Route{
		web.Handle("GET /setup", auth.Enter, p.setup),
		web.HandleForm("POST /setup", auth.Enter, p.setUp),
		web.Handle("GET /login", auth.Enter, p.login),
		web.Handle("POST /login", auth.Enter, p.logIn),
		web.Handle("POST /login/address", auth.Enter, p.logInHere),
		web.Handle("GET "+web.SignOnPath, auth.Enter, p.beginSignOn),
		web.Handle("GET "+web.SignOnPath+"/callback", auth.Enter, p.finishSignOn),
		web.Handle("GET "+web.SignOnPath+"/new", auth.Enter, p.newBySignOn),
		web.HandleForm("POST "+web.SignOnPath+"/new", auth.Enter, p.joinBySignOn),
		web.HandleForm("POST "+web.SignOnPath+"/link", auth.Enter, p.linkSignOn),
		web.Handle("POST /logout", auth.Enter, p.logOut),
		web.Handle("GET /invite/{code}", auth.Enter, p.invited),
		web.Handle("POST /invite/{code}", auth.Enter, p.accept),
		web.Handle("GET /register", auth.Enter, p.register),
		web.Handle("POST /register", auth.Enter, p.registerNow),
		web.Handle("GET /account", auth.BeMyself, p.account),
		web.HandleForm("POST /account/password", auth.BeMyself, p.setPassword),
		web.HandleForm("POST /account/tokens", auth.BeMyself, p.newToken).Confirmed(),
		web.Handle("POST /account/tokens/{id}/revoke", auth.BeMyself, p.revokeToken),
		web.Handle("POST /account/sessions/end", auth.BeMyself, p.endSessions),
		web.HandleForm("POST /account/sso/unlink", auth.BeMyself, p.unlinkSignOn).Confirmed(),
		web.Handle("GET /account/erase", auth.BeMyself, p.askErase),
		web.HandleForm("POST /account/erase", auth.BeMyself, p.erase).Confirmed(),
		web.Handle("GET /admin/accounts", auth.Accounts, p.accounts),
		web.Handle("POST /admin/accounts", auth.Accounts, p.importNow).Confirmed(),
		web.Handle("GET /admin/import", auth.Accounts, p.importForm),
		web.Handle("POST /admin/import", auth.Accounts, p.checkImport),
		web.Handle("GET "+contestImportPath, auth.Accounts, p.contestImportForm),
		web.Handle("POST "+contestImportPath, auth.Accounts, p.checkContestImport),
		web.HandleForm("POST "+contestImportPath+"/apply", auth.Accounts, p.applyContestImport).Confirmed(),
		web.HandleForm("POST /admin/accounts-change", auth.Accounts, p.changeAccounts).Confirmed(),
		web.Handle("GET /admin/accounts/{login}", auth.Accounts, p.oneAccount),
		web.HandleForm("POST /admin/accounts/{login}", auth.Accounts, p.setAccount).Confirmed(),
		web.Handle("GET /admin/accounts/{login}/erase", auth.Accounts, p.askErase),
		web.HandleForm("POST /admin/accounts/{login}/erase", auth.Accounts, p.erase).Confirmed(),
		web.Handle("GET /admin/invitations", auth.Accounts, p.invitations),
		web.HandleForm("POST /admin/invitations", auth.Accounts, p.newInvitation),
		web.Handle("POST /admin/invitations/{id}/end", auth.Accounts, p.endInvitation),
		web.Handle("GET /c/{slug}/teams", auth.Change, p.teams),
		web.Handle("POST /c/{slug}/teams", auth.Change, p.importNow),
		web.Handle("GET /c/{slug}/import", auth.Change, p.importForm),
		web.Handle("POST /c/{slug}/import", auth.Change, p.checkImport),
		web.HandleForm("POST /c/{slug}/teams/change", auth.Change, p.changeTeams),
		web.Handle("GET /c/{slug}/teams/edit", auth.Change, p.editTeams),
		web.Handle("POST /c/{slug}/teams/edit", auth.Change, p.saveTeams),
		web.Handle("GET /c/{slug}/teams/remove", auth.Change, p.askRemoveTeams),
		web.HandleForm("POST /c/{slug}/teams/remove", auth.Change, p.removeTeams).Confirmed(),
		web.Handle("GET /c/{slug}/teams/table.csv", auth.Change, p.teamsTable),
		web.Handle("GET /c/{slug}/teams/login-sheets", auth.Accounts, p.askNewSlips),
		web.HandleForm("POST /c/{slug}/teams/login-sheets", auth.Accounts, p.newSlips).Confirmed(),
	}}
}
