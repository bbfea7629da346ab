package web_test

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
	"assay/judge/internal/browser"
)

// everybody lists the accounts of a server and the teams of a contest.
func (h *harness) everybody(c *store.Contest) string {
	h.Helper()
	var all []string
	for _, a := range must[[]*store.Account](h)(h.store.Accounts(h.Context())) {
		if h.accounts[a.Login] == nil {
			all = append(all, strings.Join([]string{a.Login, a.Display, a.Email, a.Role}, "|"))
		}
	}
	slices.Sort(all)
	for _, team := range must[[]*store.Team](h)(h.store.Teams(h.Context(), c.ID)) {
		all = append(all, team.Name+fmt.Sprint(team.Groups))
	}
	return strings.Join(all, "\n")
}

// TestImport: a file is shown as what becomes of it, and nobody is created before that was
// confirmed. Then that is created, and no more.
func TestImport(t *testing.T) {
	h := newHarness(t)
	c := h.contest("now", -time.Minute, store.Teams, store.Settings{})
	admin := h.cookie("admin")
	file := "sep=;\r\nVorname;Nachname;Geburtstag;Klasse;Team;E-Mail\r\nJ\xfcrgen;Gro\xdf;1.1.;9a;F\xfcchse;j@example.org\r\nIda;\"Meier\r\n Gro\xdf\";;9a;F\xfcchse;\r\n"
	got := h.upload(admin, "/c/now/import", map[string]string{"list": "Nobody"}, map[string]string{"klasse<b>.csv": file})
	if got.code != 200 {
		t.Fatalf("the preview: %d\n%s", got.code, got.body)
	}
	harmless(t, "/c/now/import", got.body)
	said := words(t, got.body)
	for _, want := range []string{
		"klasse<b>.csv·2rows·Windows-1252·separator:semicolon", "Ignoredcolumn:Geburtstag", "Checktheletterswithaccents", "Newaccounts2", "Existingaccounts0", "Newteams1", "Rowswitherrors0",
		"3newaccountteamof2JürgenGroßjurgen-groj@example.orgFüchse9a", "4newaccountteamof2IdaMeierGroßida-meier-groFüchse9a",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the preview does not say %q:\n%s", want, said)
		}
	}
	if strings.Contains(got.body, "Nobody") {
		t.Error("the file does not take the place of the text")
	}
	if all := h.everybody(c); all != "" {
		t.Fatalf("the preview created\n%s", all)
	}
	form := shown(got.body)
	made := h.ask(admin, "POST", "/c/now/teams", form)
	if made.code != 200 || strings.Count(made.body, `class="slip"`) != 2 {
		t.Fatalf("the import: %d\n%s", made.code, made.body)
	}
	want := "ida-meier-gro|Ida Meier Groß||contestant\njurgen-gro|Jürgen Groß|j@example.org|contestant\nFüchse[9a]"
	if all := h.everybody(c); all != want {
		t.Errorf("the import created\n%s\nwant\n%s", all, want)
	}
	if again := h.ask(admin, "POST", "/c/now/teams", form); again.code != 409 || strings.Contains(again.body, `class="slip"`) || !strings.Contains(again.body, "have changed since the preview") {
		t.Errorf("the same form again: %d\n%s", again.code, again.body)
	}
}

// TestNobodyUnseenIsCreated: a list or a server that is another one than in the preview is shown again.
func TestNobodyUnseenIsCreated(t *testing.T) {
	h := newHarness(t)
	c := h.contest("now", -time.Minute, store.Teams, store.Settings{})
	h.contest("other", -time.Minute, store.Teams, store.Settings{})
	admin := h.cookie("admin")
	for check, create := range map[string]string{"/c/now/import": "/c/now/teams", "/admin/import": "/admin/accounts"} {
		const list = "Name;Password\nEve;12345678\n"
		seen := shown(h.ask(admin, "POST", check, url.Values{"list": {list}}).body)
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
				continue // it has no such fields
			}
			form := url.Values{}
			for _, values := range []url.Values{seen, tt.change} {
				for name, v := range values {
					form[name] = v
				}
			}
			got := h.ask(admin, "POST", create, form)
			if got.code != tt.code || strings.Contains(got.body, `class="slip"`) {
				t.Errorf("%s, %s: %d, want %d\n%s", create, name, got.code, tt.code, got.body)
			}
			if all := h.everybody(c); all != "" {
				t.Fatalf("%s, %s: it created\n%s", create, name, all)
			}
		}
	}
	// An account comes in between: whom the list means is another question then.
	seen := shown(h.ask(admin, "POST", "/c/now/import", url.Values{"list": {"Eve\n"}}).body)
	eve := must[*store.Account](t)(h.store.NewAccount(t.Context(), "eve", "Eve", store.Person, ""))
	h.accounts["eve"] = eve
	got := h.ask(admin, "POST", "/c/now/teams", seen)
	if got.code != 409 || !strings.Contains(got.body, "existing account") || h.everybody(c) != "" {
		t.Errorf("somebody else has the name: %d\n%s", got.code, got.body)
	}
	if got := h.ask(admin, "POST", "/c/now/teams", shown(got.body)); got.code != 200 || h.everybody(c) != "Eve[]" {
		t.Errorf("what is shown then is imported: %d, %s\n%s", got.code, h.everybody(c), got.body)
	}
}

