package contest_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/webtest"
)

// republish publishes the problem again with changed metadata.
func republish(h *webtest.Harness, change func(*client.ProblemInfo)) {
	h.Helper()
	sheet := *webtest.Must[*client.ProblemInfo](h)(h.Intake.ProblemInfo(h.Problem))
	change(&sheet)
	at := h.StoreBlob(webtest.Must[[]byte](h)(json.Marshal(sheet)))
	bundled := h.StoreBlob([]byte("bundle of " + string(at)))
	h.Problem = webtest.Must[*store.Problem](h)(h.Store.PutBundle(h.Context(), store.NewBundle{
		Problem: "sum", Title: "Sum", Owner: h.Accounts["admin"].ID, ID: bundled, Manifest: bundled, Config: bundled, ProblemInfo: at,
		MadeBy: h.Accounts["admin"].ID,
	}))
}

// hostileHTML is a statement in HTML, and drawnHTML what browsers get: its formulas drawn and its pictures embedded.
const (
	hostileHTML = `<script>alert(1)</script>$n$<img src="x.svg" srcset="y.png"><img src="x.pdf"><img src="none.png"><img src="large.png">`
	drawnHTML   = `<script>alert(1)</script><math><mi>n</mi></math><img src="data:image/svg+xml;base64,` +
		`PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiPjxzY3JpcHQ+YWxlcnQoMSk8L3NjcmlwdD48L3N2Zz4=">` +
		`<img src="x.pdf"><img src="none.png"><img src="large.png">`
)

// ownPicture is a statement that shows itself as its picture.
const ownPicture = `<svg><img src="self">`

const hostileSVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`

// TestStatementFiles checks a problem page with pictures, a PDF, attachments and two languages, and the files that
// it links to.
func TestStatementFiles(t *testing.T) {
	h := webtest.New(t)
	pdf, svg, png := []byte("%PDF-1.4 $n$ \xff"), []byte(hostileSVG), []byte("\x89PNG")
	file := func(name, kind string, data []byte, attached bool) client.ProblemFile {
		return client.ProblemFile{Name: name, Type: kind, Size: int64(len(data)), Digest: h.StoreBlob(data), Attachment: attached}
	}
	republish(h, func(s *client.ProblemInfo) {
		s.Statement = ""
		s.Statements = []client.Statement{
			{Language: "en", Text: "# Sum\n\nEnglish ![a pile](pile.png) ![](x) ![](none.png)",
				Pictures: map[string]string{"pile.png": "st/pile #1.png", "x": "st/x.svg"}, Document: "st/en.pdf"},
			{Language: "de", Text: "# Summe\n\nDeutsch"},
			{Language: "pt-BR", Document: "st/en.pdf"},
			{Language: "cs", Document: "st/cs.html", Pictures: map[string]string{"x.svg": "st/x.svg", "x.pdf": "st/en.pdf",
				"large.png": "large.png"}},
			{Language: "sk", Document: "sk/cs.html", Pictures: map[string]string{"self": "sk/cs.html"}},
		}
		s.Files = []client.ProblemFile{
			file("st/pile #1.png", "image/png", png, false), file("st/x.svg", "image/svg+xml", svg, false),
			file("st/en.pdf", "application/pdf", pdf, false),
			file("st/cs.html", "text/html; charset=utf-8", []byte(hostileHTML), false),
			file("sk/cs.html", "image/svg+xml", []byte(ownPicture), false), file(`up\..\..\a.py`, "application/octet-stream", svg, true),
			// Together with another picture, it is too large. Its bytes are not read.
			{Name: "large.png", Type: "image/png", Size: 16 << 20, Digest: blob.DigestOf([]byte("large"))},
			file("lib<b>.py", "application/octet-stream", []byte("x"), true), file("page.html", "text/html; charset=utf-8", svg, true),
			file("src/lib.py", "application/octet-stream", []byte("x"), true),
		}
		s.Samples = []client.Sample{{Name: "1", In: "1 2\n", Ans: "3\n"}, {Name: "2", In: "1", Cut: true}}
	})
	h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	ada := h.Cookie("ada")
	const at = "/c/now/p/A"
	page := h.Fetch(ada, "GET", at, nil).Body
	for _, want := range []string{
		`<img src="/c/now/p/A/file/st/pile%20%231.png" alt="a pile">`, `<img src="/c/now/p/A/file/st/x.svg" alt="">`, "[picture: none.png]",
		`<a href="/c/now/p/A/file/st/en.pdf">PDF</a>`, `<a href="?language=de" lang="de" hreflang="de">Deutsch</a>`, `<b lang="en">English</b>`,
		`<a href="/c/now/p/A/files.zip" download>`, `lang="en"`, `page.html</a> <small>`,
		`<a href="/c/now/p/A/file/src/lib.py" download>src/lib.py</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	if strings.Contains(page, "<iframe") || strings.Contains(page, "<marked") {
		t.Errorf("the page has\n%s", page)
	}
	// Each file from a package is sent with its media type, and no file can run scripts.
	for path, want := range map[string]struct{ kind, policy, body string }{
		"/file/st/pile%20%231.png": {"image/png", "sandbox", string(png)},
		"/file/st/x.svg":           {"image/svg+xml", "sandbox; default-src 'none'", hostileSVG},
		"/file/st/cs.html":         {"text/html; charset=utf-8", "sandbox; default-src 'none'", drawnHTML},
		"/file/sk/cs.html": {"image/svg+xml", "sandbox; default-src 'none'", `<svg><img src="data:image/svg+xml;base64,` +
			`PHN2Zz48aW1nIHNyYz0ic2VsZiI+">`},
		"/file/st/en.pdf": {"application/pdf", "default-src 'none'", string(pdf)},
		".pdf":            {"application/pdf", "default-src 'none'", string(pdf)},
		"/file/page.html": {"text/plain; charset=utf-8", "sandbox; default-src 'none'", hostileSVG},
	} {
		got := h.Fetch(ada, "GET", at+path, nil)
		policy := got.Get("Content-Security-Policy")
		if got.Code != 200 || got.Get("Content-Type") != want.kind || !strings.HasPrefix(policy, want.policy) || got.Body != want.body ||
			got.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d, %s, %s:\n%s", path, got.Code, got.Get("Content-Type"), policy, got.Body)
		}
		if strings.Contains(policy, "script") {
			t.Errorf("%s may run scripts: %s", path, policy)
		}
	}
	h.Contest("coming", time.Hour, store.VisibilityAccounts, store.Settings{})
	if got := h.Fetch(ada, "GET", "/c/coming/p/A.pdf", nil); got.Code != 403 {
		t.Errorf("a statement before the start: %d", got.Code)
	}
	for _, none := range []string{".pdf.pdf", ".html", "/file/none.png", "/file/", "/file/st", "/file/st/../../x"} {
		if got := h.Fetch(ada, "GET", at+none, nil); got.Code != 404 && got.Code != 307 {
			t.Errorf("%s: %d", none, got.Code)
		}
	}
	// The statement is in the browser's preferred language until the reader chooses one.
	for accept, want := range map[string]string{"de-AT,en;q=0.5": "Deutsch", "fr, de;q=0.4": "Deutsch", "ja": "English <img",
		"pt": "<iframe", "!": "English <img", "": "English <img"} {
		if got := h.Fetch(ada, "GET", at, nil, "Accept-Language", accept); !strings.Contains(got.Body, want) {
			t.Errorf("Accept-Language %q has not %s:\n%s", accept, want, got.Body)
		}
	}
	chosen := h.Fetch(ada, "GET", at+"?language=de", nil)
	cookie, _, _ := strings.Cut(chosen.Get("Set-Cookie"), ";")
	if !strings.Contains(chosen.Body, "Deutsch") || cookie != "language=de" {
		t.Errorf("choosing a language sets %q:\n%s", cookie, chosen.Body)
	}
	if got := h.Fetch(ada+"; "+cookie, "GET", at, nil, "Accept-Language", "en"); !strings.Contains(got.Body, `<b lang="de">`) {
		t.Errorf("it is not remembered:\n%s", got.Body)
	}
	if got := h.Fetch(ada, "GET", at+"?language=xx", nil); got.Get("Set-Cookie") != "" || !strings.Contains(got.Body, `<b lang="en">`) {
		t.Errorf("a language that is not there:\n%s", got.Body)
	}
	if got := h.Fetch(ada, "GET", at+"?language=cs", nil).Body; !strings.Contains(got,
		`<iframe class="document" src="/c/now/p/A/file/st/cs.html" title="statement" sandbox>`) {
		t.Errorf("a statement in HTML is drawn as\n%s", got)
	}
	if got := h.Fetch(ada, "GET", at+"?language=pt-BR", nil).Body; !strings.Contains(got,
		`<iframe class="document" src="/c/now/p/A/file/st/en.pdf" title="statement">`) {
		t.Errorf("a statement in PDF is drawn as\n%s", got)
	}
	// A contest may restrict the languages. A problem that has none of them shows the languages that it has.
	for slug, tt := range map[string]struct {
		only    []string
		want    string
		lacking string
	}{
		"german": {[]string{"de", "fr"}, "Deutsch", "hreflang"}, "two": {[]string{"de", "en"}, `hreflang="de"`, "iframe"},
		"none": {[]string{"fr"}, `hreflang="cs"`, "iframe"},
	} {
		h.Contest(slug, -time.Minute, store.VisibilityAccounts, store.Settings{Statements: tt.only})
		if got := h.Fetch(ada, "GET", "/c/"+slug+"/p/A", nil, "Accept-Language", "en").Body; !strings.Contains(got, tt.want) ||
			strings.Contains(got, tt.lacking) {
			t.Errorf("with the languages %q:\n%s", tt.only, got)
		}
	}
	all := h.Fetch(ada, "GET", at+"/files.zip", nil)
	z, err := zip.NewReader(bytes.NewReader([]byte(all.Body)), int64(len(all.Body)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		if want := map[string]string{"samples/1.ans": "3\n", "cs.html": drawnHTML}[f.Name]; want != "" {
			r := webtest.Must[io.ReadCloser](t)(f.Open())
			if data := webtest.Must[[]byte](t)(io.ReadAll(r)); string(data) != want {
				t.Errorf("%s is %q", f.Name, data)
			}
		}
	}
	slices.Sort(names)
	if d := cmp.Diff([]string{"a.py", "cs.html", "en.pdf", "lib<b>.py", "page.html", "samples/1.ans",
		"samples/1.in", "sk/cs.html", "src/lib.py"}, names); d != "" {
		t.Error(d)
	}
	// Before the start, contestants cannot read any of it.
	h.Contest("later", time.Hour, store.VisibilityAccounts, store.Settings{})
	for _, path := range []string{"", "/file/st/x.svg", "/file/st/en.pdf", "/files.zip"} {
		if got := h.Fetch(ada, "GET", "/c/later/p/A"+path, nil); got.Code == 200 || strings.Contains(got.Body, "alert(1)</script></svg>") {
			t.Errorf("before the start %q is answered %d", path, got.Code)
		}
	}
}

// TestLostPicture checks that a statement in HTML is an error if the server cannot read one of its pictures.
func TestLostPicture(t *testing.T) {
	h := webtest.New(t, func(_ *webtest.Harness, o *web.Options) { o.Log = slog.New(slog.DiscardHandler) })
	republish(h, func(s *client.ProblemInfo) {
		s.Statements = []client.Statement{{Language: "en", Document: "en.html", Pictures: map[string]string{"self": "lost.png"}}}
		s.Files = []client.ProblemFile{
			{Name: "en.html", Type: "text/html; charset=utf-8", Size: int64(len(ownPicture)), Digest: h.StoreBlob([]byte(ownPicture))},
			{Name: "lost.png", Type: "image/png", Size: 4, Digest: blob.DigestOf([]byte("lost"))},
		}
	})
	h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	if got := h.Fetch(h.Cookie("ada"), "GET", "/c/now/p/A/file/en.html", nil); got.Code != 500 {
		t.Errorf("got %d, want 500", got.Code)
	}
}
