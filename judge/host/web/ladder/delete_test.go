package ladder_test

import (
	"net/url"
	"strings"
	"testing"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestDeleteLadder checks that only a ladder without bots can be deleted, and only if the form repeats its
// address.
func TestDeleteLadder(t *testing.T) {
	h := webtest.New(t)
	h.Ladder("full", store.VisibilityPublic, true)
	empty := &store.Ladder{
		Slug: "empty", Name: "Empty", Problem: "sum", ChosenRules: []byte("{}"), Visibility: store.VisibilityPublic, PerAccount: 1,
		Owner: h.Accounts["admin"].ID,
	}
	if err := h.Store.NewLadder(t.Context(), empty); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/ladder/empty/edit": `form="remove" class="bad">Delete ladder<`,
		"/ladder/full/edit": " bots and cannot be deleted."} {
		page := h.Fetch(h.Cookie("admin"), "GET", path, nil).Body
		if !strings.Contains(page, want) || strings.Contains(page, `id="remove"`) != strings.Contains(page, `form="remove"`) {
			t.Errorf("%s does not have %s:\n%s", path, want, page)
		}
	}
	for _, tt := range []struct {
		login, path, slug string
		code              int
		want              string
	}{
		{"ada", "/ladder/empty/delete", "empty", 403, ""},
		{"admin", "/ladder/empty/delete", "", 400, "Type the address empty to confirm."},
		{"admin", "/ladder/full/delete", "full", 409, "The ladder has bots"},
		{"admin", "/ladder/empty/delete", "empty", 303, "/ladders"},
		{"admin", "/ladder/empty/delete", "empty", 404, ""},
	} {
		got := h.Fetch(h.Cookie(tt.login), "POST", tt.path, url.Values{"slug": {tt.slug}, "sure-password": {"correct-horse"}})
		if said := got.Body + got.Get("Location"); got.Code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%+v: %d\n%s", tt, got.Code, said)
		}
	}
}
