package contest_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestMarks checks that a judge can override a verdict or exclude a submission. The contestant sees the decision,
// only the jury sees the reason, and the scoreboard follows.
func TestMarks(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	ada, staff := h.Cookie("ada"), h.Cookie("judge")
	decide := func(do, why string, code int) webtest.Response {
		t.Helper()
		got := h.Fetch(staff, "POST", "/c/now/s/1/override", url.Values{"do": {do}, "why": {why}})
		if got.Code != code {
			t.Fatalf("%s: %d, want %d\n%s", do, got.Code, code, got.Body)
		}
		return got
	}
	// shows fails the test unless a page contains the texts, or lacks texts that begin with "not ".
	shows := func(when, path, who string, texts ...string) {
		t.Helper()
		page := h.Fetch(who, "GET", path, nil).Body
		for _, text := range texts {
			lacks, is := strings.CutPrefix(text, "not ")
			if strings.Contains(page, strings.TrimPrefix(text, "not ")) == is {
				t.Errorf("%s: %s: %q (%s)\n%s", when, path, text, lacks, page)
			}
		}
	}
	if got := decide("AC", " ", 400); !strings.Contains(got.Body, "enter a reason") || !strings.Contains(got.Body, "wrong answer") {
		t.Errorf("without a reason:\n%s", got.Body)
	}
	decide("JE", "x", 400)
	decide("none", "x", 400)
	decide("AC", "seen by eye "+webtest.HostileMarkup, 303)
	shows("given", "/c/now/s/1", ada, "The jury changed the verdict of this submission to", "accepted", "not seen by eye")
	shows("given", "/c/now", ada, "by the jury", "accepted")
	shows("given", "/c/now/s/1", staff, "seen by eye", `value="AC" selected`)
	shows("given", "/c/now/submissions?verdict=AC", staff, `/c/now/s/1"`)
	shows("given", "/c/now/submissions?verdict=WA", staff, "No submissions match")
	shows("given", "/c/now/scoreboard", ada, `class="first"`)
	decide("ignored", "copied", 303)
	shows("ignored", "/c/now/s/1", ada, "Ignored by the jury", "not copied")
	shows("ignored", "/c/now", ada, "ignored", "wrong answer", "not 1 submission")
	for deadline := time.Now().Add(time.Minute); ; { // the scoreboard may lag
		page := h.Fetch(ada, "GET", "/c/now/scoreboard", nil).Body
		if !strings.Contains(page, `class="first"`) && !strings.Contains(page, `class="wa"`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the board has still\n%s", page)
		}
	}
	// Two judges decide from equally old pages.
	if page := h.Fetch(staff, "GET", "/c/now/s/1", nil).Body; !strings.Contains(page, `name="was" value="2"`) {
		t.Errorf("the form does not know how many decisions there are:\n%s", page)
	}
	old := h.Fetch(staff, "POST", "/c/now/s/1/override", url.Values{"do": {"AC"}, "why": {"I saw it first"}, "was": {"1"}})
	if old.Code != 409 || !strings.Contains(old.Body, "another judge overrode the verdict after") ||
		!strings.Contains(old.Body, `value="I saw it first"`) || !strings.Contains(old.Body, "copied") {
		t.Errorf("from an old page: %d\n%s", old.Code, old.Body)
	}
	shows("from an old page", "/c/now/s/1", ada, "Ignored by the jury")
	if got := h.Fetch(staff, "POST", "/c/now/s/1/override",
		url.Values{"do": {"judged"}, "why": {"a mistake"}, "was": {"2"}}); got.Code != 303 {
		t.Errorf("from a fresh page: %d\n%s", got.Code, got.Body)
	}
	shows("as judged", "/c/now/s/1", ada, "not The staff decided")
	entries := webtest.Must[[]store.AuditEntry](t)(h.Store.LatestAuditEntries(t.Context(), "", 10))
	if len(entries) != 3 || entries[0].Action != "decide on submission" ||
		entries[2].Detail != "now 1: AC, seen by eye "+webtest.HostileMarkup {
		t.Errorf("the audit has %+v", entries)
	}
	// If the contest uses points, no verdict can be chosen.
	points := &store.Contest{Slug: "points", Name: "points", Format: store.IOI, Starts: time.Now().Add(-time.Minute), Length: time.Hour,
		Visibility: store.VisibilityAccounts}
	if err := h.Store.NewContest(t.Context(), points, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
		t.Fatal(err)
	}
	h.RecordJudgement(h.Submit(points, "bob"), webtest.FailingEvents()...)
	if got := h.Fetch(staff, "POST", "/c/points/s/1/override", url.Values{"do": {string(judge.Accepted)}, "why": {"x"}}); got.Code != 400 {
		t.Errorf("a verdict where points count: %d", got.Code)
	}
	points.Finalized = time.Now()
	if err := h.Store.SetContest(t.Context(), points, nil); err != nil {
		t.Fatal(err)
	}
	if got := h.Fetch(staff, "POST", "/c/points/s/1/override", url.Values{"do": {"ignored"}, "why": {"x"}}); got.Code != 409 ||
		!strings.Contains(got.Body, "are final") {
		t.Errorf("when the results are final: %d", got.Code)
	}
}

