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

// TestFinalize checks that the page lists each obstacle to final results with a link to its remedy. Final results
// do not change until they are reopened with a reason.
func TestFinalize(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	c.Freeze = 50 * time.Minute // otherwise the results could not be reopened
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	open := h.Submit(c, "ada")
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)
	h.Clarify(c, store.NewClarification{Text: "may I?"}, "ada")
	r, _, err := h.Store.Rejudge(t.Context(), store.NewRejudging{Filter: store.SubmissionFilter{Contest: c.ID}, Why: "x",
		Account: h.Accounts["admin"].ID})
	if err != nil {
		t.Fatal(err)
	}
	admin := h.Cookie("admin")
	ways := []string{"The contest has not ended", "1 submission has no verdict", "1 rejudging is open",
		"1 clarification request is unanswered"}
	// The scoreboard may lag.
	says := func(code int, in ...string) {
		t.Helper()
		for deadline := time.Now().Add(3 * time.Minute); ; {
			got := h.Fetch(admin, "POST", "/c/now/finalize",
				url.Values{"do": {"final"}, "by": {"the chief judge"}, "sure-password": {"correct-horse"}})
			same := got.Code == code
			for _, way := range ways {
				same = same && strings.Contains(got.Body, way) == slices.Contains(in, way)
			}
			if same {
				if code == 409 {
					webtest.CheckHTML(t, "finalize", got.Body)
				}
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("it is answered %d, want %d with %q:\n%s", got.Code, code, in, got.Body)
			}
		}
	}
	says(409, ways...)
	h.Advance(2 * time.Hour)
	says(409, ways[1:]...)
	h.RecordJudgement(open, webtest.FailingEvents()...)
	says(409, ways[2:]...)
	h.Clarify(c, store.NewClarification{Jury: true, Text: "no", ReplyTo: 1}, "judge")
	says(409, ways[2])
	h.EndRejudgingJobs(judge.Accepted)
	says(409, ways[2])
	if err := h.Store.ApplyRejudging(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	for field, values := range map[string]url.Values{
		"by": {"do": {"final"}, "b": {"3"}}, "b": {"do": {"final"}, "by": {"x"}, "b": {"-1"}},
	} {
		values.Set("sure-password", "correct-horse")
		if got := h.Fetch(admin, "POST", "/c/now/finalize", values); got.Code != 400 || !strings.Contains(got.Body, `id="`+field+`-error"`) {
			t.Errorf("without %s: %d\n%s", field, got.Code, got.Body)
		}
	}
	if got := h.Fetch(h.Cookie("judge"), "POST", "/c/now/finalize", url.Values{"do": {"final"}, "by": {"x"}}); got.Code != 403 {
		t.Errorf("a judge makes the results final: %d", got.Code)
	}
	says(303)
	page := h.Fetch(admin, "GET", "/c/now/finalize", nil).Body
	if webtest.CheckHTML(t, "final", page); !strings.Contains(page, "approved by the chief judge") ||
		!strings.Contains(page, "Reopen results") {
		t.Errorf("when they are final:\n%s", page)
	}
	for path, fields := range map[string]url.Values{
		"/c/now/edit": {"name": {"x"}}, "/c/now/teams": {"list": {"x"}}, "/c/now/teams/change": {"t": {"1"}, "do": {"extra"}, "value": {"10"}},
		"/c/now/teams/edit": {"t": {"1"}}, "/c/now/teams/remove": {"t": {"1"}}, "/c/now/delete": {"slug": {"now"}},
		"/c/now/rejudgings": {"all": {"yes"}, "why": {"x"}},
	} {
		if got := h.Fetch(admin, "POST", path, fields); got.Code != 409 || !strings.Contains(got.Body, "are final") {
			t.Errorf("%s is answered %d\n%s", path, got.Code, got.Body)
		}
	}
	set := func(code int, fields url.Values) {
		t.Helper()
		if got := h.Fetch(admin, "POST", "/c/now/finalize", fields); got.Code != code {
			t.Errorf("%v is answered %d, want %d\n%s", fields, got.Code, code, got.Body)
		}
	}
	set(400, url.Values{"do": {"open"}, "why": {" "}})
	set(400, url.Values{"do": {"shut"}})
	set(303, url.Values{"do": {"open"}, "why": {"a wrong answer file"}})
	if got := h.Fetch(admin, "POST", "/c/now/rejudgings", url.Values{"all": {"yes"}, "why": {"x"}}); got.Code != 303 {
		t.Errorf("when they are open again: %d\n%s", got.Code, got.Body)
	}
	entries := webtest.Must[[]store.AuditEntry](t)(h.Store.LatestAuditEntries(t.Context(), "", 10))
	if len(entries) != 3 || !strings.HasPrefix(entries[2].Detail, "approved by the chief judge") ||
		entries[1].Action != "results open again" || entries[1].Detail != "a wrong answer file" || entries[2].Action != "results final" {
		t.Errorf("the audit has %+v", entries)
	}
}

