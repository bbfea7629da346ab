package staff_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestFinalize: each thing that is in the way is named with where it is mended; what is final
// changes no more, until it is opened again with a reason.
func TestFinalize(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.Accounts, store.Settings{})
	open := h.Send(c, "ada")
	h.Judged(h.Send(c, "bob"), webtest.Failing()...)
	h.Clarify(c, store.NewClarification{Text: "may I?"}, "ada")
	r, _, err := h.Store.Rejudge(t.Context(), store.NewRejudging{Filter: store.Filter{Contest: c.ID}, Why: "x", Account: h.Accounts["admin"].ID})
	if err != nil {
		t.Fatal(err)
	}
	admin := h.Cookie("admin")
	ways := []string{"The contest has not ended", "1 submission has no verdict", "1 rejudging is open", "1 clarification request is unanswered"}
	// A board may be a moment old.
	says := func(code int, in ...string) {
		t.Helper()
		for deadline := time.Now().Add(3 * time.Minute); ; {
			got := h.Ask(admin, "POST", "/c/now/finalize", url.Values{"do": {"final"}, "sure-password": {"correct-horse"}})
			same := got.Code == code
			for _, way := range ways {
				same = same && strings.Contains(got.Body, way) == slices.Contains(in, way)
			}
			if same {
				if code == 409 {
					webtest.Harmless(t, "finalize", got.Body)
				}
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("it is answered %d, want %d with %q:\n%s", got.Code, code, in, got.Body)
			}
		}
	}
	says(409, ways...)
	h.Later(2 * time.Hour)
	says(409, ways[1:]...)
	h.Judged(open, webtest.Failing()...)
	says(409, ways[2:]...)
	h.Clarify(c, store.NewClarification{Staff: true, Text: "no", ReplyTo: 1}, "judge")
	says(409, ways[2])
	h.RejudgedAs(judge.Accepted)
	says(409, ways[2])
	if err := h.Store.Apply(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	says(303)
	page := h.Ask(admin, "GET", "/c/now/finalize", nil).Body
	if webtest.Harmless(t, "final", page); !strings.Contains(page, "The results are final since") || !strings.Contains(page, "Reopen results") {
		t.Errorf("when they are final:\n%s", page)
	}
	for path, fields := range map[string]url.Values{
		"/c/now/edit": {"name": {"x"}}, "/c/now/teams": {"list": {"x"}}, "/c/now/teams/change": {"t": {"1"}, "do": {"extra"}, "value": {"10"}},
		"/c/now/teams/edit": {"t": {"1"}}, "/c/now/teams/remove": {"t": {"1"}}, "/c/now/delete": {"slug": {"now"}},
		"/c/now/rejudgings": {"all": {"yes"}, "why": {"x"}},
	} {
		if got := h.Ask(admin, "POST", path, fields); got.Code != 409 || !strings.Contains(got.Body, "are final") {
			t.Errorf("%s is answered %d\n%s", path, got.Code, got.Body)
		}
	}
	set := func(code int, fields url.Values) {
		t.Helper()
		if got := h.Ask(admin, "POST", "/c/now/finalize", fields); got.Code != code {
			t.Errorf("%v is answered %d, want %d\n%s", fields, got.Code, code, got.Body)
		}
	}
	set(400, url.Values{"do": {"open"}, "why": {" "}})
	set(400, url.Values{"do": {"shut"}})
	set(303, url.Values{"do": {"open"}, "why": {"a wrong answer file"}})
	if got := h.Ask(admin, "POST", "/c/now/rejudgings", url.Values{"all": {"yes"}, "why": {"x"}}); got.Code != 303 {
		t.Errorf("when they are open again: %d\n%s", got.Code, got.Body)
	}
	entries := webtest.Must[[]store.Entry](t)(h.Store.Audited(t.Context(), "", 10))
	if len(entries) != 3 || entries[1].Action != "results open again" || entries[1].Detail != "a wrong answer file" || entries[2].Action != "results final" {
		t.Errorf("the audit has %+v", entries)
	}
}
