package people_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/people"
	"assay/judge/host/web/webtest"
)

const contestImport = "/admin/contests/import"

// archived returns a ZIP archive of files.
func archived(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>`

// regional returns a contest package.
func regional() map[string]string {
	return map[string]string{
		"contest.json":       `{"id": "regional", "name": "Regional", "duration": "5:00:00", "start_time": null}`,
		"problems.json":      `[{"id": "sum", "label": "A"}, {"id": "unknown", "label": "B"}]`,
		"groups.json":        `[{"id": "n", "name": "North", "type": "site"}]`,
		"organizations.json": `[{"id": "u1", "name": "<marked>U1"}]`,
		"teams.json":         `[{"id": "7", "name": "Seven", "group_ids": ["n"], "organization_id": "u1"}]`,
		"accounts.json": `[{"id": "team7", "username": "team7", "type": "team", "team_id": "7"}, {"id": "eve", "username": "eve", ` +
			`"type": "judge", "password": "correct-horse-2"}]`,
		"organizations/u1/logo.svg":  picture,
		"__MACOSX/organizations/ads": "x",
	}
}

// TestImportContestPackage imports a package with pictures. The first step shows the effect of the import, and the
// second step performs it and shows login sheets.
func TestImportContestPackage(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	if got := h.Fetch(admin, "GET", contestImport, nil); got.Code != 200 ||
		!strings.Contains(h.Fetch(admin, "GET", "/", nil).Body, contestImport) {
		t.Fatalf("the form: %d", got.Code)
	}
	preview := h.Upload(admin, contestImport, nil, map[string]string{"regional.zip": archived(t, regional())})
	webtest.CheckHTML(t, "the preview", preview.Body)
	for _, want := range []string{"regional.zip", "Nothing is imported", ">skipped<", "<code>u1</code>", "<code>team7</code>",
		"<dt>New accounts</dt><dd>2</dd>", "<dt>added</dt><dd>8</dd>"} {
		if !strings.Contains(preview.Body, want) {
			t.Errorf("the preview lacks %q", want)
		}
	}
	if _, err := h.Store.ContestBySlug(t.Context(), "regional"); preview.Code != 200 || err == nil {
		t.Fatalf("the preview: %d %v\n%s", preview.Code, err, preview.Body)
	}
	form := webtest.HiddenFields(preview.Body)
	for name, change := range map[string]url.Values{
		"another report":  {"seen": {"x"}},
		"another contest": {"contest": {"other"}},
	} {
		tried := url.Values{}
		for name, values := range form {
			tried[name] = values[len(values)-1:]
		}
		for name, values := range change {
			tried[name] = values
		}
		if got := h.Fetch(admin, "POST", contestImport+"/apply", tried); got.Code != 409 ||
			!strings.Contains(got.Body, "have changed since the preview") {
			t.Errorf("%s: %d\n%s", name, got.Code, got.Body)
		}
	}
	for _, broken := range []url.Values{
		{"package": {"x"}, "size": {"1"}}, {"package": form["package"][:1], "size": {"-1"}}, {"package": form["package"][:1], "size": {"x"}},
		{"package": {strings.Repeat("a", 64)}, "size": {"7"}}, {},
	} {
		if got := h.Fetch(admin, "POST", contestImport+"/apply", broken); got.Code != 400 ||
			!strings.Contains(got.Body, "choose the package again") {
			t.Errorf("%v: %d\n%s", broken, got.Code, got.Body)
		}
	}
	done := h.Fetch(admin, "POST", contestImport+"/apply", form)
	if done.Code != 200 || !strings.Contains(done.Body, "<code>team7</code>") || !strings.Contains(done.Body, "correct-horse-2") ||
		!strings.Contains(done.Body, `href="/c/regional"`) ||
		!regexp.MustCompile(`<code>[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}</code>`).MatchString(done.Body) {
		t.Fatalf("the import: %d\n%s", done.Code, done.Body)
	}
	for _, want := range []string{"<li>Upload or address</li>", "<h2>Seven</h2>", "<dt>Group</dt><dd>North</dd>"} {
		if strings.Count(done.Body, want) != 1 {
			t.Errorf("the login sheets lack %q:\n%s", want, done.Body)
		}
	}
	c, err := h.Store.ContestBySlug(t.Context(), "regional")
	if err != nil {
		t.Fatal(err)
	}
	if files, err := h.Store.Media(t.Context(), c.ID); err != nil || len(files) == 0 {
		t.Errorf("the pictures: %v %v", files, err)
	} else if got := h.Fetch(admin, "GET", "/c/regional/media/"+files[0].Href(), nil); got.Body != picture {
		t.Errorf("the logo: %d %s", got.Code, got.Body)
	}
	// After the import there is nothing to import, even with the form of the first preview.
	again := h.Upload(admin, contestImport, nil, map[string]string{"regional.zip": archived(t, regional())})
	if !strings.Contains(again.Body, "Nothing to import: nothing in this package is new or changed") ||
		strings.Contains(again.Body, `name="seen"`) {
		t.Errorf("again: %d\n%s", again.Code, again.Body)
	}
	if got := h.Fetch(admin, "POST", contestImport+"/apply", form); got.Code != 409 {
		t.Errorf("the old form again: %d", got.Code)
	}
	// A change that creates no account says what it did.
	changed := regional()
	changed["teams.json"] = strings.Replace(changed["teams.json"], "Seven", "Sept", 1)
	preview = h.Upload(admin, contestImport, nil, map[string]string{"regional.zip": archived(t, changed)})
	done = h.Fetch(admin, "POST", contestImport+"/apply", webtest.HiddenFields(preview.Body))
	for _, want := range []string{
		"<dt>added</dt><dd>0</dd>", "<dt>changed</dt><dd>1</dd>", "<dt>unchanged</dt><dd>7</dd>", "<dt>missing</dt><dd>0</dd>",
		"<dt>skipped</dt><dd>1</dd>",
	} {
		if !strings.Contains(preview.Body, want) || done.Code != 200 || !strings.Contains(done.Body, want) {
			t.Errorf("without %q: the preview\n%s\nthe end: %d\n%s", want, preview.Body, done.Code, done.Body)
		}
	}
	if !strings.Contains(done.Body, "<h1>Contest imported</h1>") || !strings.Contains(done.Body, "creates no accounts") {
		t.Errorf("the end of an import without new accounts:\n%s", done.Body)
	}
	// The uploaded package is imported under another name.
	other := h.Upload(admin, contestImport, map[string]string{"package": form.Get("package"), "size": form.Get("size"),
		"name": "regional.zip", "contest": "second"}, nil)
	if !strings.Contains(other.Body, "<code>second</code>") || !strings.Contains(other.Body, `name="seen"`) {
		t.Errorf("as another contest: %d\n%s", other.Code, other.Body)
	}
	// Other accounts cannot import the package, because they did not upload it.
	for _, who := range []string{"chair", "judge", "ada", ""} {
		if got := h.Fetch(h.Cookie(who), "POST", contestImport+"/apply", form); got.Code == 200 {
			t.Errorf("%q imports", who)
		}
		if got := h.Fetch(h.Cookie(who), "GET", contestImport, nil); got.Code == 200 {
			t.Errorf("%q sees the form", who)
		}
	}
}

// TestImportDamagedPackage checks that the errors of a package are shown with file and line, and that nothing is
// imported.
func TestImportDamagedPackage(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	change := func(name, text string) string {
		all := regional()
		all[name] = text
		return archived(t, all)
	}
	whole := archived(t, regional())
	for name, tt := range map[string]struct {
		archive string
		code    int
		want    string
	}{
		"no archive":     {"hello", 400, "not a ZIP archive"},
		"nothing":        {"", 400, "not a ZIP archive"},
		"cut":            {whole[:len(whole)/2], 400, "not a ZIP archive"},
		"empty":          {archived(t, nil), 400, "no file that can be imported"},
		"other files":    {archived(t, map[string]string{"a.txt": "x"}), 400, "no file that can be imported"},
		"no contest":     {archived(t, map[string]string{"teams.json": "[]"}), 400, "does not say the id of its contest"},
		"a wrong team":   {change("teams.json", "[\n{\"id\": \"7\"}]"), 400, "<code>teams.json:2</code>"},
		"two errors":     {change("teams.json", "[\n{\"id\": \"7\"},\n{\"id\": \"8\"}]"), 400, "<code>teams.json:3</code>"},
		"no JSON":        {change("groups.json", "["), 400, "<code>groups.json"},
		"a wrong group":  {change("teams.json", `[{"id": "7", "name": "Seven", "group_ids": ["x"]}]`), 400, "<code>teams.json:1</code>"},
		"no picture":     {change("organizations/u1/logo.svg", "hello"), 400, "organizations/u1/logo.svg"},
		"damaged bytes":  {damaged(whole), 400, "Error"},
		"a large file":   {change("persons.json", "["+strings.Repeat(" ", 5<<20)+"]"), 400, "more than 4 MiB"},
		"many pictures":  {many(t), 400, "the most is 10000"},
		"a large bundle": {bomb(t, 2<<30), 413, "at most 1024 MiB"},
		"large together": {bomb(t, 600<<20, 600<<20), 413, "at most 1024 MiB"},
		"an overflow":    {bomb(t, 10, math.MaxUint64-4), 413, "at most 1024 MiB"},
		"another type":   {change("organizations/u1/logo.gif", "GIF89a"), 400, "<code>organizations/u1/logo.gif</code>"},
		"wrong checksum": {raw(t, "teams.json", zip.Store, "[]"), 400, "is damaged"},
		"other picture":  {raw(t, "organizations/u1/logo.svg", zip.Store, picture), 400, "is damaged"},
		"unknown method": {raw(t, "teams.json", 99, "[]"), 400, "is damaged"},
		"not compressed": {raw(t, "teams.json", zip.Deflate, "\xff\xff\xff\xff"), 400, "is damaged"},
		"a cut file":     {raw(t, "teams.json", zip.Deflate, "\x4a"), 400, "is damaged"},
		"a file twice":   {raw(t, "teams.json", zip.Store, "[]", "teams.json"), 400, "is damaged"},
		"no file there":  {strings.ReplaceAll(whole, "PK\x03\x04", "XX\x03\x04"), 400, "is damaged"},
	} {
		got := h.Upload(admin, contestImport, nil, map[string]string{"regional.zip": tt.archive})
		if got.Code != tt.code || !strings.Contains(got.Body, tt.want) || strings.Contains(got.Body, `name="seen"`) ||
			got.Code == 400 && !strings.Contains(got.Body, "<title>Error") {
			t.Errorf("%s: %d, want %d %q\n%s", name, got.Code, tt.code, tt.want, got.Body)
		}
		if _, err := h.Store.ContestBySlug(t.Context(), "regional"); err == nil {
			t.Fatalf("%s is imported", name)
		}
	}
	webtest.RefusedField(t, "a file without a package", h.Upload(admin, contestImport, nil, map[string]string{"a.zip": "hello"}), "file", "")
	for name, fields := range map[string]map[string]string{
		"neither": nil, "a bad name": {"contest": "A B"}, "no address": {"url": "ftp://x/a.zip"},
	} {
		files := map[string]string{}
		if fields["contest"] != "" {
			files["a.zip"] = whole
		}
		if got := h.Upload(admin, contestImport, fields, files); got.Code < 400 || got.Code == 500 {
			t.Errorf("%s: %d\n%s", name, got.Code, got.Body)
		}
	}
	if got := h.Upload(admin, contestImport, map[string]string{"url": "http://127.0.0.1:1/a.zip"},
		map[string]string{"a.zip": whole}); got.Code != 400 {
		t.Errorf("a file and an address: %d", got.Code)
	}
}

// TestImportLimits checks the maximum size of an archive, and the maximum number of lines that a page shows.
func TestImportLimits(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	const most = 1 << 20
	t.Cleanup(people.LimitPackages(most))
	for size, want := range map[int]string{most: "not a ZIP archive", most + 1: "at most 1 MiB are possible",
		2*most + 1: "the most is 1048576 bytes"} {
		got := h.Upload(admin, contestImport, nil, map[string]string{"a.zip": strings.Repeat("x", size)})
		if !strings.Contains(got.Body, want) {
			t.Errorf("%d bytes: %d, want %q\n%s", size, got.Code, want, got.Body)
		}
	}
	for _, n := range []int{2000, 2001} {
		files := map[string]string{"contest.json": `{"id": "large", "duration": "5:00:00"}`}
		var teams, wrong []string
		for i := range n {
			teams = append(teams, fmt.Sprintf(`{"id": "%d", "name": "T%d"}`, i, i))
			wrong = append(wrong, fmt.Sprintf(`{"id": "%d"}`, i))
		}
		files["teams.json"] = "[" + strings.Join(wrong, ",\n") + "]"
		failed := h.Upload(admin, contestImport, nil, map[string]string{"a.zip": archived(t, files)})
		if got := strings.Count(failed.Body, "<code>teams.json:"); got != 2000 ||
			!strings.Contains(failed.Body, fmt.Sprint("The package has ", n, " errors")) {
			t.Errorf("of %d errors the page shows %d", n, got)
		}
		files["teams.json"] = "[" + strings.Join(teams[1:], ",\n") + "]" // the contest is a line, too
		preview := h.Upload(admin, contestImport, nil, map[string]string{"a.zip": archived(t, files)})
		further := strings.Contains(preview.Body, "not shown.</p>")
		if got := strings.Count(preview.Body, `<tr><td><span class="tag`); got != 2000 || further != (n > 2000) {
			t.Errorf("of %d lines the page shows %d, and says that there are more: %v", n, got, further)
		}
		if n > 2000 && !strings.Contains(preview.Body, "1 further line is not shown") {
			t.Errorf("%d lines: the page does not count the further one", n)
		}
	}
}

