package api_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="10"><script>alert(1)</script></svg>`

// drawn returns a picture without colors.
func drawn(width, height int) string {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height)))
	return out.String()
}

// regionalPictures maps paths in a package to the files of the contest that regional makes.
var regionalPictures = map[string]string{
	"contest/banner.80x10.svg": drawing, "contest/logo.png": drawn(60, 60), "contest/problemset.pdf": "%PDF-1.7 of all problems",
	"organizations/u1/logo.light.png": drawn(100, 50), "organizations/u1/country_flag.png": drawn(56, 56),
	"groups/g/logo.png": drawn(160, 160),
	"teams/7/photo.png": drawn(40, 30), "teams/8/photo.png": drawn(41, 31), "persons/p1/photo.png": drawn(42, 32),
}

// pictures adds files to a contest.
func (h *harness) pictures(contest string, who *store.Account, all map[string]string) {
	h.Helper()
	must := func(err error) {
		h.Helper()
		if err != nil {
			h.Fatal(err)
		}
	}
	var files []media.File
	for _, path := range slices.Sorted(maps.Keys(all)) {
		at, _, err := media.Parse(path)
		must(err)
		f, err := media.New(at, []byte(all[path]))
		must(err)
		must(h.options.StoreBlob(h.Context(), who, []byte(all[path])))
		files = append(files, f)
	}
	there, err := h.store.Media(h.Context(), contest)
	must(err)
	files, err = h.options.WithScaled(h.Context(), who, there, files)
	must(err)
	must(h.store.ChangeMedia(h.Context(), contest, nil, files))
}

// documents adds PDF statements and attachments to the problem metadata.
func (h *harness) documents(s *client.ProblemInfo) {
	file := func(name, kind, data string, attached bool) client.ProblemFile {
		staged, err := h.blobs.Stage(strings.NewReader(data))
		if err == nil {
			err = staged.Commit()
		}
		if err != nil {
			h.Fatal(err)
		}
		return client.ProblemFile{Name: name, Type: kind, Size: int64(len(data)), Digest: blob.DigestOf([]byte(data)), Attachment: attached}
	}
	s.Statements = []client.Statement{{Language: "en", Document: "st/problem.en.pdf"}, {Language: "de", Document: "st/de.pdf"},
		{Language: "fr", Document: "st/de.pdf"}, {Language: "cs", Document: "st/cs.html"}}
	s.Files = []client.ProblemFile{
		file("st/problem.en.pdf", "application/pdf", "%PDF-1.4 en", false), file("st/de.pdf", "application/pdf", "%PDF-1.4 de", false),
		file("st/cs.html", "text/html; charset=utf-8", "<p>", false), file("lib/a b.py", "text/html; charset=utf-8", "print(1)", true),
		file("other/a b.py", "text/plain", "print(2)", true),
	}
}

// TestContestAPIDocuments checks that a problem's PDF statements and attachments are available from the start of
// the contest.
func TestContestAPIDocuments(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(time.Hour), store.VisibilityPublic)
	h.speaking(h.documents)
	const problem = "/api/2026-01/contests/wf/problems/sum-2026"
	files := map[string]string{"statement/problem.en.pdf": "%PDF-1.4 en", "statement/de.pdf": "%PDF-1.4 de",
		"attachments/a%20b.py": "print(1)", "attachments/other-a%20b.py": "print(2)"}
	walk := func(want map[string]int) {
		t.Helper()
		for login, code := range want {
			for path, data := range files {
				answer, said := h.send(login, "GET", problem+"/"+path, "", "")
				attached := strings.HasPrefix(path, "attachments")
				if answer.StatusCode != code || code == 200 &&
					(said != data || attached != (answer.Header.Get("Content-Disposition") == "attachment") ||
						!strings.HasPrefix(answer.Header.Get("Content-Security-Policy"), "sandbox;")) {
					t.Errorf("%s by %s: %d %s %v", path, login, answer.StatusCode, said, answer.Header)
				}
			}
		}
	}
	walk(map[string]int{"anonymous": 404, "submit": 404, "publish": 200, "admin": 200})
	c, err := h.store.Contest(t.Context(), id)
	if err == nil {
		c.Starts = time.Now().Add(-time.Hour)
		err = h.store.SetContest(t.Context(), c, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	walk(map[string]int{"anonymous": 200, "submit": 200, "publish": 200, "admin": 200})
	_, said := h.send("anonymous", "GET", problem, "", "")
	for _, want := range []string{
		`"statement":[{"href":"contests/wf/problems/sum-2026/statement/problem.en.pdf","filename":"problem.en.pdf","hash":"` +
			media.MD5Sum([]byte("%PDF-1.4 en")) + `","mime":"application/pdf"},{`,
		`"attachments":[{"href":"contests/wf/problems/sum-2026/attachments/a%20b.py","filename":"a b.py"`, `"mime":"text/html"},{`,
		`"filename":"other-a b.py"`,
	} {
		if !strings.Contains(said, want) || strings.Count(said, ".pdf\",\"hash") != 2 || strings.Contains(said, "cs.html") {
			t.Errorf("no %s in %s", want, said)
		}
	}
	if _, said := h.send("anonymous", "GET", strings.Replace(problem, "2026-01", "2023-06", 1), "", ""); strings.Contains(said,
		"attachments") || !strings.Contains(said, "de.pdf") {
		t.Errorf("2023-06 has %s", said)
	}
	c.Settings.Statements = []string{"de"}
	if err := h.store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	if _, said := h.send("anonymous", "GET", problem, "", ""); strings.Contains(said, "en.pdf") || !strings.Contains(said, "de.pdf") {
		t.Errorf("in German the contest has %s", said)
	}
}

