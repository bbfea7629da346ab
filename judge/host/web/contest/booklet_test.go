package contest_test

import (
	"strings"
	"testing"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestBooklet checks the page with all statements of a contest and the samples that they do not show. The jury can
// open it before the start, and all readers after it.
func TestBooklet(t *testing.T) {
	h := webtest.New(t)
	pdf := client.ProblemFile{Name: "st/en.pdf", Type: "application/pdf", Size: 8, Digest: h.StoreBlob([]byte("%PDF-1.4"))}
	svg := client.ProblemFile{Name: "st/pile.svg", Type: "image/svg+xml", Size: int64(len(hostileSVG)),
		Digest: h.StoreBlob([]byte(hostileSVG))}
	republish(h, func(s *client.ProblemInfo) {
		s.Statement, s.TimeMS, s.Memory, s.Files = "", 1500, 64<<20, []client.ProblemFile{pdf, svg}
		s.Statements = []client.Statement{
			{Language: "en", Text: "# Sum\n\nEnglish ![a pile](pile.svg)\n\n## Mfano\n\n```\n1 2\n```\n\n```\n3\n```\n",
				Pictures: map[string]string{"pile.svg": "st/pile.svg"}},
			{Language: "de", Text: "# Summe\n\nDeutsch"}, {Language: "cs", Document: "st/en.pdf"},
		}
		s.Samples = []client.Sample{{Name: "1", In: "1 2\n", Ans: "3\n"}, {Name: "2", In: "4 5\n", Ans: "9\n"},
			{Name: "3", In: "6", Ans: "half", Cut: true}}
	})
	h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	ada := h.Cookie("ada")
	has := func(body string, want ...string) {
		t.Helper()
		for _, one := range want {
			if !strings.Contains(body, one) {
				t.Errorf("the booklet lacks %s:\n%s", one, body)
			}
		}
	}
	english := h.Fetch(ada, "GET", "/c/now/booklet", nil, "Accept-Language", "en").Body
	has(english, "<h1>now", `<h2 class="name">A. Sum</h2>`, "Time limit 1.5 s · memory limit 64 MiB", `<img src="/c/now/p/A/file/st/pile.svg"`,
		"<h3>Sample 1</h3>", "<pre>4 5</pre>", "<pre>9</pre>", "<pre>6\n...</pre>", "<h3>Notes</h3>")
	if strings.Count(english, "1 2") != 1 || strings.Contains(english, "half") || strings.Contains(english, "<h1>Sum") {
		t.Errorf("the booklet repeats a sample or a title, or has half of an output:\n%s", english)
	}
	has(h.Fetch(ada, "GET", "/c/now/booklet", nil, "Accept-Language", "de").Body, `<article lang="de">`, "Deutsch", "<h3>Beispiel 1</h3>",
		"<pre>1 2</pre>")
	has(h.Fetch(ada, "GET", "/c/now/booklet?language=cs", nil).Body, `<a href="/c/now/p/A/file/st/en.pdf">en.pdf</a>. Print it separately.`)
	has(h.Fetch(ada, "GET", "/c/now", nil).Body, `<a href="/c/now/booklet">`)

	h.Contest("german", -time.Minute, store.VisibilityAccounts, store.Settings{Statements: []string{"de"}})
	has(h.Fetch(ada, "GET", "/c/german/booklet", nil, "Accept-Language", "en").Body, "Deutsch")

	h.Contest("later", time.Hour, store.VisibilityAccounts, store.Settings{})
	if got := h.Fetch(ada, "GET", "/c/later/booklet", nil); got.Code != 403 || strings.Contains(got.Body, "English") {
		t.Errorf("before the start ada is answered %d:\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(ada, "GET", "/c/later", nil); strings.Contains(got.Body, "/booklet") {
		t.Error("before the start a contestant has a link to the booklet")
	}
	has(h.Fetch(h.Cookie("judge"), "GET", "/c/later/booklet", nil).Body, "English")
}
