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

// TestVerification checks that the team sees the submission as being judged on all pages until a judge verifies
// the verdict. The jury sees the verdict at once, and who verified it.
func TestVerification(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{Show: judge.ShowAll})
	admin, staff, ada := h.Cookie("admin"), h.Cookie("judge"), h.Cookie("ada")
	post := func(who, path string, code int, fields ...string) string {
		t.Helper()
		form := url.Values{}
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		got := h.Fetch(who, "POST", "/c/now/"+path, form)
		if got.Code != code {
			t.Fatalf("%s %v: %d, want %d\n%s", path, fields, got.Code, code, got.Body)
		}
		return got.Body
	}
	post(staff, "problems/A/judging", 403, "do", "verify", "mode", "before")
	post(admin, "problems/A/judging", 400, "do", "verify", "mode", "never")
	post(admin, "problems/A/judging", 400, "do", "nothing")
	post(admin, "problems/A/judging", 303, "do", "verify", "mode", "before")
	sent := h.Submit(c, "ada")
	h.RecordJudgement(sent, webtest.FailingEvents()...)
	tells := func(who string, words ...string) {
		t.Helper()
		for _, path := range []string{"/c/now", "/c/now/s/1", "/c/now/mine", "/c/now/p/A"} {
			page := h.Fetch(who, "GET", path, nil).Body
			for _, word := range words {
				lacks, not := strings.CutPrefix(word, "not ")
				if strings.Contains(page, lacks) == not {
					t.Errorf("%s: %q\n%s", path, word, page)
				}
			}
		}
	}
	tells(ada, "judging", "not wrong answer", "not >WA<")
	page := h.Fetch(staff, "GET", "/c/now/s/1", nil).Body
	webtest.CheckHTML(t, "a verdict to verify", page)
	if !strings.Contains(page, "No judge has verified this verdict. The team sees it when a judge has.") ||
		!strings.Contains(page, "wrong answer") {
		t.Errorf("the jury reads\n%s", page)
	}
	list := func(query, text string) {
		t.Helper()
		if page := h.Fetch(staff, "GET", "/c/now/submissions"+query, nil).Body; !strings.Contains(page, text) {
			t.Errorf("%s has no %q:\n%s", query, text, page)
		}
	}
	list("", "Verified: 0 of 1")
	list("", "not verified")
	list("?verify=open", `/c/now/s/1"`)
	list("?verify=done", "No submissions match")
	if got := h.Fetch(staff, "GET", "/c/now/submissions?verify=perhaps", nil); got.Code != 400 {
		t.Errorf("an unknown filter: %d", got.Code)
	}
	if page := h.Fetch(staff, "GET", "/c/now/overview", nil).Body; !strings.Contains(page, "1 verdict not verified") {
		t.Errorf("the overview does not say what is to verify:\n%s", page)
	}
	judgement := webtest.Must[*store.Judgement](t)(h.Store.Judgement(t.Context(), sent.ID))
	if text := post(staff, "s/1/verify", 409, "do", "verify", "judgement", "another"); !strings.Contains(text, "another judgement now") {
		t.Errorf("an old judgement: %s", text)
	}
	post(staff, "s/1/verify", 400, "do", "perhaps", "judgement", judgement.ID)
	post(staff, "s/1/verify", 400, "do", "verify", "judgement", judgement.ID, "note", strings.Repeat("x", 501))
	post(staff, "s/1/verify", 303, "do", "verify", "judgement", judgement.ID, "note", "seen "+webtest.HostileMarkup)
	tells(ada, "wrong answer", "not seen")
	page = h.Fetch(staff, "GET", "/c/now/s/1", nil).Body
	webtest.CheckHTML(t, "a verified verdict", page)
	if !strings.Contains(page, "judge: verified, WA wrong answer.") || strings.Contains(page, "Take verification back") ||
		!strings.Contains(page, "seen ") {
		t.Errorf("the jury reads\n%s", page)
	}
	if text := post(staff, "s/1/verify", 409, "do", "unverify", "judgement", judgement.ID); !strings.Contains(text,
		"may have seen this verdict") {
		t.Errorf("what was seen: %s", text)
	}
	list("?verify=done", `/c/now/s/1"`)
	list("", "Verified: 1 of 1")
	entries := webtest.Must[[]store.AuditEntry](t)(h.Store.LatestAuditEntries(t.Context(), "", 1))
	if entries[0].Action != "verify a verdict" || !strings.Contains(entries[0].Detail, "now 1: seen") {
		t.Errorf("the audit has %+v", entries)
	}
	post(admin, "problems/A/judging", 303, "do", "verify", "mode", "after")
	late := h.Submit(c, "ada")
	h.RecordJudgement(late, webtest.AcceptedEvents()...)
	page = h.Fetch(ada, "GET", "/c/now/s/2", nil).Body
	if !strings.Contains(page, "accepted") {
		t.Errorf("the team does not read a verdict that is verified later:\n%s", page)
	}
	judgement = webtest.Must[*store.Judgement](t)(h.Store.Judgement(t.Context(), late.ID))
	post(staff, "s/2/verify", 303, "do", "verify", "judgement", judgement.ID)
	if page := h.Fetch(staff, "GET", "/c/now/s/2", nil).Body; !strings.Contains(page, "Take verification back") {
		t.Errorf("it cannot be taken back:\n%s", page)
	}
	post(staff, "s/2/verify", 303, "do", "unverify", "judgement", judgement.ID)
	list("?verify=open", `/c/now/s/2"`)

	// The contest page must not show the accepted submission as the team's best one, because that would reveal the
	// unverified verdict.
	post(admin, "problems/A/judging", 303, "do", "verify", "mode", "before")
	h.RecordJudgement(h.Submit(c, "bob"), webtest.AcceptedEvents()...)
	rejected := h.Submit(c, "bob")
	h.RecordJudgement(rejected, webtest.FailingEvents()...)
	judgement = webtest.Must[*store.Judgement](t)(h.Store.Judgement(t.Context(), rejected.ID))
	post(staff, "s/4/verify", 303, "do", "verify", "judgement", judgement.ID)
	page = h.Fetch(h.Cookie("bob"), "GET", "/c/now", nil).Body
	if strings.Count(page, ">judging<") != 1 || strings.Count(page, ">wrong answer<") != 2 {
		t.Errorf("the page of the contest shows\n%s", page)
	}
}