// TestImportIsThePreview checks that an import has exactly the effect that the preview has shown. If the effect
// would be different, nothing is imported.
func TestImportIsThePreview(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, h *webtest.Harness, form url.Values){
		"another package": func(t *testing.T, h *webtest.Harness, form url.Values) {
			other := regional()
			other["teams.json"] = strings.Replace(other["teams.json"], "Seven", "Other", 1)
			sent := webtest.HiddenFields(h.Upload(h.Cookie("admin"), contestImport, nil, map[string]string{"other.zip": archived(t, other)}).Body)
			form["package"], form["size"] = sent["package"], sent["size"]
		},
		"the same files in another archive": func(t *testing.T, h *webtest.Harness, form url.Values) {
			other := regional()
			other["readme.txt"] = "not imported"
			sent := webtest.HiddenFields(h.Upload(h.Cookie("admin"), contestImport, nil, map[string]string{"other.zip": archived(t, other)}).Body)
			form["package"], form["size"] = sent["package"], sent["size"]
		},
		"an account that exists now": func(t *testing.T, h *webtest.Harness, _ url.Values) {
			if _, err := h.Store.NewAccount(t.Context(), "team7", "Seven", store.PersonAccount, ""); err != nil {
				t.Fatal(err)
			}
		},
		"a contest that exists now": func(t *testing.T, h *webtest.Harness, _ url.Values) {
			h.Contest("regional", time.Hour, store.VisibilityAccounts, store.Settings{})
		},
		"a problem that is published now": func(t *testing.T, h *webtest.Harness, _ url.Values) {
			d := h.StoreBlob([]byte("x"))
			_, err := h.Store.PutBundle(t.Context(), store.NewBundle{
				Problem: "unknown", Title: "U", Owner: h.Accounts["admin"].ID, ID: d, Manifest: d, Config: d, MadeBy: h.Accounts["admin"].ID,
			})
			if err != nil {
				t.Fatal(err)
			}
		},
		"no preview": func(_ *testing.T, _ *webtest.Harness, form url.Values) { form.Del("seen") },
	} {
		t.Run(name, func(t *testing.T) {
			h := webtest.New(t)
			admin := h.Cookie("admin")
			shown := webtest.HiddenFields(h.Upload(admin, contestImport, nil, map[string]string{"regional.zip": archived(t, regional())}).Body)
			form := url.Values{}
			for name, values := range shown {
				form[name] = values[len(values)-1:]
			}
			change(t, h, form)
			got := h.Fetch(admin, "POST", contestImport+"/apply", form)
			if got.Code != 409 || !strings.Contains(got.Body, "have changed since the preview") {
				t.Errorf("%d\n%s", got.Code, got.Body)
			}
			if c, err := h.Store.ContestBySlug(t.Context(), "regional"); err == nil {
				if teams := webtest.Must[[]*store.Team](t)(h.Store.Teams(t.Context(), c.ID)); len(teams) > 0 {
					t.Errorf("%d teams are imported", len(teams))
				}
			}
		})
	}
}