// TestContestAPIFiles checks that each client gets the files of the objects that it can see. The headers must
// allow caching and prevent execution.
func TestContestAPIFiles(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(time.Hour), store.VisibilityPublic)
	who := []string{"anonymous", "submit", "publish", "admin"}
	const base = "/api/2026-01/contests/wf/"
	walk := func(want map[string]string) {
		t.Helper()
		for path, codes := range want {
			var got []string
			for _, login := range who {
				answer, said := h.send(login, "GET", base+path, "", "")
				got = append(got, fmt.Sprint(answer.StatusCode))
				if answer.StatusCode != http.StatusOK {
					continue
				}
				head := answer.Header
				cache := map[bool]string{true: "public, max-age=3600", false: "private, max-age=3600"}[login == "anonymous"]
				if head.Get("ETag") != `"`+media.MD5Sum([]byte(said))+`"` || head.Get("Cache-Control") != cache ||
					!strings.HasPrefix(head.Get("Content-Security-Policy"), "sandbox;") || head.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s by %s has %v", path, login, head)
				}
			}
			if strings.Join(got, " ") != codes {
				t.Errorf("%s is answered %v, want %s", path, got, codes)
			}
		}
	}
	always := map[string]string{
		"banner/banner.80x10.svg": "200 200 200 200", "logo/logo.png": "200 200 200 200", "logo/logo.56x56.png": "200 200 200 200",
		"logo/logo.160x160.png":                "200 200 200 200",
		"organizations/u1/logo/logo.light.png": "200 200 200 200", "organizations/u1/logo/logo.56x28.light.png": "200 200 200 200",
		"organizations/u1/country_flag/country_flag.png": "200 200 200 200", "groups/g/logo/logo.png": "200 200 200 200",
		"teams/7/photo/photo.png": "200 200 200 200",
		"teams/8/photo/photo.png": "404 404 200 200", "persons/p1/photo/photo.png": "404 404 200 200",
		"organizations/u1/photo/logo.light.png": "404 404 404 404", "organizations/u1/logo/none.png": "404 404 404 404",
		"organizations/u2/logo/logo.light.png": "404 404 404 404",
		"logo/banner.80x10.svg":                "404 404 404 404", "nothing/x/logo/logo.png": "404 404 404 404",
		"organizations/u1/logo": "404 404 404 404",
		"logo":                  "404 404 404 404",
	}
	walk(always)
	for _, path := range []string{"banner/banner.80x10.svg", "organizations/u1/logo/logo.light.png"} {
		if answer, _ := h.send("anonymous", "GET", "/api/2023-06/contests/wf/"+path, "", ""); answer.StatusCode != http.StatusOK {
			t.Errorf("%s is answered %d in version 2023-06", path, answer.StatusCode)
		}
	}
	walk(map[string]string{"problemset/problemset.pdf": "404 404 200 200"})
	for login, seen := range map[string]bool{"anonymous": false, "submit": false, "publish": true} {
		for _, path := range []string{"/api/2026-01/contests", base, base + "event-feed?stream=false"} {
			_, said := h.send(login, "GET", path, "", "")
			if strings.Contains(said, "problemset.pdf") != seen || !strings.Contains(said, `"href":"contests/wf/banner/banner.80x10.svg"`) {
				t.Errorf("before the start %s reads at %s\n%s", login, path, said)
			}
		}
	}
	if _, said := h.send("publish", "GET", base+"?strict=1", "", ""); strings.Contains(said, "problemset") {
		t.Errorf("a strict client reads %s", said)
	}
	c, err := h.store.Contest(t.Context(), id)
	if err == nil {
		c.Starts = time.Now().Add(-time.Hour)
		err = h.store.SetContest(t.Context(), c, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	walk(always)
	walk(map[string]string{"problemset/problemset.pdf": "200 200 200 200"})
	if _, said := h.send("anonymous", "GET", "/api/2026-01/contests", "", ""); !strings.Contains(said, "problemset.pdf") {
		t.Errorf("after the start the public reads %s", said)
	}

	answer, _ := h.send("anonymous", "GET", base+"banner/banner.80x10.svg", "", "")
	if kind := answer.Header.Get("Content-Type"); kind != "image/svg+xml" {
		t.Errorf("a drawing is %s", kind)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", answer.Request.URL.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("If-None-Match", answer.Header.Get("ETag"))
	again, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	again.Body.Close()
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("the same file again: %d", again.StatusCode)
	}
	_, said := h.send("anonymous", "GET", base+"organizations/u1", "", "")
	for _, want := range []string{`"country_flag":[{"href":"contests/wf/organizations/u1/country_flag/country_flag.160x160.png"`,
		`{"href":"contests/wf/organizations/u1/logo/logo.light.png","filename":"logo.light.png","hash":"` + media.MD5Sum([]byte(drawn(100, 50))) +
			`","mime":"image/png","width":100,"height":50,"tag":["light"]}`,
		`"filename":"logo.56x28.light.png"`, `"filename":"logo.160x80.light.png"`} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in %s", want, said)
		}
	}
	if _, said := h.send("anonymous", "GET", "/api/2023-06/contests/wf/organizations/u1", "", ""); strings.Contains(said, `"tag"`) ||
		!strings.Contains(said, "logo.light.png") {
		t.Errorf("2023-06 has %s", said)
	}
}

