package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// sitesWorld is a contest with two sites: ada's team is at the north site, and bob's at the south site. Each team
// has an accepted submission, a clarification request, an answer and a print. At the north site, the account chair
// is a judge, and the account other is a balloon runner.
type sitesWorld struct {
	*webtest.Harness
	*store.Contest
	north, south *store.Team
}

func newSites(t *testing.T) *sitesWorld {
	h := webtest.New(t)
	w := &sitesWorld{Harness: h, Contest: h.Contest("spring", -time.Minute, store.VisibilityAccounts, store.Settings{Printing: true})}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := h.Store.ImportContest(t.Context(), &store.ContestImport{ID: w.ID, Groups: []store.Group{
		{ID: "n", Name: "North", Type: "site"}, {ID: "s", Name: "South", Type: "site"}, {ID: "new", Name: "Newcomers", Type: "division"}}})
	must(err)
	for _, login := range []string{"ada", "bob"} {
		team, err := h.Store.Enter(t.Context(), w.ID, h.Accounts[login])
		must(err)
		if team.Groups = []string{"North"}; login == "bob" {
			team.Groups = []string{"South"}
		}
		must(h.Store.SetTeam(t.Context(), team, ""))
		if w.south = team; login == "ada" {
			w.north = team
		}
		h.RecordJudgement(h.Submit(w.Contest, login), webtest.AcceptedEvents()...)
		h.Clarify(w.Contest, store.NewClarification{Text: "question of " + login}, login)
		_, err = h.Store.NewPrint(t.Context(), store.Print{
			Contest: w.ID, Team: team.ID, Account: h.Accounts[login].ID, Name: "print-of-" + login, Body: "page of " + login, Pages: 1}, 20)
		must(err)
	}
	h.Clarify(w.Contest, store.NewClarification{Jury: true, Text: "only for bob", Teams: []string{w.south.ID}}, "judge")
	h.Clarify(w.Contest, store.NewClarification{Jury: true, Text: "for the south", Groups: []string{"s"}}, "judge")
	h.Clarify(w.Contest, store.NewClarification{Jury: true, Text: "for both", Teams: []string{w.north.ID, w.south.ID}}, "judge")
	h.Clarify(w.Contest, store.NewClarification{Jury: true, Text: "for everybody"}, "judge")
	must(h.Store.SetContestRole(t.Context(), h.Accounts["chair"].ID, w.ID, "judge", "n"))
	must(h.Store.SetContestRole(t.Context(), h.Accounts["other"].ID, w.ID, "runner", "n"))
	// A judge of the whole server is not restricted by a role at a site.
	must(h.Store.SetContestRole(t.Context(), h.Accounts["judge"].ID, w.ID, "judge", "n"))
	return w
}

// siteRoutes lists the pages of the jury and of runners. For each page, north and south are texts that the page
// shows about the teams of that site. If a text is empty, the page shows nothing about them.
var siteRoutes = []struct{ path, north, south string }{
	{"/submissions", "/s/1\"", "/s/2\""},
	{"/s/1", "source of ada", ""},
	{"/s/2", "", "source of bob"},
	{"/s/1/source/0", "source of ada", ""},
	{"/s/2/source/0", "", "source of bob"},
	{"/clar", "question of ada", "question of bob"},
	{"/clar/1", "question of ada", ""},
	{"/clar/2", "", "question of bob"},
	{"/clar", "for both", "only for bob"},
	{"/clar", "for everybody", "for the south"},
	{"/balloons", "<b>ada", "<b>bob"},
	{"/balloons.csv", "ada", "bob"},
	{"/prints", "print-of-ada", "print-of-bob"},
	{"/prints/1", "page of ada", ""},
	{"/prints/2", "", "page of bob"},
}

