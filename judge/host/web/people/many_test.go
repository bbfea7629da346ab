package people_test

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// class returns a server with a contest of the teams "Team 01" to "Team 60". Each has one member, with usernames
// s01 to s60. The first team has a group and extra time, and the second is hidden.
func class(t *testing.T) (*webtest.Harness, *store.Contest) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityTeams, store.Settings{})
	var all []store.NewAccount
	for i := range 60 {
		all = append(all, store.NewAccount{Login: fmt.Sprintf("s%02d", i+1), Display: fmt.Sprintf("Team %02d", i+1), Kind: store.PersonAccount,
			Role: string(auth.Contestant)})
	}
	var entrants []store.Entrant
	for _, a := range webtest.Must[[]*store.Account](t)(h.Store.NewAccounts(t.Context(), all...)) {
		entrants = append(entrants, store.Entrant{Account: a})
		h.Accounts[a.Login] = a
	}
	webtest.Must[int](t)(h.Store.AddEntrants(t.Context(), c.ID, entrants))
	teams := teamsOf(h, c)
	teams[0].Groups, teams[0].ExtraTime, teams[1].Hidden = []string{"9a & b"}, 15*time.Minute, true
	if err := errors.Join(h.Store.SetTeam(t.Context(), teams[0], ""), h.Store.SetTeam(t.Context(), teams[1], "")); err != nil {
		t.Fatal(err)
	}
	return h, c
}

func teamsOf(h *webtest.Harness, c *store.Contest) []*store.Team {
	h.Helper()
	return webtest.Must[[]*store.Team](h)(h.Store.Teams(h.Context(), c.ID))
}

var (
	teamCell    = regexp.MustCompile(`<b>Team (\d\d)</b>`)
	checkedTeam = regexp.MustCompile(`name="t" value="(\d+)" checked`)
)

// listed returns the numbers on a page that match a pattern, such as team numbers.
func listed(pattern *regexp.Regexp, page string) string {
	var all []string
	for _, m := range pattern.FindAllStringSubmatch(page, -1) {
		all = append(all, m[1])
	}
	if len(all) > 4 {
		all = append(all[:2], "...", all[len(all)-1], fmt.Sprint(len(all)))
	}
	return strings.Join(all, " ")
}

