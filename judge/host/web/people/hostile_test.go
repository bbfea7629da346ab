package people_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
	"assay/judge/internal/browser"
)

// hostile lists valid names that are difficult for pages and tables.
var hostile = []string{
	strings.Repeat("W", 200), strings.Repeat("word ", 40)[:199], "שלום (עולם) 5", "محمد", "👩‍👩‍👧 family", "❤️🏴󠁧󠁢󠁥󠁮󠁧󠁿", "می\u200cخواهم",
	"Z̴a̷l̶g̸o̴", "Zoë\u00a0Quinn",
	webtest.HostileMarkup, "</title><script>alert(1)</script>", "{{.}}", "' OR 1=1 --", "%s%n%00", "../../etc/passwd",
	"=HYPERLINK(\"http://x\",\"y\")", "+1-1", "@SUM(A1)", "-2+3", "＝1+1", "x;=1+1", "x; \"@SUM(A1)",
}

// crowd creates a contest with participants that have hostile names.
func crowd(t *testing.T) (*webtest.Harness, *store.Contest, webtest.Response) {
	t.Helper()
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{})
	var list strings.Builder
	table := csv.NewWriter(&list)
	rows := [][]string{{"name", "team"}}
	for i, name := range hostile {
		team := ""
		if i%2 == 0 {
			team = name
		}
		rows = append(rows, []string{name, team})
	}
	if err := table.WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	made := h.Import(h.Cookie("admin"), "/c/now/import", url.Values{"list": {list.String()}})
	if made.Code != 200 || strings.Count(made.Body, `class="slip"`) != len(hostile) {
		t.Fatalf("the list: %d\n%.3000s", made.Code, made.Body)
	}
	return h, c, made
}

// words returns all text on a page and the values of its fields, without spaces.
func words(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "value" {
				b.WriteString(a.Val)
			}
		}
	}
	return strings.Join(strings.Fields(b.String()), "")
}

// TestHostileNames checks that each page shows names unchanged and harmlessly, and that no exported table contains
// a formula.
func TestHostileNames(t *testing.T) {
	h, c, made := crowd(t)
	admin := h.Cookie("admin")
	all := webtest.Must[[]*store.Account](t)(h.Store.Accounts(t.Context()))
	for _, a := range all {
		h.Accounts[a.Login] = a
		if strings.HasPrefix(a.Login, "student") || a.Display == webtest.HostileMarkup {
			h.Submit(c, a.Login)
		}
	}
	pages := map[string]string{"the slips": made.Body}
	for _, path := range []string{"/admin/accounts", "/c/now/teams", "/c/now/scoreboard", "/c/now/scoreboard?view=jury"} {
		pages[path] = h.Fetch(admin, "GET", path, nil).Body
	}
	for path, page := range pages {
		webtest.CheckHTML(t, path, page)
		said := words(t, page)
		for _, name := range hostile {
			if !strings.Contains(said, strings.Join(strings.Fields(name), "")) {
				t.Errorf("%s does not say %q", path, name)
			}
		}
	}
	for _, a := range all { // the account's own pages
		for _, path := range []string{"/", "/account", "/account/erase", "/c/now"} {
			got := h.Fetch(h.Cookie(a.Login), "GET", path, nil)
			webtest.CheckHTML(t, path+" of "+a.Display, got.Body)
			if got.Code != 200 || !strings.Contains(words(t, got.Body), strings.Join(strings.Fields(a.Display), "")) {
				t.Errorf("%s of %q: %d", path, a.Display, got.Code)
			}
		}
	}
	for _, path := range []string{"/c/now/teams/table.csv", "/c/now/scoreboard/table.csv", "/admin/audit/table.csv"} {
		table, marked := strings.CutPrefix(h.Fetch(admin, "GET", path, nil).Body, "\uFEFF")
		if !marked || strings.Contains(table, "\uFEFF") {
			t.Errorf("%s has no byte order mark, or several", path)
		}
		rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
		if err != nil || len(rows) < 2 {
			t.Errorf("%s: %d rows, %v", path, len(rows), err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if _, err := fmt.Sscanf(cell, "%f", new(float64)); err != nil && strings.ContainsAny(cell[:min(1, len(cell))], "=+-@") ||
					strings.HasPrefix(cell, "＝") || strings.Contains(cell, ";=") || strings.Contains(cell, `; "@`) {
					t.Errorf("%s has a formula: %q", path, cell)
				}
			}
		}
	}
}

// TestNamesThatAreNone checks that names with invisible characters, or characters that reverse the text around
// them, are refused in every form.
func TestNamesThatAreNone(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityPublic, store.Settings{})
	h.Intake.Registration = "open"
	admin := h.Cookie("admin")
	for _, name := range []string{"evil\u202etxt.exe", "a\u2067b", "a\x00b", "a\x1b[2J", "\u200d\u200d", strings.Repeat("W", 201),
		"a\u0085b"} {
		join := joining("eve")
		join.Set("name", name)
		for path, form := range map[string]url.Values{
			"/register": join, "/admin/accounts": {"list": {name}, "seen": {"x"}},
			"/c/now/teams": {"list": {"name,team\nx," + name}, "seen": {"x"}}, "/admin/contests/new": {"name": {name}, "slug": {"x"}},
		} {
			who := admin
			if path == "/register" {
				who = ""
			}
			if got := h.Fetch(who, "POST", path, form); got.Code != 400 && got.Code != 409 {
				t.Errorf("%s takes the name %q: %d", path, name, got.Code)
			}
		}
		for _, path := range []string{"/admin/import", "/c/now/import"} {
			got := h.Fetch(admin, "POST", path, url.Values{"list": {name + "\nname"}})
			if webtest.CheckHTML(t, path, got.Body); got.Code == 200 && !strings.Contains(got.Body, "rows have errors") {
				t.Errorf("%s takes the name %q:\n%s", path, name, got.Body)
			}
		}
	}
}

// TestHostileNamesFit checks that no name makes a page wider than a phone screen.
func TestHostileNamesFit(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	h, _, _ := crowd(t)
	b := browser.Open(t, h.URL+"/login")
	b.SetWidth(390)
	b.Fill("input[name=login]", "admin")
	b.Fill("input[name=password]", "correct-horse")
	b.Follow("form.stack button")
	for _, path := range []string{"/admin/accounts", "/c/now/teams", "/c/now/scoreboard", "/admin/audit", "/admin/invitations",
		"/account/erase", "/c/now"} {
		b.Navigate(h.URL + path)
		b.ExpectValue(path+": what is wider than the screen", webtest.OverflowScript, "")
		b.ExpectValue(path+": text that was written to be run", `document.querySelectorAll('marked').length`, "0")
		b.Screenshot("hostile" + strings.ReplaceAll(path, "/", "_"))
	}
}