// TestHistory checks that the jury sees the judgements and overrides of a submission, newest first, and the team's
// other submissions to the problem. The contestant sees none of them.
func TestHistory(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	for _, login := range []string{"ada", "bob", "ada"} {
		h.RecordJudgement(h.Submit(c, login), webtest.FailingEvents()...)
	}
	staff, admin := h.Cookie("judge"), h.Cookie("admin")
	page := h.Fetch(staff, "GET", "/c/now/s/1", nil).Body
	if strings.Contains(page, "Rejudge…") {
		t.Errorf("a judge, who may not, is offered to rejudge:\n%s", page)
	}
	made := h.Fetch(admin, "POST", "/c/now/rejudgings", url.Values{"who": {"#1"}, "why": {"a test was wrong" + webtest.HostileMarkup}})
	if made.Code != 303 {
		t.Fatalf("rejudge one: %d\n%s", made.Code, made.Body)
	}
	h.EndRejudgingJobs(judge.Accepted)
	if got := h.Fetch(staff, "POST", "/c/now/s/1/override",
		url.Values{"do": {"ignored"}, "why": {"copied" + webtest.HostileMarkup}}); got.Code != 303 {
		t.Fatalf("ignore: %d\n%s", got.Code, got.Body)
	}
	page = h.Fetch(admin, "GET", "/c/now/s/1", nil).Body
	webtest.CheckHTML(t, "the history", page)
	_, history, _ := strings.Cut(page, "<h2>History</h2>")
	history, others, _ := strings.Cut(history, "<section>")
	rows := strings.Split(history, "<tr>")
	for i, wants := range [][]string{
		{"Ignored by judge: copied"},
		{"Rejudged, not applied yet: a test was wrong", "accepted", `<a href="` + made.Get("Location") + `">rejudging</a>`, "worker w"},
		{"Judged <span", "counts</span>", "wrong answer", "package "},
	} {
		for _, want := range wants {
			if len(rows) != 4 || !strings.Contains(rows[i+1], want) {
				t.Errorf("row %d of %d has no %s:\n%s", i+1, len(rows)-1, want, history)
			}
		}
	}
	if strings.Count(history, "counts</span>") != 1 {
		t.Errorf("not one judgement counts:\n%s", history)
	}
	if !strings.Contains(others, `<b>No. 1</b>`) || !strings.Contains(others, `<a href="/c/now/s/3">No. 3</a>`) ||
		strings.Contains(others, "/c/now/s/2") {
		t.Errorf("the submissions of the team:\n%s", others)
	}
	if !strings.Contains(page, `href="/c/now/rejudgings?who=%231#new">Rejudge…</a>`) ||
		!strings.Contains(page, `href="/c/now/submissions?who=ada"`) {
		t.Errorf("what the jury can do:\n%s", page)
	}
	if page := h.Fetch(h.Cookie("ada"), "GET", "/c/now/s/1", nil).Body; strings.Contains(page, "History") ||
		strings.Contains(page, "a test was wrong") || strings.Contains(page, "copied") || strings.Contains(page, "/c/now/s/3") {
		t.Errorf("its author reads\n%s", page)
	}
	if got := h.Fetch(admin, "POST", made.Get("Location"), url.Values{"do": {"apply"}}); got.Code != 303 {
		t.Fatalf("apply: %d\n%s", got.Code, got.Body)
	}
	page = h.Fetch(admin, "GET", "/c/now/s/1", nil).Body
	if _, history, _ = strings.Cut(page, "<h2>History</h2>"); !strings.Contains(history,
		`Rejudged <span class="tag ok">counts</span>: a test was wrong`) || strings.Contains(history, "Judged <span") {
		t.Errorf("after the rejudging was applied:\n%s", history)
	}
}

// TestATeamSeesItsSubmissions checks that members see all submissions of their team.
func TestATeamSeesItsSubmissions(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	if _, err := h.Store.AddEntrants(t.Context(), c.ID,
		[]store.Entrant{{Account: h.Accounts["ada"], Team: "us"}, {Account: h.Accounts["bob"], Team: "us"}}); err != nil {
		t.Fatal(err)
	}
	h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	for _, path := range []string{"/c/now", "/c/now/p/A"} {
		if page := h.Fetch(h.Cookie("bob"), "GET", path, nil).Body; !strings.Contains(page, `/c/now/s/1"`) {
			t.Errorf("bob does not find it at %s:\n%s", path, page)
		}
	}
}
