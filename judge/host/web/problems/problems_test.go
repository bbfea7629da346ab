package problems_test

import (
	"strings"
	"testing"

	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// zipOfNothing is the record at the end of an archive, without its comment.
const zipOfNothing = "PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

func TestPackages(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	for name, tt := range map[string]struct {
		fields, files map[string]string
		code          int
		want          string
	}{
		"nothing":                {nil, nil, 400, "Choose a file"},
		"a name that is no name": {map[string]string{"name": "../../etc"}, map[string]string{"a.zip": "PK"}, 400, "is not a valid problem name"},
		"a file with a bad name": {nil, map[string]string{"..": "PK"}, 400, "is not a valid problem name"},
		"an empty file":          {map[string]string{"name": "max"}, map[string]string{"a.zip": ""}, 400, "is empty"},
		"no archive": {nil, map[string]string{"max.zip": "PK\x03\x04, and it ends early"}, 400,
			"max.zip is not a complete ZIP archive"},
		"another user's problem": {map[string]string{"name": "sum"}, map[string]string{"a.zip": zipOfNothing}, 403, "belongs to another user"},
	} {
		who := admin
		if name == "another user's problem" {
			if err := h.Store.SetRole(t.Context(), h.Accounts["bob"].ID, "contest-admin", nil); err != nil {
				t.Fatal(err)
			}
			who = h.Cookie("bob")
		}
		if got := h.Upload(who, "/problems", tt.fields, tt.files); got.Code != tt.code || !strings.Contains(got.Body, tt.want) {
			t.Errorf("%s: %d, want %d with %q in\n%s", name, got.Code, tt.code, tt.want, got.Body)
		}
	}
	if h.Uploads != 0 {
		t.Errorf("the server was told of %d packages that were refused", h.Uploads)
	}
	got := h.Upload(admin, "/problems", map[string]string{"verify": "yes"},
		map[string]string{webtest.HostileMarkup + `\Max.zip`: zipOfNothing + strings.Repeat("x", 64<<10)})
	if got.Code != 303 || h.Uploads != 1 {
		t.Fatalf("a package: %d, told %d times\n%s", got.Code, h.Uploads, got.Body)
	}
	u, err := h.Store.NextUpload(t.Context())
	if err != nil || u.Problem != "max" || !u.Verify || u.File != "Max.zip" || u.Login != "admin" {
		t.Fatalf("kept is %+v, %v", u, err)
	}
	if data, err := h.Blobs.Read(u.Archive, 1<<20); err != nil || string(data) != zipOfNothing+strings.Repeat("x", 64<<10) {
		t.Errorf("the archive is %q, %v", data, err)
	}
	at := "/problems/uploads/" + u.ID
	if page := h.Fetch(admin, "GET", at, nil).Body; !strings.Contains(page, "No worker is connected") ||
		!strings.Contains(page, `http-equiv="refresh"`) {
		t.Errorf("while it waits the page says\n%s", page)
	}
	u.State, u.Reason, u.Report = store.UploadFailed, "the entry "+webtest.HostileMarkup+
		" is a link", h.StoreBlob([]byte("a report "+webtest.HostileMarkup))
	if err := h.Store.EndUpload(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	page := h.Fetch(admin, "GET", at, nil).Body
	for _, want := range []string{"The package was not published", "is a link", "a report"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "<script>") || strings.Contains(page, "refresh") {
		t.Errorf("the page has what others wrote, or goes on loading itself:\n%s", page)
	}
	if page := h.Fetch(admin, "GET", "/problems", nil).Body; !strings.Contains(page, at) || !strings.Contains(page, "not published") {
		t.Errorf("the list lacks the package:\n%s", page)
	}
	audited, err := h.Store.LatestAuditEntries(t.Context(), "", 10)
	if err != nil || len(audited) == 0 || audited[0].Action != "bring a package" || audited[0].Object != "max" {
		t.Errorf("the audit has %+v, %v", audited, err)
	}
}

// TestVersionsAreCompared checks the comparison of two versions by the files in their manifests.
func TestVersionsAreCompared(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	var ids []string
	for _, files := range []map[string]string{{"a.in": "1", "b.in": "2", "c.in": "3"},
		{"a.in": "1", "b.in": "22", "d" + webtest.HostileMarkup + ".in": "4"}} {
		m := &bundle.Manifest{Findings: bundle.Entry{Path: bundle.FindingsFile, Size: 2, Digest: blob.DigestOf([]byte("{}"))}}
		for _, name := range []string{"a.in", "b.in", "c.in", "d" + webtest.HostileMarkup + ".in"} {
			if text, there := files[name]; there {
				m.Files = append(m.Files, bundle.Entry{Path: strings.ReplaceAll(name, "/", ""), Size: int64(len(text)),
					Digest: blob.DigestOf([]byte(text))})
			}
		}
		id := h.StoreBlob(m.Bytes())
		if _, err := h.Store.PutBundle(t.Context(), store.NewBundle{
			Problem: "max", Title: "Max", Owner: h.Accounts["admin"].ID, ID: id, Manifest: id, Config: id, MadeBy: h.Accounts["admin"].ID,
		}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(id))
	}
	page := h.Fetch(admin, "GET", "/problem/max", nil).Body
	if strings.Count(page, `<span class="tag ok">current</span>`) != 1 || !strings.Contains(page, ids[0][:12]) ||
		!strings.Contains(page, ids[1][:12]) {
		t.Errorf("the versions are\n%s", page)
	}
	got := h.Fetch(admin, "GET", "/problem/max/compare?old="+ids[0]+"&new="+ids[1], nil)
	for _, want := range []string{"b.in</code></th><td>changed", "c.in</code></th><td>removed", ".in</code></th><td>added",
		"2 files are unchanged"} {
		if !strings.Contains(got.Body, want) {
			t.Errorf("the page lacks %q:\n%s", want, got.Body)
		}
	}
	if got := h.Fetch(admin, "GET", "/problem/max/compare?old=none", nil); got.Code != 400 {
		t.Errorf("versions that are not there: %d", got.Code)
	}
}
