package web_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
)

// TestFinalize: each thing that is in the way is named with where it is mended; what is final
// changes no more, until it is opened again with a reason.
func TestFinalize(t *testing.T) {
	h := newHarness(t)
	c := h.contest("now", -time.Minute, store.Accounts, store.Settings{})
	open := h.send(c, "ada")
	h.judged(h.send(c, "bob"), failing()...)
	h.clarify(c, store.NewClarification{Text: "may I?"}, "ada")
	r, _, err := h.store.Rejudge(t.Context(), store.NewRejudging{Filter: store.Filter{Contest: c.ID}, Why: "x", Account: h.accounts["admin"].ID})
	if err != nil {
		t.Fatal(err)
	}
	admin := h.cookie("admin")
	ways := []string{"the contest is not over yet", "1 submission has no verdict yet", "1 rejudging is neither", "1 question has no answer"}
	// A board may be a moment old.
	says := func(code int, in ...string) {
		t.Helper()
		for deadline := time.Now().Add(3 * time.Minute); ; {
			got := h.ask(admin, "POST", "/c/now/finalize", url.Values{"do": {"final"}, "sure-password": {"correct-horse"}})
			same := got.code == code
			for _, way := range ways {
				same = same && strings.Contains(got.body, way) == slices.Contains(in, way)
			}
			if same {
				if code == 409 {
					harmless(t, "finalize", got.body)
				}
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("it is answered %d, want %d with %q:\n%s", got.code, code, in, got.body)
			}
		}
	}
	says(409, ways...)
	h.later(2 * time.Hour)
	says(409, ways[1:]...)
	h.judged(open, failing()...)
	says(409, ways[2:]...)
	h.clarify(c, store.NewClarification{Staff: true, Text: "no", ReplyTo: 1}, "judge")
	says(409, ways[2])
	h.again(judge.Accepted)
	says(409, ways[2])
	if err := h.store.Apply(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	says(303)
	page := h.ask(admin, "GET", "/c/now/finalize", nil).body
	if harmless(t, "final", page); !strings.Contains(page, "The results are final since") {
		t.Errorf("when they are final:\n%s", page)
	}
	for path, fields := range map[string]url.Values{
		"/c/now/edit": {"name": {"x"}}, "/c/now/teams": {"list": {"x"}}, "/c/now/teams/1": {"extra": {"10"}}, "/c/now/rejudgings": {"all": {"yes"}, "why": {"x"}},
	} {
		if got := h.ask(admin, "POST", path, fields); got.code != 409 || !strings.Contains(got.body, "are final") {
			t.Errorf("%s is answered %d\n%s", path, got.code, got.body)
		}
	}
	set := func(code int, fields url.Values) {
		t.Helper()
		if got := h.ask(admin, "POST", "/c/now/finalize", fields); got.code != code {
			t.Errorf("%v is answered %d, want %d\n%s", fields, got.code, code, got.body)
		}
	}
	set(400, url.Values{"do": {"open"}, "why": {" "}})
	set(400, url.Values{"do": {"shut"}})
	set(303, url.Values{"do": {"open"}, "why": {"a wrong answer file"}})
	if got := h.ask(admin, "POST", "/c/now/rejudgings", url.Values{"all": {"yes"}, "why": {"x"}}); got.code != 303 {
		t.Errorf("when they are open again: %d\n%s", got.code, got.body)
	}
	entries := must[[]store.Entry](t)(h.store.Audited(t.Context(), "", 10))
	if len(entries) != 3 || entries[1].Action != "results open again" || entries[1].Detail != "a wrong answer file" || entries[2].Action != "results final" {
		t.Errorf("the audit has %+v", entries)
	}
}