// TestSites checks that a judge or runner of one site sees only the teams of that site. Judges and runners of the
// whole contest must see all teams.
func TestSites(t *testing.T) {
	w := newSites(t)
	deadline := time.Now().Add(3 * time.Minute)
	for !strings.Contains(w.Fetch(w.Cookie("judge"), "GET", "/c/spring/balloons.csv", nil).Body, "bob") {
		if time.Now().After(deadline) {
			t.Fatal("the balloons do not appear")
		}
		time.Sleep(20 * time.Millisecond)
	}
	walk := func(when string, north, south bool) {
		for _, who := range []string{"judge", "runner", "chair", "other"} {
			cookie := w.Cookie(who)
			for _, rt := range siteRoutes {
				jury := strings.HasPrefix(rt.path, "/s")
				got := w.Fetch(cookie, "GET", "/c/spring"+rt.path, nil)
				all := who == "judge" || who == "runner" && !jury && !strings.HasPrefix(rt.path, "/clar")
				sited := who == "chair" || who == "other" && !jury && !strings.HasPrefix(rt.path, "/clar")
				for _, part := range []struct {
					text  string
					shown bool
				}{{rt.north, all || sited && north}, {rt.south, all || sited && south}} {
					if part.text == "for everybody" {
						part.shown = true
					}
					if part.text != "" && part.shown != strings.Contains(got.Body, part.text) {
						t.Errorf("%s, %s reads %s: %d, which shows %q: want %v", when, who, rt.path, got.Code, part.text, part.shown)
					}
				}
				if rt.south == "" && sited && north && got.Code != 200 || rt.north == "" && sited && !south && got.Code != 404 && got.Code != 403 {
					t.Errorf("%s, %s reads %s: %d", when, who, rt.path, got.Code)
				}
			}
		}
	}
	walk("with a role at the north", true, false)
	for _, path := range []string{"/overview", "/scoreboard?view=jury", "/scoreboard/table.csv?view=jury", "/rejudgings", "/shadow",
		"/clar/replies", "/finalize", "/teams", "/export"} {
		if got := w.Fetch(w.Cookie("chair"), "GET", "/c/spring"+path, nil); got.Code != 403 && got.Code != 404 {
			t.Errorf("a judge of a site reads %s: %d", path, got.Code)
		}
	}
	if page := w.Fetch(w.Cookie("chair"), "GET", "/c/spring/clar", nil).Body; !strings.Contains(page, ">1<") &&
		!strings.Contains(page, "1 unanswered") {
		t.Errorf("a judge of the north has one unanswered request:\n%s", page)
	}
	// The team leaves the site.
	w.north.Groups = []string{"Newcomers"}
	if err := w.Store.SetTeam(t.Context(), w.north, ""); err != nil {
		t.Fatal(err)
	}
	walk("after the team left", false, false)
	w.north.Groups = []string{"North"}
	if err := w.Store.SetTeam(t.Context(), w.north, ""); err != nil {
		t.Fatal(err)
	}
	walk("after it is back", true, false)
	if err := w.Store.SetContestRole(t.Context(), w.Accounts["chair"].ID, w.ID, "judge", "n", "s"); err != nil {
		t.Fatal(err)
	}
	if err := w.Store.SetContestRole(t.Context(), w.Accounts["other"].ID, w.ID, "runner", "s", "n"); err != nil {
		t.Fatal(err)
	}
	walk("with roles at both sites", true, true)
	// The groups are no longer sites.
	_, _, err := w.Store.ImportContest(t.Context(),
		&store.ContestImport{ID: w.ID, Groups: []store.Group{{ID: "n", Name: "North", Type: "room"}, {ID: "s", Name: "South"}}})
	if err != nil {
		t.Fatal(err)
	}
	walk("without sites", false, false)
}