// TestContestAPIFilesChange checks that an event feed reports a changed logo, even after it is resumed.
func TestContestAPIFilesChange(t *testing.T) {
	h := newHarness(t)
	id := h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	const feed = "/api/2026-01/contests/wf/event-feed?stream=false"
	_, said := h.send("anonymous", "GET", feed, "", "")
	tokens := regexp.MustCompile(`"token":"([^"]+)"`).FindAllStringSubmatch(said, -1)
	admin, err := h.store.AccountByLogin(t.Context(), "admin")
	if err != nil {
		t.Fatal(err)
	}
	h.pictures(id, admin, map[string]string{"organizations/u1/logo.light.png": drawn(90, 90)})
	_, said = h.send("anonymous", "GET", feed+"&since_token="+tokens[len(tokens)-1][1], "", "")
	want := `"hash":"` + media.MD5Sum([]byte(drawn(90, 90))) + `"`
	if !strings.Contains(said, `{"type":"organizations","id":"u1"`) || !strings.Contains(said, want) ||
		!strings.Contains(said, "logo.56x56.light.png") || strings.Contains(said, "56x28.light") {
		t.Errorf("the feed has no %s:\n%s", want, said)
	}
	if answer, _ := h.send("anonymous", "GET", "/api/2026-01/contests/wf/organizations/u1/logo/logo.56x28.light.png", "",
		""); answer.StatusCode != 404 {
		t.Errorf("the old size is answered %d", answer.StatusCode)
	}
}

