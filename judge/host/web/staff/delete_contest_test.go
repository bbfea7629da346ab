package staff_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestDeleteContest checks that only a contest without submissions can be deleted, and only if the form repeats
// its address.
func TestDeleteContest(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	full := h.Contest("full", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Submit(full, "ada")
	empty := h.Contest("empty", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Clarify(empty, store.NewClarification{Text: "may I?"}, "ada")
	if got := h.Fetch(admin, "GET", "/c/empty/edit", nil); !strings.Contains(got.Body, `href="/c/empty/delete"`) {
		t.Errorf("the settings have no link:\n%s", got.Body)
	}
	if got := h.Fetch(admin, "GET", "/admin/contests/new", nil); strings.Contains(got.Body, "Delete contest") {
		t.Error("a new contest can be deleted")
	}
	asked := h.Fetch(admin, "GET", "/c/empty/delete", nil)
	webtest.CheckHTML(t, "/c/empty/delete", asked.Body)
	for _, want := range []string{"1 team with 1 membership, 1 clarification, and the roles", "Type empty to confirm"} {
		if text := webtest.Text(asked.Body); asked.Code != 200 || !strings.Contains(text, want) {
			t.Errorf("the question: %d does not say %q\n%s", asked.Code, want, text)
		}
	}
	kept := h.Fetch(admin, "GET", "/c/full/delete", nil)
	if text := webtest.Text(kept.Body); !strings.Contains(text, "cannot be deleted. It has 1 submission.") ||
		strings.Contains(kept.Body, "<button class=\"bad\">") {
		t.Errorf("a contest with a submission: %s", text)
	}
	sure := func(path, slug string) webtest.Response {
		return h.Fetch(admin, "POST", path, url.Values{"slug": {slug}, "sure-password": {"correct-horse"}})
	}
	for _, tt := range []struct {
		path, slug string
		code       int
		want       string
	}{
		{"/c/empty/delete", "", 400, "Type the address empty"}, {"/c/empty/delete", "full", 400, "Type the address empty"},
		{"/c/full/delete", "full", 409, "The contest has submissions"},
	} {
		if got := sure(tt.path, tt.slug); got.Code != tt.code || !strings.Contains(got.Body, tt.want) {
			t.Errorf("%+v: %d\n%s", tt, got.Code, got.Body)
		}
	}
	if n := len(webtest.Must[[]*store.Contest](t)(h.Store.Contests(t.Context()))); n != 2 {
		t.Fatalf("%d contests are left", n)
	}
	if got := sure("/c/empty/delete", " empty "); got.Code != 303 || got.Get("Location") != "/" {
		t.Fatalf("delete: %d to %s\n%s", got.Code, got.Get("Location"), got.Body)
	}
	if got := h.Fetch(admin, "GET", "/c/empty", nil); got.Code != 404 {
		t.Errorf("the contest is there: %d", got.Code)
	}
	if log := h.Fetch(admin, "GET", "/admin/audit?action=delete+contest", nil).Body; !strings.Contains(log, "with 1 team, 1 clarification<") {
		t.Errorf("the audit log is\n%s", log)
	}
}
