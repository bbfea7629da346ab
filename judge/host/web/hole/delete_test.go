package hole_test

import (
	"net/url"
	"strings"
	"testing"

	"assay/judge/host/web/webtest"
)

// TestDeleteHole checks that only a hole without submissions can be deleted, and only if the form repeats its
// address.
func TestDeleteHole(t *testing.T) {
	h := webtest.New(t)
	h.SubmitGolf(h.Hole("full"), "ada", "py")
	h.Hole("empty")
	for _, tt := range []struct {
		login, path, slug string
		code              int
		want              string
	}{
		{"ada", "/hole/empty/delete", "empty", 403, ""},
		{"admin", "/hole/empty/delete", "", 400, "Type the address empty to confirm."},
		{"admin", "/hole/full/delete", "full", 409, "The hole has golf submissions"},
		{"admin", "/hole/empty/delete", "empty", 303, "/golf"},
		{"admin", "/hole/empty/delete", "empty", 404, ""},
	} {
		got := h.Fetch(h.Cookie(tt.login), "POST", tt.path, url.Values{"slug": {tt.slug}, "sure-password": {"correct-horse"}})
		if said := got.Body + got.Get("Location"); got.Code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%+v: %d\n%s", tt, got.Code, said)
		}
	}
	h.Hole("another")
	for path, want := range map[string]string{"/hole/another/edit": `form="remove" class="bad">Delete hole<`,
		"/hole/full/edit": "The hole has 1 submission and cannot be deleted."} {
		page := h.Fetch(h.Cookie("admin"), "GET", path, nil).Body
		if !strings.Contains(page, want) || strings.Contains(page, `id="remove"`) != strings.Contains(page, `form="remove"`) {
			t.Errorf("%s does not have %s:\n%s", path, want, page)
		}
	}
	if log := h.Fetch(h.Cookie("admin"), "GET", "/admin/audit?action=delete+hole", nil).Body; !strings.Contains(log, "<td>delete hole</td>") {
		t.Errorf("the audit log is\n%s", log)
	}
}