// TestSitesClarifications checks that a judge of a site sees every message for the site, even if there are many
// messages for other teams or the site has no team. The judge must not see names of other teams.
func TestSitesClarifications(t *testing.T) {
	w := newSites(t)
	page := func() string { return w.Fetch(w.Cookie("chair"), "GET", "/c/spring/clar", nil).Body }
	say := func(n store.NewClarification) {
		n.Jury = true
		w.Clarify(w.Contest, n, "judge")
	}
	if body := page(); strings.Contains(body, "bob") || !strings.Contains(body, "1 unanswered") {
		t.Errorf("a judge of the north reads the name of a team of the south, or has not one request to answer:\n%s", body)
	}
	for i := range 201 { // more than the server reads at once
		say(store.NewClarification{Text: fmt.Sprint("for the south, ", i), Groups: []string{"s"}})
	}
	if body := page(); strings.Count(body, "question of ada") == 0 || strings.Contains(body, "for the south") {
		t.Errorf("after many messages for the south:\n%s", body)
	}
	say(store.NewClarification{Text: "an answer", ReplyTo: 1, Teams: []string{w.north.ID}})
	if body := page(); strings.Contains(body, "1 unanswered") {
		t.Errorf("the request has an answer:\n%s", body)
	}
	say(store.NewClarification{Text: "for the north", Groups: []string{"n"}})
	w.north.Groups = []string{"Newcomers"}
	if err := w.Store.SetTeam(t.Context(), w.north, ""); err != nil {
		t.Fatal(err)
	}
	if body := page(); !strings.Contains(body, "for the north") || strings.Contains(body, "question of ada") {
		t.Errorf("the site has no team:\n%s", body)
	}
}

// TestSitesDo checks that judges and runners of a site can change only objects that belong to the site's teams.
func TestSitesDo(t *testing.T) {
	w := newSites(t)
	for _, tt := range []struct {
		who, path string
		form      url.Values
		code      int
	}{
		{"chair", "/s/2/override", url.Values{"do": {"ignored"}, "why": {"x"}, "was": {"0"}}, 404},
		{"chair", "/s/1/override", url.Values{"do": {"ignored"}, "why": {"x"}, "was": {"0"}}, 303},
		{"chair", "/s/2/verify", url.Values{"do": {"verify"}}, 404},
		{"chair", "/s/1/verify", url.Values{"do": {"verify"}}, 409},
		{"chair", "/clar/2", url.Values{"text": {"no"}, "to": {"team"}}, 404},
		{"chair", "/clar/2/claim", url.Values{}, 404},
		{"chair", "/clar/1/claim", url.Values{}, 303},
		{"chair", "/clar/1", url.Values{"text": {"no"}, "to": {"all"}}, 400},
		{"chair", "/clar/1", url.Values{"text": {"no"}, "to": {"chosen"}, "team": {w.south.ID}}, 400},
		{"chair", "/clar/1", url.Values{"text": {"no"}, "to": {"team"}}, 303},
		{"chair", "/clar", url.Values{"text": {"hear"}, "to": {"all"}}, 400},
		{"chair", "/clar", url.Values{"text": {"hear"}, "to": {"chosen"}, "group": {"s"}}, 400},
		{"chair", "/clar", url.Values{"text": {"hear"}, "to": {"chosen"}, "group": {"new"}}, 400},
		{"chair", "/clar", url.Values{"text": {"hear"}, "to": {"chosen"}, "team": {w.south.ID}}, 400},
		{"chair", "/clar", url.Values{"text": {"hear"}, "to": {"chosen"}, "group": {"n"}}, 303},
		{"chair", "/clar", url.Values{"text": {"hear, ada"}, "to": {"chosen"}, "team": {w.north.ID}}, 303},
		{"judge", "/clar", url.Values{"text": {"hear"}, "to": {"all"}}, 303},
		{"chair", "/clar/replies", url.Values{"replies": {"Yes."}}, 403},
		{"chair", "/rejudgings", url.Values{}, 403},
		{"chair", "/scoreboard", url.Values{"do": {"freeze"}}, 403},
		{"other", "/balloons", url.Values{"team": {w.south.ID}, "label": {"A"}, "do": {"give"}}, 400},
		{"other", "/prints/2", url.Values{"do": {"take"}}, 404},
		{"other", "/prints/1", url.Values{"do": {"take"}}, 303},
		{"chair", "/prints/2", url.Values{"do": {"done"}}, 404},
		{"chair", "/prints/1", url.Values{"do": {"done"}}, 303},
		{"runner", "/prints/2", url.Values{"do": {"take"}}, 303},
	} {
		if got := w.Fetch(w.Cookie(tt.who), "POST", "/c/spring"+tt.path, tt.form); got.Code != tt.code {
			t.Errorf("%s sends %v to %s: %d, want %d\n%s", tt.who, tt.form, tt.path, got.Code, tt.code, got.Body)
		}
	}
	balloon := func(who string, team *store.Team) int {
		w.Fetch(w.Cookie(who), "GET", "/c/spring/balloons", nil)
		return w.Fetch(w.Cookie(who), "POST", "/c/spring/balloons", url.Values{"team": {team.ID}, "label": {"A"}, "do": {"give"}}).Code
	}
	deadline := time.Now().Add(3 * time.Minute)
	for balloon("runner", w.south) != 303 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	undo := url.Values{"team": {w.south.ID}, "label": {"A"}, "do": {"undo"}}
	if got := w.Fetch(w.Cookie("chair"), "POST", "/c/spring/balloons", undo); got.Code != 400 {
		t.Errorf("a judge of the north takes a balloon of the south back: %d", got.Code)
	}
	if page := w.Fetch(w.Cookie("chair"), "GET", "/c/spring/clar/new", nil).Body; strings.Contains(page, w.south.ID) ||
		!strings.Contains(page, w.north.ID) ||
		strings.Contains(page, `value="all"`) {
		t.Errorf("the form for an announcement at the north:\n%s", page)
	}
}

