package people

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// loginSheetsView is the page with login sheets, which is shown once.
type loginSheetsView struct {
	Sheets      []loginSheet
	Existing    []auth.Credentials // existing accounts, which keep their passwords
	Address     string
	OnlyHere    bool          // no other computer reaches the address
	Contest     string        // name; "" if the sheets are for no contest
	Starts      time.Time     // zero if it has no start time
	Back        string        // path of the list of people
	AfterImport bool          // they end an import
	FirstStep   string        // the first step of this import
	Counts      []reportCount // if the import was that of a contest package: what it did
}

// Pages returns the number of A4 pages that the sheets fill, as text.
func (v loginSheetsView) Pages() string {
	const onPage = 10
	return web.CountText((len(v.Sheets)+onPage-1)/onPage, "page", "pages")
}

// A loginSheet is a login sheet with the user's team.
type loginSheet struct {
	auth.Credentials
	Team, Group string // both may be empty
}

// loginSheetsPage calls create, which creates passwords and takes a while, and then shows the login sheets once. Sheets
// for a contest are sorted by group name, then by name.
func (s *site) loginSheetsPage(w http.ResponseWriter, r *web.Request, activity string,
	create func(context.Context, web.Progress) (loginSheetsView, error)) error {
	return s.RenderWork(w, r, "Login sheets", activity, func(ctx context.Context, progress web.Progress) (web.PageContent, error) {
		v, err := create(ctx, progress)
		s.prepareSheets(r, &v)
		return web.PageContent{Name: "loginsheets", View: v}, err
	})
}

// prepareSheets sorts the login sheets, and adds information about the server and the contest.
func (s *site) prepareSheets(r *web.Request, v *loginSheetsView) {
	slices.SortStableFunc(v.Sheets, func(a, b loginSheet) int {
		return cmp.Or(web.ByText(a.Group, b.Group), web.ByText(a.Name, b.Name))
	})
	v.Address, v.OnlyHere, v.Back = s.URL, s.IsLoopback(), cmp.Or(v.Back, "/admin/accounts")
	if at := access.Of(r); at != nil {
		v.Contest, v.Starts, v.Back = at.Contest.Name, at.Contest.Starts, "/c/"+at.Contest.Slug+"/teams"
	}
}

// newLoginSheetsView is the page that asks for confirmation before contestants get new passwords.
type newLoginSheetsView struct {
	Slug   string
	Teams  int
	Lines  []teamLine // the selected teams; if empty, all
	Errors web.FieldErrors
}

func (s *site) confirmNewLoginSheets(w http.ResponseWriter, r *web.Request) error {
	return s.newLoginSheetsPage(w, r, http.StatusOK, r.URL.Query(), nil)
}

func (s *site) newLoginSheetsPage(w http.ResponseWriter, r *web.Request, code int, fields url.Values, message web.FieldErrors) error {
	lines, err := s.teamLines(r)
	if err != nil {
		return err
	}
	v := newLoginSheetsView{Slug: access.Of(r).Contest.Slug, Lines: selectedLines(lines, fields), Teams: len(lines), Errors: message}
	if len(v.Lines) > 0 {
		v.Teams = len(v.Lines)
	}
	return s.RenderPage(w, r, code, "newloginsheets", "New login sheets", v)
}

// newLoginSheets creates new passwords for the contestants of the selected teams. If none is selected, it creates them
// for all contestants. Disabled accounts keep theirs. It shows the login sheets once.
func (s *site) newLoginSheets(w http.ResponseWriter, r *web.Request) error {
	if r.PostFormValue("sure") == "" {
		return s.newLoginSheetsPage(w, r, http.StatusBadRequest, r.PostForm,
			web.FieldErrors{{Field: "sure", Text: "Select the check box to confirm that the old passwords stop working."}})
	}
	lines, err := s.teamLines(r)
	if err != nil {
		return err
	}
	if len(r.PostForm["t"]) > 0 {
		lines = selectedLines(lines, r.PostForm)
	}
	var sheets []loginSheet
	var ids []string
	for _, line := range lines {
		for _, a := range line.Members {
			if a.Disabled || a.Kind == store.ToolAccount || intake.ServerRole(a) != auth.Contestant {
				continue
			}
			ids = append(ids, a.ID)
			sheets = append(sheets, loginSheet{newLoginSheet(a), line.Name, strings.Join(line.Groups, ", ")})
		}
	}
	if len(sheets) == 0 {
		return s.newLoginSheetsPage(w, r, http.StatusConflict, r.PostForm,
			web.FieldErrors{{Text: "No contestant of these teams can get a new password."}})
	}
	return s.setPasswords(w, r, ids, sheets, func() error {
		return s.Audit(r, "new passwords", access.Of(r).Contest.Slug, fmt.Sprintf("%d people", len(sheets)))
	})
}

// newLoginSheet returns a login sheet with a new password.
func newLoginSheet(a *store.Account) auth.Credentials {
	return auth.Credentials{Login: a.Login, Name: a.Display, Password: auth.NewPassword()}
}

// setPasswords stores the password of each login sheet in one transaction. The sheet sheets[i] belongs to the
// account with the id ids[i]. Then setPasswords calls audit and shows the sheets once.
func (s *site) setPasswords(w http.ResponseWriter, r *web.Request, ids []string, sheets []loginSheet, audit func() error) error {
	return s.loginSheetsPage(w, r, "Creating passwords", func(ctx context.Context, progress web.Progress) (loginSheetsView, error) {
		var passwords []string
		for _, credentials := range sheets {
			passwords = append(passwords, credentials.Password)
		}
		hashed, err := s.Passwords.HashAll(ctx, passwords, func(n int) { progress(n, len(sheets)) })
		if err != nil {
			return loginSheetsView{}, err
		}
		hashes := map[string]string{}
		for i, hash := range hashed {
			hashes[ids[i]] = hash
		}
		if err := s.Store.SetPasswords(ctx, hashes); err != nil {
			return loginSheetsView{}, err
		}
		return loginSheetsView{Sheets: sheets}, audit()
	})
}
