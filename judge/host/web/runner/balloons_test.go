package runner_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

const page, table = "/c/spring/balloons", "/c/spring/balloons.csv"

// section returns the part of a page from a heading to the next one.
func section(body, heading string) string {
	_, rest, found := strings.Cut(body, "<h2>"+heading)
	if !found {
		return ""
	}
	part, _, _ := strings.Cut(rest, "<h2>")
	return part
}

// until requests a page repeatedly until good returns true. A scoreboard may lag.
func until(h *webtest.Harness, cookie, path, what string, good func(body string) bool) string {
	h.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		got := h.Fetch(cookie, "GET", path, nil)
		if got.Code == 200 && good(got.Body) {
			return got.Body
		}
		if time.Now().After(deadline) {
			h.Fatalf("%s: %d\n%s", what, got.Code, got.Body)
		}
	}
}

// has returns a function that reports whether a section contains a balloon of the account.
func has(heading, login string) func(string) bool {
	return func(body string) bool { return strings.Contains(section(body, heading), "<b>"+login) }
}

var team = regexp.MustCompile(`name="team" value="([^"]+)"`)

// form returns the form for the first balloon in a section.
func form(body, heading, do string) url.Values {
	m := team.FindStringSubmatch(section(body, heading))
	if m == nil {
		return url.Values{}
	}
	return url.Values{"team": {m[1]}, "label": {"A"}, "do": {do}}
}

// TestBalloons follows a balloon through its states: to deliver, delivered, undone, delivered again, held because
// the verdict was overridden, and delivered again.
func TestBalloons(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -30*time.Minute, store.VisibilityPublic, store.Settings{})
	runner, admin := h.Cookie("runner"), h.Cookie("admin")
	post := func(cookie string, form url.Values, code int, want string) {
		t.Helper()
		if got := h.Fetch(cookie, "POST", page, form); got.Code != code || !strings.Contains(got.Body, want) {
			t.Fatalf("%v: %d, want %d with %q in\n%s", form, got.Code, code, want, got.Body)
		}
	}
	if got := h.Fetch(runner, "GET", page, nil); got.Code != 200 || !strings.Contains(got.Body, "No balloons to deliver") {
		t.Fatalf("no balloons: %d\n%s", got.Code, got.Body)
	}
	a := h.Submit(c, "ada")
	h.RecordJudgement(a, webtest.AcceptedEvents()...)
	body := until(h, runner, page, "a balloon", has("To deliver", "ada"))
	if !strings.Contains(section(body, "To deliver"), "first to solve") || strings.Contains(body, "/balloons/freeze") {
		t.Errorf("the page of a runner:\n%s", body)
	}
	give := form(body, "To deliver", "give")
	undo := url.Values{"team": give["team"], "label": give["label"], "do": {"undo"}}
	post(runner, url.Values{"team": give["team"], "label": {"B"}, "do": {"give"}}, 400, "no such balloon")
	post(runner, url.Values{"team": give["team"], "label": {"A"}}, 400, "neither give nor undo")
	post(runner, give, 303, "")
	post(runner, give, 303, "") // button tapped twice
	post(admin, give, 409, "another runner delivered this balloon")
	body = until(h, runner, page, "a delivered balloon", has("Delivered just now", "ada"))
	if !strings.Contains(body, `value="undo"`) || section(body, "To deliver") == "" ||
		strings.Contains(section(body, "To deliver"), "<b>ada") {
		t.Errorf("after the delivery:\n%s", body)
	}
	post(runner, undo, 303, "")
	post(runner, undo, 303, "")
	until(h, runner, page, "an undone delivery", has("To deliver", "ada"))
	post(runner, give, 303, "")
	h.Advance(11 * time.Second)
	post(runner, undo, 409, "within 10 s")
	if body = until(h, runner, page, "an older delivery", has("Delivered<", "ada")); strings.Contains(body, `value="undo"`) {
		t.Errorf("a runner may undo an old delivery:\n%s", body)
	}
	post(admin, undo, 303, "")
	post(runner, give, 303, "")
	h.Advance(time.Minute)

	mark := func(m store.Override) {
		t.Helper()
		if err := h.Store.AddOverride(t.Context(), a.ID, h.Accounts["admin"].ID, m, -1); err != nil {
			t.Fatal(err)
		}
	}
	mark(store.Override{Verdict: "WA", Why: "wrong"})
	body = until(h, runner, page, "a balloon whose verdict was taken back", has("Held", "ada"))
	if !strings.Contains(section(body, "Held"), "delivered by runner") {
		t.Errorf("a held balloon is forgotten to be delivered:\n%s", body)
	}
	mark(store.Override{Why: "right"})
	until(h, runner, page, "the same balloon", has("Delivered<", "ada"))

	// A held balloon cannot be delivered.
	b := h.Submit(c, "bob")
	h.RecordJudgement(b, webtest.AcceptedEvents()...)
	give = form(until(h, runner, page, "another balloon", has("To deliver", "bob")), "To deliver", "give")
	if err := h.Store.AddOverride(t.Context(), b.ID, h.Accounts["admin"].ID, store.Override{Ignored: true, Why: "no"}, -1); err != nil {
		t.Fatal(err)
	}
	body = until(h, runner, page, "a held balloon", has("Held", "bob"))
	post(runner, give, 409, "the verdict was taken back")
	if strings.Contains(section(body, "Held"), "first to solve") {
		t.Errorf("a held balloon is of the first team:\n%s", body)
	}
	got := h.Fetch(runner, "GET", table, nil)
	if n := strings.Count(got.Body, "\n"); got.Code != 200 || n != 3 || !strings.Contains(got.Body, ",the verdict was taken back,,\n") ||
		!strings.Contains(got.Body, ",true,,runner,") ||
		!strings.Contains(got.Header.Get("Content-Disposition"), `"balloons.csv"`) {
		t.Errorf("the table: %d, %v\n%s", got.Code, got.Header, got.Body)
	}
}

