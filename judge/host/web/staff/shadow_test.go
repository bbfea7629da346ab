package staff_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// sentAs is a submission of ada with an id of the primary.
func sentAs(h *webtest.Harness, c *store.Contest, id string) *store.StoredSubmission {
	h.Helper()
	team := webtest.Must[*store.Team](h)(h.Store.Enter(h.Context(), c.ID, h.Accounts["ada"]))
	work := job.Work{
		Kind: job.Submission, Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: "a.py",
		Files: []job.File{{Path: "a.py", Size: 1, Digest: h.StoreBlob([]byte("x"))}},
	}
	return webtest.Must[*store.StoredSubmission](h)(h.Store.Submit(h.Context(), store.NewSubmission{
		Contest: c.ID, Team: team.ID, Account: h.Accounts["ada"].ID, Problem: "sum", Work: work, Priority: job.ContestPriority, Class: "main",
		ExtID: id,
	}))
}

// TestDifferencesNameThePrimary checks that a difference names a submission by its id at the primary, and links to
// the submission's page on this server.
func TestDifferencesNameThePrimary(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -2*time.Minute, store.VisibilityAccounts, store.Settings{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	h.RecordJudgement(sentAs(h, c, "4711"), webtest.FailingEvents()...)
	sentAs(h, c, "pc2_b") // stays pending
	check(h.Store.SetExternalSource(t.Context(),
		store.ExternalSource{Contest: c.ID, URL: "https://primary.example/contests/x", Account: h.Accounts["admin"].ID}))
	var objects []store.ExternalObject
	for i, id := range []string{"4711", "pc2_b"} {
		objects = append(objects, store.ExternalObject{Type: "judgements", ID: fmt.Sprint("j", i),
			Data: fmt.Sprintf(`{"id":"j%d","submission_id":%q,"judgement_type_id":"AC"}`, i, id)})
	}
	check(h.Store.PutExternalObjects(t.Context(), c.ID, "1", objects))
	check(h.Store.RecordReceived(t.Context(), c.ID))
	differ := []string{
		`<a href="/c/now/s/1">submission 4711: AC at the primary, WA here</a>`,
		`<a href="/c/now/s/2">submission pc2_b: AC at the primary, pending here</a>`,
	}
	page := func() string { return h.Fetch(h.Cookie("admin"), "GET", "/c/now/shadow", nil).Body }
	for _, want := range append(differ, `<th scope="row"><a href="/c/now/s/1">4711</a></th><td class="num">1</td>`) {
		if body := page(); strings.Count(body, want) != 1 {
			t.Errorf("the comparison has no %q:\n%s", want, body)
		}
	}
	seen := regexp.MustCompile(`name="seen" value="([0-9a-f]+)"`).FindStringSubmatch(page())
	if got := h.Fetch(h.Cookie("admin"), "POST", "/c/now/shadow", url.Values{"seen": seen[1:], "why": {"x"}}); got.Code != 303 {
		t.Fatalf("acknowledge: %d\n%s", got.Code, got.Body)
	}
	for _, want := range differ {
		if body := page(); !strings.Contains(body, "acknowledged:</span> "+want) {
			t.Errorf("it does not link the acknowledged %q:\n%s", want, body)
		}
	}
}

// TestShadowPage checks that the jury can compare verdicts, scoreboards and awards with the primary's, and sees
// how long the primary has been silent.
func TestShadowPage(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -2*time.Minute, store.VisibilityAccounts, store.Settings{})
	admin, judge1, ada := h.Cookie("admin"), h.Cookie("judge"), h.Cookie("ada")
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := h.Fetch(admin, "GET", "/c/now/shadow", nil); got.Code != 404 {
		t.Errorf("without a primary: %d", got.Code)
	}
	if page := h.Fetch(admin, "GET", "/c/now/overview", nil).Body; strings.Contains(page, "/c/now/shadow") {
		t.Errorf("the overview has a primary:\n%s", page)
	}
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...) // 1
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)  // 2
	h.Submit(c, "bob")                                                 // submission 3 stays pending
	check(h.Store.SetExternalSource(t.Context(),
		store.ExternalSource{Contest: c.ID, URL: "https://primary.example/contests/x" + webtest.HostileMarkup, Account: h.Accounts["admin"].ID}))
	page := h.Fetch(judge1, "GET", "/c/now/shadow", nil).Body
	for _, want := range []string{"The primary has sent nothing yet", `<span class="tag bad">nothing received yet`,
		"The primary shows no scoreboard"} {
		if !strings.Contains(page, want) {
			t.Errorf("before anything is received, the page has no %q:\n%s", want, page)
		}
	}
	if page := h.Fetch(admin, "GET", "/c/now/overview", nil).Body; !strings.Contains(page, `href="/c/now/shadow">Compare`) ||
		!strings.Contains(page, "The primary has sent nothing yet") {
		t.Errorf("the overview has no primary:\n%s", page)
	}
	object := func(typ, id, data string) store.ExternalObject {
		return store.ExternalObject{Type: typ, ID: id, Data: data}
	}
	var objects []store.ExternalObject
	for _, id := range []string{"AC", "WA"} {
		objects = append(objects, object("judgement-types", id, fmt.Sprintf(`{"id":%q,"penalty":true,"solved":%v}`, id, id == "AC")))
	}
	for i, v := range []string{"AC", "AC", "WA"} {
		id := fmt.Sprint(i + 1)
		objects = append(objects, object("judgements", "j"+id, fmt.Sprintf(`{"id":"j%s","submission_id":%q,"judgement_type_id":%q}`, id, id, v)))
	}
	objects = append(objects, object("awards", "winner", `{"id":"winner","team_ids":["2"]}`), object("teams", "2", `{"id":"2","name":"Two"}`))
	check(h.Store.PutExternalObjects(t.Context(), c.ID, "since_token=1", objects))
	check(h.Store.RecordReceived(t.Context(), c.ID))
	check(h.Store.RecordExternalProblem(t.Context(), c.ID, "teams", "9", "it has no name"+webtest.HostileMarkup))
	check(h.Store.SetExternalScoreboard(t.Context(), c.ID,
		`{"rows":[{"rank":1,"team_id":"2","score":{"num_solved":1,"total_time":1}},{"rank":2,"team_id":"1","score":{"num_solved":0,`+
			`"total_time":0}}]}`))
	page = h.Fetch(judge1, "GET", "/c/now/shadow", nil).Body
	webtest.CheckHTML(t, "the comparison", page)
	for _, want := range []string{
		`<span class="tag ok">connected`, "<dt>Judged by both</dt><dd>2</dd>", "<dt>Different verdicts</dt><dd>1</dd>",
		"<dt>Different ranks</dt><dd>2</dd>",
		`<th scope="row"><a href="/c/now/s/2">2</a></th><td class="num">2</td><td>AC</td><td>WA</td>`, "pending</th>", "<strong>1</strong>",
		`<th scope="row">Two</th><td>1: 1 solved, 1 min</td>`, `<th scope="row">winner</th><td>2</td><td>1</td>`, "teams 9",
		"The verdicts of the primary count.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	if strings.Count(page, "<strong>") != 1 {
		t.Errorf("more than one cell of the matrix is a difference:\n%s", page)
	}
	if page := h.Fetch(admin, "GET", "/c/now/overview", nil).Body; !strings.Contains(page,
		"1 object of the primary could not be taken over completely") || strings.Contains(page, "silent") {
		t.Errorf("the overview says of the primary:\n%s", page)
	}
	// The pages show verdicts set by the primary, and the team for which another account submitted.
	all, err := h.Store.ShadowSubmissions(t.Context(), c.ID)
	check(err)
	check(h.Store.SetShadowSubmissions(t.Context(), c.ID, []store.ShadowSubmission{{ID: all[1].ID, Override: judge.Accepted}}))
	teams, err := h.Store.Teams(t.Context(), c.ID)
	check(err)
	work := job.Work{Kind: job.Submission, Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: "a.py"}
	_, err = h.Store.Submit(t.Context(), store.NewSubmission{Contest: c.ID, Team: teams[0].ID, Account: h.Accounts["judge"].ID,
		Problem: "sum", Work: work, Unjudged: true})
	check(err)
	_, page, _ = strings.Cut(h.Fetch(judge1, "GET", "/c/now/submissions", nil).Body, "data-reload")
	if strings.Count(page, "by the primary") != 1 || strings.Contains(page, "by the jury") || strings.Count(page, "ada&#34;") != 2 ||
		strings.Contains(page, "judge&#34;") {
		t.Errorf("the submissions:\n%s", page)
	}
	if page := h.Fetch(judge1, "GET", "/c/now/s/2", nil).Body; !strings.Contains(page, "that this contest follows has decided") ||
		strings.Contains(page, "The jury changed") {
		t.Errorf("a submission that the primary has judged:\n%s", page)
	}
	h.Advance(119 * time.Second)
	if page := h.Fetch(judge1, "GET", "/c/now/shadow", nil).Body; !strings.Contains(page, `ok">connected`) ||
		!strings.Contains(page, "<dt>Lag</dt><dd>119 s</dd>") {
		t.Errorf("after 119 s:\n%s", page)
	}
	check(h.Store.RecordFailure(t.Context(), c.ID, "the cable"+webtest.HostileMarkup))
	if page := h.Fetch(judge1, "GET", "/c/now/shadow", nil).Body; !strings.Contains(page, `bad">not connected`) {
		t.Errorf("with trouble:\n%s", page)
	}
	h.Advance(2 * time.Second)
	page = h.Fetch(judge1, "GET", "/c/now/shadow", nil).Body
	webtest.CheckHTML(t, "the comparison with a silent primary", page)
	if !strings.Contains(page, `<span class="tag bad">silent`) || !strings.Contains(page, "silent for 121 s") ||
		!strings.Contains(page, "the cable") {
		t.Errorf("after 121 s:\n%s", page)
	}
	if page := h.Fetch(admin, "GET", "/c/now/overview", nil).Body; !strings.Contains(page, "The primary has been silent for 121 s") {
		t.Errorf("the overview after 121 s:\n%s", page)
	}
	if got := h.Fetch(ada, "GET", "/c/now/shadow", nil); got.Code != 403 && got.Code != 404 {
		t.Errorf("a contestant sees it: %d", got.Code)
	}
}

