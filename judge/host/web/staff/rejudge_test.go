package staff_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestRejudgingPages checks that a rejudging can be started with the filter of the list, viewed while it runs, and
// applied. Contestants must see no change before it is applied.
func TestRejudgingPages(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Contest("other", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)
	h.Submit(c, "bob") // stays pending
	admin, ada := h.Cookie("admin"), h.Cookie("ada")
	list := h.Fetch(admin, "GET", "/c/now/submissions?problem=A&verdict=WA&who=ada&language=py", nil).Body
	if strings.Count(list, "/c/now/s/") != 1 || !strings.Contains(list,
		"/c/now/rejudgings?language=py&amp;problem=A&amp;verdict=WA&amp;who=ada") {
		t.Errorf("the list of ada's wrong answers:\n%s", list)
	}
	for query, want := range map[string]string{"verdict=OK": "is not a verdict", "problem=Z": "has no problem",
		"language=c": "is no language", "before=x": "is not the number"} {
		if got := h.Fetch(admin, "GET", "/c/now/submissions?"+query, nil); got.Code != 400 || !strings.Contains(got.Body, want) {
			t.Errorf("%s: %d without %q", query, got.Code, want)
		}
	}
	begin := func(fields url.Values, code int, want string) webtest.Response {
		t.Helper()
		got := h.Fetch(admin, "POST", "/c/now/rejudgings", fields)
		if got.Code != code || !strings.Contains(got.Body, want) {
			t.Errorf("%v: %d, want %d with %q in\n%s", fields, got.Code, code, want, got.Body)
		}
		return got
	}
	begin(url.Values{"who": {"ada"}}, 400, "enter a reason")
	begin(url.Values{"why": {"x"}}, 400, "matches every submission")
	begin(url.Values{"why": {"x"}, "verdict": {"TLE"}}, 409, "no submission matches the filter")
	begin(url.Values{"why": {"x"}, "all": {"yes"}, "repeats": {"11"}}, 400, "from 1 to 10 times")
	begin(url.Values{"why": {"x"}, "all": {"yes"}, "repeats": {"0"}}, 400, "from 1 to 10 times")
	begin(url.Values{"why": {"x"}, "all": {"yes"}, "repeats": {"often"}}, 400, `value="often"`)
	begin(url.Values{"why": {"x"}, "all": {"yes"}, "against": {"00000000"}}, 400, "a version belongs to one problem")
	begin(url.Values{"why": {"x"}, "problem": {"A"}, "against": {"00000000"}}, 400, "no problem here has a version")
	begin(url.Values{"why": {"x"}, "version": {"zzzzzzzz"}}, 400, "no problem here has a version")
	begin(url.Values{"why": {"x"}, "worker": {"unknown"}}, 409, "no submission matches the filter")
	path := begin(url.Values{"why": {"a case was wrong" + webtest.HostileMarkup}, "all": {"yes"}}, http.StatusSeeOther, "").Get("Location")
	begin(url.Values{"why": {"x"}, "who": {"ada"}}, 409, "in another rejudging")
	if !strings.HasSuffix(path, "?left=1") {
		t.Errorf("the open one is not said to be left out: %s", path)
	}
	page := h.Fetch(admin, "GET", path, nil).Body
	webtest.CheckHTML(t, "a rejudging", page)
	if !strings.Contains(page, "0 of 2 submissions are judged") || !strings.Contains(page, "1 submission was left out") ||
		strings.Contains(page, `value="apply"`) || !strings.Contains(page, "refresh") || strings.Contains(page, "<strong>") {
		t.Errorf("while it runs:\n%s", page)
	}
	path, _, _ = strings.Cut(path, "?")
	if got := h.Fetch(admin, "POST", path, url.Values{"do": {"apply"}}); got.Code != 409 ||
		!strings.Contains(got.Body, "2 submissions are still being judged") {
		t.Errorf("applied too early: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "GET", strings.Replace(path, "now", "other", 1), nil); got.Code != 404 {
		t.Errorf("it is seen in another contest: %d", got.Code)
	}
	h.EndRejudgingJobs(judge.Accepted)
	page = h.Fetch(admin, "GET", path, nil).Body
	webtest.CheckHTML(t, "a judged one", page)
	for _, want := range []string{`value="apply"`, `<th scope="col" class="num">AC</th>`, "Apply 2 changes", "<dt>Changed</dt><dd>2</dd>",
		"<dt>Unchanged</dt><dd>0</dd>", "<strong>2</strong>", "scoreboard changes", "wrong answer", "accepted"} {
		if !strings.Contains(page, want) {
			t.Errorf("what was judged has no %q:\n%s", want, page)
		}
	}
	if mine := h.Fetch(ada, "GET", "/c/now", nil).Body; strings.Contains(mine, "accepted") {
		t.Errorf("before it is applied, ada sees\n%s", mine)
	}
	if got := h.Fetch(h.Cookie("judge"), "POST", path, url.Values{"do": {"apply"}}); got.Code != 403 {
		t.Errorf("a judge applies it: %d", got.Code)
	}
	if got := h.Fetch(admin, "POST", path, url.Values{"do": {"apply"}}); got.Code != http.StatusSeeOther {
		t.Errorf("applied: %d\n%s", got.Code, got.Body)
	}
	if mine := h.Fetch(ada, "GET", "/c/now", nil).Body; !strings.Contains(mine, "accepted") {
		t.Errorf("after it was applied, ada sees\n%s", mine)
	}
	if got := h.Fetch(admin, "POST", path, url.Values{"do": {"cancel"}}); got.Code != 409 || !strings.Contains(got.Body, "already") {
		t.Errorf("cancelled afterwards: %d\n%s", got.Code, got.Body)
	}
	entries := webtest.Must[[]store.AuditEntry](t)(h.Store.LatestAuditEntries(t.Context(), "", 10))
	if len(entries) != 2 || entries[0].Action != "apply rejudging" || entries[1].Action != "rejudge" ||
		entries[0].Actor != h.Accounts["admin"].ID {
		t.Errorf("the audit has %+v", entries)
	}
	// Another rejudging is canceled.
	path, _, _ = strings.Cut(begin(url.Values{"why": {"y"}, "who": {"ada"}}, http.StatusSeeOther, "").Get("Location"), "?")
	h.EndRejudgingJobs(judge.NotJudged)
	if page := webtest.Text(h.Fetch(admin, "GET", path, nil).Body); !strings.Contains(page, "the verdict would be lost") {
		t.Errorf("a running one without a verdict:\n%s", page)
	}
	h.Fetch(admin, "POST", path, url.Values{"do": {"cancel"}})
	ended := webtest.Text(h.Fetch(admin, "GET", path, nil).Body)
	if !strings.Contains(ended, "was cancelled. The verdicts from before") || !strings.Contains(ended, "No verdict changed") ||
		strings.Contains(ended, "appear here") {
		t.Errorf("the canceled one:\n%s", ended)
	}
	if all := h.Fetch(admin, "GET", "/c/now/rejudgings", nil).Body; !strings.Contains(all, "cancelled") || !strings.Contains(all, "applied") {
		t.Errorf("the list:\n%s", all)
	}
}

// TestWorseChangesComeFirst checks that the page of a rejudging counts the changes that are better or worse for the
// team, lists the worse ones first, and warns about accepted submissions that would be rejected.
func TestWorseChangesComeFirst(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	for _, accepted := range []bool{false, false, true, true} {
		events := webtest.FailingEvents()
		if accepted {
			events = webtest.AcceptedEvents()
		}
		h.RecordJudgement(h.Submit(c, "ada"), events...)
	}
	admin := h.Cookie("admin")
	view := func(verdicts ...judge.Verdict) (path, page string) {
		t.Helper()
		got := h.Fetch(admin, "POST", "/c/now/rejudgings", url.Values{"why": {"x"}, "all": {"yes"}})
		if got.Code != http.StatusSeeOther {
			t.Fatalf("%d\n%s", got.Code, got.Body)
		}
		path = got.Get("Location")
		if page = h.Fetch(admin, "GET", path, nil).Body; strings.Contains(page, "If you apply the rejudging") {
			t.Errorf("a rejudging whose submissions are pending:\n%s", page)
		}
		h.EndRejudgingJobs(verdicts...)
		page = h.Fetch(admin, "GET", path, nil).Body
		webtest.CheckHTML(t, "a rejudging", page)
		return path, page
	}
	const warning = "1 accepted submission would be rejected.</b> Check it before"
	path, page := view(judge.Accepted, judge.RunTimeError, judge.TimeLimit, judge.JudgeError)
	var order []string
	for _, m := range regexp.MustCompile(`<tr><th scope="row" class="num"><a href="/c/now/s/(\d)"`).FindAllStringSubmatch(page, -1) {
		order = append(order, m[1])
	}
	if got := strings.Join(order, " "); got != "3 4 2 1" {
		t.Errorf("the changes are listed as %s", got)
	}
	for _, want := range []string{"<dt>Better for the team</dt><dd>1</dd>", "<dt>Worse for the team</dt><dd>2</dd>",
		"If you apply the rejudging, the teams see the new verdicts at once", warning} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	if page := h.Fetch(h.Cookie("judge"), "GET", path, nil).Body; strings.Contains(page, "If you apply the rejudging") ||
		!strings.Contains(page, warning) {
		t.Errorf("a judge, who cannot apply it, sees:\n%s", page)
	}
	h.Fetch(admin, "POST", path, url.Values{"do": {"cancel"}})
	if page := h.Fetch(admin, "GET", path, nil).Body; strings.Contains(page, "would be rejected") {
		t.Errorf("the canceled one still warns:\n%s", page)
	}
	if _, page := view(judge.WrongAnswer, judge.WrongAnswer, judge.WrongAnswer, judge.WrongAnswer); !strings.Contains(page,
		"2 accepted submissions would be rejected.</b> Check them before") {
		t.Errorf("with two rejected ones:\n%s", page)
	}
}

// TestRejudgedSeveralTimes checks that the page shows the version, the number of runs, and the runs that differ.
func TestRejudgedSeveralTimes(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
	admin, version := h.Cookie("admin"), string(h.Problem.Bundle)[:12]
	worker := webtest.Must[[]*store.JuryJudgement](t)(h.Store.JuryJudgements(t.Context(), store.JudgementFilter{}))[0].Worker
	query := url.Values{"verdict": {"not-accepted"}, "worker": {worker}, "version": {version}}.Encode()
	list := h.Fetch(admin, "GET", "/c/now/submissions?"+query, nil).Body
	webtest.CheckHTML(t, "a list", list)
	if strings.Count(list, "/c/now/s/") != 1 || !strings.Contains(list, "Worker: <b>") || !strings.Contains(list, "Verdict: <b>Not accepted") {
		t.Errorf("the list of a worker:\n%s", list)
	}
	got := h.Fetch(admin, "POST", "/c/now/rejudgings", url.Values{
		"why": {"is it stable?"}, "problem": {"A"}, "verdict": {"not-accepted"}, "worker": {worker}, "against": {version}, "repeats": {"2"},
	})
	if got.Code != http.StatusSeeOther {
		t.Fatalf("%d\n%s", got.Code, got.Body)
	}
	path := got.Get("Location")
	page := h.Fetch(admin, "GET", path, nil).Body
	if !strings.Contains(page, "with version <code>"+version) || !strings.Contains(page, "2 runs of each") ||
		strings.Contains(page, "runs differ") {
		t.Errorf("before the runs end:\n%s", page)
	}
	h.EndRejudgingJobs(judge.Accepted, judge.TimeLimit)
	page = webtest.Text(h.Fetch(admin, "GET", path, nil).Body)
	if !strings.Contains(page, "Submissions whose runs differ") || !strings.Contains(page, "AC on ") || !strings.Contains(page, "TLE on ") {
		t.Errorf("after the runs:\n%s", page)
	}
}