// TestPausedJudging checks that the overview can pause and resume judging of a problem, and shows the state.
func TestPausedJudging(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	admin := h.Cookie("admin")
	set := func(do string) string {
		t.Helper()
		if got := h.Fetch(admin, "POST", "/c/now/problems/A/judging", url.Values{"do": {do}}); got.Code != 303 {
			t.Fatalf("%s: %d\n%s", do, got.Code, got.Body)
		}
		page := h.Fetch(admin, "GET", "/c/now/overview", nil).Body
		webtest.CheckHTML(t, do, page)
		return page
	}
	if page := set("pause"); !strings.Contains(page, "Judging of problem A is paused") || !strings.Contains(page, `value="resume"`) {
		t.Errorf("while it is paused:\n%s", page)
	}
	h.Submit(c, "ada")
	if page := h.Fetch(h.Cookie("judge"), "GET", "/c/now/submissions", nil).Body; !strings.Contains(page, "judging paused") {
		t.Errorf("the jury reads\n%s", page)
	}
	if page := h.Fetch(h.Cookie("ada"), "GET", "/c/now/s/1", nil).Body; strings.Contains(page, "paused") ||
		!strings.Contains(page, "waiting") {
		t.Errorf("the team reads\n%s", page)
	}
	if page := set("resume"); strings.Contains(page, "problem A is paused") || !strings.Contains(page, `value="pause"`) {
		t.Errorf("afterwards:\n%s", page)
	}
}