// TestImportFiles checks that an import accepts only files that the caller has uploaded.
func TestImportFiles(t *testing.T) {
	h := newHarness(t)
	h.regional(time.Now().Add(-time.Hour), store.VisibilityPublic)
	give := func(data string) client.Blob {
		t.Helper()
		return client.Blob{Digest: h.give("admin", data), Size: int64(len(data))}
	}
	logo, bad := give(drawn(9, 9)), give("no picture")
	ask := func(code int, want string, dry bool, files ...client.PackageFile) {
		t.Helper()
		n := client.ContestImport{Contest: "wf", Files: map[string][]byte{"organizations.json": []byte(`[{"id": "u2", "name": "U2"}]`)},
			Media: files, DryRun: dry}
		if got, said := h.ask("admin", "POST", client.ContestsPath, n); got != code || !strings.Contains(said, want) {
			t.Errorf("%v is answered %d %s, want %d with %s", files, got, said, code, want)
		}
	}
	stranger := client.Blob{Digest: blob.DigestOf([]byte("not uploaded")), Size: 13}
	ask(400, "neither the package nor the contest has the object", false, client.PackageFile{Path: "organizations/u3/logo.png", Blob: logo})
	ask(400, "contests have no such file", false, client.PackageFile{Path: "organizations/u2/x.png", Blob: logo})
	ask(400, "not a tag", false, client.PackageFile{Path: "organizations/u2/logo.ä.png", Blob: logo})
	ask(400, "more than 8 MiB", false, client.PackageFile{Path: "organizations/u2/logo.png",
		Blob: client.Blob{Digest: logo.Digest, Size: 9 << 20}})
	ask(409, "the server lacks the bytes", false, client.PackageFile{Path: "organizations/u2/logo.png", Blob: stranger})
	ask(400, "not a picture", false, client.PackageFile{Path: "organizations/u2/logo.png", Blob: bad})
	if code, _ := h.ask("anonymous", "GET", "/api/2026-01/contests/wf/organizations/u2", nil); code != 404 {
		t.Errorf("a part was imported: %d", code)
	}
	file := client.PackageFile{Path: "organizations/u2/logo.png", Blob: logo}
	ask(200, `{"state":"added","kind":"file","id":"organizations/u2/logo.png"}`, true, client.PackageFile{Path: file.Path, Blob: stranger})
	ask(200, `{"state":"added","kind":"file","id":"organizations/u2/logo.png"}`, false, file)
	ask(200, `{"state":"missing","kind":"file","id":"contest/logo.png","note":"it stays"}`, false, file)
	file.Blob = give(drawn(8, 9))
	ask(200, `{"state":"changed","kind":"file","id":"organizations/u2/logo.png"}`, false, file)
	for _, path := range []string{"organizations/u2/logo/logo.png", "organizations/u2/logo/logo.50x56.png",
		"organizations/u1/logo/logo.light.png", "logo/logo.png"} {
		if code, said := h.ask("anonymous", "GET", "/api/2026-01/contests/wf/"+path, nil); code != 200 {
			t.Errorf("%s is answered %d %s", path, code, said)
		}
	}
}
