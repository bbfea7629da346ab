package demo

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/internal/browser"
)

// pictures are the pages of the demo that docs/class.md shows, by the names of their files.
var pictures = []struct {
	name, path, says string
	width            int
	login            string // of who looks
}{
	{"board", "/c/demo/board", "Scoreboard", 1000, ""},
	{"problem", "/c/demo/p/A", "A. Wythoff", 1000, "team1"},
	{"booklet", "/c/demo/booklet", "A. Wythoff", 1000, "team1"},
	{"judging", "/c/demo/s/177", "Submission 177", 1000, "judge"},
	{"submissions", "/c/demo/submissions", "Submissions", 1000, "judge"},
	{"problems", "/problems", "Upload a problem package", 1000, "admin"},
	{"phone", "/c/demo", "Problems", 390, "team2"},
}

// TestPictures opens pages of the demo in a browser. With the variable ASSAY_PICTURES it
// makes the pictures of docs/class.md: see .ci/pictures.
func TestPictures(t *testing.T) {
	page, err := os.ReadFile("../../../docs/class.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pictures {
		if _, err := os.Stat("../../../docs/pictures/" + p.name + ".png"); err != nil || !strings.Contains(string(page), "(pictures/"+p.name+".png)") {
			t.Errorf("docs/class.md shows no picture %s, or there is none (%v): .ci/pictures", p.name, err)
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
	for _, p := range pictures {
		if p.login != as {
			b.Ask(nil, "Network.clearBrowserCookies", nil)
			b.Go(address + "/login")
			b.Fill("input[name=login]", p.login)
			b.Fill("input[name=password]", passwords[p.login])
			b.Follow("form.stack button")
			as = p.login
		}
		b.Wide(p.width)
		b.Go(address + p.path)
		b.Contains(p.name, `document.querySelector('main').innerText`, p.says)
		if to := os.Getenv("ASSAY_PICTURES"); to != "" {
			b.Picture(filepath.Join(to, p.name+".png"))
		}
	}
}
