package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
)

// TestMarks: a judge decides that a submission counts otherwise than it was judged, or not at
// all. Its author sees the decision, the staff also why; the board follows.
func TestMarks(t *testing.T) {
	h := newHarness(t)
	c := h.contest("now", -time.Minute, store.Accounts, store.Settings{})
	h.judged(h.send(c, "ada"), failing()...)
	ada, staff := h.cookie("ada"), h.cookie("judge")
	decide := func(do, why string, code int) answer {
		t.Helper()
		got := h.ask(staff, "POST", "/c/now/s/1/mark", url.Values{"do": {do}, "why": {why}})
		if got.code != code {
			t.Fatalf("%s: %d, want %d\n%s", do, got.code, code, got.body)
		}
		return got
	}
	// shows fails unless all pages have some texts, and lack others.
	shows := func(when, path, who string, texts ...string) {
		t.Helper()
		page := h.ask(who, "GET", path, nil).body
		for _, text := range texts {
			lacks, is := strings.CutPrefix(text, "not ")
			if strings.Contains(page, strings.TrimPrefix(text, "not ")) == is {
				t.Errorf("%s: %s: %q (%s)\n%s", when, path, text, lacks, page)
			}
		}
	}
	if got := decide("AC", " ", 400); !strings.Contains(got.body, "a decision needs a reason") || !strings.Contains(got.body, "wrong answer") {
		t.Errorf("without a reason:\n%s", got.body)
	}
	decide("JE", "x", 400)
	decide("none", "x", 400)
	decide("AC", "seen by eye "+evil, 303)
	shows("given", "/c/now/s/1", ada, "The staff decided that this submission counts as", "accepted", "not seen by eye")
	shows("given", "/c/now", ada, "by the staff", "accepted")
	shows("given", "/c/now/s/1", staff, "seen by eye", `value="AC" selected`)
	shows("given", "/c/now/submissions?verdict=AC", staff, `/c/now/s/1"`)
	shows("given", "/c/now/submissions?verdict=WA", staff, "There are none")
	shows("given", "/c/now/board", ada, `class="first"`)
	decide("ignored", "copied", 303)
	shows("ignored", "/c/now/s/1", ada, "The staff decided that this submission does not count", "not copied")
	shows("ignored", "/c/now", ada, "does not count", "wrong answer", "not 1 tries")
	for deadline := time.Now().Add(time.Minute); ; { // the board may be so old as Lag says
		page := h.ask(ada, "GET", "/c/now/board", nil).body
		if !strings.Contains(page, `class="first"`) && !strings.Contains(page, `class="wa"`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the board has still\n%s", page)
		}
	}
	// Two of the staff decide from pages of the same age.
	if page := h.ask(staff, "GET", "/c/now/s/1", nil).body; !strings.Contains(page, `name="was" value="2"`) {
		t.Errorf("the form does not know how many decisions there are:\n%s", page)
	}
	old := h.ask(staff, "POST", "/c/now/s/1/mark", url.Values{"do": {"AC"}, "why": {"I saw it first"}, "was": {"1"}})
	if old.code != 409 || !strings.Contains(old.body, "somebody else decided about it since") || !strings.Contains(old.body, `value="I saw it first"`) || !strings.Contains(old.body, "copied") {
		t.Errorf("from an old page: %d\n%s", old.code, old.body)
	}
	shows("from an old page", "/c/now/s/1", ada, "The staff decided that this submission does not count")
	if got := h.ask(staff, "POST", "/c/now/s/1/mark", url.Values{"do": {"judged"}, "why": {"a mistake"}, "was": {"2"}}); got.code != 303 {
		t.Errorf("from a fresh page: %d\n%s", got.code, got.body)
	}
	shows("as judged", "/c/now/s/1", ada, "not The staff decided")
	entries := must[[]store.Entry](t)(h.store.Audited(t.Context(), "", 10))
	if len(entries) != 3 || entries[0].Action != "decide on submission" || entries[2].Detail != "now 1: AC, seen by eye "+evil {
		t.Errorf("the audit has %+v", entries)
	}
	// Where points count, there is no verdict to give.
	points := &store.Contest{Slug: "points", Name: "points", Format: store.IOI, Starts: time.Now().Add(-time.Minute), Length: time.Hour, Visibility: store.Accounts}
	if err := h.store.NewContest(t.Context(), points, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
		t.Fatal(err)
	}
	h.judged(h.send(points, "bob"), failing()...)
	if got := h.ask(staff, "POST", "/c/points/s/1/mark", url.Values{"do": {string(judge.Accepted)}, "why": {"x"}}); got.code != 400 {
		t.Errorf("a verdict where points count: %d", got.code)
	}
	points.Finalized = time.Now()
	if err := h.store.SetContest(t.Context(), points, nil); err != nil {
		t.Fatal(err)
	}
	if got := h.ask(staff, "POST", "/c/points/s/1/mark", url.Values{"do": {"ignored"}, "why": {"x"}}); got.code != 409 || !strings.Contains(got.body, "are final") {
		t.Errorf("when the results are final: %d", got.code)
	}
}

// TestATeamSeesItsSubmissions, whoever of it sent them.
func TestATeamSeesItsSubmissions(t *testing.T) {
	h := newHarness(t)
	c := h.contest("now", -time.Minute, store.Accounts, store.Settings{})
	if _, err := h.store.EnterAll(t.Context(), c.ID, []store.Entrant{{Account: h.accounts["ada"], Team: "us"}, {Account: h.accounts["bob"], Team: "us"}}); err != nil {
		t.Fatal(err)
	}
	h.judged(h.send(c, "ada"), failing()...)
	for _, path := range []string{"/c/now", "/c/now/p/A"} {
		if page := h.ask(h.cookie("bob"), "GET", path, nil).body; !strings.Contains(page, `/c/now/s/1"`) {
			t.Errorf("bob does not find it at %s:\n%s", path, page)
		}
	}
}