// TestListOfTeams checks that the address alone determines the search, filter, order and page of the list.
func TestListOfTeams(t *testing.T) {
	h, _ := class(t)
	admin := h.Cookie("admin")
	for query, want := range map[string]string{
		"":                               "01 02 ... 50 50",
		"page=2":                         "51 52 ... 60 10",
		"page=99":                        "51 52 ... 60 10",
		"page=-1":                        "01 02 ... 50 50",
		"q=TEAM+7":                       "07 17 ... 57 6",
		"q=s33":                          "33",
		"q=9A":                           "01",
		"q=absent":                       "",
		"filter=hidden":                  "02",
		"filter=extra":                   "01",
		"filter=group:9a+%26+b":          "01",
		"filter=group:none":              "",
		"sort=-number":                   "60 59 ... 11 50",
		"sort=name":                      "01 02 ... 50 50",
		"sort=-name&page=2":              "10 09 ... 01 10",
		"sort=-extra&q=Team+0":           "01 02 ... 60 15",
		"sort=-group&q=Team+0":           "01 02 ... 60 15",
		"sort=nothing":                   "01 02 ... 50 50",
		"sort=" + url.QueryEscape(`"><`): "01 02 ... 50 50",
	} {
		got := h.Fetch(admin, "GET", "/c/now/teams?"+query, nil)
		if names := listed(teamCell, got.Body); got.Code != 200 || names != want {
			t.Errorf("%s: %d shows %q, want %q", query, got.Code, names, want)
		}
		if len(got.Body) > 60<<10 {
			t.Errorf("%s: the page has %d bytes", query, len(got.Body))
		}
		if buttons := strings.Count(got.Body, "<button"); buttons > 10 {
			t.Errorf("%s: the page has %d buttons", query, buttons)
		}
	}
	page := h.Fetch(admin, "GET", "/c/now/teams?sort=name&q=Team+0", nil).Body
	for _, want := range []string{
		`<th scope="col" aria-sort="ascending"><a href="/c/now/teams?q=Team&#43;0&amp;sort=-name">`, `1–15 of 15`, `value="Team 0"`,
		`60 teams · 60 people`, `href="/c/now/teams?filter=group%3A9a&#43;%26&#43;b&amp;q=Team&#43;0&amp;sort=name"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s:\n%s", want, page)
		}
	}
	if got := listed(checkedTeam, h.Fetch(admin, "GET", "/c/now/teams?q=s0&all=1", nil).Body); got != "1 2 ... 9 9" {
		t.Errorf("all: %s are selected", got)
	}
}

// TestChangeTeams checks that a change is applied to all selected teams, and that nothing else changes.
func TestChangeTeams(t *testing.T) {
	h, c := class(t)
	admin := h.Cookie("admin")
	for _, tt := range []struct {
		do, value string
		teams     []string
		code      int
		want      string
	}{
		{"extra", "20", nil, 400, "Select one team or more."},
		{"", "", []string{"1"}, 400, "Choose what to do"},
		{"extra", "soon", []string{"1"}, 400, "The extra time"},
		{"extra", "-5", []string{"1"}, 400, "The extra time"},
		{"penalty", "100001", []string{"1"}, 400, "The extra penalty"},
		{"join", " , ", []string{"1"}, 400, "Enter the name of a group."},
		{"join", "a\x1b", []string{"1"}, 400, "No team was changed"},
		{"leave", "", []string{"1"}, 400, "Enter the name of a group."},
		{"extra", "20", []string{"2", "3"}, 303, "done=saved-2"},
		{"penalty", "-5", []string{"3"}, 303, "done=saved-1"},
		{"join", "guests, 9a & b", []string{"1", "3"}, 303, "done=saved-2"},
		{"leave", "9a & b", []string{"3"}, 303, "done=saved-1"},
		{"hide", "", []string{"3", "2"}, 303, "done=saved-1"},
		{"show", "", []string{"2"}, 303, "done=saved-1"},
	} {
		got := h.Fetch(admin, "POST", "/c/now/teams/change",
			url.Values{"do": {tt.do}, "value": {tt.value}, "t": tt.teams, "back": {"q=s0&sort=-name"}})
		if said := got.Body + got.Get("Location"); got.Code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%+v: %d\n%s", tt, got.Code, said)
		}
		switch to := got.Get("Location"); {
		case got.Code == 303 && !strings.HasPrefix(to, "/c/now/teams?done=saved-") ||
			got.Code == 303 && !strings.HasSuffix(to, "&q=s0&sort=-name"):
			t.Errorf("%+v leads to %s", tt, to)
		case got.Code == 400 && (listed(checkedTeam, got.Body) != strings.Join(tt.teams, " ") || listed(teamCell, got.Body) != "09 08 ... 01 9"):
			t.Errorf("%+v: the list or the selection is lost", tt)
		}
	}
	for number, want := range map[int]string{1: "9a & b|guests 15m0s 0s false", 2: " 20m0s 0s false", 3: "guests 20m0s -5m0s true",
		4: " 0s 0s false"} {
		team := teamsOf(h, c)[number-1]
		if got := fmt.Sprint(strings.Join(team.Groups, "|"), " ", team.ExtraTime, " ", team.ExtraPenalty, " ", team.Hidden); got != want ||
			team.Name != fmt.Sprintf("Team %02d", number) {
			t.Errorf("team %d is %s, %s; want %s", number, team.Name, got, want)
		}
	}
	if log := h.Fetch(admin, "GET", "/admin/audit?action=change+team", nil).Body; strings.Count(log, "<td>change team</td>") != 8 {
		t.Errorf("the audit log is\n%s", log)
	}
}

// TestSaveManyTeams checks that a form with many teams is saved at once. Changes that other users have saved
// meanwhile stay, and are reported if the caller changed the same team.
func TestSaveManyTeams(t *testing.T) {
	h, c := class(t)
	admin := h.Cookie("admin")
	const path = "/c/now/teams/edit"
	open := func(query string) url.Values {
		page := h.Fetch(admin, "GET", path+query, nil).Body
		form := webtest.HiddenFields(page)
		for _, m := range regexp.MustCompile(`name="((?:name|groups|extra|penalty)\.\d+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			form.Set(m[1], strings.ReplaceAll(m[2], "&amp;", "&"))
		}
		for _, m := range regexp.MustCompile(`name="(hidden\.\d+)" checked`).FindAllStringSubmatch(page, -1) {
			form.Set(m[1], "on")
		}
		return form
	}
	form := open("?q=s0&sort=-name")
	if got := strings.Join(form["t"], " "); got != "9 8 7 6 5 4 3 2 1" || form.Get("back") != "q=s0&sort=-name" {
		t.Fatalf("the form has the teams %s, and leads to %s", got, form.Get("back"))
	}
	if got := h.Fetch(admin, "POST", path, form); got.Code != 303 || got.Get("Location") != "/c/now/teams?done=saved-0&q=s0&sort=-name" {
		t.Errorf("nothing was changed: %d to %s", got.Code, got.Get("Location"))
	}
	// Nothing is saved if a field is invalid.
	form.Set("name.3", "Three")
	form.Set("extra.4", "soon")
	got := h.Fetch(admin, "POST", path, form)
	webtest.CheckHTML(t, "a wrong field", got.Body)
	for _, want := range []string{"Nothing was saved: 1 field needs a change", `<a href="#extra.4">Team 4: the extra time`,
		`value="soon" inputmode="numeric" aria-invalid="true"`, `value="Three"`, "<title>Error: Edit 9 teams"} {
		if got.Code != 400 || !strings.Contains(got.Body, want) {
			t.Errorf("a wrong field: %d does not say %q\n%s", got.Code, want, got.Body)
		}
	}
	if name := teamsOf(h, c)[2].Name; name != "Team 03" {
		t.Errorf("it was saved: %s", name)
	}
	// Another user changes three teams. The form also changes two of them: one to a different value, one to the
	// same.
	theirs := teamsOf(h, c)
	theirs[2].Name, theirs[4].Name, theirs[5].Name = "Theirs", "Five", "Same"
	for _, i := range []int{2, 4, 5} {
		if err := h.Store.SetTeam(t.Context(), theirs[i], ""); err != nil {
			t.Fatal(err)
		}
	}
	form.Set("extra.4", "30")
	form.Set("name.6", "Same")
	form.Del("hidden.2")
	got = h.Fetch(admin, "POST", path, form)
	for _, want := range []string{"2 teams were saved. Someone else has changed 1 team since", "Someone else saved: <b>Theirs</b>",
		`value="Three"`, "Edit 1 team<"} {
		if got.Code != 409 || !strings.Contains(got.Body, want) {
			t.Errorf("what others changed: %d does not say %q\n%s", got.Code, want, got.Body)
		}
	}
	var names []string
	for _, team := range teamsOf(h, c)[:7] {
		names = append(names, fmt.Sprintf("%s/%s/%t", team.Name, team.ExtraTime, team.Hidden))
	}
	if got, want := strings.Join(names, " "), "Team 01/15m0s/false Team 02/0s/false Theirs/0s/false Team 04/30m0s/false Five/0s/false "+
		"Same/0s/false Team 07/0s/false"; got != want {
		t.Errorf("they are\n%s, want\n%s", got, want)
	}
	// Saving the form again overwrites the other user's change.
	again := webtest.HiddenFields(got.Body)
	again.Set("name.3", "Three")
	if got := h.Fetch(admin, "POST", path, again); got.Code != 303 || teamsOf(h, c)[2].Name != "Three" {
		t.Errorf("saved again: %d, %s", got.Code, teamsOf(h, c)[2].Name)
	}
	// A team that was removed meanwhile is reported, and the other teams are saved.
	form = open("?t=7&t=8&back=q%3Dx")
	if err := h.Store.RemoveTeams(t.Context(), c.ID, []string{teamsOf(h, c)[6].ID}); err != nil {
		t.Fatal(err)
	}
	form.Set("name.8", "Eight")
	if got := h.Fetch(admin, "POST", path, form); got.Code != 409 ||
		!strings.Contains(got.Body, "1 team was saved. Someone else has removed 1 team.") || teamsOf(h, c)[6].Name != "Eight" {
		t.Errorf("a team was removed: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", path, url.Values{}); got.Code != 400 {
		t.Errorf("an empty form: %d", got.Code)
	}
	// A stored name that the form would reject does not prevent saving the other teams.
	odd := teamsOf(h, c)[10]
	odd.Name = "a\x1bb"
	if err := h.Store.SetTeam(t.Context(), odd, ""); err != nil {
		t.Fatal(err)
	}
	form = open(fmt.Sprintf("?t=%d&t=%d", odd.Number, odd.Number+1))
	form.Set(fmt.Sprint("name.", odd.Number+1), "Next")
	if got := h.Fetch(admin, "POST", path, form); got.Code != 303 || teamsOf(h, c)[11].Name != "Next" {
		t.Errorf("beside a team with an odd name: %d\n%s", got.Code, got.Body)
	}
	// Values that the form cannot express stay when other fields change.
	exact := teamsOf(h, c)[9]
	exact.ExtraTime, exact.Label = 90*time.Second, "seat 7"
	if err := h.Store.SetTeam(t.Context(), exact, ""); err != nil {
		t.Fatal(err)
	}
	form = open(fmt.Sprint("?t=", exact.Number))
	form.Set(fmt.Sprint("name.", exact.Number), "Renamed")
	if got := h.Fetch(admin, "POST", path, form); got.Code != 303 {
		t.Errorf("a team with seconds: %d\n%s", got.Code, got.Body)
	}
	if now := teamsOf(h, c)[9]; now.Name != "Renamed" || now.ExtraTime != 90*time.Second || now.Label != "seat 7" {
		t.Errorf("the team is %+v", now)
	}
	if got := h.Fetch(admin, "GET", path+"?t=99", nil); got.Code != 303 {
		t.Errorf("no such team: %d", got.Code)
	}
}