// TestSitesCount checks that a judge of a site sees how many verdicts of the site's teams are verified, and the
// reasons for all judgements of these teams. The judge must get no links to pages of the whole contest.
func TestSitesCount(t *testing.T) {
	w := newSites(t)
	admin := w.Cookie("admin")
	post := func(path string, form url.Values) {
		t.Helper()
		if got := w.Fetch(admin, "POST", "/c/spring"+path, form); got.Code != 303 {
			t.Fatalf("%s: %d\n%s", path, got.Code, got.Body)
		}
	}
	reads := func(who, path string, wants ...string) {
		t.Helper()
		page := w.Fetch(w.Cookie(who), "GET", "/c/spring"+path, nil).Body
		for _, want := range wants {
			if text, not := strings.CutPrefix(want, "!"); strings.Contains(page, text) == not {
				t.Errorf("%s reads %q at %s:\n%s", who, want, path, page)
			}
		}
	}
	reads("chair", "/submissions", "!Verified:", "!verify=")
	post("/problems/A/judging", url.Values{"do": {"verify"}, "mode": {"before"}})
	for _, login := range []string{"bob", "bob", "ada", "bob", "ada"} { // 3 to 7
		w.RecordJudgement(w.Submit(w.Contest, login), webtest.FailingEvents()...)
	}
	verify := func(who string, n int) {
		t.Helper()
		page := w.Fetch(w.Cookie(who), "GET", fmt.Sprint("/c/spring/s/", n), nil).Body
		form := webtest.HiddenFields(page)
		form.Set("do", "verify")
		if got := w.Fetch(w.Cookie(who), "POST", fmt.Sprint("/c/spring/s/", n, "/verify"), form); got.Code != 303 {
			t.Fatalf("%s verifies %d: %d\n%s", who, n, got.Code, got.Body)
		}
	}
	reads("judge", "/submissions", "Verified: 0 of 5")
	reads("chair", "/submissions", "Verified: 0 of 2", "verify=open")
	verify("judge", 3)
	verify("judge", 4)
	reads("judge", "/submissions", "Verified: 2 of 5")
	reads("chair", "/submissions", "Verified: 0 of 2")
	verify("chair", 5)
	reads("judge", "/submissions", "Verified: 3 of 5")
	reads("chair", "/submissions", "Verified: 1 of 2")
	reads("chair", "/submissions?who=%237", "Verified: 1 of 2")

	post("/rejudgings", url.Values{"who": {"#5"}, "why": {"a test was wrong"}})
	reads("judge", "/s/5", "a test was wrong", ">rejudging</a>")
	reads("chair", "/s/5", "a test was wrong", "!>rejudging</a>", "!Rejudge…")
	reads("judge", "/clar/1", `href="/c/spring/clar/replies"`)
	reads("chair", "/clar/1", "!/clar/replies", "No comment.")
}

