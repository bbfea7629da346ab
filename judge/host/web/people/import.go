package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/roster"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// importView is the page that imports a list of people into a contest, or as accounts. The first step accepts a
// list, and the second shows the effect of the import.
type importView struct {
	Back, Check, Create string // paths of the page that lists the people and of both forms
	InContest           bool
	Roles               []auth.Role
	Contests            []*store.Contest
	Role, Contest       string // selected values; Contest is a slug
	List                string
	File                string // name of the file with the list
	Plan                *auth.Plan
	Columns             []sheetColumn // columns to assign; none if the list is unreadable
	Titled              bool          // the first line contains column names
	Cells               map[int][]cell
	Skip                bool            // skip rows with errors
	Errors              web.FieldErrors // errors that concern the whole list
}

// sheetColumn is a column of the list, with its assigned field.
type sheetColumn struct {
	Title   string
	Field   roster.Field
	Samples []string
}

// cell is an editable cell of a row.
type cell struct{ Field, Title, Text string }

// maxEditable is the maximum number of rows in which all cells can be edited at once.
const maxEditable = 200

// Fields returns the choices for the field of a column.
func (importView) Fields() []web.Choice {
	all := []web.Choice{{Name: "Ignored"}}
	for _, f := range roster.Fields {
		all = append(all, web.Choice{Value: string(f), Name: strings.ToUpper(string(f[:1])) + string(f[1:])})
	}
	return all
}

// Editable reports whether all cells can be edited at once.
func (v importView) Editable() bool { return len(v.Plan.Rows) <= maxEditable }

// InvalidRows returns the rows that cannot be imported.
func (v importView) InvalidRows() (rows []roster.PreviewRow) {
	for _, r := range v.Plan.Rows {
		if r.State == roster.Invalid {
			rows = append(rows, r)
		}
	}
	return rows
}

// People returns how many people the import would add.
func (v importView) People() int { return v.Plan.New + v.Plan.Existing }

// JoinsContest reports whether the people join a contest.
func (v importView) JoinsContest() bool { return v.InContest || v.Contest != "" }

// HasEmails reports whether a row has an e-mail address.
func (v importView) HasEmails() bool {
	for _, r := range v.Plan.Rows {
		if r.Email != "" {
			return true
		}
	}
	return false
}

// RoleName returns the name of a role.
func (importView) RoleName(id string) string { return roleName(id) }

// importForm shows the first step.
func (s *site) importForm(w http.ResponseWriter, r *web.Request) error {
	return s.importPage(w, r, http.StatusOK, importView{})
}

func (s *site) importPage(w http.ResponseWriter, r *web.Request, code int, v importView) (err error) {
	title := "Import people"
	if access.Of(r) != nil {
		path := "/c/" + access.Of(r).Contest.Slug
		v.Back, v.Check, v.Create, v.InContest, title = path+"/teams", path+"/import", path+"/teams", true, "Import teams"
	} else {
		v.Back, v.Check, v.Create, v.Roles = "/admin/accounts", "/admin/import", "/admin/accounts", auth.Roles[1:]
		if v.Contests, err = s.Store.Contests(r.Context()); err != nil {
			return err
		}
		v.Role = cmp.Or(v.Role, string(auth.Contestant))
	}
	return s.RenderPage(w, r, code, "import", title, v)
}

// checkImport shows the second step: the effect of importing a list. It creates nothing.
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
	if len(files) > 0 { // a file replaces the text
		data, v.File, v.List = files[0].Data, files[0].Name, ""
	}
	if err := s.planImport(r, &v, data); err != nil {
		return s.importFailed(w, r, v, err)
	}
	return s.importPage(w, r, http.StatusOK, v)
}

// planImport reads a list and determines the effect of importing it into the contest of the form.
func (s *site) planImport(r *web.Request, v *importView, data []byte) error {
	v.Role, v.Contest = cmp.Or(r.PostFormValue("role"), string(auth.Contestant)), r.PostFormValue("contest")
	contest := ""
	switch {
	case access.Of(r) != nil:
		v.Role, v.Contest, contest = string(auth.Contestant), "", access.Of(r).Contest.ID
	case !auth.IsRole(v.Role):
		return web.BadRequest("%.40q is not a role", v.Role)
	case v.Contest != "":
		c, err := s.Store.ContestBySlug(r.Context(), v.Contest)
		if err != nil {
			return err
		}
		contest = c.ID
	}
	layout, err := readLayout(r.PostForm)
	if err != nil {
		return err
	}
	list, err := roster.ReadWithLayout(data, layout)
	v.List = cmp.Or(list.Text, v.List)
	if len(list.Rows) > 0 {
		v.setColumns(list)
	}
	if err != nil {
		return err
	}
	if v.Plan, err = auth.PlanImport(r.Context(), s.Store, list, auth.Role(v.Role), contest); err != nil {
		return err
	}
	v.Cells = map[int][]cell{}
	allCells := r.PostFormValue("edit") != "" && v.Editable()
	for i, row := range v.Plan.Rows { // at most as many as in the list
		if allCells || row.State == roster.Invalid || layout.Cells[row.Line] != nil {
			v.Cells[row.Line] = v.usedCells(list.Rows[i])
		}
	}
	return nil
}

