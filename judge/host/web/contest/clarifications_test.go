package contest_test

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestClarificationPages checks a request of ada, the jury's answers to her and to all, and an announcement. Bob
// reads only messages that are for all.
func TestClarificationPages(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Contest("over", -2*time.Hour, store.VisibilityAccounts, store.Settings{})
	ada, bob, judge := h.Cookie("ada"), h.Cookie("bob"), h.Cookie("judge")
	post := func(who, path string, fields url.Values, code int, want string) {
		t.Helper()
		if got := h.Fetch(who, "POST", path, fields); got.Code != code || !strings.Contains(got.Body, want) {
			t.Errorf("%s %v: %d, want %d with %q in\n%s", path, fields, got.Code, code, want, got.Body)
		}
	}
	reads := func(who, path string, wants ...string) {
		t.Helper()
		page := h.Fetch(who, "GET", path, nil).Body
		for _, want := range wants {
			no := strings.HasPrefix(want, "!")
			if strings.Contains(page, strings.TrimPrefix(want, "!")) == no {
				t.Errorf("%s: %q in\n%s", path, want, page)
			}
		}
		webtest.CheckHTML(t, path, page)
	}
	post(ada, "/c/now/clar", url.Values{"text": {" "}}, 400, "enter a text")
	post(ada, "/c/now/clar", url.Values{"text": {strings.Repeat("ü", 2001)}}, 400, "more than 2000 letters")
	post(ada, "/c/now/clar", url.Values{"text": {"x"}, "problem": {"Z"}}, 400, "has no problem")
	post(ada, "/c/over/clar", url.Values{"text": {"x"}}, 403, "")
	post(ada, "/c/now/clar", url.Values{"text": {"is 0 allowed?" + webtest.HostileMarkup}, "problem": {"A"}}, http.StatusSeeOther, "")
	post(ada, "/c/now/clar", url.Values{"text": {"is 0 allowed?" + webtest.HostileMarkup}, "problem": {"A"}}, http.StatusSeeOther,
		"") // pressed twice
	if page := h.Fetch(ada, "GET", "/c/now/clar", nil).Body; strings.Count(page, "is 0 allowed?") != 1 {
		t.Errorf("a question that was sent twice:\n%s", page)
	}
	reads(ada, "/c/now/clar", "is 0 allowed?", "about A", "unanswered", "!Answer<")
	reads(bob, "/c/now/clar", "!is 0 allowed?", "No clarifications yet")
	reads(judge, "/c/now", "1 unanswered")
	reads(judge, "/c/now/clar?open=yes", "is 0 allowed?", "/c/now/clar/1", "asks")
	reads(judge, "/c/now/clar/1", "Read the statement again.", "is 0 allowed?", `name="first"`)
	// A claim is visible to the rest of the jury until it is released.
	post(ada, "/c/now/clar/1/claim", url.Values{}, 403, "")
	post(judge, "/c/now/clar/9/claim", url.Values{}, 404, "")
	post(judge, "/c/now/clar/1/claim", url.Values{"do": {"claim"}}, http.StatusSeeOther, "")
	post(judge, "/c/now/clar/1/claim", url.Values{"do": {"claim"}}, http.StatusSeeOther, "")
	admin := h.Cookie("admin")
	post(admin, "/c/now/clar/1/claim", url.Values{"do": {"claim"}}, http.StatusConflict, "another judge is about to answer")
	reads(admin, "/c/now/clar", "assigned to judge", "Release", "!>unanswered<")
	reads(ada, "/c/now/clar", "unanswered", "!assigned to")
	post(admin, "/c/now/clar/1/claim", url.Values{"do": {"release"}}, http.StatusSeeOther, "")
	reads(admin, "/c/now/clar", "Assign to me", "!assigned to")
	post(judge, "/c/now/clar/1", url.Values{"text": {""}}, 400, "enter a text")
	post(judge, "/c/now/clar/1", url.Values{"text": {strings.Repeat("ü", 2001)}}, 400, "üü</textarea>")
	post(judge, "/c/now/clar/2", url.Values{"text": {"x"}}, 404, "")
	post(ada, "/c/now/clar/1", url.Values{"text": {"x"}}, 403, "")
	// Beside the list, the jury sees the first unanswered request, or the selected one.
	reads(judge, "/c/now/clar", `href="/c/now/clar/1" aria-current="true"`, `action="/c/now/clar/1"`, `<p class="msg">is 0 allowed?`,
		"!No announcements yet", "unanswered")
	reads(judge, "/c/now/clar?said=yes", "No announcements yet", `action="/c/now/clar/1"`, "!aria-current=\"true\"")
	reads(judge, "/c/now/clar/1?open=yes", `href="/c/now/clar/1?open=yes" aria-current="true"`, `class="inbox picked"`)
	post(judge, "/c/now/clar/1", url.Values{"canned": {"No comment."}, "to": {"team"}}, http.StatusSeeOther, "")
	reads(judge, "/c/now/clar", "Select a request to read its answers", "!action=\"/c/now/clar/1\"")
	reads(judge, "/c/now/clar/1", "Another answer", "No comment.", `action="/c/now/clar/1"`, "!name=\"first\"", "!Assign to me")
	reads(ada, "/c/now", "1 new", "!No comment.")
	reads(bob, "/c/now", "! new\"")
	reads(ada, "/c/now/clar", "No comment.", "!by judge", "! new\"")
	reads(ada, "/c/now", "! new\"")
	reads(bob, "/c/now/clar", "!No comment.")
	post(admin, "/c/now/clar/1", url.Values{"text": {"It is not."}, "to": {"team"}, "first": {"yes"}}, http.StatusConflict,
		"another person has changed this")
	post(judge, "/c/now/clar/1", url.Values{"canned": {"No comment."}, "to": {"team"}, "first": {"yes"}}, http.StatusSeeOther,
		"") // pressed twice
	post(judge, "/c/now/clar/1", url.Values{"text": {"It is." + webtest.HostileMarkup}, "to": {"all"}}, http.StatusSeeOther, "")
	reads(bob, "/c/now", "1 new", "It is.", "is 0 allowed?")
	reads(bob, "/c/now/clar", "It is.", "is 0 allowed?", "!ada&#34;")
	post(judge, "/c/now/clar", url.Values{"text": {"lunch is at noon"}}, http.StatusSeeOther, "")
	reads(bob, "/c/now", "1 new", "lunch is at noon")
	reads(judge, "/c/now/clar?said=yes", "lunch is at noon", "by judge", "!is 0 allowed?")
	reads(judge, "/c/now/clar?open=yes", "!is 0 allowed?", "Every request has an answer")
	if got := h.Fetch("", "GET", "/c/now/clar", nil); got.Code != http.StatusSeeOther {
		t.Errorf("a caller without an account reads clarifications: %d", got.Code)
	}
	var did []string
	for _, e := range webtest.Must[[]store.AuditEntry](t)(h.Store.LatestAuditEntries(t.Context(), "", 10)) {
		did = append(did, e.Action+" "+e.Object+" "+e.Detail)
	}
	if got := strings.Join(did, ", "); got != "announce now 4, answer now 1 to all, answer now 1 to the team" {
		t.Errorf("the audit has %s", got)
	}
	post(bob, "/c/now/clar", url.Values{"text": {"and 1?"}, "problem": {"A"}}, http.StatusSeeOther, "")
	reads(judge, "/c/now/clar", "and 1?", "Other answers about A", "It is.")
	post(bob, "/c/now/clar", url.Values{"text": {"in general?"}}, http.StatusSeeOther, "")
	reads(judge, "/c/now/clar/6", "in general?", "!Other answers about")
	for i := range 10 {
		post(ada, "/c/now/clar", url.Values{"text": {strings.Repeat("hello? ", i+1)}}, http.StatusSeeOther, "")
	}
	post(ada, "/c/now/clar", url.Values{"text": {"and now?"}}, 400, "wait for an answer")
}

