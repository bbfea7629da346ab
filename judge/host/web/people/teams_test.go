package people_test

import (
	"encoding/csv"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/roster"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestTeams checks that an administrator can enter a list, change a team, and export the table.
func TestTeams(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	admin := h.Cookie("admin")
	const path = "/c/now/teams"
	list := "name,team\nEve,The =2 of us\nMallory,The =2 of us\n\"=HYPERLINK(\"\"x\"\")\",\nbob,\n"
	got := h.Import(admin, "/c/now/import", url.Values{"list": {list}})
	if got.Code != 200 || strings.Count(got.Body, `class="slip"`) != 4 || !strings.Contains(got.Body, "<dt>Team</dt><dd>The =2 of us</dd>") {
		t.Fatalf("the list: %d\n%s", got.Code, got.Body)
	}
	if again := h.Import(admin, "/c/now/import", url.Values{"list": {list}}); strings.Contains(again.Body, `class="slip"`) ||
		!strings.Contains(again.Body, "exist already and keep their passwords") {
		t.Errorf("the same list creates accounts:\n%s", again.Body)
	}
	teams := webtest.Must[[]*store.Team](t)(h.Store.Teams(t.Context(), c.ID))
	members := webtest.Must[map[string][]*store.Account](t)(h.Store.Members(t.Context(), c.ID))
	if len(teams) != 3 || len(members[teams[0].ID]) != 2 || members[teams[0].ID][1].Login != "mallory" {
		t.Fatalf("the teams are %+v of %+v", teams, members)
	}
	for name, tt := range map[string]struct {
		extra, penalty, name string
		code                 int
		want                 string
	}{
		"no number":           {"soon", "", "x", 400, `the extra time &#34;soon&#34; is not valid: enter whole minutes from 0`},
		"less than no time":   {"-1", "", "x", 400, "Team 1: the extra time"},
		"too much penalty":    {"", "100001", "x", 400, "Team 1: the extra penalty"},
		"no name":             {"", "", " ", 400, "a name is missing"},
		"a name of controls":  {"", "", "a\x1bb", 400, "invisible character"},
		"a group of controls": {"", "", "x", 400, "Team 1: the group"},
		"good":                {" 20", "-5", "We <two>", 303, ""},
	} {
		groups := "7a, <b>,7a,"
		if strings.HasPrefix(name, "a group") {
			groups = "7a,\x1b"
		}
		form := webtest.HiddenFields(h.Fetch(admin, "GET", path+"/edit?t=1", nil).Body)
		for field, value := range map[string]string{"name.1": tt.name, "groups.1": groups, "extra.1": tt.extra, "penalty.1": tt.penalty,
			"hidden.1": "on"} {
			form.Set(field, value)
		}
		got := h.Fetch(admin, "POST", path+"/edit", form)
		if got.Code != tt.code || !strings.Contains(got.Body, tt.want) {
			t.Errorf("%s: %d, want %d and %q in\n%s", name, got.Code, tt.code, tt.want, got.Body)
		}
	}
	one := webtest.Must[[]*store.Team](t)(h.Store.Teams(t.Context(), c.ID))[0]
	if one.Name != "We <two>" || !one.Hidden || one.ExtraTime != 20*time.Minute || one.ExtraPenalty != -5*time.Minute ||
		strings.Join(one.Groups, "|") != "7a|<b>" {
		t.Errorf("it is %+v", one)
	}
	rows, err := csv.NewReader(strings.NewReader(h.Fetch(admin, "GET", path+"/table.csv", nil).Body)).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("the table is %v: %v", rows, err)
	}
	if got, want := strings.Join(rows[1], "|"), "1|We <two>|eve|Eve|7a, <b>|20|-5|true"; got != want {
		t.Errorf("the table has %s, want %s", got, want)
	}
	if got, want := rows[3][3], `'=HYPERLINK("x")`; got != want {
		t.Errorf("a spreadsheet takes the name for a formula: %s, want %s", got, want)
	}
	again, err := roster.Read([]byte(h.Fetch(admin, "GET", path+"/table.csv", nil).Body))
	if err != nil || len(again.Rows) != 4 || again.Rows[1].Login != "mallory" || again.Rows[1].Team != "We <two>" ||
		again.Rows[1].Group != "7a, <b>" || again.Rows[2].Name != `=HYPERLINK("x")` {
		t.Errorf("the table cannot be imported elsewhere: %+v, %v", again, err)
	}
	for _, name := range []string{"=1", "+1", "-1", "@x", "＝1", "＠x", " \u00a0=1", "\u200f=1", "\ufeff=1", "\t1"} {
		one.Name = name
		if err := h.Store.SetTeam(t.Context(), one, ""); err != nil {
			t.Fatal(err)
		}
		if got := h.Fetch(admin, "GET", path+"/table.csv", nil).Body; !strings.Contains(got, "'"+name) {
			t.Errorf("%q may be taken for a formula:\n%s", name, got)
		}
	}
}

