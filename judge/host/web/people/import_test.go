package people_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
	"assay/judge/internal/browser"
)

// everybody lists the created accounts of a server and the teams of a contest.
func everybody(h *webtest.Harness, c *store.Contest) string {
	h.Helper()
	var all []string
	for _, a := range webtest.Must[[]*store.Account](h)(h.Store.Accounts(h.Context())) {
		if h.Accounts[a.Login] == nil {
			all = append(all, strings.Join([]string{a.Login, a.Display, a.Email, a.Role}, "|"))
		}
	}
	slices.Sort(all)
	for _, team := range webtest.Must[[]*store.Team](h)(h.Store.Teams(h.Context(), c.ID)) {
		all = append(all, team.Name+fmt.Sprint(team.Groups))
	}
	return strings.Join(all, "\n")
}

// TestImport checks that the effect of an import is shown first. After confirmation, exactly the accounts and
// teams that were shown must be created.
func TestImport(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	admin := h.Cookie("admin")
	file := "sep=;\r\nVorname;Nachname;Geburtstag;Klasse;Team;E-Mail\r\nJ\xfcrgen;Gro\xdf;1.1.;9a;F\xfcchse;j@example.org\r\nIda;\"Meier\r\n" +
		" Gro\xdf\";;9a;F\xfcchse;\r\n"
	got := h.Upload(admin, "/c/now/import", map[string]string{"list": "Unread"}, map[string]string{"klasse<b>.csv": file})
	if got.Code != 200 {
		t.Fatalf("the preview: %d\n%s", got.Code, got.Body)
	}
	webtest.CheckHTML(t, "/c/now/import", got.Body)
	said := words(t, got.Body)
	for _, want := range []string{
		"klasse<b>.csv·2rows·Windows-1252·separator:semicolon", "Ignoredcolumn:Geburtstag", "Checktheletterswithaccents", "Newaccounts2",
		"Existingaccounts0", "Newteams1", "Rowswitherrors0",
		"3newaccountteamof2JürgenGroßjurgen-grossj@example.orgFüchse9a", "4newaccountteamof2IdaMeierGroßida-meier-grossFüchse9a",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the preview does not say %q:\n%s", want, said)
		}
	}
	if strings.Contains(got.Body, "Unread") {
		t.Error("the file does not take the place of the text")
	}
	if all := everybody(h, c); all != "" {
		t.Fatalf("the preview created\n%s", all)
	}
	form := webtest.HiddenFields(got.Body)
	made := h.Fetch(admin, "POST", "/c/now/teams", form)
	if made.Code != 200 || strings.Count(made.Body, `class="slip"`) != 2 {
		t.Fatalf("the import: %d\n%s", made.Code, made.Body)
	}
	want := "ida-meier-gross|Ida Meier Groß||contestant\njurgen-gross|Jürgen Groß|j@example.org|contestant\nFüchse[9a]"
	if all := everybody(h, c); all != want {
		t.Errorf("the import created\n%s\nwant\n%s", all, want)
	}
	if again := h.Fetch(admin, "POST", "/c/now/teams", form); again.Code != 409 || strings.Contains(again.Body, `class="slip"`) ||
		!strings.Contains(again.Body, "have changed since the preview") {
		t.Errorf("the same form again: %d\n%s", again.Code, again.Body)
	}
}