// TestClarificationFilters checks the filters of the jury's list, the links that keep them, and the pages of the list.
func TestClarificationFilters(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	judge := h.Cookie("judge")
	h.Clarify(c, store.NewClarification{Text: "in general?"}, "ada")
	h.Clarify(c, store.NewClarification{Text: "the network?", Category: store.Technical}, "ada")
	h.Clarify(c, store.NewClarification{Text: "negative?", Problem: "sum"}, "bob")
	h.Clarify(c, store.NewClarification{Text: "to everybody", Jury: true}, "judge")
	list := func(query string) string {
		t.Helper()
		got := h.Fetch(judge, "GET", "/c/now/clar"+query, nil)
		if got.Code != 200 {
			t.Fatalf("%s: %d\n%s", query, got.Code, got.Body)
		}
		return got.Body
	}
	texts := []string{"in general?", "the network?", "negative?", "to everybody"}
	for query, want := range map[string][]string{
		"?about=:general": {"in general?", "to everybody"}, "?about=:technical": {"the network?"}, "?about=A": {"negative?"},
		"?about=:general&open=yes": {"in general?"}, "?about=:general&said=yes": {"to everybody"}, "?about=A&said=yes": nil,
	} {
		body, _, _ := strings.Cut(list(query), "<aside")
		for _, text := range texts {
			if strings.Contains(body, "<p>"+text) != slices.Contains(want, text) && strings.Count(body, text) > 0 != slices.Contains(want, text) {
				t.Errorf("%s shows %q: %v", query, text, !slices.Contains(want, text))
			}
		}
	}
	body := list("?about=A")
	for _, link := range []string{`/c/now/clar?about=A"`, `/c/now/clar?about=A&amp;open=yes"`, `/c/now/clar?about=A&amp;said=yes"`} {
		if !strings.Contains(body, link) {
			t.Errorf("no link %s in\n%s", link, body)
		}
	}
	if body := list("/3"); !strings.Contains(body, "bob&#34;&gt;&lt;marked onmouseover=alert(1)&gt;") ||
		!strings.Contains(body, " only</span>") {
		t.Errorf("the form does not name the team that asks:\n%s", body)
	}
	if strings.Contains(body, "Older clarifications") {
		t.Error("a short list has another page")
	}
	for i := range 97 {
		h.Clarify(c, store.NewClarification{Text: fmt.Sprint("further ", i), Jury: true}, "judge")
	}
	if body := list(""); !strings.Contains(body, `/c/now/clar?before=2"`) {
		t.Errorf("the first of two pages has no link to the second:\n%s", body)
	}
	if body := list("?before=2"); !strings.Contains(body, "in general?") || strings.Contains(body, "Older clarifications") {
		t.Errorf("the last page:\n%s", body)
	}
}

