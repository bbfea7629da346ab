package web_test

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/internal/browser"
)

// textOfAda stands in her answers, which nobody else may read.
const textOfAda = "lambda-of-ada"

// hole makes a hole of the problem that everybody sees.
func (h *harness) hole(slug string) *store.Hole {
	h.Helper()
	o := &store.Hole{Slug: slug, Name: slug + evil, ProblemSlug: "sum", Visibility: store.Public}
	if err := h.store.NewHole(h.Context(), o); err != nil {
		h.Fatal(err)
	}
	return o
}

// answerTo keeps an answer, which is then being proved.
func (h *harness) answerTo(o *store.Hole, login, text string) *store.Answer {
	h.Helper()
	data := []byte(text)
	if login == "ada" {
		data = []byte(textOfAda + evil + text)
	}
	how := flow.HoleAnswer{Language: "py"}
	proof, err := how.Proof("answer.py")
	if err != nil {
		h.Fatal(err)
	}
	f := job.File{Path: "answer.py", Size: int64(len(data)), Digest: h.put(data)}
	spec, err := flow.NewHole(job.Work{Bundle: h.problem.Bundle, Config: h.problem.Config, Problem: "sum", Program: "sum", Folder: true, Files: []job.File{f}}, proof, "")
	if err != nil {
		h.Fatal(err)
	}
	asked, err1 := json.Marshal(how)
	planned, err2 := json.Marshal(spec)
	a, err := h.store.NewAnswer(h.Context(), store.NewAnswer{Hole: o, Account: h.accounts[login].ID, File: f, Asked: asked, Spec: planned, Kind: string(flow.Hole)})
	if err != nil || err1 != nil || err2 != nil {
		h.Fatal(err, err1, err2)
	}
	return a
}

// told is what a proof tells, packed as workers do.
func (h *harness) told(language string, v judge.GolfVerdict, size int) (*judge.GolfProved, []byte) {
	h.Helper()
	p := &judge.GolfProved{
		Format: judge.EventFormat, Problem: "sum", File: "answer.py", Language: language + evil, Verdict: v, GolfSize: judge.GolfSize{Bytes: size, Chars: size - 1},
		Domain: 10000, Tried: 10000, Code: textOfAda + evil, How: "function f(i,j)", Notes: []string{evil},
	}
	if v != judge.GolfRight {
		p.Wrong, p.WrongMany = []judge.GolfWrongInput{{In: "5 5", Gave: evil, Why: "it is 10"}}, 1
	}
	line, err := judge.EncodeEvent(p)
	if err != nil {
		h.Fatal(err)
	}
	packed, err := job.PackLines([][]byte{line})
	if err != nil {
		h.Fatal(err)
	}
	return p, packed
}

// prove ends the proof of an answer.
func (h *harness) prove(a *store.Answer, language string, v judge.GolfVerdict, size int) *store.Answer {
	h.Helper()
	p, packed := h.told(language, v, size)
	h.later(time.Second)
	e := store.Settled{Flow: a.Flow, Right: v == judge.GolfRight, Proved: p, Language: language, Events: h.put(packed), Why: flow.Why(p), Toolchain: "Python 3.14" + evil, Workers: []string{"w"}}
	if err := h.store.Settle(h.Context(), e); err != nil {
		h.Fatal(err)
	}
	got, err := h.store.Answer(h.Context(), a.Hole, a.Number)
	if err != nil {
		h.Fatal(err)
	}
	return got
}

