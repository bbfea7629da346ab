package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// again ends the waiting jobs of rejudgings.
func (h *harness) again(v judge.Verdict) {
	h.Helper()
	for _, s := range must[[]*job.Spec](h)(h.store.Next(h.Context(), job.Background, "main", 100)) {
		r := &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w", State: job.Done, Finished: &judge.Finished{Verdict: v}, Reason: evil}
		if _, err := h.store.Fold(h.Context(), r, ""); err != nil {
			h.Fatal(err)
		}
	}
}

// TestRejudgingPages: a rejudging is begun by the filter of the list, looked at while it runs,
// and applied; contestants see nothing of it before.
func TestRejudgingPages(t *testing.T) {
	h := newHarness(t)
	c := h.contest("now", -time.Minute, store.Accounts, store.Settings{})
	h.contest("other", -time.Minute, store.Accounts, store.Settings{})
	h.judged(h.send(c, "ada"), failing()...)
	h.judged(h.send(c, "bob"), failing()...)
	h.send(c, "bob") // which stays open
	admin, ada := h.cookie("admin"), h.cookie("ada")
	list := h.ask(admin, "GET", "/c/now/submissions?problem=A&verdict=WA&who=ada&language=py", nil).body
	if strings.Count(list, "/c/now/s/") != 1 || !strings.Contains(list, "/c/now/rejudgings?language=py&amp;problem=A&amp;verdict=WA&amp;who=ada") {
		t.Errorf("the list of ada's wrong answers:\n%s", list)
	}
	for query, want := range map[string]string{"verdict=OK": "is not a verdict", "problem=Z": "has no problem", "language=c": "is no language", "before=x": "is not the number"} {
		if got := h.ask(admin, "GET", "/c/now/submissions?"+query, nil); got.code != 400 || !strings.Contains(got.body, want) {
			t.Errorf("%s: %d without %q", query, got.code, want)
		}
	}
	begin := func(fields url.Values, code int, want string) answer {
		t.Helper()
		got := h.ask(admin, "POST", "/c/now/rejudgings", fields)
		if got.code != code || !strings.Contains(got.body, want) {
			t.Errorf("%v: %d, want %d with %q in\n%s", fields, got.code, code, want, got.body)
		}
		return got
	}
	begin(url.Values{"who": {"ada"}}, 400, "needs a reason")
	begin(url.Values{"why": {"x"}}, 400, "chooses every submission")
	begin(url.Values{"why": {"x"}, "verdict": {"TLE"}}, 409, "no submission is like that")
	path := begin(url.Values{"why": {"a case was wrong" + evil}, "all": {"yes"}}, http.StatusSeeOther, "").Get("Location")
	begin(url.Values{"why": {"x"}, "who": {"ada"}}, 409, "in another rejudging")
	if !strings.HasSuffix(path, "?left=1") {
		t.Errorf("the open one is not said to be left out: %s", path)
	}
	page := h.ask(admin, "GET", path, nil).body
	harmless(t, "a rejudging", page)
	if !strings.Contains(page, "0 of 2 are judged") || !strings.Contains(page, "1 submissions were left out") || strings.Contains(page, `value="apply"`) || !strings.Contains(page, "refresh") {
		t.Errorf("while it runs:\n%s", page)
	}
	path, _, _ = strings.Cut(path, "?")
	if got := h.ask(admin, "POST", path, url.Values{"do": {"apply"}}); got.code != 409 || !strings.Contains(got.body, "2 submissions are still being judged") {
		t.Errorf("applied too early: %d\n%s", got.code, got.body)
	}
	if got := h.ask(admin, "GET", strings.Replace(path, "now", "other", 1), nil); got.code != 404 {
		t.Errorf("it is seen in another contest: %d", got.code)
	}
	h.again(judge.Accepted)
	page = h.ask(admin, "GET", path, nil).body
	harmless(t, "a judged one", page)
	for _, want := range []string{`value="apply"`, "now AC", "<strong>2</strong>", "teams that move", "wrong answer", "accepted"} {
		if !strings.Contains(page, want) {
			t.Errorf("what was judged has no %q:\n%s", want, page)
		}
	}
	if mine := h.ask(ada, "GET", "/c/now", nil).body; strings.Contains(mine, "accepted") {
		t.Errorf("before it is applied, ada sees\n%s", mine)
	}
	if got := h.ask(h.cookie("judge"), "POST", path, url.Values{"do": {"apply"}}); got.code != 403 {
		t.Errorf("a judge applies it: %d", got.code)
	}
	if got := h.ask(admin, "POST", path, url.Values{"do": {"apply"}}); got.code != http.StatusSeeOther {
		t.Errorf("applied: %d\n%s", got.code, got.body)
	}
	if mine := h.ask(ada, "GET", "/c/now", nil).body; !strings.Contains(mine, "accepted") {
		t.Errorf("after it was applied, ada sees\n%s", mine)
	}
	if got := h.ask(admin, "POST", path, url.Values{"do": {"cancel"}}); got.code != 409 || !strings.Contains(got.body, "already") {
		t.Errorf("cancelled afterwards: %d\n%s", got.code, got.body)
	}
	entries := must[[]store.Entry](t)(h.store.Audited(t.Context(), "", 10))
	if len(entries) != 2 || entries[0].Action != "apply rejudging" || entries[1].Action != "rejudge" || entries[0].Actor != h.accounts["admin"].ID {
		t.Errorf("the audit has %+v", entries)
	}
	// Another one is cancelled.
	path, _, _ = strings.Cut(begin(url.Values{"why": {"y"}, "who": {"ada"}}, http.StatusSeeOther, "").Get("Location"), "?")
	h.ask(admin, "POST", path, url.Values{"do": {"cancel"}})
	if all := h.ask(admin, "GET", "/c/now/rejudgings", nil).body; !strings.Contains(all, "cancelled") || !strings.Contains(all, "applied") {
		t.Errorf("the list:\n%s", all)
	}
}