// TestBalloonsInTheFreeze checks that during the freeze, nothing that a runner sees depends on hidden verdicts. If
// a limit is set, teams below the limit still get balloons.
func TestBalloonsInTheFreeze(t *testing.T) {
	both := [2]string{}
	for i, events := range [][]string{{"AC", "WA"}, {"WA", "AC"}} {
		h := webtest.New(t)
		c := h.Contest("spring", -30*time.Minute, store.VisibilityPublic, store.Settings{})
		c.Freeze = 29 * time.Minute
		if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		for j, login := range []string{"ada", "bob"} {
			if h.Submit(c, login); events[j] == "AC" {
				a := h.Submit(c, login)
				h.RecordJudgement(a, webtest.AcceptedEvents()...)
				continue
			}
			h.RecordJudgement(h.Submit(c, login), webtest.FailingEvents()...)
		}
		runner, admin := h.Cookie("runner"), h.Cookie("admin")
		until(h, admin, "/c/spring/scoreboard?view=jury", "the scoreboard", func(body string) bool { return strings.Contains(body, "accepted") })
		body := until(h, runner, page, "the page in the freeze", func(body string) bool { return strings.Contains(body, "In the freeze: none") })
		rows := h.Fetch(runner, "GET", table, nil)
		if both[i] = section(body, "To deliver") + rows.Body; strings.Contains(both[i], "ada") || strings.Contains(both[i], "bob") ||
			strings.Count(rows.Body, "\n") != 1 {
			t.Errorf("in the freeze:\n%s", both[i])
		}
		for text, code := range map[string]int{"": 400, "-1": 400, "101": 400, "some": 400, " 1 ": 303} {
			if got := h.Fetch(admin, "POST", page+"/freeze", url.Values{"solved": {text}}); got.Code != code {
				t.Errorf("the bound %q: %d\n%s", text, got.Code, got.Body)
			}
		}
		if got := h.Fetch(runner, "POST", page+"/freeze", url.Values{"solved": {"5"}}); got.Code != 403 {
			t.Errorf("a runner sets the bound: %d", got.Code)
		}
		body = until(h, runner, page, "a balloon in the freeze", has("To deliver", []string{"ada", "bob"}[i]))
		if strings.Contains(body, "first to solve") || !strings.Contains(body, "at most 1 solved problem<") {
			t.Errorf("in the freeze up to a bound:\n%s", body)
		}
	}
	if both[0] != both[1] {
		t.Errorf("what runners read depends on hidden verdicts:\n%s\nand\n%s", both[0], both[1])
	}
}