// TestAHoleIsMade: by a page, of a golf problem only.
func TestAHoleIsMade(t *testing.T) {
	h := newHarness(t)
	admin := h.cookie("admin")
	if got := h.ask(admin, "GET", "/admin/holes/new", nil); got.code != 200 || !strings.Contains(got.body, `value="sum"`) {
		t.Fatalf("the form: %d\n%s", got.code, got.body)
	}
	fields := func(pairs ...string) url.Values {
		f := url.Values{"problem": {"sum"}, "slug": {"nim"}, "name": {"Nim"}, "visibility": {"public"}}
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return f
	}
	for wrong, f := range map[string]url.Values{
		"choose the problem": fields("problem", "none"), "an address has": fields("slug", "No Slug"), "a name is missing": fields("name", " "), "who sees": fields("visibility", "teams"),
	} {
		if got := h.ask(admin, "POST", "/admin/holes/new", f); got.code != 400 || !strings.Contains(got.body, wrong) {
			t.Errorf("%v: %d, want 400 and %q", f, got.code, wrong)
		}
	}
	if got := h.ask(admin, "POST", "/admin/holes/new", fields()); got.code != 303 || got.Get("Location") != "/hole/nim" {
		t.Fatalf("made: %d %s\n%s", got.code, got.Get("Location"), got.body)
	}
	if got := h.ask(admin, "POST", "/admin/holes/new", fields()); got.code != 400 || !strings.Contains(got.body, "already") {
		t.Errorf("made twice: %d", got.code)
	}
	if got := h.ask("", "GET", "/", nil); !strings.Contains(got.body, `href="/hole/nim"`) {
		t.Errorf("the home page does not lead to it:\n%s", got.body)
	}
	if got := h.ask("", "GET", "/hole/nim", nil); !strings.Contains(got.body, "In <em>few</em> bytes") || strings.Contains(got.body, "Add <em>both</em>") || strings.Contains(got.body, "javascript:") {
		t.Errorf("a hole does not show the golf statement: %s", got.body)
	}
	if got := h.ask("", "GET", "/hole/nim", nil); got.code != 200 || !strings.Contains(got.body, "Nobody has an answer that stands yet") || !strings.Contains(got.body, "Only users who are logged in") {
		t.Errorf("its page: %d\n%s", got.code, got.body)
	}
	change := fields("revision", "1", "shown", "on", "closed", "on", "name", "The nim")
	if got := h.ask(admin, "POST", "/hole/nim/edit", change); got.code != 303 {
		t.Errorf("changed: %d\n%s", got.code, got.body)
	}
	if got := h.ask(admin, "POST", "/hole/nim/edit", change); got.code != 409 {
		t.Errorf("changed by who was late: %d", got.code)
	}
	if got := h.upload(h.cookie("ada"), "/hole/nim", map[string]string{"text": "x", "language": "py"}, nil); got.code != 403 || !strings.Contains(got.body, "takes no more answers") {
		t.Errorf("an answer to a closed hole: %d\n%s", got.code, got.body)
	}
	if got := h.ask(admin, "GET", "/hole/nim/edit", nil); got.code != 200 || strings.Count(got.body, " checked") != 2 {
		t.Errorf("the settings: %d\n%s", got.code, got.body)
	}
}

// TestBadAnswers: each gets one sentence, and nothing of it is kept.
func TestBadAnswers(t *testing.T) {
	h := newHarness(t)
	h.hole("nim")
	if _, err := h.store.FillClass(t.Context(), "main", job.Offer{Languages: map[string]string{"py": "Python 3.14"}}); err != nil {
		t.Fatal(err)
	}
	ada := h.cookie("ada")
	for want, sent := range map[string]struct{ fields, files map[string]string }{
		"the answer is empty": {map[string]string{"text": " \n", "language": "py"}, nil},
		"choose it":           {map[string]string{"text": "print(1)"}, nil},
		"is not known here":   {map[string]string{"text": "print(1)", "language": "klingon"}, nil},
		"no worker here has Shell: an answer in it cannot be proved": {map[string]string{"text": "echo", "language": "sh"}, nil},
		"no worker here has Shell":                                   {nil, map[string]string{"a.sh": "echo"}},
		"no language has programs called":                            {nil, map[string]string{"a.xyz": "echo"}},
		"has code in it":                                             {map[string]string{"text": "1", "language": "py", "flags": "-cprint(1)"}, nil},
		"flags are not counted":                                      {map[string]string{"text": "1", "language": "py", "flags": strings.Repeat("-Oabcdefgh ", 9)}, nil},
		"is too large":                                               {map[string]string{"language": "py"}, map[string]string{"a.py": strings.Repeat("x", 1<<20)}},
		"the most is 1000":                                           {map[string]string{"text": strings.Repeat("x", 1001), "language": "py"}, nil},
		"the post has no code":                                       {map[string]string{"text": "# Python, 3 bytes\n\nnothing", "language": "post"}, nil},
		"is a function or a program":                                 {map[string]string{"text": "1", "language": "py", "as": "song"}, nil},
		"send one of them":                                           {map[string]string{"text": "1"}, map[string]string{"a.py": "2"}},
	} {
		got := h.upload(ada, "/hole/nim", sent.fields, sent.files)
		if got.code < 400 || got.code >= 500 || strings.Count(got.body, `role="alert"`) != 1 && !strings.Contains(got.body, "too large") || !strings.Contains(got.body, want) {
			t.Errorf("%q: %d\n%s", want, got.code, got.body)
		}
	}
	if o, err := h.store.Hole(t.Context(), "nim"); err != nil || o.Answers != 0 {
		t.Errorf("kept are %+v, %v", o, err)
	}
	for i := range 11 {
		got := h.upload(ada, "/hole/nim", map[string]string{"text": fmt.Sprint("print(", i, ")"), "language": "py"}, nil)
		if want := map[bool]int{true: 429, false: 303}[i == 10]; got.code != want {
			t.Errorf("answer %d: %d\n%s", i, got.code, got.body)
		}
	}
}

