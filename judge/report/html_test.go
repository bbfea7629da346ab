package report_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/report"

	"golang.org/x/net/html"
)

func drawPage(t testing.TB, stream []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Replay(bytes.NewReader(stream), report.HTML(&b)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// styles matches the style sheet, which is the same in all pages. The tests ignore it, because it is reviewed
// visually.
var styles = regexp.MustCompile(`(?s)<style>.*</style>`)

func TestHTML(t *testing.T) {
	eachRecording(t, func(t *testing.T, name string, stream []byte) {
		page := drawPage(t, stream)
		if n := len(styles.FindAll(page, -1)); n != 1 {
			t.Errorf("%d style sheets, want 1", n)
		}
		golden.Check(t, "testdata/html/"+name+".html", styles.ReplaceAll(page, []byte("<style>...</style>")))
	})
}

// TestRunHTML checks that HTMLFragment writes the same article that the page written by HTML contains.
func TestRunHTML(t *testing.T) {
	article := regexp.MustCompile(`(?s)<article.*?</article>`)
	for name, events := range recordings {
		var page, run bytes.Buffer
		r := report.HTML(&page)
		for _, e := range events {
			r.Event(e)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		want := article.FindAll(page.Bytes(), -1)
		if err := report.HTMLFragment(&run, "r0-", events); (err == nil) != (len(want) == 1) {
			t.Errorf("%s: RunHTML = %v, and the page has %d runs", name, err, len(want))
		} else if err == nil && len(want[0]) < 30<<10 && !bytes.Equal(bytes.TrimSpace(run.Bytes()), want[0]) { // a larger one is cut
			t.Errorf("%s: RunHTML draws\n%s\nand the page has\n%s", name, run.Bytes(), want[0])
		}
	}
	if err := report.HTMLFragment(io.Discard, "", nil); err == nil {
		t.Error("nothing was drawn as a run")
	}
	if !strings.Contains(report.Style(), ".run {") {
		t.Error("Style is not a style sheet")
	}
}

// elements returns all elements of a page.
func elements(t *testing.T, page []byte) []*html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			all = append(all, n)
		}
	}
	return all
}

// TestHTMLIsHarmless checks that, whatever a contestant wrote, the page contains no script, loads nothing, and has
// no links to other pages.
func TestHTMLIsHarmless(t *testing.T) {
	allowed := map[string]bool{}
	for name := range strings.FieldsSeq("html head meta title style body article header section p b i h1 h2 h3 h4 span small strong em code " +
		"pre " +
		"dl dt dd div a details summary table thead tbody tr th td mark svg") {
		allowed[name] = true
	}
	eachRecording(t, func(t *testing.T, name string, stream []byte) {
		for _, n := range elements(t, drawPage(t, stream)) {
			if !allowed[n.Data] {
				t.Errorf("element <%s>", n.Data)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "style" || // which pages of a server do not allow
					a.Key == "href" && !strings.HasPrefix(a.Val, "#") {
					t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
				}
			}
		}
	})
}

// TestHTMLLinksLeadSomewhere checks that ids are unique, and that the target of every link in the grid exists.
func TestHTMLLinksLeadSomewhere(t *testing.T) {
	eachRecording(t, func(t *testing.T, name string, stream []byte) {
		ids, links := map[string]bool{}, map[string]bool{}
		for _, n := range elements(t, drawPage(t, stream)) {
			for _, a := range n.Attr {
				switch a.Key {
				case "id":
					if ids[a.Val] {
						t.Errorf("id %q is there twice", a.Val)
					}
					ids[a.Val] = true
				case "href":
					links[strings.TrimPrefix(a.Val, "#")] = true
				}
			}
		}
		for link := range links {
			if !ids[link] {
				t.Errorf("link to %q, which is not there", link)
			}
		}
	})
}

