package web_test

import (
	"strings"
	"testing"

	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/store"
)

// TestPackages are brought by those who make contests, kept as they come, and shown with what
// became of them.
// zipOfNothing is the record at the end of an archive, without its comment.
const zipOfNothing = "PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

func TestPackages(t *testing.T) {
	h := newHarness(t)
	admin := h.cookie("admin")
	for name, tt := range map[string]struct {
		fields, files map[string]string
		code          int
		want          string
	}{
		"nothing":                 {nil, nil, 400, "there is no archive"},
		"a name that is no name":  {map[string]string{"name": "../../etc"}, map[string]string{"a.zip": "PK"}, 400, "is not the name of a problem"},
		"a file with a bad name":  {nil, map[string]string{"..": "PK"}, 400, "is not the name of a problem"},
		"an empty file":           {map[string]string{"name": "max"}, map[string]string{"a.zip": ""}, 400, "is empty"},
		"no archive":              {nil, map[string]string{"max.zip": "PK\x03\x04, and it ends early"}, 400, "max.zip is not a complete ZIP archive"},
		"somebody else's problem": {map[string]string{"name": "sum"}, map[string]string{"a.zip": zipOfNothing}, 403, "somebody else"},
	} {
		who := admin
		if name == "somebody else's problem" {
			if err := h.store.SetRole(t.Context(), h.accounts["bob"].ID, "contest-admin", nil); err != nil {
				t.Fatal(err)
			}
			who = h.cookie("bob")
		}
		if got := h.upload(who, "/problems", tt.fields, tt.files); got.code != tt.code || !strings.Contains(got.body, tt.want) {
			t.Errorf("%s: %d, want %d with %q in\n%s", name, got.code, tt.code, tt.want, got.body)
		}
	}
	if h.poked != 0 {
		t.Errorf("the server was told of %d packages that were refused", h.poked)
	}
	got := h.upload(admin, "/problems", map[string]string{"verify": "yes"}, map[string]string{evil + `\Max.zip`: zipOfNothing + strings.Repeat("x", 64<<10)})
	if got.code != 303 || h.poked != 1 {
		t.Fatalf("a package: %d, told %d times\n%s", got.code, h.poked, got.body)
	}
	u, err := h.store.NextUpload(t.Context())
	if err != nil || u.Problem != "max" || !u.Verify || u.File != "Max.zip" || u.Login != "admin" {
		t.Fatalf("kept is %+v, %v", u, err)
	}
	if data, err := h.blobs.Read(u.Archive, 1<<20); err != nil || string(data) != zipOfNothing+strings.Repeat("x", 64<<10) {
		t.Errorf("the archive is %q, %v", data, err)
	}
	at := "/problems/uploads/" + u.ID
	if page := h.ask(admin, "GET", at, nil).body; !strings.Contains(page, "No worker is here") || !strings.Contains(page, `http-equiv="refresh"`) {
		t.Errorf("while it waits the page says\n%s", page)
	}
	u.State, u.Reason, u.Report = store.UploadFailed, "the entry "+evil+" is a link", h.put([]byte("a report "+evil))
	if err := h.store.EndUpload(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	page := h.ask(admin, "GET", at, nil).body
	for _, want := range []string{"It is not published", "is a link", "a report"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "<script>") || strings.Contains(page, "refresh") {
		t.Errorf("the page has what others wrote, or goes on loading itself:\n%s", page)
	}
	if page := h.ask(admin, "GET", "/problems", nil).body; !strings.Contains(page, at) || !strings.Contains(page, "not published") {
		t.Errorf("the list lacks the package:\n%s", page)
	}
	audited, err := h.store.Audited(t.Context(), "", 10)
	if err != nil || len(audited) == 0 || audited[0].Action != "bring a package" || audited[0].Object != "max" {
		t.Errorf("the audit has %+v, %v", audited, err)
	}
}

// TestVersionsAreCompared by the files in their manifests.
func TestVersionsAreCompared(t *testing.T) {
	h := newHarness(t)
	admin := h.cookie("admin")
	var ids []string
	for _, files := range []map[string]string{{"a.in": "1", "b.in": "2", "c.in": "3"}, {"a.in": "1", "b.in": "22", "d" + evil + ".in": "4"}} {
		m := &bundle.Manifest{Frozen: bundle.Entry{Path: bundle.FrozenFile, Size: 2, Digest: blob.Of([]byte("{}"))}}
		for _, name := range []string{"a.in", "b.in", "c.in", "d" + evil + ".in"} {
			if text, there := files[name]; there {
				m.Files = append(m.Files, bundle.Entry{Path: strings.ReplaceAll(name, "/", ""), Size: int64(len(text)), Digest: blob.Of([]byte(text))})
			}
		}
		id := h.put(m.Bytes())
		if _, err := h.store.PutBundle(t.Context(), store.NewBundle{
			Problem: "max", Title: "Max", Owner: h.accounts["admin"].ID, ID: id, Manifest: id, Config: id, MadeBy: h.accounts["admin"].ID,
		}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(id))
	}
	page := h.ask(admin, "GET", "/problem/max", nil).body
	if strings.Count(page, "<strong>counts</strong>") != 1 || !strings.Contains(page, ids[0][:12]) || !strings.Contains(page, ids[1][:12]) {
		t.Errorf("the versions are\n%s", page)
	}
	got := h.ask(admin, "GET", "/problem/max/compare?old="+ids[0]+"&new="+ids[1], nil)
	for _, want := range []string{"b.in</code></th><td>changed", "c.in</code></th><td>removed", ".in</code></th><td>added", "2 files are the same"} {
		if !strings.Contains(got.body, want) {
			t.Errorf("the page lacks %q:\n%s", want, got.body)
		}
	}
	if got := h.ask(admin, "GET", "/problem/max/compare?old=none", nil); got.code != 400 {
		t.Errorf("versions that are not there: %d", got.code)
	}
}