// TestRemoveTeams checks that a team without submissions can be removed after a page that shows what is removed
// with it.
func TestRemoveTeams(t *testing.T) {
	h, c := class(t)
	admin := h.Cookie("admin")
	h.Submit(c, "s01")
	h.Clarify(c, store.NewClarification{Text: "may I?"}, "s02")
	const path = "/c/now/teams/remove"
	asked := h.Fetch(admin, "GET", path+"?t=1&t=2&t=3&t=4&back=q%3Ds0", nil)
	for _, want := range []string{
		"1. Team 01 : cannot be removed, because it has 1 submission.", "2. Team 02 : cannot be removed, because it has 1 clarification.",
		"3. Team 03",
		"Removed: 2 teams, with groups, extra time, and 2 memberships.", "Kept: the accounts", "Remove 2 teams",
	} {
		if text := webtest.Text(asked.Body); asked.Code != 200 || !strings.Contains(text, want) {
			t.Errorf("the question: %d does not say %q\n%s", asked.Code, want, text)
		}
	}
	form := webtest.HiddenFields(asked.Body)
	if !slices.Equal(form["t"], []string{"3", "4"}) {
		t.Errorf("the form has the teams %v", form["t"])
	}
	for text, tt := range map[string]struct {
		teams []string
		code  int
	}{
		"Select one team or more": {nil, 400}, "no longer there": {[]string{"3", "99"}, 409},
		"has submissions or clarification requests": {[]string{"3", "1"}, 409},
	} {
		method := map[bool]string{true: "GET", false: "POST"}[tt.code == 400]
		if got := h.Fetch(admin, method, path, url.Values{"t": tt.teams, "sure-password": {"correct-horse"}}); got.Code != tt.code ||
			!strings.Contains(got.Body, text) {
			t.Errorf("%v: %d does not say %q\n%s", tt.teams, got.Code, text, got.Body)
		}
	}
	if n := len(teamsOf(h, c)); n != 60 {
		t.Fatalf("%d teams are left", n)
	}
	got := h.Fetch(admin, "POST", path, form)
	if got.Code != 303 || got.Get("Location") != "/c/now/teams?done=removed-2&q=s0" {
		t.Fatalf("remove: %d to %s\n%s", got.Code, got.Get("Location"), got.Body)
	}
	if now := teamsOf(h, c); len(now) != 58 || now[2].Number != 5 {
		t.Errorf("the teams are %d", len(now))
	}
	if got := h.Fetch(admin, "GET", "/c/now/scoreboard?view=jury", nil).Body; strings.Contains(got, "Team 03") ||
		!strings.Contains(got, "Team 05") {
		t.Error("the scoreboard has the team")
	}
	if log := h.Fetch(admin, "GET", "/admin/audit?action=remove+team", nil).Body; !strings.Contains(log, "team 3, with 1 person") ||
		!strings.Contains(log, "team 4, with 1 person") {
		t.Errorf("the audit log is\n%s", log)
	}
	if got := h.Fetch(h.Cookie("s03"), "GET", "/c/now", nil); got.Code != 404 {
		t.Errorf("its member sees the contest: %d", got.Code)
	}
}