// setColumns sets the columns of v to those of a list, with the first values in each column.
func (v *importView) setColumns(list *roster.List) {
	v.Titled = list.Titled
	const samples = 3
	for i, c := range list.Sheet {
		column := sheetColumn{Title: cmp.Or(c.Title, fmt.Sprintf("column %d", i+1)), Field: c.Field}
		for _, row := range list.Rows {
			secret := c.Field == roster.Password
			if i < len(row.Cells) && strings.TrimSpace(row.Cells[i]) != "" && len(column.Samples) < samples && !secret {
				column.Samples = append(column.Samples, row.Cells[i])
			}
		}
		v.Columns = append(v.Columns, column)
	}
}

// usedCells returns the cells of a row that the import uses.
func (v *importView) usedCells(row roster.Row) (cells []cell) {
	for i, c := range v.Columns {
		if c.Field == "" {
			continue
		}
		text := ""
		if i < len(row.Cells) {
			text = row.Cells[i]
		}
		cells = append(cells, cell{fmt.Sprintf("cell.%d.%d", row.Line, i), c.Title, text})
	}
	return cells
}

// readLayout reads the column fields and corrected cells from the form. Without columns in the form, the layout is
// empty.
func readLayout(form url.Values) (l roster.Layout, err error) {
	for i := 0; form.Has(fmt.Sprint("column.", i)); i++ {
		f := roster.Field(form.Get(fmt.Sprint("column.", i)))
		if f != "" && !slices.Contains(roster.Fields, f) {
			return l, web.BadRequest("%.40q is not what a column can be", f)
		}
		l.Fields = append(l.Fields, f)
	}
	l.Titled = form.Get("titled") != ""
	l.Cells = map[int]map[int]string{}
	for name, values := range form {
		place, isCell := strings.CutPrefix(name, "cell.")
		if !isCell {
			continue
		}
		line, column, _ := strings.Cut(place, ".")
		n, err1 := strconv.Atoi(line)
		i, err2 := strconv.Atoi(column)
		if err1 != nil || err2 != nil {
			return l, web.BadRequest("%.40q is not a cell", name)
		}
		if l.Cells[n] == nil {
			l.Cells[n] = map[int]string{}
		}
		l.Cells[n][i] = values[0]
	}
	return l, nil
}

// importFailed shows an error that concerns the whole list.
func (s *site) importFailed(w http.ResponseWriter, r *web.Request, v importView, err error) error {
	if judge.BlameOf(err) != judge.Caller {
		return err
	}
	field := "list"
	if v.File != "" {
		field = "file"
	}
	text, hint, hasHint := strings.Cut(web.Capitalize(err.Error()), "\n    ")
	if hasHint {
		text += ". " + web.Capitalize(hint)
	}
	v.Errors.Add(field, "%s.", text)
	return s.importPage(w, r, http.StatusBadRequest, v)
}

// applyImport imports the list in a form if the effect is the same as in the preview whose digest the form contains,
// and shows the login sheets once. Otherwise it shows a new preview and creates nothing.
func (s *site) applyImport(w http.ResponseWriter, r *web.Request) error {
	if err := web.ReadForm(w, r, web.MaxListForm); err != nil {
		return err
	}
	v := importView{List: r.PostFormValue("list"), Skip: r.PostFormValue("skip") != ""}
	if err := s.planImport(r, &v, []byte(v.List)); err != nil {
		return s.importFailed(w, r, v, err)
	}
	switch digest := r.PostFormValue("seen"); {
	case digest == "":
		return s.importPage(w, r, http.StatusOK, v)
	case digest != v.Plan.Digest:
		v.Errors.Add("", "The list, the accounts or the teams have changed since the preview. Check the rows again.")
		return s.importPage(w, r, http.StatusConflict, v)
	case v.Plan.Wrong > 0 && !v.Skip:
		v.Errors.Add("", "Rows of the list have errors. Correct them, or select that they are skipped.")
		return s.importPage(w, r, http.StatusBadRequest, v)
	}
	return s.loginSheetsPage(w, r, "Creating accounts", func(ctx context.Context, progress web.Progress) (loginSheetsView, error) {
		v.Plan.Progress = progress
		return s.createPeople(ctx, r, v)
	})
}

// createPeople imports the people in a preview, and returns the login sheets.
func (s *site) createPeople(ctx context.Context, r *web.Request, v importView) (loginSheetsView, error) {
	sheets, existing, accounts, err := s.Passwords.Import(ctx, s.Store, v.Plan)
	if errors.Is(err, store.ErrTaken) {
		return loginSheetsView{}, &intake.Refusal{
			Code: http.StatusConflict, Text: "Nothing was created: someone else has taken a username since the preview",
			Hint: "Go back to the preview, and check the rows again.",
		}
	}
	if err != nil {
		return loginSheetsView{}, err
	}
	if err := s.Store.Audit(ctx, intake.AccountEntries(s.AuditEntry(r, v.Role), sheets, accounts)...); err != nil {
		return loginSheetsView{}, err
	}
	if access.Of(r) != nil {
		detail := fmt.Sprintf("%d people, %d of them new", len(accounts), len(sheets))
		if err := s.Audit(r, "enter teams", access.Of(r).Contest.Slug, detail); err != nil {
			return loginSheetsView{}, err
		}
	}
	rows := map[string]roster.PreviewRow{}
	for _, row := range v.Plan.Rows {
		rows[row.Login] = row
	}
	view := loginSheetsView{Existing: existing, AfterImport: true, FirstStep: "Paste or upload"}
	for _, credentials := range sheets {
		view.Sheets = append(
			view.Sheets,
			loginSheet{credentials, rows[credentials.Login].Team, strings.Join(rows[credentials.Login].Groups, ", ")},
		)
	}
	return view, nil
}