// TestImportErrors: each row with an error is listed with its line, and stops the import unless such
// rows are skipped.
func TestImportErrors(t *testing.T) {
	h := newHarness(t)
	c := h.contest("now", -time.Minute, store.Teams, store.Settings{})
	admin := h.cookie("admin")
	list := "Name,Login\nAda Two,ada2\n\nHans Meier,Hans Meier\nIda,ada2\n" + `"` + strings.ReplaceAll(evil, `"`, `""`) + "x\",bob\n"
	got := h.ask(admin, "POST", "/c/now/import", url.Values{"list": {list}})
	harmless(t, "/c/now/import", got.body)
	said := words(t, got.body)
	for _, want := range []string{
		"3of4rowshaveerrors", `Line4:"HansMeier"isnotausername:useletters,digits,-and_,atmost40,suchashans-meier`, "Line5:theusernameada2isonline2,too", "Line6:", "Skipthe3rowswitherrors", "Import1row",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the preview does not say %q:\n%s", want, said)
		}
	}
	form := shown(got.body)
	if got := h.ask(admin, "POST", "/c/now/teams", form); got.code != 400 || !strings.Contains(got.body, "rows of the list have errors") || h.everybody(c) != "" {
		t.Errorf("it imports a list with errors: %d\n%s", got.code, got.body)
	}
	form.Set("skip", "on")
	if got := h.ask(admin, "POST", "/c/now/teams", form); got.code != 200 || h.everybody(c) != "ada2|Ada Two||contestant\nAda Two[]" {
		t.Errorf("it does not skip the rows: %d, %s", got.code, h.everybody(c))
	}
	for text, want := range map[string]string{
		"Rufname1;Jg\nHans;1":     "above the rows, add a line that names the columns",
		"PK\x03\x04":              "the file is a workbook",
		"":                        "the list has no names",
		"%PDF-1.7":                "the file is a PDF",
		"Vorname;Nachname;Klasse": "the list has no names",
		"a,b":                     "line 1 of the list has several cells",
	} {
		for _, path := range []string{"/c/now/import", "/admin/import"} {
			got := h.upload(admin, path, map[string]string{"list": text}, nil)
			if got.code != 400 || !strings.Contains(got.body, want) || !strings.Contains(got.body, "<title>Error: Import") || len(shown(got.body)) > 0 || text[:min(1, len(text))] != "P" && !strings.Contains(got.body, "\n"+text+"</textarea>") {
				t.Errorf("%s: %q is answered %d, want %q\n%s", path, text, got.code, want, got.body)
			}
		}
	}
	for _, size := range []int{1<<20 + 1, 8 << 20} {
		if got := h.upload(admin, "/c/now/import", nil, map[string]string{"a.csv": strings.Repeat("a\n", size/2+1)}); got.code != 400 && got.code != 413 {
			t.Errorf("a file of %d bytes is answered %d", size, got.code)
		}
	}
	all := strings.Repeat(strings.Repeat("ü", 150)+"\n", 2000)
	if got := h.ask(admin, "POST", "/admin/import", url.Values{"list": {all}}); got.code != 200 || !strings.Contains(got.body, "Import 2000 rows") {
		t.Errorf("2000 long names: %d\n%.2000s", got.code, got.body)
	}
}

// TestImportFits: no page of the import is wider than a phone, and it is legible in both themes.
func TestImportFits(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	h := newHarness(t)
	h.contest("now", -time.Minute, store.Public, store.Settings{})
	must[*store.Account](t)(h.store.NewAccount(t.Context(), "s02", "Björn Groß", store.Person, ""))
	list := filepath.Join(t.TempDir(), "class.csv")
	text := "\uFEFFVorname;Nachname;Geburtstag;Login;E-Mail;Team;Klasse\r\nÄnne;Müller;1.1.;s01;anne@example.org;;9b\r\nBjörn;Groß;;s02;;;9a\r\nÇelik;Öztürk;;s03;;Die Füchse;9b\r\n" +
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
			b.Ask(nil, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": theme}}})
			b.Wide(width)
			look := func(name string) {
				b.Is(name+": what is wider than the screen", wide, "")
				b.Screenshot(fmt.Sprintf("import-%s-%d-%s", name, width, theme))
			}
			for name, path := range map[string]string{"teams": "/c/now/import", "people": "/admin/import"} {
				b.Go(h.URL + path)
				look(name)
				b.Choose("input[type=file]", list)
				b.Follow("form[action='" + path + "'] button")
				b.Is("the rows", `document.querySelectorAll('.list tbody tr').length`, "7")
				look(name + "-rows")
			}
		}
	}
}