var (
	accountCell    = regexp.MustCompile(`<td><code>(\w+)</code></td>`)
	checkedAccount = regexp.MustCompile(`name="account" value="(\w+)" checked`)
)

// TestLastLogin checks that the list shows accounts that have never logged in, and the last login of the others.
func TestLastLogin(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	h.Advance(time.Hour)
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {"bob"}, "password": {"wrong"}}); got.Code != 403 {
		t.Fatalf("a wrong password is answered %d", got.Code)
	}
	if got := h.Fetch("", "POST", "/login", url.Values{"login": {"ada"}, "password": {"correct-horse"}}); got.Code != 303 {
		t.Fatalf("a login is answered %d", got.Code)
	}
	if err := errors.Join(h.Store.SetDisabled(t.Context(), h.Accounts["runner"].ID, true),
		h.Store.SetPassword(t.Context(), h.Accounts["judge"].ID, "")); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{"sort=login": "ada admin", "filter=never": "bob chair other"} {
		got := listed(accountCell, h.Fetch(admin, "GET", "/admin/accounts?"+query, nil).Body)
		if !strings.HasPrefix(got, want) || query == "filter=never" && got != want {
			t.Errorf("%s shows %s, want %s", query, got, want)
		}
	}
	for login, want := range map[string]string{
		"ada": "· last login <time", "bob": "· never logged in</p></div><span class=\"tag\">never logged in<",
		"runner": "<span class=\"tag bad\">disabled<", "judge": "<span class=\"tag\">access tokens only<",
	} {
		if page := h.Fetch(admin, "GET", "/admin/accounts/"+login, nil).Body; !strings.Contains(page, want) {
			t.Errorf("the page of %s does not have %s:\n%s", login, want, page)
		}
	}
}