// TestDifferencesKeepResultsOpen checks that results that differ from the primary's become final only after an
// administrator has acknowledged the differences on the page, with a reason.
func TestDifferencesKeepResultsOpen(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -2*time.Minute, store.VisibilityAccounts, store.Settings{})
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	admin := h.Cookie("admin")
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	h.RecordJudgement(h.Submit(c, "bob"), webtest.FailingEvents()...)
	check(h.Store.SetExternalSource(t.Context(),
		store.ExternalSource{Contest: c.ID, URL: "https://primary.example/contests/x", Account: h.Accounts["admin"].ID}))
	h.Advance(6 * time.Hour)
	judgement := func(n int, verdict string) store.ExternalObject {
		id := fmt.Sprint(n)
		return store.ExternalObject{Type: "judgements", ID: "j" + id,
			Data: fmt.Sprintf(`{"id":"j%s","submission_id":%q,"judgement_type_id":%q}`, id, id, verdict)}
	}
	page := func() string {
		body := h.Fetch(admin, "GET", "/c/now/shadow", nil).Body
		webtest.CheckHTML(t, "the comparison", body)
		return body
	}
	shows := func(said ...string) {
		t.Helper()
		for _, want := range said {
			if body := page(); !strings.Contains(body, want) {
				t.Errorf("the comparison has no %q:\n%s", want, body)
			}
		}
	}
	finalize := func(code int, said string) {
		t.Helper()
		form := url.Values{"do": {"final"}, "by": {"the chief judge"}, "sure-password": {"correct-horse"}}
		if got := h.Fetch(admin, "POST", "/c/now/finalize", form); got.Code != code || !strings.Contains(got.Body, said) {
			t.Errorf("finalize: %d, want %d with %q\n%s", got.Code, code, said, got.Body)
		}
	}
	seen := func() string {
		found := regexp.MustCompile(`name="seen" value="([0-9a-f]+)"`).FindStringSubmatch(page())
		if found == nil {
			t.Fatalf("nothing can be acknowledged:\n%s", page())
		}
		return found[1]
	}
	acknowledge := func(who, seen, why string, code int) {
		t.Helper()
		got := h.Fetch(h.Cookie(who), "POST", "/c/now/shadow", url.Values{"seen": {seen}, "why": {why}})
		if got.Code != code {
			t.Errorf("%s acknowledges %q with reason %q: %d, want %d\n%s", who, seen, why, got.Code, code, got.Body)
		}
	}
	shows("the primary has sent nothing")
	finalize(409, "1 difference from the primary not acknowledged")
	check(h.Store.PutExternalObjects(t.Context(), c.ID, "1", []store.ExternalObject{judgement(1, "AC"), judgement(2, "AC")}))
	check(h.Store.RecordReceived(t.Context(), c.ID))
	shows("submission 2: AC at the primary, WA here")
	finalize(409, "1 difference from the primary not acknowledged")
	first := seen()
	acknowledge("admin", first, " ", 400)
	acknowledge("judge", first, "I am not the chief", 403)
	acknowledge("admin", first, "the primary has an older checker", 303)
	shows("acknowledged:")
	if strings.Contains(page(), `name="seen"`) {
		t.Errorf("an acknowledged difference can be acknowledged:\n%s", page())
	}
	if body := h.Fetch(admin, "GET", "/c/now/finalize", nil).Body; !strings.Contains(body, "1 difference from the primary acknowledged") {
		t.Errorf("the checks do not have it:\n%s", body)
	}
	check(h.Store.PutExternalObjects(t.Context(), c.ID, "2", []store.ExternalObject{judgement(1, "WA")})) // a new one
	finalize(409, "1 difference from the primary not acknowledged")
	acknowledge("admin", first, "I have not looked again", 409)
	check(h.Store.PutExternalObjects(t.Context(), c.ID, "3", []store.ExternalObject{judgement(1, "AC")}))
	check(h.Store.RecordExternalProblem(t.Context(), c.ID, "submissions", "9", "unknown team"))
	check(h.Store.SetExternalScoreboard(t.Context(), c.ID, `{"rows":[{"rank":1,"team_id":"2","score":{"num_solved":3,"total_time":1}}]}`))
	check(h.Store.PutExternalObjects(t.Context(), c.ID, "4",
		[]store.ExternalObject{{Type: "awards", ID: "winner", Data: `{"id":"winner","team_ids":["2"]}`}}))
	shows("submissions 9: unknown team", "rank of team 2: 1 with 3 solved in 1 min at the primary",
		"award winner: teams 2 at the primary, 1 here")
	finalize(409, "4 differences from the primary not acknowledged")
	acknowledge("admin", seen(), "all looked at", 303)
	finalize(303, "")
	entries := webtest.Must[[]store.AuditEntry](t)(h.Store.LatestAuditEntries(t.Context(), "", 10))
	if e := entries[len(entries)-1]; e.Action != "acknowledge differences" ||
		!strings.Contains(e.Detail, "the primary has an older checker (submission 2: AC at the primary, WA here)") {
		t.Errorf("the audit has %+v", entries)
	}
	acknowledge("admin", first, "too late", 409)
}