// TestOnlyAccountsOfThePreviewAreCreated checks that an import shows a new preview, and creates nothing, if the list or the
// server has changed since the last preview.
func TestOnlyAccountsOfThePreviewAreCreated(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	h.Contest("other", -time.Minute, store.VisibilityTeams, store.Settings{})
	admin := h.Cookie("admin")
	for check, create := range map[string]string{"/c/now/import": "/c/now/teams", "/admin/import": "/admin/accounts"} {
		const list = "Name;Password\nEve;12345678\n"
		seen := webtest.HiddenFields(h.Fetch(admin, "POST", check, url.Values{"list": {list}}).Body)
		for name, tt := range map[string]struct {
			change url.Values
			code   int
		}{
			"no preview":       {url.Values{"seen": nil}, 200},
			"another preview":  {url.Values{"seen": {strings.Repeat("0", 64)}}, 409},
			"one more":         {url.Values{"list": {list + "Mallory;\n"}}, 409},
			"another name":     {url.Values{"list": {"Name;Password\nMallory;12345678\n"}}, 409},
			"another password": {url.Values{"list": {"Name;Password\nEve;12345679\n"}}, 409},
			"not a list":       {url.Values{"list": {"a;b"}}, 400},
			"another role":     {url.Values{"role": {"admin"}}, 409},
			"no role":          {url.Values{"role": {"king"}}, 400},
			"another contest":  {url.Values{"contest": {"other"}}, 409},
			"no contest":       {url.Values{"contest": {"none"}}, 404},
		} {
			if create == "/c/now/teams" && (tt.change.Has("role") || tt.change.Has("contest")) {
				continue // the form has no such fields
			}
			form := url.Values{}
			for _, values := range []url.Values{seen, tt.change} {
				for name, v := range values {
					form[name] = v
				}
			}
			got := h.Fetch(admin, "POST", create, form)
			if got.Code != tt.code || strings.Contains(got.Body, `class="slip"`) {
				t.Errorf("%s, %s: %d, want %d\n%s", create, name, got.Code, tt.code, got.Body)
			}
			if all := everybody(h, c); all != "" {
				t.Fatalf("%s, %s: it created\n%s", create, name, all)
			}
		}
	}
	// A new account with the name changes the effect of the import.
	seen := webtest.HiddenFields(h.Fetch(admin, "POST", "/c/now/import", url.Values{"list": {"Eve\n"}}).Body)
	eve := webtest.Must[*store.Account](t)(h.Store.NewAccount(t.Context(), "eve", "Eve", store.PersonAccount, ""))
	h.Accounts["eve"] = eve
	got := h.Fetch(admin, "POST", "/c/now/teams", seen)
	if got.Code != 409 || !strings.Contains(got.Body, "existing account") || everybody(h, c) != "" {
		t.Errorf("another account has the name: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", "/c/now/teams", webtest.HiddenFields(got.Body)); got.Code != 200 || everybody(h, c) != "Eve[]" {
		t.Errorf("what is shown then is imported: %d, %s\n%s", got.Code, everybody(h, c), got.Body)
	}
}

// TestImportColumns checks that the preview can assign fields to columns and correct single cells.
func TestImportColumns(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	admin := h.Cookie("admin")
	const list = "Imię;Nazwisko;Ksywka\nJan;Kowal;jan 1\nEva;<b>Ż;eva1\n"
	got := h.Fetch(admin, "POST", "/c/now/import", url.Values{"list": {list}})
	for _, want := range []string{
		`<p class="error" id="list-error">Line 1 of the list has several cells`, `aria-describedby="list-help list-error" aria-invalid="true"`,
		`<b>Imię</b><select name="column.0"><option value="" selected>Ignored</option><option value="name">Name</option>`,
		`<small>Kowal · &lt;b&gt;Ż</small>`, `<input type="checkbox" name="titled" checked>`,
	} {
		if got.Code != 400 || !strings.Contains(got.Body, want) {
			t.Errorf("unknown columns: %d does not say %q\n%s", got.Code, want, got.Body)
		}
	}
	webtest.CheckHTML(t, "/c/now/import", got.Body)
	form := webtest.HiddenFields(got.Body)
	for name, value := range map[string]string{"column.0": "first name", "column.1": "last name", "column.2": "username", "titled": "on"} {
		form.Set(name, value)
	}
	if got := h.Fetch(admin, "POST", "/c/now/import", url.Values{"list": {list}, "column.0": {"king"}}); got.Code != 400 ||
		!strings.Contains(got.Body, "is not what a column can be") {
		t.Errorf("no such column: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", "/c/now/import", url.Values{"list": {list}, "cell.x.1": {"king"}}); got.Code != 400 {
		t.Errorf("no such cell: %d", got.Code)
	}
	got = h.Fetch(admin, "POST", "/c/now/import", form)
	for _, want := range []string{`<option value="first name" selected>`, `<input name="cell.2.2" value="jan 1">`,
		"1 of 2 rows have errors", `formaction="/c/now/import"`, `name="seen"`} {
		if got.Code != 200 || !strings.Contains(got.Body, want) {
			t.Errorf("the columns are chosen: %d does not say %q\n%s", got.Code, want, got.Body)
		}
	}
	if strings.Contains(got.Body, `name="cell.3.`) {
		t.Error("a row without errors can be edited")
	}
	form.Set("edit", "all")
	if got := h.Fetch(admin, "POST", "/c/now/import", form); !strings.Contains(got.Body, `name="cell.3.1" value="&lt;b&gt;Ż"`) {
		t.Errorf("all rows cannot be edited:\n%s", got.Body)
	}
	form.Del("edit")
	if got := h.Fetch(admin, "POST", "/c/now/import",
		url.Values{"edit": {"all"}, "list": {strings.Repeat("Ada\n", 201)}}); got.Code != 200 || strings.Contains(got.Body, `name="cell.`) ||
		strings.Contains(got.Body, "Edit all cells") {
		t.Errorf("a long list has a field for each cell: %d", got.Code)
	}
	// Corrections are checked before anything is created.
	for name, values := range webtest.HiddenFields(got.Body) {
		form[name] = values
	}
	form.Set("cell.2.2", "jan1")
	got = h.Fetch(admin, "POST", "/c/now/teams", form)
	if got.Code != 409 || everybody(h, c) != "" || !strings.Contains(got.Body, `<input name="cell.2.2" value="jan1">`) ||
		!strings.Contains(got.Body, "Import 2 rows") {
		t.Errorf("a correction that was not checked: %d, %s\n%s", got.Code, everybody(h, c), got.Body)
	}
	form.Set("seen", webtest.HiddenFields(got.Body).Get("seen"))
	got = h.Fetch(admin, "POST", "/c/now/teams", form)
	if want := "eva1|Eva <b>Ż||contestant\njan1|Jan Kowal||contestant\nJan Kowal[]\nEva <b>Ż[]"; got.Code != 200 || everybody(h, c) != want {
		t.Errorf("the import: %d created\n%s\nwant\n%s", got.Code, everybody(h, c), want)
	}
}

// TestImportTellsProgress checks that the page of an import starts at once and shows how many accounts were
// created.
func TestImportTellsProgress(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	got := h.Import(h.Cookie("admin"), "/c/now/import", url.Values{"list": {"Name;Team\nAda;x\nAlan;x\nEva;\n"}})
	last := 0
	for _, want := range []string{"<title>Login sheets", "Creating accounts…", "Creating accounts: 1 of 3<", "Creating accounts: 2 of 3<",
		"Creating accounts: 3 of 3<", "3 sheets", `class="slip"`, "</main>"} {
		at := strings.Index(got.Body, want)
		if at < last {
			t.Errorf("%q is at %d, after %d:\n%s", want, at, last, got.Body)
		}
		last = max(last, at)
	}
	if got.Get("Content-Encoding") != "" || strings.Count(got.Body, "<main") != 1 || strings.Count(got.Body, "<h1") != 1 {
		t.Errorf("the page is not one page:\n%s", got.Body)
	}
	for _, want := range []string{"<dt>Team</dt><dd>x</dd>", "<dt>Contest</dt>", "<h2>Ada</h2>"} {
		if !strings.Contains(got.Body, want) {
			t.Errorf("the sheets do not have %q", want)
		}
	}
}

// TestImportErrors checks that each row with an error is listed with its line, and that the import stops unless
// such rows are skipped.
func TestImportErrors(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	admin := h.Cookie("admin")
	list := "Name,Login\nAda Two,ada2\n\nHans Meier,Hans Meier\nIda,ada2\n" + `"` + strings.ReplaceAll(webtest.HostileMarkup, `"`, `""`) +
		"x\",bob\n"
	got := h.Fetch(admin, "POST", "/c/now/import", url.Values{"list": {list}})
	webtest.CheckHTML(t, "/c/now/import", got.Body)
	said := words(t, got.Body)
	for _, want := range []string{
		"3of4rowshaveerrors", `Line4:"HansMeier"isnotausername:useletters,digits,-and_,atmost40,suchashans-meier`,
		"Line5:theusernameada2isonline2,too", "Line6:", "Skipthe3rowswitherrors", "Import1row",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the preview does not say %q:\n%s", want, said)
		}
	}
	form := webtest.HiddenFields(got.Body)
	if got := h.Fetch(admin, "POST", "/c/now/teams", form); got.Code != 400 ||
		!strings.Contains(got.Body, "Rows of the list have errors") || everybody(h, c) != "" {
		t.Errorf("it imports a list with errors: %d\n%s", got.Code, got.Body)
	}
	form.Set("skip", "on")
	if got := h.Fetch(admin, "POST", "/c/now/teams", form); got.Code != 200 || everybody(h, c) != "ada2|Ada Two||contestant\nAda Two[]" {
		t.Errorf("it does not skip the rows: %d, %s", got.Code, everybody(h, c))
	}
	for text, want := range map[string]string{
		"Rufname1;Jg\nHans;1":     "Above the rows, add a line that names the columns",
		"PK\x03\x04":              "The file is a workbook",
		"":                        "The list has no names",
		"%PDF-1.7":                "The file is a PDF",
		"Vorname;Nachname;Klasse": "The list has no names",
		"a,b":                     "Line 1 of the list has several cells",
	} {
		for _, path := range []string{"/c/now/import", "/admin/import"} {
			got := h.Upload(admin, path, map[string]string{"list": text}, nil)
			if got.Code != 400 || !strings.Contains(got.Body, want) || !strings.Contains(got.Body, "<title>Error: Import") ||
				webtest.HiddenFields(got.Body).Has("seen") || text[:min(1, len(text))] != "P" && !strings.Contains(got.Body, "\n"+text+"</textarea>") {
				t.Errorf("%s: %q is answered %d, want %q\n%s", path, text, got.Code, want, got.Body)
			}
		}
	}
	webtest.RefusedField(t, "a list without names", h.Upload(admin, "/admin/import", map[string]string{"list": ""}, nil), "list", "")
	webtest.RefusedField(t, "a file without names", h.Upload(admin, "/admin/import", nil, map[string]string{"a.csv": " "}), "file", "")
	for _, size := range []int{1<<20 + 1, 8 << 20} {
		if got := h.Upload(admin, "/c/now/import", nil, map[string]string{"a.csv": strings.Repeat("a\n", size/2+1)}); got.Code != 400 &&
			got.Code != 413 {
			t.Errorf("a file of %d bytes is answered %d", size, got.Code)
		}
	}
	all := strings.Repeat(strings.Repeat("ü", 150)+"\n", 2000)
	if got := h.Fetch(admin, "POST", "/admin/import", url.Values{"list": {all}}); got.Code != 200 ||
		!strings.Contains(got.Body, "Import 2000 rows") {
		t.Errorf("2000 long names: %d\n%.2000s", got.Code, got.Body)
	}
}

// TestImportFits checks that no import page is wider than a phone screen, and that the pages are legible in both
// themes.
func TestImportFits(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{})
	webtest.Must[*store.Account](t)(h.Store.NewAccount(t.Context(), "s02", "Björn Groß", store.PersonAccount, ""))
	list := filepath.Join(t.TempDir(), "class.csv")
	text := "\uFEFFVorname;Nachname;Geburtstag;Login;E-Mail;Team;Klasse\r\nÄnne;Müller;1.1.;s01;anne@example.org;;9b\r\n" +
		"Björn;Groß;;s02;;;9a\r\nÇelik;Öztürk;;s03;;Die Füchse;9b\r\n" +
		"Dörte;Yılmaz;;s04;;Die Füchse;9b\r\nHans;Meier;;Hans Meier;;;9a\r\nInes;Müller;;s02;;;9a\r\n" + strings.Repeat("W", 180) + ";;;;;;\r\n"
	if err := os.WriteFile(list, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	b := browser.Open(t, h.URL+"/login")
	b.Fill("input[name=login]", "admin")
	b.Fill("input[name=password]", "correct-horse")
	b.Follow("form.stack button")
	for _, width := range []int{390, 1280} {
		for _, theme := range []string{"light", "dark"} {
			b.Call(nil, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme",
				"value": theme}}})
			b.SetWidth(width)
			look := func(name string) {
				b.ExpectValue(name+": what is wider than the screen", webtest.OverflowScript, "")
				b.Screenshot(fmt.Sprintf("import-%s-%d-%s", name, width, theme))
			}
			for name, path := range map[string]string{"teams": "/c/now/import", "people": "/admin/import"} {
				b.Navigate(h.URL + path)
				look(name)
				b.ChooseFiles("input[type=file]", list)
				b.Follow("form[action='" + path + "'] button")
				b.ExpectValue("the rows", `document.querySelectorAll('.list tbody tr').length`, "7")
				look(name + "-rows")
			}
		}
	}
}