// TestRoleInContest checks that roles in contests can be set on an account's page.
func TestRoleInContest(t *testing.T) {
	w := newSites(t)
	admin := w.Cookie("admin")
	page := func() string { return w.Fetch(admin, "GET", "/admin/accounts/bob?contest=spring", nil).Body }
	if body := page(); !strings.Contains(body, "North") || !strings.Contains(body, "South") || strings.Contains(body, "Newcomers") {
		t.Errorf("the form has other groups than the sites:\n%s", body)
	}
	for _, tt := range []struct {
		form url.Values
		code int
		want string // role and sites
	}{
		{url.Values{"role": {"judge"}, "where": {"sites"}, "site": {"n"}}, 303, "judge [n]"},
		{url.Values{"role": {"judge"}, "where": {"sites"}}, 400, "judge [n]"},
		{url.Values{"role": {"judge"}, "where": {"sites"}, "site": {"new"}}, 400, "judge [n]"},
		{url.Values{"role": {"judge"}, "where": {"sites"}, "site": {"gone"}}, 400, "judge [n]"},
		{url.Values{"role": {"judge"}, "where": {"other"}, "site": {"n"}}, 400, "judge [n]"},
		{url.Values{"role": {"contest-admin"}, "where": {"sites"}, "site": {"n"}}, 400, "judge [n]"},
		{url.Values{"role": {"admin"}}, 400, "judge [n]"},
		{url.Values{"role": {"king"}}, 400, "judge [n]"},
		{url.Values{"role": {"runner"}, "where": {"sites"}, "site": {"s", "n"}}, 303, "runner [n s]"},
		{url.Values{"role": {"judge"}, "where": {""}, "site": {"s"}}, 303, "judge []"},
		{url.Values{"role": {"none"}, "where": {"sites"}}, 303, " []"},
	} {
		tt.form.Set("do", "contest-role")
		tt.form.Set("contest", "spring")
		got := w.Fetch(admin, "POST", "/admin/accounts/bob?contest=spring", tt.form)
		role, sites, err := w.Store.ContestRole(t.Context(), w.Accounts["bob"].ID, w.ID)
		if is := fmt.Sprint(role, " ", sites); got.Code != tt.code || is != tt.want || err != nil {
			t.Errorf("%v: %d, %s, want %d, %s %v\n%s", tt.form, got.Code, is, tt.code, tt.want, err, got.Body)
		}
		if body := page(); strings.Contains(tt.want, "[n") != strings.Contains(body, "only for teams of North") {
			t.Errorf("%v: the page:\n%s", tt.form, body)
		}
	}
	none := url.Values{"do": {"contest-role"}, "contest": {"spring"}, "role": {"judge"}, "where": {"sites"}}
	webtest.RefusedField(t, "no site", w.Fetch(admin, "POST", "/admin/accounts/bob?contest=spring", none), "sites", `value="sites" checked`)
	none.Set("role", "x")
	none.Del("where")
	webtest.RefusedField(t, "no role", w.Fetch(admin, "POST", "/admin/accounts/bob?contest=spring", none), "contest-role", "")
	gone := url.Values{"do": {"contest-role"}, "contest": {"none"}, "role": {"judge"}}
	if got := w.Fetch(admin, "POST", "/admin/accounts/bob", gone); got.Code != 400 {
		t.Errorf("a contest that is not there: %d", got.Code)
	}
	if got := w.Fetch(w.Cookie("chair"), "POST", "/admin/accounts/bob", gone); got.Code != 403 {
		t.Errorf("a judge gives roles: %d", got.Code)
	}
}
