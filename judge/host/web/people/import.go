package people

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/roster"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// importView is the page that imports a list of people: into a contest, or as accounts. Its first step
// takes a list, its second shows what the import would do.
type importView struct {
	Back, Check, Create string // paths: of the page that lists the people, of the two forms
	InContest           bool
	Roles               []auth.Role
	Contests            []*store.Contest
	Role, Contest       string // that are chosen; Contest is a slug
	List                string
	File                string // name of the file with the list
	Plan                *auth.Plan
	Skip                bool // rows with errors are left out
	Wrong, Hint         string
}

// Errors returns the rows that cannot be imported.
func (v importView) Errors() (all []roster.Planned) {
	for _, r := range v.Plan.Rows {
		if r.State == roster.Wrong {
			all = append(all, r)
		}
	}
	return all
}

// People returns how many people the second form imports.
func (v importView) People() int { return v.Plan.New + v.Plan.Existing }

// Enters reports whether the people take part in a contest.
func (v importView) Enters() bool { return v.InContest || v.Contest != "" }

// Emails reports whether a row has an e-mail address.
func (v importView) Emails() bool {
	for _, r := range v.Plan.Rows {
		if r.Email != "" {
			return true
		}
	}
	return false
}

// RoleName returns the words for the id of a role.
func (importView) RoleName(id string) string { return roleName(id) }

// importForm shows the first step.
func (s *site) importForm(w http.ResponseWriter, r *web.Request) error {
	return s.importPage(w, r, http.StatusOK, importView{})
}

func (s *site) importPage(w http.ResponseWriter, r *web.Request, code int, v importView) (err error) {
	v.Wrong, v.Hint, _ = strings.Cut(v.Wrong, "\n    ")
	title := "Import people"
	if access.Of(r) != nil {
		at := "/c/" + access.Of(r).Contest.Slug
		v.Back, v.Check, v.Create, v.InContest, title = at+"/teams", at+"/import", at+"/teams", true, "Import teams"
	} else {
		v.Back, v.Check, v.Create, v.Roles = "/admin/accounts", "/admin/import", "/admin/accounts", auth.Roles[1:]
		if v.Contests, err = s.Store.Contests(r.Context()); err != nil {
			return err
		}
		v.Role = cmp.Or(v.Role, string(auth.Contestant))
	}
	if code >= 400 {
		title = "Error: " + title
	}
	return s.Page(w, r, code, "import", title, v)
}

// checkImport shows the second step: what the import of a list would do. It creates nothing.
func (s *site) checkImport(w http.ResponseWriter, r *web.Request) error {
	if err := web.ReadMultipart(w, r, web.MaxListForm, "list"); err != nil {
		return err
	}
	v := importView{List: r.PostFormValue("list"), Skip: r.PostFormValue("skip") != ""}
	data := []byte(v.List)
	files, err := r.Files(roster.MaxBytes)
	if err != nil {
		return err
	}
	if len(files) > 0 { // a file takes the place of the text
		data, v.File, v.List = files[0].Data, files[0].Name, ""
	}
	if err := s.planImport(r, &v, data); err != nil {
		return s.importFailed(w, r, v, err)
	}
	return s.importPage(w, r, http.StatusOK, v)
}

// planImport reads a list, and finds out what its import into the contest of the form would do.
func (s *site) planImport(r *web.Request, v *importView, data []byte) error {
	v.Role, v.Contest = cmp.Or(r.PostFormValue("role"), string(auth.Contestant)), r.PostFormValue("contest")
	contest := ""
	switch {
	case access.Of(r) != nil:
		v.Role, v.Contest, contest = string(auth.Contestant), "", access.Of(r).Contest.ID
	case !auth.Known(v.Role):
		return web.BadRequest("%.40q is not a role", v.Role)
	case v.Contest != "":
		c, err := s.Store.ContestBySlug(r.Context(), v.Contest)
		if err != nil {
			return err
		}
		contest = c.ID
	}
	list, err := roster.Read(data)
	v.List = cmp.Or(list.Text, v.List)
	if err != nil {
		return err
	}
	v.Plan, err = auth.PlanImport(r.Context(), s.Store, list, auth.Role(v.Role), contest)
	return err
}

// importFailed shows what is wrong with a list as a whole.
func (s *site) importFailed(w http.ResponseWriter, r *web.Request, v importView, err error) error {
	if judge.Whose(err) != judge.Asker {
		return err
	}
	v.Wrong = err.Error()
	return s.importPage(w, r, http.StatusBadRequest, v)
}

// importNow imports the list of a form if the form has the digest of a preview, and the import does
// just what that preview says. Otherwise it shows a preview, and creates nothing. It returns nil slips
// if it has answered.
func (s *site) importNow(w http.ResponseWriter, r *web.Request) (made, there []auth.Slip, done bool, err error) {
	if err := web.ReadForm(w, r, web.MaxListForm); err != nil {
		return nil, nil, false, err
	}
	v := importView{List: r.PostFormValue("list"), Skip: r.PostFormValue("skip") != ""}
	if err := s.planImport(r, &v, []byte(v.List)); err != nil {
		return nil, nil, false, s.importFailed(w, r, v, err)
	}
	changed := "The list, the accounts or the teams have changed since the preview, and nothing was created.\n    Check the rows again."
	switch seen := r.PostFormValue("seen"); {
	case seen == "":
		return nil, nil, false, s.importPage(w, r, http.StatusOK, v)
	case seen != v.Plan.Digest:
		v.Wrong = changed
		return nil, nil, false, s.importPage(w, r, http.StatusConflict, v)
	case v.Plan.Wrong > 0 && !v.Skip:
		v.Wrong = "Nothing was created: rows of the list have errors.\n    Correct the list, or select that these rows are skipped."
		return nil, nil, false, s.importPage(w, r, http.StatusBadRequest, v)
	}
	made, there, accounts, err := s.Passwords.Import(r.Context(), s.Store, v.Plan)
	if errors.Is(err, store.ErrTaken) {
		if err := s.planImport(r, &v, []byte(v.List)); err != nil {
			return nil, nil, false, s.importFailed(w, r, v, err)
		}
		v.Wrong = changed
		return nil, nil, false, s.importPage(w, r, http.StatusConflict, v)
	}
	if err != nil {
		return nil, nil, false, err
	}
	if err := s.Store.Audit(r.Context(), desk.Made(s.Entry(r, v.Role), made, accounts)...); err != nil {
		return nil, nil, false, err
	}
	if access.Of(r) != nil {
		err = s.Audit(r, "enter teams", access.Of(r).Contest.Slug, fmt.Sprintf("%d people, %d of them new", len(accounts), len(made)))
	}
	return made, there, err == nil, err
}

// enterTeams imports a list into a contest, and shows the slips once.
func (s *site) enterTeams(w http.ResponseWriter, r *web.Request) error {
	made, there, done, err := s.importNow(w, r)
	if err != nil || !done {
		return err
	}
	return s.teamsPage(w, r, http.StatusOK, teamsView{Slips: made, There: there})
}

// importAccounts creates accounts from a list, and shows the slips once.
func (s *site) importAccounts(w http.ResponseWriter, r *web.Request) error {
	made, there, done, err := s.importNow(w, r)
	if err != nil || !done {
		return err
	}
	return s.accountsPage(w, r, http.StatusOK, accountsView{Slips: made, There: there})
}