// TestEveryReportNamesWhatIsNotEnforced checks that each kind of report names the features that are not enforced.
func TestEveryReportNamesWhatIsNotEnforced(t *testing.T) {
	for recording, feature := range map[string]string{"time_limit": "file system", "verify": "memory of the children together"} {
		stream, err := os.ReadFile("testdata/recordings/" + recording + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var term, junit, page, lines bytes.Buffer
		if err := report.Replay(bytes.NewReader(stream), report.Terminal(&term, report.TerminalOptions{Width: 150}),
			report.JUnit(&junit), report.HTML(&page), report.JSON(&lines)); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string]*bytes.Buffer{"terminal": &term, "JUnit": &junit, "HTML": &page, "JSON": &lines} {
			if !strings.Contains(b.String(), feature) {
				t.Errorf("%s of %s does not name %q", name, recording, feature)
			}
		}
	}
}

// chromium renders a page in the browser and returns the resulting document.
func chromium(t *testing.T, url string) string {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium: apt-get install chromium")
	}
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + t.TempDir(),
		"--window-size=420,900", "--dump-dom", url,
	}
	out, err := exec.CommandContext(t.Context(), path, args...).Output()
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	return string(out)
}

// TestHTMLInABrowser opens the page of hostile events. It also opens a page with many cases by a link to a folded
// case, and checks that the case is unfolded.
func TestHTMLInABrowser(t *testing.T) {
	open := func(recording, fragment string) string {
		stream, err := os.ReadFile("testdata/recordings/" + recording + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "page.html")
		if err := os.WriteFile(file, drawPage(t, stream), 0o666); err != nil {
			t.Fatal(err)
		}
		return chromium(t, "file://"+file+fragment)
	}
	if dom := open("hostile", ""); strings.Contains(dom, "<script") ||
		strings.Contains(dom, "<img") || !strings.Contains(dom, "wrong answer") {
		t.Errorf("the browser sees a script or an image, or no verdict:\n%s", dom)
	}
	dom := open("all_many", "#r0-c61-detail")
	before, _, found := strings.Cut(dom, `id="r0-c61-detail"`)
	if !found {
		t.Fatal("case r0-c61 is not in the page")
	}
	if last := before[strings.LastIndex(before, "<details"):]; !strings.Contains(last[:strings.Index(last, ">")], " open") {
		t.Errorf("a link to a folded case does not unfold it: %s", last)
	}
}

// TestPageOfAContestant checks that a contestant's page contains everything that the contestant may know, and does
// not reveal anything else.
func TestPageOfAContestant(t *testing.T) {
	run := func(x judge.Exec, v judge.Verdict, show judge.Visibility) string {
		x.CPU, x.Wall, x.Memory = 1200*time.Millisecond, 1300*time.Millisecond, 4<<20
		events := []judge.Event{
			&judge.Started{Format: judge.EventFormat, Problem: "p", Groups: []string{"tight"}, Cases: 1}, &judge.Built{},
			&judge.CaseJudged{Group: "tight", Case: "max", Verdict: v, Exec: x},
			&judge.Finished{Verdict: v, Judged: 1, Cases: 1, First: "tight/max"},
		}
		var b bytes.Buffer
		if err := report.HTMLFragment(&b, "", judge.Redact(events, show)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if page := run(judge.Exec{Exit: 3}, judge.RunTimeError, judge.ShowAll); !strings.Contains(page, "exit code 3") {
		t.Errorf("the staff's page:\n%s", page)
	}
	for _, x := range []judge.Exec{{Exit: 3}, {Signal: "SIGSEGV"}, {Killed: judge.Processes}} {
		if page := run(x, judge.RunTimeError, judge.ShowSamples); strings.Contains(page, "exit code") ||
			strings.Contains(page, "SIG") || !strings.Contains(page, "on the clock 1.300 s.") {
			t.Errorf("%+v:\n%s", x, page)
		}
	}
	if page := run(judge.Exec{Killed: judge.CPUTime, Signal: "SIGKILL"}, judge.TimeLimit, judge.ShowSamples); !strings.Contains(
		page, "killed at its time limit",
	) {
		t.Errorf("too slow:\n%s", page)
	}
	if page := run(judge.Exec{}, judge.WrongAnswer, judge.ShowFirst); !strings.Contains(
		page, "First failure</dt><dd class=\"id\">case 1</dd>",
	) {
		t.Errorf("of the first failure:\n%s", page)
	}
	if page := run(judge.Exec{}, judge.WrongAnswer, judge.ShowVerdict); strings.Contains(page, "First failure") {
		t.Errorf("of the verdict only:\n%s", page)
	}
}