// TestFinalChecks checks what the page says of judge errors, unverified verdicts, and a scoreboard that is public
// already.
func TestFinalChecks(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	admin := h.Cookie("admin")
	says := func(what string, want ...string) {
		t.Helper()
		page := webtest.Text(h.Fetch(admin, "GET", "/c/now/finalize", nil).Body)
		for _, one := range want {
			no, is := strings.CutPrefix(one, "not ")
			if strings.Contains(page, no) == is {
				t.Errorf("%s: %q in\n%s", what, one, page)
			}
		}
	}
	const last, errors = "Final results cannot be reopened.", "have a judge error"
	says("without a freeze", last, "No submission has a judge error", "not "+errors, "not verified")
	broken := &judge.Finished{Verdict: judge.JudgeError, Judged: 2, Cases: 2}
	for range 5 {
		h.RecordJudgement(h.Submit(c, "ada"), broken)
	}
	says("five judge errors", "5 submissions "+errors, "#1", "not No submission has a judge error", "not …")
	h.RecordJudgement(h.Submit(c, "ada"), broken)
	says("six judge errors", "6 submissions "+errors, "…")
	c.Freeze = 30 * time.Minute
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	says("with a freeze", "not "+last)
	if err := h.Store.SetVerify(t.Context(), c.ID, "A", store.VerifyAfter); err != nil {
		t.Fatal(err)
	}
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)
	says("an unverified verdict", "1 verdict is not verified", "Verified: 0 of 1.")
	c.Thaw = time.Now().Add(3 * time.Hour)
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	h.Advance(2 * time.Hour)
	says("before the thaw", "not "+last)
	h.Advance(2 * time.Hour)
	says("after the thaw", last)
	if page := h.Fetch(admin, "GET", "/c/now/finalize", nil).Body; !strings.Contains(page, `name="b" value=""`) {
		t.Errorf("the number of further medals is not empty:\n%s", page)
	}
}

