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
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// slipsView is the page with login sheets, which is shown once.
type slipsView struct {
	Slips    []sheet
	There    []auth.Slip // existing accounts, which keep their passwords
	Address  string
	OnlyHere bool          // no other computer reaches the address
	Contest  string        // name; "" if the sheets are for no contest
	Starts   time.Time     // zero if it has no start time
	Back     string        // path of the list of people
	Imported bool          // they end an import
	First    string        // the first step of this import
	Counts   []reportCount // if the import was that of a contest package: what it did
}

// Pages returns the number of A4 pages that the sheets fill, as text.
func (v slipsView) Pages() string {
	const onPage = 10
	return web.Counted((len(v.Slips)+onPage-1)/onPage, "page", "pages")
}

// A sheet is a login sheet with the user's team.
type sheet struct {
	auth.Slip
	Team, Group string // both may be empty
}

// slipsPage calls create, which creates passwords and takes a while, and then shows the login sheets once. Sheets
// for a contest are sorted by group name, then by name.
func (s *site) slipsPage(w http.ResponseWriter, r *web.Request, doing string,
	create func(context.Context, web.Progress) (slipsView, error)) error {
	return s.WorkPage(w, r, "Login sheets", doing, func(ctx context.Context, progress web.Progress) (web.Drawing, error) {
		v, err := create(ctx, progress)
		s.arrange(r, &v)
		return web.Drawing{Name: "slips", View: v}, err
	})
}

// arrange sorts the login sheets, and adds information about the server and the contest.
func (s *site) arrange(r *web.Request, v *slipsView) {
	slices.SortStableFunc(v.Slips, func(a, b sheet) int {
		return cmp.Or(web.ByText(a.Group, b.Group), web.ByText(a.Name, b.Name))
	})
	v.Address, v.OnlyHere, v.Back = s.URL, s.OnlyHere(), cmp.Or(v.Back, "/admin/accounts")
	if at := access.Of(r); at != nil {
		v.Contest, v.Starts, v.Back = at.Contest.Name, at.Contest.Starts, "/c/"+at.Contest.Slug+"/teams"
	}
}

// newSlipsView is the page that asks for confirmation before contestants get new passwords.
type newSlipsView struct {
	Slug   string
	Teams  int
	Lines  []teamLine // the selected teams; if empty, all
	Errors web.FieldErrors
}

func (s *site) askNewSlips(w http.ResponseWriter, r *web.Request) error {
	return s.newSlipsPage(w, r, http.StatusOK, r.URL.Query(), nil)
}

func (s *site) newSlipsPage(w http.ResponseWriter, r *web.Request, code int, fields url.Values, wrong web.FieldErrors) error {
	all, err := s.teamLines(r)
	if err != nil {
		return err
	}
	v := newSlipsView{Slug: access.Of(r).Contest.Slug, Lines: chosen(all, fields), Teams: len(all), Errors: wrong}
	if len(v.Lines) > 0 {
		v.Teams = len(v.Lines)
	}
	return s.Page(w, r, code, "newslips", "New login sheets", v)
}

// newSlips creates new passwords for the contestants of the selected teams. If none is selected, it creates them
// for all contestants. Disabled accounts keep theirs. It shows the login sheets once.
func (s *site) newSlips(w http.ResponseWriter, r *web.Request) error {
	if r.PostFormValue("sure") == "" {
		return s.newSlipsPage(w, r, http.StatusBadRequest, r.PostForm,
			web.FieldErrors{{Field: "sure", Text: "Select the check box to confirm that the old passwords stop working."}})
	}
	lines, err := s.teamLines(r)
	if err != nil {
		return err
	}
	if len(r.PostForm["t"]) > 0 {
		lines = chosen(lines, r.PostForm)
	}
	var slips []sheet
	var ids []string
	for _, line := range lines {
		for _, a := range line.Members {
			if a.Disabled || a.Kind == store.Tool || desk.Role(a) != auth.Contestant {
				continue
			}
			ids = append(ids, a.ID)
			slips = append(slips, sheet{newSlip(a), line.Name, strings.Join(line.Groups, ", ")})
		}
	}
	if len(slips) == 0 {
		return s.newSlipsPage(w, r, http.StatusConflict, r.PostForm,
			web.FieldErrors{{Text: "No contestant of these teams can get a new password."}})
	}
	return s.setPasswords(w, r, ids, slips, func() error {
		return s.Audit(r, "new passwords", access.Of(r).Contest.Slug, fmt.Sprintf("%d people", len(slips)))
	})
}

// newSlip returns a login sheet with a new password.
func newSlip(a *store.Account) auth.Slip {
	return auth.Slip{Login: a.Login, Name: a.Display, Password: auth.NewPassword()}
}

// setPasswords stores the password of each login sheet in one transaction. The sheet slips[i] belongs to the
// account with the id ids[i]. Then setPasswords calls audit and shows the sheets once.
func (s *site) setPasswords(w http.ResponseWriter, r *web.Request, ids []string, slips []sheet, audit func() error) error {
	return s.slipsPage(w, r, "Creating passwords", func(ctx context.Context, progress web.Progress) (slipsView, error) {
		var passwords []string
		for _, slip := range slips {
			passwords = append(passwords, slip.Password)
		}
		all, err := s.Passwords.HashAll(ctx, passwords, func(n int) { progress(n, len(slips)) })
		if err != nil {
			return slipsView{}, err
		}
		hashes := map[string]string{}
		for i, hash := range all {
			hashes[ids[i]] = hash
		}
		if err := s.Store.SetPasswords(ctx, hashes); err != nil {
			return slipsView{}, err
		}
		return slipsView{Slips: slips}, audit()
	})
}