// TestEqualToThePrimary checks that results that match the primary's need no acknowledgement.
func TestEqualToThePrimary(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -2*time.Minute, store.VisibilityAccounts, store.Settings{})
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	if err := h.Store.SetExternalSource(t.Context(),
		store.ExternalSource{Contest: c.ID, URL: "https://primary.example/contests/x", Account: h.Accounts["admin"].ID}); err != nil {
		t.Fatal(err)
	}
	if err := h.Store.RecordReceived(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	h.Advance(6 * time.Hour)
	admin := h.Cookie("admin")
	if body := h.Fetch(admin, "GET", "/c/now/finalize", nil).Body; !strings.Contains(body, "Nothing differs from the primary") {
		t.Errorf("the checks:\n%s", body)
	}
	got := h.Fetch(admin, "POST", "/c/now/finalize",
		url.Values{"do": {"final"}, "by": {"the chief judge"}, "sure-password": {"correct-horse"}})
	if got.Code != 303 {
		t.Errorf("finalize: %d\n%s", got.Code, got.Body)
	}
}

// TestManyDifferences checks that each list of the comparison shows its first 20 rows, and all rows on request.
func TestManyDifferences(t *testing.T) {
	for n, cut := range map[int]bool{20: false, 21: true} {
		h := webtest.New(t)
		c := h.Contest("now", -2*time.Minute, store.VisibilityAccounts, store.Settings{})
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		object := func(typ, id, format string, args ...any) store.ExternalObject {
			return store.ExternalObject{Type: typ, ID: id, Data: fmt.Sprintf(format, args...)}
		}
		objects := []store.ExternalObject{object("judgement-types", "AC", `{"id":"AC","penalty":false,"solved":true}`)}
		var rows []string
		for i := 1; i <= n; i++ {
			h.RecordJudgement(h.Submit(c, "ada"), webtest.FailingEvents()...)
			objects = append(objects,
				object("judgements", fmt.Sprintf("j%d", i), `{"id":"j%d","submission_id":"%d","judgement_type_id":"AC"}`, i, i),
				object("teams", fmt.Sprintf("t%d", i), `{"id":"t%d","name":"Team %d"}`, i, i),
				object("awards", fmt.Sprintf("a%d", i), `{"id":"rank-%d","team_ids":["t%d"]}`, i, i))
			rows = append(rows, fmt.Sprintf(`{"rank":%d,"team_id":"t%d","score":{"num_solved":1,"total_time":1}}`, i, i))
			check(h.Store.RecordExternalProblem(t.Context(), c.ID, "groups", fmt.Sprintf("g%d", i), "it has no name"))
		}
		check(h.Store.SetExternalSource(t.Context(),
			store.ExternalSource{Contest: c.ID, URL: "https://primary.example/contests/x", Account: h.Accounts["admin"].ID}))
		check(h.Store.PutExternalObjects(t.Context(), c.ID, "since_token=1", objects))
		check(h.Store.SetExternalScoreboard(t.Context(), c.ID, `{"rows":[`+strings.Join(rows, ",")+`]}`))
		section := regexp.MustCompile(`(?s)</h2>.*?</section>`)
		for _, all := range []bool{false, true} {
			address := map[bool]string{false: "/c/now/shadow", true: "/c/now/shadow?all=yes"}[all]
			page := h.Fetch(h.Cookie("judge"), "GET", address, nil).Body
			lists := section.FindAllString(page, -1)[1:] // lists after the matrix
			if len(lists) != 5 {
				t.Fatalf("%d lists:\n%s", len(lists), page)
			}
			if !cut {
				lists = lists[:1] // the other lists have more rows
			}
			for i, list := range lists {
				shown := strings.Count(list, `<th scope="row"`) + strings.Count(list, "<li>")
				link := strings.Contains(list, `<a href="?all=yes">`)
				if cut && !all && (shown != 20 || !link) || cut && all && (shown < n || link) || !cut && (shown != n || link) {
					t.Errorf("%d differences, %s: list %d shows %d rows and has a link to all: %v", n, address, i, shown, link)
				}
			}
		}
	}
}
