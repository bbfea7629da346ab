package demo

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge/internal/browser"
)

// A shot is a page to photograph, with the account that opens it. If a document shows the picture, doc names the
// document, and the picture's width is set. If wrong is not empty, it is a script that fills in the form of the
// page with invalid data. The form is then submitted and rejected.
type shot struct {
	name, login, path, doc string
	width                  int
	wrong                  string
}

// shown lists the pages of the demo.
var shown = []shot{
	{"home-public", "", "/", "", 0, ""},
	{"scoreboard", "", "/c/demo/scoreboard", "class.md", 1000, ""},
	{"golf", "", "/golf", "", 0, ""},
	{"hole", "", "/hole/wythoff", "holes.md", 1000, ""},
	{"golf-submission", "", "/hole/wythoff/s/1", "", 0, ""},
	{"ladders", "", "/ladders", "", 0, ""},
	{"encounter", "", "/ladder/hill/e/1", "", 0, ""},
	{"ladder", "", "/ladder/hill", "ladders.md", 1000, ""},
	{"bot", "", "/ladder/hill/bot/1", "", 0, ""},
	{"login", "", "/login", "", 0, ""},
	{"problem", "team1", "/c/demo/p/A", "class.md", 1000, ""},
	{"mine", "team1", "/c/demo/mine", "", 0, ""},
	{"new-clarification", "team1", "/c/demo/clar/new", "", 0, ""},
	{"booklet", "team1", "/c/demo/booklet", "", 0, ""},
	{"account", "team1", "/account", "", 0, ""},
	{"phone", "team2", "/c/demo", "class.md", 390, ""},
	{"submission", "judge", "/c/demo/s/177", "class.md", 1000, ""},
	{"submissions", "judge", "/c/demo/submissions", "class.md", 1000, ""},
	{"clarifications", "judge", "/c/demo/clar", "", 0, ""},
	{"clarification", "judge", "/c/demo/clar/1", "", 0, ""},
	{"rejudgings", "judge", "/c/demo/rejudgings", "", 0, ""},
	{"home", "admin", "/", "", 0, ""},
	{"overview", "admin", "/c/demo/overview", "class.md", 1000, ""},
	{"settings", "admin", "/c/demo/edit", "", 0, ""},
	{
		"settings-errors", "admin", "/c/demo/edit", "", 0,
		`Object.entries({name: '', slug: 'Klasse 9', hours: '-2', penalty: '-1'}).forEach(([name, value]) => { ` +
			`document.querySelector('[name=' + name + ']').value = value; })`,
	},
	{"new-contest", "admin", "/admin/contests/new", "class.md", 1000, ""},
	{"new-hole", "admin", "/admin/holes/new", "", 0, ""},
	{"new-ladder", "admin", "/admin/ladders/new", "", 0, ""},
	{"teams", "admin", "/c/demo/teams", "", 0, ""},
	{"edit-teams", "admin", "/c/demo/teams/edit", "", 0, ""},
	{"login-sheets", "admin", "/c/demo/teams/login-sheets", "", 0, ""},
	{"import", "admin", "/c/demo/import", "", 0, ""},
	{"export", "admin", "/c/demo/export", "", 0, ""},
	{"files", "admin", "/c/demo/media", "", 0, ""},
	{"new-rejudging", "admin", "/c/demo/rejudgings?problem=A", "", 0, ""},
	{"award", "admin", "/c/demo/award", "", 0, ""},
	{"delete-contest", "admin", "/c/demo/delete", "", 0, ""},
	{"saved-replies", "admin", "/c/demo/clar/replies", "", 0, ""},
	{"balloons", "admin", "/c/demo/balloons", "", 0, ""},
	{"finalize", "admin", "/c/demo/finalize", "", 0, ""},
	{"problems", "admin", "/problems", "class.md", 1000, ""},
	{"people", "admin", "/admin/accounts", "", 0, ""},
	{"person", "admin", "/admin/accounts/team1", "", 0, ""},
	{"import-people", "admin", "/admin/import", "", 0, ""},
	{"invitations", "admin", "/admin/invitations", "", 0, ""},
	{"system", "admin", "/admin/workers", "", 0, ""},
	{"audit", "admin", "/admin/audit", "", 0, ""},
	{"arena", "admin", "/tournaments", "", 0, ""},
	{"published", "admin", "/problem/wythoff", "", 0, ""},
	{"hole-settings", "admin", "/hole/wythoff/edit", "", 0, ""},
	{"recheck", "admin", "/hole/wythoff/recheck", "", 0, ""},
	{"ladder-settings", "admin", "/ladder/hill/edit", "", 0, ""},
}