// TestFinalAndPublic checks that nothing can change after the results are final and the scoreboard is unfrozen, in
// either order, and that the pages say why.
func TestFinalAndPublic(t *testing.T) {
	for _, first := range []string{"finalize", "scoreboard"} {
		t.Run(first, func(t *testing.T) {
			h := webtest.New(t)
			c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{Practice: true})
			c.Freeze = 30 * time.Minute
			if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
				t.Fatal(err)
			}
			h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
			h.Advance(3 * time.Hour)
			admin := h.Cookie("admin")
			do := func(what string, code int, text string) {
				t.Helper()
				fields := url.Values{"do": {"final"}, "by": {"the chief judge"}, "b": {"2"}, "sure-password": {"correct-horse"}}
				if what == "scoreboard" {
					fields.Set("do", "unfreeze")
				}
				if got := h.Fetch(admin, "POST", "/c/now/"+what, fields); got.Code != code || !strings.Contains(got.Body, text) {
					t.Fatalf("%s: %d with %s\n%s", what, got.Code, text, got.Body)
				}
			}
			page := func() string { return h.Fetch(admin, "GET", "/c/now/finalize", nil).Body }
			do(first, 303, "")
			if first == "finalize" && !strings.Contains(page(), "Further bronze medals: 2.") {
				t.Errorf("the number of bronze medals is not shown:\n%s", page())
			}
			if strings.Contains(page(), "final and public") {
				t.Errorf("it is over too early:\n%s", page())
			}
			do(map[string]string{"finalize": "scoreboard", "scoreboard": "finalize"}[first], 303, "")
			if body := page(); !strings.Contains(body, "final and public") || strings.Contains(body, "Reopen results</button>") ||
				strings.Contains(body, "/award?id=") {
				t.Errorf("when nothing changes any more:\n%s", body)
			}
			for path, fields := range map[string]url.Values{
				"/c/now/finalize": {"do": {"open"}, "why": {"x"}}, "/c/now/scoreboard": {"do": {"unfreeze"}}, "/c/now/edit": {"name": {"x"}},
				"/c/now/clar": {"text": {"late news"}}, "/c/now/teams": {"list": {"x"}}, "/c/now/awards": {"gold": {"1"}},
				"/c/now/award": {"id": {"winner"}, "citation": {"x"}, "how": {"off"}}, "/c/now/s/1/override": {"do": {"ignored"}, "why": {"x"}},
				"/c/now/rejudgings": {"all": {"yes"}, "why": {"x"}}, "/c/now/problems/A/judging": {"do": {"verify"}, "mode": {"before"}},
			} {
				if got := h.Fetch(admin, "POST", path, fields); got.Code != 409 || !strings.Contains(got.Body, "are final and public") {
					t.Errorf("%s is answered %d\n%s", path, got.Code, got.Body)
				}
			}
			practice := map[string]string{"text": "print(1)", "language": "sh", "key": "k"}
			if got := h.Upload(h.Cookie("bob"), "/c/now/p/A", practice, nil); got.Code != 303 {
				t.Errorf("practice: %d\n%s", got.Code, got.Body)
			}
			teams := webtest.Must[[]*store.Team](t)(h.Store.Teams(t.Context(), c.ID))
			subs := webtest.Must[[]*store.Submission](t)(h.Store.Submissions(t.Context(), store.SubmissionFilter{Contest: c.ID}))
			if len(teams) != 1 || len(subs) != 2 || subs[0].Team != "" {
				t.Errorf("after practice there are %d teams, and %d submissions", len(teams), len(subs))
			}
			now := webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), c.ID))
			if later := map[string]time.Time{"finalize": now.Thaw, "scoreboard": now.Finalized}[first]; !now.UpdatesEnd.Equal(later) {
				t.Errorf("the last change is at %v, want %v", now.UpdatesEnd, later)
			}
			if now.UpdatesEnd.IsZero() || now.FinalB != 2 || now.FinalBy != "the chief judge" {
				t.Errorf("the contest is %+v", now)
			}
		})
	}
}

// TestThawWaitsForAllTeams checks that the scoreboard cannot be unfrozen while a team with extra time can still
// submit.
func TestThawWaitsForAllTeams(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	c.Freeze = 30 * time.Minute
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	teams := webtest.Must[[]*store.Team](t)(h.Store.Teams(t.Context(), c.ID))
	teams[0].ExtraTime = 15 * time.Minute
	if err := h.Store.SetTeam(t.Context(), teams[0], ""); err != nil {
		t.Fatal(err)
	}
	admin := h.Cookie("admin")
	thaw := func() webtest.Response {
		return h.Fetch(admin, "POST", "/c/now/scoreboard", url.Values{"do": {"unfreeze"}, "sure-password": {"correct-horse"}})
	}
	h.Advance(c.Length + 5*time.Minute)
	page := h.Fetch(admin, "GET", "/c/now/finalize", nil).Body
	if !strings.Contains(page, "with 15 minutes of extra time, ends at") || strings.Contains(page, "Unfreeze scoreboard</button>") {
		t.Errorf("while a team has time:\n%s", page)
	}
	if got := thaw(); got.Code != 409 || !strings.Contains(got.Body, "for every team") {
		t.Errorf("the thaw while a team has time: %d\n%s", got.Code, got.Body)
	}
	h.Advance(11 * time.Minute)
	if page := h.Fetch(admin, "GET", "/c/now/finalize", nil).Body; !strings.Contains(page, "Unfreeze scoreboard</button>") {
		t.Errorf("after the end:\n%s", page)
	}
	if got := thaw(); got.Code != 303 {
		t.Errorf("the thaw: %d\n%s", got.Code, got.Body)
	}
	if got := thaw(); got.Code != 409 || !strings.Contains(got.Body, "unfrozen already") {
		t.Errorf("the second thaw: %d\n%s", got.Code, got.Body)
	}
}

