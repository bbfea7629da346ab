package hole_test

import (
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestRecheck checks that administrators find the recheck in the settings, see how many submissions it would
// check, and can start it. Submissions stay valid meanwhile, and only valid ones are checked.
func TestRecheck(t *testing.T) {
	h := webtest.New(t)
	o := h.Hole("nim")
	page := func(login, path, want string, not ...string) {
		t.Helper()
		got := h.Fetch(h.Cookie(login), "GET", path, nil)
		if !strings.Contains(got.Body, want) {
			t.Errorf("%s: %d, without %q:\n%s", path, got.Code, want, got.Body)
		}
		for _, n := range not {
			if strings.Contains(got.Body, n) {
				t.Errorf("%s has %q:\n%s", path, n, got.Body)
			}
		}
	}
	const link = `href="/hole/nim/recheck"`
	h.RecordGolfCheck(h.SubmitGolf(o, "bob", "wrong"), "py", judge.GolfIncorrect, 30)
	page("admin", "/hole/nim/edit", "The hole has no valid submission.", link)
	page("admin", "/hole/nim/recheck", "The hole has no valid submission.", "<form method=\"post\" action=\"/hole")
	one := h.RecordGolfCheck(h.SubmitGolf(o, "ada", "1"), "py", judge.GolfCorrect, 20)
	page("admin", "/hole/nim/edit", "check the valid submission again")
	two := h.RecordGolfCheck(h.SubmitGolf(o, "bob", "22"), "py", judge.GolfCorrect, 21)
	open := h.SubmitGolf(o, "bob", "open")
	page("admin", "/hole/nim/edit", "check all 2 valid submissions again", "being checked")
	page("admin", "/hole/nim/edit", link)
	page("admin", "/hole/nim/recheck", ">Recheck 2 submissions</button>", "already")
	page("admin", "/hole/nim/recheck", `action="/hole/nim/recheck"`)
	page("admin", "/hole/nim/recheck", "address <code>nim</code>")
	if got := h.Fetch(h.Cookie("ada"), "POST", "/hole/nim/recheck", nil); got.Code != 403 {
		t.Errorf("a contestant rechecks: %d", got.Code)
	}
	if got := h.Fetch(h.Cookie("admin"), "POST", "/hole/nim/recheck", nil); got.Code != 303 ||
		got.Get("Location") != "/hole/nim/edit#recheck" {
		t.Errorf("recheck: %d to %s\n%s", got.Code, got.Get("Location"), got.Body)
	}
	for _, a := range []*store.GolfSubmission{one, two} {
		now, err := h.Store.GolfSubmission(t.Context(), o.ID, a.Number)
		if err != nil || now.Workflow == "" || now.State != store.GolfValid {
			t.Errorf("submission %d is %+v, %v", a.Number, now, err)
		}
	}
	if now, err := h.Store.GolfSubmission(t.Context(), o.ID, open.Number); err != nil || now.Workflow != open.Workflow {
		t.Errorf("the open submission is %+v, %v", now, err)
	}
	page("admin", "/hole/nim/edit", "2 of 2 valid submissions wait for a worker or are being checked.", link)
	page("admin", "/hole/nim/recheck", "All valid submissions are being rechecked already.")
	h.RecordGolfCheck(open, "py", judge.GolfCorrect, 22)
	page("admin", "/hole/nim/recheck", ">Recheck 1 submission</button>")
	page("admin", "/hole/nim/recheck", "2 submissions are being rechecked already.")
	page("ada", "/hole/nim/s/2", "It stays valid until two workers")
	page("admin", "/admin/audit?action=recheck+hole", "2 submissions")
}
