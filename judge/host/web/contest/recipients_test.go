package contest_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// inGroups creates a contest in which the teams of ada and bob are in separate groups, and the team of the account
// other is in no group.
func inGroups(h *webtest.Harness, t *testing.T, in time.Duration) (c *store.Contest, teams map[string]*store.Team,
	groups map[string]string) {
	t.Helper()
	c = h.Contest("now", in, store.VisibilityAccounts, store.Settings{})
	teams, groups = map[string]*store.Team{}, map[string]string{}
	for _, of := range [][2]string{{"ada", "North"}, {"bob", "South"}, {"other", ""}} {
		login, group := of[0], of[1]
		team := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts[login]))
		if teams[login] = team; group != "" {
			team.Groups = []string{group}
		}
		if err := h.Store.SetTeam(t.Context(), team, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range webtest.Must[[]store.Group](t)(h.Store.Groups(t.Context(), c.ID)) {
		groups[g.Name] = g.ID
	}
	return c, teams, groups
}

// TestRecipientsPages checks that a message of the jury is shown only to the teams and groups to which it is sent,
// and that only they are notified.
func TestRecipientsPages(t *testing.T) {
	h := webtest.New(t)
	_, teams, groups := inGroups(h, t, -time.Minute)
	judge := h.Cookie("judge")
	reads := func(page, text string, want ...string) {
		t.Helper()
		for _, login := range []string{"ada", "bob", "other"} {
			body := h.Fetch(h.Cookie(login), "GET", page, nil).Body
			if got := strings.Contains(body, text); got != slices.Contains(want, login) {
				t.Errorf("%s on %s reads %q: %v\n%s", login, page, text, got, body)
			}
			webtest.CheckHTML(t, page, body)
		}
	}
	post := func(page string, fields url.Values, code int, want string) {
		t.Helper()
		if got := h.Fetch(judge, "POST", page, fields); got.Code != code || !strings.Contains(got.Body, want) {
			t.Fatalf("%s %v: %d, want %d with %q\n%s", page, fields, got.Code, code, want, got.Body)
		}
	}
	const list = "/c/now/clar"
	north, ada, bob := groups["North"], teams["ada"].ID, teams["bob"].ID
	for want, fields := range map[string]url.Values{
		"no team or group is selected":       {"to": {"chosen"}},
		"teams or groups are selected":       {"to": {"all"}, "group": {north}},
		"clear the selection":                {"team": {ada}},
		"a team or group is no longer there": {"to": {"chosen"}, "group": {north, "none"}},
		"is not one of team, all and chosen": {"to": {"none"}},
		"not one of team, all":               {"to": {"team"}},
	} {
		fields.Set("text", "hello")
		post(list, fields, 400, want)
	}
	if body := h.Fetch(judge, "POST", list, url.Values{"to": {"chosen"}, "group": {north},
		"team": {bob}}).Body; !regexp.MustCompile(`value="`+north+`" checked`).MatchString(body) ||
		!regexp.MustCompile(`value="`+bob+`" checked`).MatchString(body) {
		t.Errorf("the selection is lost:\n%s", body)
	}
	post(list, url.Values{"text": {"bus of the north" + webtest.HostileMarkup}, "to": {"chosen"}, "group": {north}}, 303, "")
	reads("/c/now", "1 new", "ada")
	reads("/c/now", "bus of the north", "ada")
	reads(list, "bus of the north", "ada")
	post(list, url.Values{"text": {"your socket"}, "to": {"chosen"}, "team": {bob}}, 303, "")
	reads(list, "your socket", "bob")
	reads("/c/now", "your socket", "bob")
	post(list, url.Values{"text": {"both"}, "to": {"chosen"}, "team": {ada, bob}}, 303, "")
	reads(list, "both", "ada", "bob")
	reads("/c/now", "both", "ada", "bob")
	reads(list, "The jury to your team and others", "ada", "bob")
	body := h.Fetch(judge, "GET", list, nil).Body
	for _, want := range []string{"to group North · ", "<small>to bob", "<small>to ada"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	// An answer always goes to the asking team.
	if got := h.Fetch(h.Cookie("other"), "POST", list, url.Values{"text": {"is it cold?"}, "problem": {":technical"}}); got.Code != 303 {
		t.Fatal(got.Code, got.Body)
	}
	post(list+"/4", url.Values{"text": {"no"}, "to": {"chosen"}}, 400, "no team or group is selected")
	post(list+"/4", url.Values{"text": {"no"}, "to": {"team"}, "group": {north}}, 400, "clear the selection")
	post(list+"/4", url.Values{"text": {"heating is on"}, "to": {"chosen"}, "group": {north}}, 303, "")
	reads(list, "heating is on", "ada", "other")
	reads(list, "is it cold?", "ada", "other")
	reads(list, ", technical,", "ada", "other")
	var did []string
	for _, e := range webtest.Must[[]store.AuditEntry](t)(h.Store.LatestAuditEntries(t.Context(), "", 10)) {
		did = append(did, e.Action+" "+e.Detail)
	}
	if got := strings.Join(did, ", "); got != "answer 4 to 1 team and 1 group, announce 3 to 2 teams, announce 2 to 1 team, announce 1 to 1 "+
		"group" {
		t.Errorf("the audit has %s", got)
	}
	if got := h.Fetch(h.Cookie("ada"), "POST", list, url.Values{"text": {"psst"}, "to": {"chosen"}, "team": {bob}}); got.Code != 303 {
		t.Fatal(got.Code)
	}
	reads(list, "psst", "ada") // a team's message goes only to the jury
}

// TestCategories checks that the jury sees the category of each clarification, and can filter by category.
func TestCategories(t *testing.T) {
	h := webtest.New(t)
	h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	ada, judge := h.Cookie("ada"), h.Cookie("judge")
	for text, about := range map[string]string{"in general": "", "my keyboard": ":technical", "of sum": "A"} {
		if got := h.Fetch(ada, "POST", "/c/now/clar", url.Values{"text": {text}, "problem": {about}}); got.Code != 303 {
			t.Fatal(got.Code, got.Body)
		}
	}
	threads := regexp.MustCompile(`(?s)<ul class="card flush threads">.*?</ul>`)
	for query, want := range map[string]string{
		"": "in general, my keyboard, of sum", "about=:general": "in general", "about=:technical": "my keyboard", "about=A": "of sum",
		"about=Z": "", "about=A&open=yes": "of sum", "about=A&said=yes": "",
	} {
		body := h.Fetch(judge, "GET", "/c/now/clar?"+query, nil).Body
		list := threads.FindString(body)
		for _, text := range []string{"in general", "my keyboard", "of sum"} {
			if strings.Contains(list, text) != strings.Contains(want, text) {
				t.Errorf("?%s shows %q: %v\n%s", query, text, strings.Contains(list, text), list)
			}
		}
		if want == "" && !strings.Contains(body, "No clarifications match") {
			t.Errorf("?%s:\n%s", query, body)
		}
		if strings.HasPrefix(query, "about=A") && !strings.Contains(body, `href="/c/now/clar?about=A"`) {
			t.Errorf("?%s: other filters are lost\n%s", query, body)
		}
	}
}

// TestSavedReplies checks that the jury can edit its saved replies.
func TestSavedReplies(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Clarify(c, store.NewClarification{Text: "may I?"}, "ada")
	judge := h.Cookie("judge")
	const page = "/c/now/clar/replies"
	has := func(path, text string, want bool) {
		t.Helper()
		if body := h.Fetch(judge, "GET", path, nil).Body; strings.Contains(body, text) != want {
			t.Errorf("%s has %q: %v\n%s", path, text, !want, body)
		}
	}
	has(page, "No comment.", true)
	for want, text := range map[string]string{
		"line 2 has more than 2000 letters": "a\n" + strings.Repeat("ü", 2001), "there are 51 replies": strings.Repeat("a\n", 51),
	} {
		if got := h.Fetch(judge, "POST", page, url.Values{"replies": {text}}); got.Code != 400 || !strings.Contains(got.Body, want) ||
			!strings.Contains(got.Body, text[:20]) {
			t.Errorf("%d, want %q\n%s", got.Code, want, got.Body)
		}
	}
	if got := h.Fetch(judge, "POST", page, url.Values{"replies": {" Ask a runner. \r\n\r\n" + webtest.HostileMarkup +
		strings.Repeat("\nx", 48)}}); got.Code != 303 {
		t.Fatal(got.Code, got.Body)
	}
	has("/c/now/clar/1", "<option>Ask a runner.</option>", true)
	has("/c/now/clar/1", "No comment.", false)
	if got := h.Fetch(judge, "POST", "/c/now/clar/1", url.Values{"canned": {"Ask a runner."}, "to": {"team"}}); got.Code != 303 {
		t.Fatal(got.Code, got.Body)
	}
	if body := h.Fetch(h.Cookie("ada"), "GET", "/c/now/clar", nil).Body; !strings.Contains(body, "Ask a runner.") {
		t.Errorf("no answer in\n%s", body)
	}
	if got := h.Fetch(judge, "POST", page, url.Values{"replies": {"\n"}}); got.Code != 303 {
		t.Fatal(got.Code, got.Body)
	}
	has(page, "No comment.", true)
}

// TestClarificationsBeforeTheStart checks that a clarification about a problem is neither shown nor counted before
// the start, and is unread after it.
func TestClarificationsBeforeTheStart(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", time.Hour, store.VisibilityAccounts, store.Settings{})
	team := webtest.Must[*store.Team](t)(h.Store.Enter(t.Context(), c.ID, h.Accounts["ada"]))
	h.Clarify(c, store.NewClarification{Jury: true, Text: "welcome"}, "judge")
	h.Clarify(c, store.NewClarification{Jury: true, Text: "sum was mended", Problem: "sum"}, "judge")
	h.Clarify(c, store.NewClarification{Jury: true, Text: "you, too", Problem: "sum", Team: team.ID}, "judge")
	h.Clarify(c, store.NewClarification{Jury: true, Text: "be quiet"}, "judge")
	ada := h.Cookie("ada")
	reads := func(page string, wants ...string) {
		t.Helper()
		body := h.Fetch(ada, "GET", page, nil).Body
		for _, want := range wants {
			if no := strings.HasPrefix(want, "!"); strings.Contains(body, strings.TrimPrefix(want, "!")) == no {
				t.Errorf("%s: %q in\n%s", page, want, body)
			}
		}
	}
	reads("/c/now", "2 new")
	for _, page := range []string{"/c/now", "/c/now/clar"} {
		reads(page, "welcome", "be quiet", "!mended", "!you, too", "!about A")
	}
	reads("/c/now", "1 new") // counted until the start, with earlier messages
	if body := h.Fetch(h.Cookie("judge"), "GET", "/c/now/clar", nil).Body; !strings.Contains(body, "mended") {
		t.Errorf("the jury does not see it:\n%s", body)
	}
	h.Advance(2 * time.Hour)
	reads("/c/now", "3 new", "sum was mended")
	reads("/c/now/clar", "sum was mended", "you, too", "about A")
	reads("/c/now", "! new\"")
}