// TestAwardsPage checks that a computed award can be renamed, set manually, turned off and computed again, and
// that other awards can be created and deleted. Invalid input stays in the form.
func TestAwardsPage(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)
	admin := h.Cookie("admin")
	set := func(path string, code int, fields ...string) string {
		t.Helper()
		form := url.Values{}
		for i := 0; i < len(fields); i += 2 {
			form.Set(fields[i], fields[i+1])
		}
		got := h.Fetch(admin, "POST", "/c/now/"+path, form)
		if got.Code != code {
			t.Errorf("%s %v: %d\n%s", path, fields, got.Code, got.Body)
		}
		return got.Body
	}
	row := func(id string) string {
		t.Helper()
		body := h.Fetch(admin, "GET", "/c/now/finalize", nil).Body
		webtest.CheckHTML(t, "finalize", body)
		for line := range strings.Lines(body) {
			if strings.Contains(line, "<code>"+id+"</code>") {
				return line
			}
		}
		return ""
	}
	has := func(id string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(row(id), text) {
				t.Errorf("%s: %q is not in %s", id, text, row(id))
			}
		}
	}
	has("winner", "Contest winner", "ada", "Computed")
	if strings.Contains(row("winner"), "bob") {
		t.Error("bob has won")
	}
	set("award", 303, "id", "winner", "citation", "Champion", "how", "computed")
	has("winner", "Champion", "ada", "Computed")
	set("award", 303, "id", "winner", "citation", "Champion", "how", "hand", "teams", "2")
	has("winner", "Champion", "bob", "Chosen teams")
	set("award", 303, "id", "winner", "citation", "Champion", "how", "off")
	has("winner", "Champion", "none", "Off")
	set("award", 303, "id", "winner", "citation", "Contest winner", "how", "computed")
	has("winner", "Contest winner", "ada", "Computed")
	set("awards", 303, "gold", "0", "silver", "1", "bronze", "", "organizations", "on", "world_finals", "on")
	has("gold-medal", "none")
	has("silver-medal", "ada")
	has("honorable-mention", "bob")
	if body := set("awards", 400, "gold", "many", "silver", "1", "bronze", "1"); !strings.Contains(body, `id="gold-error"`) ||
		!strings.Contains(body, `value="many"`) {
		t.Errorf("many medals:\n%s", body)
	}
	set("award", 303, "new", "best-name", "citation", "Best name", "teams", "1, 2")
	has("best-name", "Best name", "ada", "bob", "Chosen teams")
	set("award", 303, "id", "best-name", "citation", "The best name", "teams", "")
	has("best-name", "The best name", "none")
	for field, fields := range map[string][]string{
		"new": {"new", "a b", "citation", "x"}, "citation": {"new", "x", "citation", ""}, "teams": {"new", "x", "citation", "x", "teams", "9"},
		"how": {"id", "winner", "citation", "x", "how", "never"},
	} {
		if body := set("award", 400, fields...); !strings.Contains(body, `id="`+field+`-error"`) {
			t.Errorf("%v:\n%s", fields, body)
		}
	}
	set("award", 400, "new", "winner", "citation", "x")
	set("award", 400, "id", "best-name", "citation", "x", "teams", "1 1")
	set("award", 404, "id", "none", "citation", "x")
	set("award", 303, "id", "best-name", "do", "delete")
	if text := row("best-name"); text != "" {
		t.Errorf("the deleted award is there: %s", text)
	}
	if got := h.Fetch(admin, "GET", "/c/now/award?id=winner", nil); got.Code != 200 || !strings.Contains(got.Body, "Contest winner") {
		t.Errorf("the form of an award: %d\n%s", got.Code, got.Body)
	} else {
		webtest.CheckHTML(t, "award", got.Body)
	}
	if got := h.Fetch(admin, "GET", "/c/now/award", nil); got.Code != 200 || !strings.Contains(got.Body, "Create award") {
		t.Errorf("the form of a new award: %d\n%s", got.Code, got.Body)
	}
}