// TestBalloonsOfSomeTeams checks that a runner can filter by group or seat, on the page and in the table, and that
// hidden teams get no balloons.
func TestBalloonsOfSomeTeams(t *testing.T) {
	h := webtest.New(t)
	n := &store.ContestImport{
		Contest: &store.Contest{Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now().Add(-time.Minute), Length: time.Hour,
			Visibility: store.VisibilityPublic},
		Problems: []store.NewContestProblem{{Label: "A", Slug: "sum", Color: "#ff0000", ColorName: "dark red"}},
		Groups:   []store.Group{{ID: "1", Name: "North"}, {ID: "2", Name: "South"}},
		Teams: []store.Team{
			{ExtID: "1", Name: "ada", Label: "H1-3", GroupIDs: []string{"1"}},
			{ExtID: "2", Name: "bob", DisplayName: "bob & co", Label: "h2-1", GroupIDs: []string{"2"}},
			{ExtID: "3", Name: "chair", Label: "H1-9", Hidden: true},
		},
	}
	for i, login := range []string{"ada", "bob", "chair"} {
		n.Accounts = append(n.Accounts, store.ImportedAccount{ID: login, Type: "team", Team: string(rune('1' + i)), Account: h.Accounts[login]})
	}
	id, _, err := h.Store.ImportContest(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	c := webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), id))
	for _, login := range []string{"chair", "ada", "bob"} {
		h.RecordJudgement(h.Submit(c, login), webtest.AcceptedEvents()...)
	}
	runner := h.Cookie("runner")
	body := until(h, runner, page, "two balloons",
		func(body string) bool { return has("To deliver", "ada")(body) && has("To deliver", "bob")(body) })
	for _, want := range []string{`fill="#ff0000"`, "dark red", "bob &amp; co", "seat H1-3", "<option value=\"North\">North"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in\n%s", want, body)
		}
	}
	if strings.Contains(section(body, "To deliver"), "chair") {
		t.Errorf("a balloon of a hidden team:\n%s", body)
	}
	for query, want := range map[string]string{"?group=North": "ada", "?group=South": "bob", "?seats=h1": "ada", "?seats=H2-": "bob",
		"?group=North&seats=H2": "", "?group=West": ""} {
		body, rows := h.Fetch(runner, "GET", page+query, nil).Body, h.Fetch(runner, "GET", table+query, nil).Body
		for _, login := range []string{"ada", "bob"} {
			if has("To deliver", login)(body) != (login == want) || strings.Contains(rows, login) != (login == want) {
				t.Errorf("%s shows %s: %v, want %q\n%s", query, login, login != want, want, rows)
			}
		}
		if want == "" && !strings.Contains(body, "No balloons match") {
			t.Errorf("%s:\n%s", query, body)
		}
	}
	give := form(h.Fetch(runner, "GET", page+"?group=North", nil).Body, "To deliver", "give")
	if got := h.Fetch(runner, "POST", page+"?group=North", give); got.Code != 303 || got.Header.Get("Location") != page+"?group=North" {
		t.Errorf("a delivery in a group: %d %s", got.Code, got.Header.Get("Location"))
	}
	if got := h.Fetch(h.Cookie("ada"), "GET", page, nil); got.Code != 403 {
		t.Errorf("a contestant: %d", got.Code)
	}
}