// TestAnAnswerAppears: from its form to its place on the boards, and to where others hear of
// it; only its author reads it.
func TestAnAnswerAppears(t *testing.T) {
	h := newHarness(t)
	o := h.hole("nim")
	ada := h.cookie("ada")
	key := map[string]string{"key": "once", "text": textOfAda + "\r\n", "language": "py", "flags": "-O"}
	for range 2 { // sent twice it is one
		if got := h.upload(ada, "/hole/nim/py", key, nil); got.code != 303 || got.Get("Location") != "/hole/nim/a/1" {
			t.Fatalf("sent: %d %s\n%s", got.code, got.Get("Location"), got.body)
		}
	}
	a := must[*store.Answer](t)(h.store.Answer(t.Context(), o.ID, 1))
	if got := h.ask(ada, "GET", "/hole/nim/a/1/source", nil); got.body != textOfAda+"\n" || got.Get("Content-Disposition") != "attachment; filename*=UTF-8''answer.py" {
		t.Errorf("its text is %q, %v", got.body, got.Header)
	}
	if got := h.ask(ada, "GET", "/hole/nim/a/1", nil); !strings.Contains(got.body, "waiting for a worker") || !strings.Contains(got.body, `data-events="/hole/nim/a/1/events"`) {
		t.Errorf("its page while it waits:\n%s", got.body)
	}
	h.prove(a, "py", judge.GolfRight, 40)
	h.prove(h.answerTo(o, "bob", "1"), "py", judge.GolfRight, 40)
	h.prove(h.answerTo(o, "bob", "2"), "sh", judge.GolfRight, 30)
	h.prove(h.answerTo(o, "ada", "3"), "py", judge.GolfWrong, 20)
	page := h.ask(ada, "GET", "/hole/nim/a/1", nil)
	if !strings.Contains(page.body, "40 bytes: place 1 of 2 in ") || !strings.Contains(page.body, ", 2 of 2 over all") || !strings.Contains(page.body, textOfAda) {
		t.Errorf("its page:\n%s", page.body)
	}
	if got := h.ask(ada, "GET", "/hole/nim/a/4", nil); !strings.Contains(got.body, "5 5") || !strings.Contains(got.body, "it is 10") || strings.Contains(got.body, "place") {
		t.Errorf("the page of a wrong one:\n%s", got.body)
	}
	board := h.ask("", "GET", "/hole/nim", nil)
	if strings.Contains(board.body, textOfAda) || strings.Count(board.body, "<bdi>") != 2+2+2 {
		t.Errorf("the board of all:\n%s", board.body)
	}
	if got := h.ask("", "GET", "/hole/nim/sh?by=chars", nil); got.code != 200 || !strings.Contains(got.body, "29") {
		t.Errorf("the board of a language: %d\n%s", got.code, got.body)
	}
	if got := h.ask("", "GET", "/hole/nim/klingon", nil); got.code != 404 {
		t.Errorf("the board of no language: %d", got.code)
	}
	if got := h.ask(h.cookie("bob"), "GET", "/hole/nim/a/1", nil); got.code != 404 {
		t.Errorf("another reads it: %d", got.code)
	}
	var rows []map[string]any
	if got := h.ask("", "GET", "/hole/nim/board.json?lang=py", nil); json.Unmarshal([]byte(got.body), &rows) != nil || len(rows) != 2 || rows[0]["name"] != "ada"+evil || rows[0]["bytes"] != 40.0 {
		t.Errorf("as JSON: %s", got.body)
	}
	table, err := csv.NewReader(strings.NewReader(h.ask("", "GET", "/hole/nim/board.csv", nil).body)).ReadAll()
	if err != nil || len(table) != 3 || table[0][0] != "\ufeffrank" || table[1][1] != "bob"+evil || table[1][3] != "30" {
		t.Errorf("as CSV: %q, %v", table, err)
	}
	var feed struct {
		Items []struct{ ID, Title string }
	}
	if got := h.ask("", "GET", "/hole/nim/feed.json", nil); json.Unmarshal([]byte(got.body), &feed) != nil || len(feed.Items) != 2 || !strings.HasPrefix(feed.Items[1].Title, "ada"+evil+": 40 bytes") || feed.Items[1].ID != "http://judge.example/hole/nim/a/1" {
		t.Errorf("the feed: %s", got.body)
	}
	var atom struct {
		Entries []struct {
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	if got := h.ask("", "GET", "/hole/nim/feed.atom", nil); xml.Unmarshal([]byte(got.body), &atom) != nil || len(atom.Entries) != 2 || !strings.HasPrefix(atom.Entries[0].Title, "bob"+evil) {
		t.Errorf("the feed: %s", got.body)
	}
	for number, want := range map[string]string{"1": "1 of 2, 40 bytes", "2": "2 of 2, 40 bytes"} {
		got := h.ask("", "GET", "/hole/nim/a/"+number+"/badge.svg", nil)
		if got.code != 200 || !strings.Contains(got.body, want) || xml.Unmarshal([]byte(got.body), new(struct{})) != nil {
			t.Errorf("the badge of %s: %d %s", number, got.code, got.body)
		}
	}
	for _, number := range []string{"4", "9", "x"} { // wrong, none, no number
		if got := h.ask("", "GET", "/hole/nim/a/"+number+"/badge.svg", nil); got.code != http.StatusNotFound {
			t.Errorf("the badge of %s: %d", number, got.code)
		}
	}
	o.Shown = true
	if err := h.store.SetHole(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := h.ask("", "GET", "/hole/nim/a/1", nil); got.code != 200 || !strings.Contains(got.body, textOfAda) {
		t.Errorf("once answers are shown: %d", got.code)
	}
	if got := h.ask(h.cookie("bob"), "GET", "/hole/nim/a/4", nil); got.code != 404 {
		t.Errorf("a wrong one of another: %d", got.code)
	}
}

// TestAHoleInABrowser: somebody reads a hole, sends an answer, sees how far its proof is and its
// place on the board; on a phone and on a desk, with scripts and without.
func TestAHoleInABrowser(t *testing.T) {
	everywhere(t, atHole)
}

func atHole(t *testing.T, width int, scripts bool) {
	h := newHarness(t)
	o := h.hole("nim")
	h.prove(h.answerTo(o, "ada", "1"), "py", judge.GolfRight, 40)
	b := browser.Open(t, h.URL+"/")
	b.Wide(width)
	b.Scripts(scripts)
	look := func(page string) {
		t.Helper()
		b.Is(page+": what is wider than the screen", wide, "")
		b.Screenshot(fmt.Sprintf("hole-%d-%v-%s", width, scripts, page))
	}
	b.Go(h.URL + "/hole/nim")
	b.Contains("the hole", said, "ada", "Only users who are logged in may send an answer", "How the record fell")
	look("hole")
	b.Go(h.URL + "/login?next=/hole/nim")
	b.Fill("input[name=login]", h.accounts["bob"].Login)
	b.Fill("input[name=password]", "correct-horse")
	b.Follow("form.stack button")
	b.Is("the hole again", address, "/hole/nim")
	if scripts {
		b.Fill("textarea[name=text]", "\u00e4bc\n")
		b.Eval(`document.querySelector('textarea[name=text]').dispatchEvent(new Event('input'))`)
		b.Contains("the length", `document.getElementById('count').textContent`, "4 bytes in UTF-8, 3 characters")
	}
	b.Fill("textarea[name=text]", "")
	b.Follow("form[data-submit] button")
	b.Contains("nothing was sent", alert, "the answer is empty")
	b.Fill("textarea[name=text]", "lambda i,j:0")
	b.Fill("select[name=language]", "py")
	b.Follow("form[data-submit] button")
	b.Is("the answer", address, "/hole/nim/a/2")
	b.Contains("it waits", said, "waiting for a worker to try samples and edges")
	look("waits")

	// It is proved, which its page tells: by itself where there are scripts.
	a := must[*store.Answer](t)(h.store.Answer(t.Context(), o.ID, 2))
	h.prove(a, "py", judge.GolfRight, 12)
	right := func(text string) bool { return strings.Contains(text, "12 bytes: place 1 of 2 in") }
	if !scripts {
		b.Go(h.URL + "/hole/nim/a/2")
	}
	if got := b.Soon(said, right); !right(got) {
		t.Fatalf("its page after the proof:\n%s", got)
	}
	if scripts { // what stands below its verdict
		b.Go(h.URL + "/hole/nim/a/2")
	}
	b.Contains("it is right", said, "RIGHT", "12 bytes: place 1 of 2 in", "Proofs", "Badge")
	look("right")
	b.Go(h.URL + "/hole/nim/py?by=chars")
	b.Contains("the board", said, "Your answers", "ada", "by bytes")
	look("board")
}
