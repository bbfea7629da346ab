package demo

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/internal/browser"
)

// shown are the pages of the demo, with the account that opens them. If a document shows a picture of the
// page, it is named, with the width of the picture.
var shown = []struct {
	name, login, path, doc string
	width                  int
}{
	{"home-public", "", "/", "", 0},
	{"board", "", "/c/demo/board", "class.md", 1000},
	{"golf", "", "/golf", "", 0},
	{"hole", "", "/hole/wythoff", "holes.md", 1000},
	{"ladders", "", "/ladders", "", 0},
	{"ladder", "", "/ladder/hill", "ladders.md", 1000},
	{"bot", "", "/ladder/hill/bot/1", "", 0},
	{"login", "", "/login", "", 0},
	{"problem", "team1", "/c/demo/p/A", "class.md", 1000},
	{"mine", "team1", "/c/demo/mine", "", 0},
	{"account", "team1", "/account", "", 0},
	{"phone", "team2", "/c/demo", "class.md", 390},
	{"submission", "judge", "/c/demo/s/177", "class.md", 1000},
	{"submissions", "judge", "/c/demo/submissions", "class.md", 1000},
	{"clarifications", "judge", "/c/demo/clar", "", 0},
	{"rejudgings", "judge", "/c/demo/rejudgings", "", 0},
	{"home", "admin", "/", "", 0},
	{"overview", "admin", "/c/demo/overview", "class.md", 1000},
	{"settings", "admin", "/c/demo/edit", "", 0},
	{"new-contest", "admin", "/admin/contests/new", "class.md", 1000},
	{"new-hole", "admin", "/admin/holes/new", "", 0},
	{"new-ladder", "admin", "/admin/ladders/new", "", 0},
	{"teams", "admin", "/c/demo/teams", "", 0},
	{"import", "admin", "/c/demo/import", "", 0},
	{"balloons", "admin", "/c/demo/balloons", "", 0},
	{"finalize", "admin", "/c/demo/finalize", "", 0},
	{"problems", "admin", "/problems", "class.md", 1000},
	{"people", "admin", "/admin/accounts", "", 0},
	{"system", "admin", "/admin/workers", "", 0},
	{"audit", "admin", "/admin/audit", "", 0},
	{"arena", "admin", "/arena", "", 0},
}

// TestPictures opens the pages of the demo in a browser, in both color schemes at 390 and 1280 px: none
// is wider than the screen, and each has one h1. With ASSAY_PICTURES it writes the pictures of docs/, and
// with ASSAY_ALL_PICTURES those of all pages: see .ci/pictures.
func TestPictures(t *testing.T) {
	for _, p := range shown {
		if p.doc == "" {
			continue
		}
		text, err := os.ReadFile("../../../docs/" + p.doc)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("../../../docs/pictures/" + p.name + ".png"); err != nil || !strings.Contains(string(text), "(pictures/"+p.name+".png)") {
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
	serve := exec.Command(command, "serve", "--demo", "--listen", "127.0.0.1:0", "--metrics", "", "--workers", "0")
	serve.Dir, serve.Stderr = t.TempDir(), os.Stderr
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Signal(os.Interrupt) // it may have ended
		_ = serve.Wait()
	})
	address, passwords := "", map[string]string{}
	for lines := bufio.NewScanner(out); passwords["team8"] == "" && lines.Scan(); {
		if words := strings.Fields(lines.Text()); strings.HasPrefix(lines.Text(), "Assay serves at ") {
			address = words[3]
		} else if strings.HasPrefix(lines.Text(), "  ") {
			passwords[words[0]] = words[1]
		}
	}
	if passwords["team8"] == "" {
		t.Fatalf("the demo is not up at %q", address)
	}
	b := browser.Open(t, address+"/")
	as := ""
	for _, p := range shown {
		if p.login != as {
			b.Ask(nil, "Network.clearBrowserCookies", nil)
			b.Go(address + "/login")
			b.Fill("input[name=login]", p.login)
			b.Fill("input[name=password]", passwords[p.login])
			b.Follow("form.stack button")
			as = p.login
		}
		for _, scheme := range []string{"light", "dark"} {
			b.Ask(nil, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
			for _, width := range []int{390, 1280} {
				form := fmt.Sprintf("%s-%s-%d", p.name, scheme, width)
				b.Wide(width)
				b.Go(address + p.path)
				if got := b.Eval(`document.querySelectorAll('h1').length + ' headings, ' + (document.documentElement.scrollWidth <= innerWidth ? 'fits, ' : 'is too wide, ') + performance.getEntriesByType('navigation')[0].responseStatus`); got != "1 headings, fits, 200" {
					t.Errorf("%s: %s", form, got)
				}
				if to := os.Getenv("ASSAY_ALL_PICTURES"); to != "" {
					b.PageTo(filepath.Join(to, form+".png"))
				}
			}
		}
		if to := os.Getenv("ASSAY_PICTURES"); to != "" && p.doc != "" {
			b.Ask(nil, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "light"}}})
			b.Wide(p.width)
			b.Go(address + p.path)
			b.Picture(filepath.Join(to, p.name+".png"))
		}
	}
}