// damaged changes bytes in the data of an archive.
func damaged(archive string) string {
	b := []byte(archive)
	for i := range 400 {
		b[40+i] ^= 0x55
	}
	return string(b)
}

func many(t *testing.T) string {
	files := regional()
	for i := range 10_001 {
		files[fmt.Sprintf("persons/p%d/photo.svg", i)] = "x"
	}
	return archived(t, files)
}

// bomb returns an archive whose directory claims these uncompressed file sizes.
func bomb(t *testing.T, sizes ...uint64) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, size := range sizes {
		if _, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i), Method: zip.Deflate, UncompressedSize64: size}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// raw returns an archive whose files contain data unchanged as their compressed bytes, with a wrong checksum. The
// names of the files are name and more.
func raw(t *testing.T, name string, method uint16, data string, more ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range append([]string{name}, more...) {
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: name, Method: method, CRC32: 1, UncompressedSize64: uint64(len(data)), CompressedSize64: uint64(len(data)),
		})
		if err == nil {
			_, err = w.Write([]byte(data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestImportContestFromAddress checks imports from an address, which may be an archive or a contest in a Contest
// API.
func TestImportContestFromAddress(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	whole := archived(t, regional())
	gone, teams := false, `[{"id": "7", "name": "Seven"}]`
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		switch {
		case gone || user != "u" || password != "p":
			http.Error(w, "no", http.StatusUnauthorized)
		case r.URL.Path == "/regional.zip":
			_, _ = w.Write([]byte(whole))
		case r.URL.Path == "/api/contests/spring":
			fmt.Fprint(w, `{"id": "spring", "name": "Spring", "duration": "5:00:00", "start_time": null}`)
		case r.URL.Path == "/api/contests/spring/teams":
			fmt.Fprint(w, teams)
		case r.URL.Path == "/none.zip":
			_, _ = w.Write([]byte(archived(t, map[string]string{"a.txt": "x"})))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(source.Close)
	fields := func(path, password string) map[string]string {
		return map[string]string{"url": source.URL + path, "username": "u", "password": password}
	}
	for path, slug := range map[string]string{"/regional.zip": "regional", "/api/contests/spring": "spring"} {
		gone = false
		if got := h.Upload(admin, contestImport, fields(path, "wrong"), nil); got.Code != 502 || !strings.Contains(got.Body, "401") ||
			!strings.Contains(got.Body, `<p class="error" id="url-error">`) || strings.Contains(got.Body, "wrong\"") {
			t.Errorf("%s with a wrong password: %d\n%s", path, got.Code, got.Body)
		}
		preview := h.Upload(admin, contestImport, fields(path, "p"), nil)
		if preview.Code != 200 || strings.Contains(preview.Body, `value="p"`) {
			t.Fatalf("%s: %d\n%s", path, preview.Code, preview.Body)
		}
		gone = true // the second step uses the stored package
		if done := h.Fetch(admin, "POST", contestImport+"/apply", webtest.HiddenFields(preview.Body)); done.Code != 200 ||
			!strings.Contains(done.Body, `href="/c/`+slug+`"`) {
			t.Errorf("%s: %d\n%s", path, done.Code, done.Body)
		}
		if _, err := h.Store.ContestBySlug(t.Context(), slug); err != nil {
			t.Error(err)
		}
	}
	// An error in a package from an address is reported as an error of the package, not of the address.
	gone, teams = false, "[{\"id\": \"7\"},\n{\"id\": \"8\"}]"
	for path, want := range map[string]string{"/api/contests/spring": "<code>teams.json:2</code>",
		"/none.zip": "no file that can be imported"} {
		if got := h.Upload(admin, contestImport, fields(path, "p"), nil); got.Code != 400 || !strings.Contains(got.Body, want) {
			t.Errorf("%s: %d, want %q\n%s", path, got.Code, want, got.Body)
		}
	}
}