// TestExtraTime checks that the contest ends later for a team with extra time, in all respects.
func TestExtraTime(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -50*time.Minute, store.VisibilityAccounts, store.Settings{}) // of an hour
	for _, login := range []string{"ada", "bob"} {
		webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts[login]))
	}
	admin := h.Cookie("admin")
	form := url.Values{"t": {"1"}, "do": {"extra"}, "value": {"30"}}
	if got := h.Fetch(admin, "POST", "/c/now/teams/change", form); got.Code != 303 {
		t.Fatalf("extra time: %d\n%s", got.Code, got.Body)
	}
	h.Advance(20 * time.Minute)
	send := func(login string) int {
		return h.Upload(h.Cookie(login), "/c/now/p/A", nil, map[string]string{"a.py": "x"}).Code
	}
	if got := send("bob"); got != 403 {
		t.Errorf("bob sends after his end: %d", got)
	}
	if got := send("ada"); got != 303 {
		t.Fatalf("ada sends in her extra time: %d", got)
	}
	if _, seat, err := h.Intake.ProblemByLabel(t.Context(), h.Accounts["ada"], "", "A"); err != nil || seat.State.Phase != auth.Running {
		t.Errorf("the command line finds for ada %+v, %v", seat, err)
	}
	sub := webtest.Must[*store.Submission](t)(h.Store.SubmissionByNumber(t.Context(), c.ID, 1))
	h.RecordJudgement(&store.StoredSubmission{Job: sub.Judgement}, &judge.Started{Format: judge.EventFormat, Problem: "sum", Cases: 1},
		&judge.Finished{Verdict: judge.Accepted, Judged: 1, Cases: 1})
	rows, err := csv.NewReader(strings.NewReader(h.Fetch(admin, "GET", "/c/now/scoreboard/table.csv?view=jury", nil).Body)).ReadAll()
	if err != nil || len(rows) != 3 || !strings.HasPrefix(rows[1][1], "ada") || rows[1][4] != "1" {
		t.Errorf("the board does not count it: %v, %v", rows, err)
	}
	if got := h.Fetch(admin, "POST", "/c/now/finalize",
		url.Values{"do": {"final"}, "by": {"the chief judge"}, "sure-password": {"correct-horse"}}); got.Code != 409 ||
		!strings.Contains(got.Body, "extra time") {
		t.Errorf("the results are final before ada's end: %d\n%s", got.Code, got.Body)
	}
	h.Advance(30 * time.Minute)
	if got := send("ada"); got != 403 {
		t.Errorf("ada sends after her end: %d", got)
	}
	if got := h.Fetch(admin, "POST", "/c/now/finalize",
		url.Values{"do": {"final"}, "by": {"the chief judge"}, "sure-password": {"correct-horse"}}); got.Code != 303 {
		t.Errorf("the results are not final: %d\n%s", got.Code, got.Body)
	}
}

// TestNewSlips checks that all contestants get new passwords, except those with disabled accounts. The jury's
// passwords must not change.
func TestNewSlips(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	for _, login := range []string{"ada", "bob", "judge"} {
		webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts[login]))
	}
	if err := h.Store.SetDisabled(t.Context(), h.Accounts["bob"].ID, true); err != nil {
		t.Fatal(err)
	}
	admin := h.Cookie("admin")
	if got := h.Fetch(admin, "POST", "/c/now/teams/login-sheets", url.Values{}); got.Code != 400 ||
		strings.Contains(got.Body, `class="slip"`) {
		t.Errorf("the password was not confirmed: %d\n%s", got.Code, got.Body)
	}
	got := h.Fetch(admin, "POST", "/c/now/teams/login-sheets", url.Values{"sure": {"on"}})
	if got.Code != 200 || strings.Count(got.Body, `class="slip"`) != 1 || !strings.Contains(got.Body, "<dd><code>ada</code></dd>") {
		t.Fatalf("the slips: %d\n%s", got.Code, got.Body)
	}
	_, rest, _ := strings.Cut(got.Body, "<dt>Password</dt><dd><code>")
	password, _, _ := strings.Cut(rest, "<")
	for login, want := range map[string]string{"ada": password, "judge": "correct-horse"} {
		if got := h.Fetch("", "POST", "/login", url.Values{"login": {login}, "password": {want}}); got.Code != 303 {
			t.Errorf("%s does not get in: %d", login, got.Code)
		}
	}
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}}); got.Code != 403 {
		t.Errorf("the old password of ada: %d", got.Code)
	}
}