// TestPictures opens the pages of the demo, and the home page of an empty server, in a browser. It uses both color
// schemes at 390 and 1280 px, and also 320 px. It checks that no page is wider than the screen, has a column that
// is only a few letters wide, or hides a control, and that each page has exactly one h1. With ASSAY_PICTURES it
// writes the pictures of docs/, and with ASSAY_ALL_PICTURES those of all pages: see .ci/pictures.
func TestPictures(t *testing.T) {
	for _, p := range shown {
		if p.doc == "" {
			continue
		}
		text, err := os.ReadFile("../../../docs/" + p.doc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("../../../docs/pictures/" + p.name + ".png"); err != nil ||
			!strings.Contains(string(text), "(pictures/"+p.name+".png)") {
			t.Errorf("docs/%s does not show a picture %s, or there is none (%v): .ci/pictures", p.doc, p.name, err)
		}
	}
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("a browser takes a while: set ASSAY_SLOW=1")
	}
	command := filepath.Join(t.TempDir(), "judged")
	if out, err := exec.Command("go", "build", "-o", command, "../../../cmd/judged").CombinedOutput(); err != nil {
		t.Fatalf("build judged: %v\n%s", err, out)
	}
	t.Run("demo", func(t *testing.T) {
		address, passwords := "", map[string]string{}
		dir := serves(t, command, func(line string) bool {
			if words := strings.Fields(line); strings.HasPrefix(line, "Assay serves at ") {
				address = words[3]
			} else if strings.HasPrefix(line, "  ") {
				passwords[words[0]] = words[1]
			}
			return passwords["team8"] != ""
		}, "--demo", "--workers", "1")
		b := browser.Open(t, address+"/")
		as := ""
		for _, p := range shown {
			if p.login != as {
				b.Call(nil, "Network.clearBrowserCookies", nil)
				b.Navigate(address + "/login")
				b.Fill("input[name=login]", p.login)
				b.Fill("input[name=password]", passwords[p.login])
				b.Follow("form.stack button")
				if as = p.login; as == "admin" {
					workerOnline(b, address)
				}
			}
			pictures(t, b, address, p)
		}
		shadow(t, b, command, dir, address, passwords["admin"])
	})
	t.Run("first", func(t *testing.T) {
		setup := ""
		serves(t, command, func(line string) bool {
			if _, link, is := strings.Cut(line, "or in a browser, within one hour:"); is {
				setup = strings.TrimSpace(link)
			}
			return setup != ""
		}, "--workers", "0")
		address, _, _ := strings.Cut(setup, "/setup")
		b := browser.Open(t, address+"/")
		pictures(t, b, address, shot{name: "setup", path: strings.TrimPrefix(setup, address)})
		b.Navigate(setup)
		b.Fill("input[name=name]", "Ms Teacher")
		b.Fill("input[name=password]", "battery-staple")
		b.Fill("input[name=again]", "battery-staple")
		b.Follow("form.stack button")
		pictures(t, b, address, shot{name: "first-run", path: "/"})
	})
}

// shadow makes a contest follow the demo contest, and opens the comparison after both have judged a submission.
func shadow(t *testing.T, b *browser.Browser, command, dir, address, password string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
	follow := exec.Command(command, "admin", "contest", "shadow", address+"/api/2026-01/contests/"+Slug, "--username", "admin",
		"--secret-file", filepath.Join(dir, "secret"), "--contest", "copy")
	follow.Dir = dir
	if out, err := follow.CombinedOutput(); err != nil {
		t.Fatalf("follow the demo: %v\n%s", err, out)
	}
	for range 300 {
		b.Navigate(address + "/c/copy/shadow")
		if b.Eval(`/Judged by both\s*[1-9]/.test(document.body.textContent) ? 'judged' : 'waits'`) == "judged" {
			break
		}
		time.Sleep(time.Second)
	}
	pictures(t, b, address, shot{name: "shadow", path: "/c/copy/shadow"})
}

// workerOnline waits until the server's own worker is online, as on a healthy server.
func workerOnline(b *browser.Browser, address string) {
	for range 300 {
		b.Navigate(address + "/c/demo/overview")
		if b.Eval(`document.body.textContent.includes('No worker is online') ? 'none' : 'online'`) == "online" {
			return
		}
		time.Sleep(time.Second)
	}
}

// serves starts a server in an empty directory, and calls line with each line that the server prints until line
// returns true. It returns the directory.
func serves(t *testing.T, command string, line func(string) bool, args ...string) (dir string) {
	t.Helper()
	serve := exec.Command(command, append([]string{"serve", "--listen", "127.0.0.1:0", "--metrics", ""}, args...)...)
	serve.Dir, serve.Stderr = t.TempDir(), t.Output()
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt) // it may have exited
		_ = serve.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if line(lines.Text()) {
			return serve.Dir
		}
	}
	t.Fatal("the server has ended before it was up")
	return ""
}