// news subscribes to news of the contest "now". The returned function waits for the next message.
func news(h *webtest.Harness, t *testing.T, login string) func() string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", h.URL+"/c/now/news/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", h.Cookie(login))
	res, err := http.DefaultClient.Do(r)
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	t.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	return func() string {
		t.Helper()
		for lines.Scan() {
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				return data
			}
		}
		t.Fatal("the stream ends:", lines.Err())
		return ""
	}
}

// TestNewsAreTold checks that a subscriber receives messages for their account, and no others.
func TestNewsAreTold(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	next := news(h, t, "bob")
	if first := next(); strings.Contains(first, "new") {
		t.Errorf("at first bob is told %s", first)
	}
	h.Clarify(c, store.NewClarification{Text: "may I?"}, "ada")
	if told := next(); strings.Contains(told, "new") {
		t.Errorf("of ada's question bob is told %s", told)
	}
	staff := news(h, t, "admin")
	staff()
	for _, do := range []string{"claim", "claim", "release"} { // the second claim has no effect
		if got := h.Fetch(h.Cookie("judge"), "POST", "/c/now/clar/1/claim", url.Values{"do": {do}}); got.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d", do, got.Code)
		}
	}
	if told := staff(); !strings.Contains(told, "1 unanswered") {
		t.Errorf("of a claim the staff is told %s", told)
	}
	h.Clarify(c, store.NewClarification{Jury: true, Text: "to all"}, "judge")
	if told := next(); !strings.Contains(told, "1 new") {
		t.Errorf("of an announcement bob is told %s", told)
	}
}
