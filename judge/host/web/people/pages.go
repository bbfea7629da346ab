// Package people serves the pages of accounts: setup, login, registration and invitations, the reader's account,
// all accounts, and the teams of a contest with their import. It never shows
// a password again.
package people

import (
	"embed"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

//go:embed templates
var files embed.FS

var templates = web.NewTemplates(files)

// site serves the pages of accounts and teams.
type site struct {
	*web.Site
	registrations intake.RateCounter // per network: IPv6 gives one machine many addresses
}

// Pages returns the account and team pages.
func Pages(s *web.Site) web.Pages {
	p := &site{Site: s}
	return web.Pages{Templates: templates, Find: access.Find(s), Routes: []web.Route{
		web.Handle("GET /setup", auth.UseSite, p.setup),
		web.HandleForm("POST /setup", auth.UseSite, p.completeSetup),
		web.Handle("GET /login", auth.UseSite, p.loginForm),
		web.Handle("POST /login", auth.UseSite, p.logIn),
		web.Handle("POST /login/address", auth.UseSite, p.logInByAddress),
		web.Handle("GET "+web.SignOnPath, auth.UseSite, p.beginSignOn),
		web.Handle("GET "+web.SignOnPath+"/callback", auth.UseSite, p.finishSignOn),
		web.Handle("GET "+web.SignOnPath+"/new", auth.UseSite, p.newBySignOn),
		web.HandleForm("POST "+web.SignOnPath+"/new", auth.UseSite, p.joinBySignOn),
		web.HandleForm("POST "+web.SignOnPath+"/link", auth.UseSite, p.linkSignOn),
		web.Handle("POST /logout", auth.UseSite, p.logOut),
		web.Handle("GET /invite/{code}", auth.UseSite, p.invitationPage),
		web.Handle("POST /invite/{code}", auth.UseSite, p.acceptInvitation),
		web.Handle("GET /register", auth.UseSite, p.register),
		web.Handle("POST /register", auth.UseSite, p.registerAccount),
		web.Handle("GET /account", auth.ManageOwnAccount, p.account),
		web.HandleForm("POST /account/password", auth.ManageOwnAccount, p.setPassword),
		web.HandleForm("POST /account/tokens", auth.ManageOwnAccount, p.newToken).WithConfirmation(),
		web.Handle("POST /account/tokens/{id}/revoke", auth.ManageOwnAccount, p.revokeToken),
		web.Handle("POST /account/sessions/end", auth.ManageOwnAccount, p.endSessions),
		web.HandleForm("POST /account/sso/unlink", auth.ManageOwnAccount, p.unlinkSignOn).WithConfirmation(),
		web.Handle("GET /account/erase", auth.ManageOwnAccount, p.confirmErase),
		web.HandleForm("POST /account/erase", auth.ManageOwnAccount, p.erase).WithConfirmation(),
		web.Handle("GET /admin/accounts", auth.ManageAccounts, p.accounts),
		web.Handle("POST /admin/accounts", auth.ManageAccounts, p.applyImport).WithConfirmation(),
		web.Handle("GET /admin/import", auth.ManageAccounts, p.importForm),
		web.Handle("POST /admin/import", auth.ManageAccounts, p.checkImport),
		web.Handle("GET "+contestImportPath, auth.ManageAccounts, p.contestImportForm),
		web.Handle("POST "+contestImportPath, auth.ManageAccounts, p.checkContestImport),
		web.HandleForm("POST "+contestImportPath+"/apply", auth.ManageAccounts, p.applyContestImport).WithConfirmation(),
		web.HandleForm("POST /admin/accounts-change", auth.ManageAccounts, p.changeAccounts).WithConfirmation(),
		web.Handle("GET /admin/accounts/{login}", auth.ManageAccounts, p.oneAccount),
		web.HandleForm("POST /admin/accounts/{login}", auth.ManageAccounts, p.setAccount).WithConfirmation(),
		web.Handle("GET /admin/accounts/{login}/erase", auth.ManageAccounts, p.confirmErase),
		web.HandleForm("POST /admin/accounts/{login}/erase", auth.ManageAccounts, p.erase).WithConfirmation(),
		web.Handle("GET /admin/invitations", auth.ManageAccounts, p.invitations),
		web.HandleForm("POST /admin/invitations", auth.ManageAccounts, p.newInvitation),
		web.Handle("POST /admin/invitations/{id}/end", auth.ManageAccounts, p.revokeInvitation),
		web.Handle("GET /c/{slug}/teams", auth.ChangeContest, p.teams),
		web.Handle("POST /c/{slug}/teams", auth.ChangeContest, p.applyImport),
		web.Handle("GET /c/{slug}/import", auth.ChangeContest, p.importForm),
		web.Handle("POST /c/{slug}/import", auth.ChangeContest, p.checkImport),
		web.HandleForm("POST /c/{slug}/teams/change", auth.ChangeContest, p.changeTeams),
		web.Handle("GET /c/{slug}/teams/edit", auth.ChangeContest, p.editTeams),
		web.Handle("POST /c/{slug}/teams/edit", auth.ChangeContest, p.saveTeams),
		web.Handle("GET /c/{slug}/teams/remove", auth.ChangeContest, p.confirmRemoveTeams),
		web.HandleForm("POST /c/{slug}/teams/remove", auth.ChangeContest, p.removeTeams).WithConfirmation(),
		web.Handle("GET /c/{slug}/teams/table.csv", auth.ChangeContest, p.teamsTable),
		web.Handle("GET /c/{slug}/teams/login-sheets", auth.ManageAccounts, p.confirmNewLoginSheets),
		web.HandleForm("POST /c/{slug}/teams/login-sheets", auth.ManageAccounts, p.newLoginSheets).WithConfirmation(),
	}}
}