// letters is a script that returns the texts of a page that wrap after every letter or two.
const letters = `[...document.querySelectorAll('main *')].filter(e => e.clientWidth > 1 && e.clientWidth < 40 && !e.closest('.said, svg, math, pre') &&
	[...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim().length > 9)).map(e => e.textContent.trim().slice(0, 30)).join('; ')`

// lone is a script that counts the lists of facts whose last row contains a single card although it has room for
// more.
const lone = `[...document.querySelectorAll('.facts')].filter(f => { const last = f.lastElementChild; return f.children.length > 1 && ` +
	`last.offsetWidth < f.clientWidth - 2 && [...f.children].filter(e => e.offsetTop === last.offsetTop).length === 1; }).length`

// hidden is a script that returns the names of controls that are visible only after scrolling a card sideways.
const hidden = `[...document.querySelectorAll('main .flush')].flatMap(c => [...c.querySelectorAll('select, button, ` +
	`input:not([type=hidden])')]` +
	`.filter(e => e.offsetWidth > 0 && e.getBoundingClientRect().right > c.getBoundingClientRect().right + 1)).map(e => e.name + ' ' + ` +
	`e.textContent.trim().slice(0, 30)).join('; ')`

// pictures opens a page, checks it, and takes its pictures.
func pictures(t *testing.T, b *browser.Browser, address string, p shot) {
	t.Helper()
	open := func(scheme string, width int) {
		t.Helper()
		b.Call(nil, "Emulation.setEmulatedMedia", map[string]any{
			"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
		})
		b.SetWidth(width)
		b.Navigate(address + p.path)
		if p.wrong != "" {
			b.Eval(p.wrong)
			b.Follow(".save .main")
		}
	}
	code := "200"
	if p.wrong != "" {
		code = "400"
	}
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{320, 390, 1280} {
			if width == 320 && scheme == "dark" {
				continue // the dark page is as wide as the light one
			}
			form := fmt.Sprintf("%s-%s-%d", p.name, scheme, width)
			open(scheme, width)
			if got := b.Eval(`document.querySelectorAll('h1').length + ' headings, ' + (document.documentElement.scrollWidth ` +
				`<= innerWidth ? 'fits, ' : 'is too wide, ') + performance.getEntriesByType('navigation')[0].responseStatus`); got != "1 headings, fits, "+code {
				t.Errorf("%s: %s", form, got)
			}
			if got := b.Eval(letters); got != "" {
				t.Errorf("%s has columns of letters: %s", form, got)
			}
			if got := b.Eval(lone); got != "0" {
				t.Errorf("%s has a card of facts alone in its row", form)
			}
			if got := b.Eval(hidden); got != "" && width > 320 { // at 320 px, tables scroll in their cards
				t.Errorf("%s has controls outside of their card: %s", form, got)
			}
			if got := unreadable(b); got != "" {
				t.Errorf("%s has in its accessibility tree: %s", form, got)
			}
			if to := os.Getenv("ASSAY_ALL_PICTURES"); to != "" && width != 320 {
				b.SavePage(filepath.Join(to, form+".png"))
			}
		}
	}
	if to := os.Getenv("ASSAY_PICTURES"); to != "" && p.doc != "" {
		open("light", p.width)
		b.SaveViewport(filepath.Join(to, p.name+".png"))
	}
}

// An axNode is a node of an accessibility tree.
type axNode struct {
	NodeID     string
	ChildIDs   []string
	Ignored    bool
	Role, Name struct{ Value string }
	Properties []struct {
		Name  string
		Value struct{ Value any }
	}
}

// unreadable returns the errors in the accessibility tree of the page: controls without a name, and headings that skip
// a level.
func unreadable(b *browser.Browser) string {
	var tree struct{ Nodes []axNode }
	b.Call(&tree, "Accessibility.getFullAXTree", nil)
	if len(tree.Nodes) == 0 {
		return "no nodes"
	}
	nodes := map[string]axNode{}
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	var wrong []string
	above := 0 // level of the previous heading
	var walk func(n axNode)
	walk = func(n axNode) {
		switch name := strings.TrimSpace(n.Name.Value); n.Role.Value {
		case "button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "spinbutton", "DisclosureTriangle",
			"image", "progressbar", "region", "Date":
			if !n.Ignored && name == "" {
				wrong = append(wrong, "a "+n.Role.Value+" without a name")
			}
		case "heading":
			for _, p := range n.Properties {
				if level, is := p.Value.Value.(float64); is && p.Name == "level" {
					if int(level) > above+1 {
						wrong = append(wrong, fmt.Sprintf("%q of level %v below level %d", name, level, above))
					}
					above = int(level)
				}
			}
		}
		for _, id := range n.ChildIDs {
			walk(nodes[id])
		}
	}
	walk(tree.Nodes[0])
	if above == 0 {
		wrong = append(wrong, "no heading")
	}
	return strings.Join(wrong, "; ")
}