// TestListOfAccounts checks that accounts can be searched, filtered and sorted, and changed together.
func TestListOfAccounts(t *testing.T) {
	h, _ := class(t)
	admin := h.Cookie("admin")
	for query, want := range map[string]string{
		"q=s5":                       "s50 s51 ... s59 10",
		"q=S5&sort=-username":        "s59 s58 ... s50 10",
		"filter=judge":               "judge",
		"filter=contestant&q=a":      "ada bob ... s46 50",
		"filter=disabled":            "",
		"q=Team+0+s60":               "s60",
		"page=2&sort=username":       "s44 s45 ... s60 17",
		"sort=-role&filter=&q=judge": "judge",
		"sort=login&q=judge":         "judge",
		"filter=never&q=ada":         "ada",
		"filter=never&q=admin":       "",
	} {
		got := h.Fetch(admin, "GET", "/admin/accounts?"+query, nil)
		if names := listed(accountCell, got.Body); got.Code != 200 || names != want {
			t.Errorf("%s: %d shows %q, want %q", query, got.Code, names, want)
		}
	}
	if got := h.Fetch(admin, "GET", "/admin/accounts?q=a&all=1", nil).Body; slices.Contains(strings.Fields(listed(checkedAccount, got)),
		"admin") {
		t.Error("the own account is selected with all others")
	}
	change := func(do string, logins ...string) webtest.Response {
		return h.Fetch(admin, "POST", "/admin/accounts-change",
			url.Values{"do": {do}, "account": logins, "back": {"q=s0"}, "sure-password": {"correct-horse"}})
	}
	for _, tt := range []struct {
		do     string
		logins []string
		code   int
		want   string
	}{
		{"disable", nil, 400, "Select one account or more."},
		{"", []string{"s01"}, 400, "Choose what to do"},
		{"role:king", []string{"s01"}, 400, "Choose what to do"},
		{"role:judge", []string{"s01", "admin"}, 400, "your own account"},
		{"disable", []string{"s01", "gone"}, 400, "There is no account"},
		{"disable", []string{"s01", "s02"}, 303, "done=changed&q=s0"},
		{"enable", []string{"s02"}, 303, "done=changed&q=s0"},
		{"role:judge", []string{"s03", "s04"}, 303, "done=changed&q=s0"},
		{"reset", []string{"s05", "s06"}, 200, "2 sheets"},
	} {
		got := change(tt.do, tt.logins...)
		if said := got.Body + got.Get("Location"); got.Code != tt.code || !strings.Contains(said, tt.want) {
			t.Errorf("%+v: %d\n%s", tt, got.Code, said)
		}
		if got.Code == 400 && listed(checkedAccount,
			got.Body) != strings.Join(slices.DeleteFunc(slices.Clone(tt.logins), func(s string) bool { return s == "gone" || s == "admin" }), " ") {
			t.Errorf("%+v: the selection is lost: %s", tt, listed(checkedAccount, got.Body))
		}
	}
	for login, want := range map[string]string{"s01": "contestant true", "s02": "contestant false", "s03": "judge false",
		"s04": "judge false"} {
		a := webtest.Must[*store.Account](t)(h.Store.AccountByLogin(t.Context(), login))
		if got := fmt.Sprint(a.Role, " ", a.Disabled); got != want {
			t.Errorf("%s is %s, want %s", login, got, want)
		}
	}
	if log := h.Fetch(admin, "GET", "/admin/audit?action=change+account", nil).Body; strings.Count(log, "<td>change account</td>") != 7 {
		t.Errorf("the audit log is\n%s", log)
	}
	// Deleted accounts are not listed, and neither are filters that match no account.
	const disabled = `href="/admin/accounts?filter=disabled&amp;sort=name"`
	if _, err := h.Store.Erase(t.Context(), webtest.Must[*store.Account](t)(h.Store.AccountByLogin(t.Context(), "s60")).ID); err != nil {
		t.Fatal(err)
	}
	body := h.Fetch(admin, "GET", "/admin/accounts", nil).Body
	if !strings.Contains(body, disabled) || strings.Contains(body, "filter=contest-admin") {
		t.Errorf("the filters are in\n%s", body)
	}
	if got := listed(accountCell, h.Fetch(admin, "GET", "/admin/accounts?page=2&sort=username", nil).Body); got != "s44 s45 ... s59 16" {
		t.Errorf("after one was deleted, the second page shows %q", got)
	}
	own := h.Fetch(admin, "GET", "/admin/accounts/admin", nil).Body
	for _, role := range []string{"runner", "judge", "contest-admin"} {
		if page := h.Fetch(admin, "GET", "/admin/accounts/s01?contest=now", nil).Body; strings.Count(page, `<option value="`+role+`"`) < 2 {
			t.Errorf("the role %s cannot be given in a contest:\n%s", role, page)
		}
	}
	other := h.Fetch(admin, "GET", "/admin/accounts/s01", nil).Body
	if strings.Contains(own, "Disable account") || strings.Contains(own, "Delete account") || !strings.Contains(other, "Enable account") ||
		!strings.Contains(other, `href="/admin/accounts/s01/erase"`) {
		t.Errorf("the pages of accounts:\n%s\n%s", own, other)
	}
}
