package contest_test

import (
	"bufio"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// rowOf returns the row of an account on a scoreboard page.
func rowOf(page, login string) string {
	for _, row := range regexp.MustCompile(`(?s)<tr id="t-.*?</tr>`).FindAllString(page, -1) {
		if strings.Contains(row, "<bdi>"+login) {
			return row
		}
	}
	return ""
}

// until requests a page repeatedly until good returns true. A scoreboard may be up to half a second old.
func until(h *webtest.Harness, cookie, path, what string, good func(page string) bool) string {
	h.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		got := h.Fetch(cookie, "GET", path, nil)
		if got.Code == 200 && good(got.Body) {
			return got.Body
		}
		if time.Now().After(deadline) {
			h.Fatalf("%s: %d\n%s", what, got.Code, got.Body)
		}
	}
}

// TestBoard checks a manually frozen and unfrozen scoreboard, as the public and the jury see it.
func TestBoard(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -30*time.Minute, store.VisibilityPublic, store.Settings{})
	admin, ada := h.Cookie("admin"), h.Cookie("ada")
	do := func(what string, code int, want string) {
		t.Helper()
		if got := h.Fetch(admin, "POST", "/c/spring/scoreboard", url.Values{"do": {what}}); got.Code != code ||
			!strings.Contains(got.Body, want) {
			t.Fatalf("%s: %d, want %d with %q in\n%s", what, got.Code, code, want, got.Body)
		}
	}
	const public, staff = "/c/spring/scoreboard", "/c/spring/scoreboard?view=jury"
	if got := h.Fetch("", "GET", public, nil); got.Code != 200 || !strings.Contains(got.Body, "No teams yet") {
		t.Errorf("an empty board: %d\n%s", got.Code, got.Body)
	}
	for who, link := range map[string]string{"": `<a class="btn short" href="/login">Log in</a>`, ada: `<a href="/account">Account</a>`} {
		if got := h.Fetch(who, "GET", public, nil).Body; !strings.Contains(got, link) || strings.Contains(got, "Log in") == (who == ada) {
			t.Errorf("a page without %s:\n%s", link, got)
		}
	}
	h.RecordJudgement(h.Submit(c, "ada"), webtest.AcceptedEvents()...)
	page := until(h, "", public, "a solved problem", func(page string) bool { return strings.Contains(rowOf(page, "ada"), "first to solve") })
	if strings.Contains(page, "<form") || strings.Contains(page, "marked>") || strings.Count(page, "<h1>") != 1 ||
		!strings.Contains(page, "/static/live-") {
		t.Errorf("the public's page:\n%s", page)
	}
	if got := h.Fetch(ada, "GET", staff, nil); got.Code != 403 {
		t.Errorf("a contestant asks for the staff's view: %d", got.Code)
	}
	if got := h.Fetch(admin, "GET", staff, nil); got.Code != 200 || !strings.Contains(got.Body, "Freeze or unfreeze") {
		t.Errorf("the staff's view: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch("", "GET", public+"?group=none", nil); got.Code != 404 {
		t.Errorf("a group without teams: %d", got.Code)
	}

	do("unfreeze", 409, "is not frozen")
	do("dance", 400, "")
	h.Advance(time.Second)
	do("freeze", 303, "")
	h.Advance(2 * time.Second)
	h.RecordJudgement(h.Submit(c, "bob"), webtest.AcceptedEvents()...)
	page = until(h, "", public, "the frozen board", func(page string) bool {
		return strings.Contains(rowOf(page, "bob"), "pending") && strings.Contains(page, "The scoreboard was frozen with ")
	})
	if strings.Contains(rowOf(page, "bob"), "accepted") {
		t.Errorf("the freeze leaks:\n%s", page)
	}
	until(h, admin, staff, "the staff's board in the freeze",
		func(page string) bool { return strings.Contains(rowOf(page, "bob"), "accepted") })
	if got := h.Fetch("", "GET", public+"/table.csv", nil); got.Code != 200 || !strings.Contains(got.Body, ",0,0,0,,0,1\n") {
		t.Errorf("the public's table in the freeze: %d\n%s", got.Code, got.Body)
	}
	do("freeze", 409, "is frozen already")
	do("unfreeze", 303, "")
	until(h, "", public, "the thawed board", func(page string) bool {
		return strings.Contains(rowOf(page, "bob"), "accepted") && !strings.Contains(page, "frozen")
	})

	// Changes are sent to an open page.
	version := regexp.MustCompile(`data-version="(\d+)"`).FindStringSubmatch(h.Fetch("", "GET", public, nil).Body)[1]
	stream, err := http.Get(h.URL + "/c/spring/scoreboard/events?version=" + version)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	h.Submit(c, "runner")
	told := make(chan string)
	go func() { // ends with the stream
		defer close(told)
		for in := bufio.NewScanner(stream.Body); in.Scan(); {
			if data, ok := strings.CutPrefix(in.Text(), "data: "); ok {
				told <- data
				return
			}
		}
	}()
	// The scoreboards' method Run is not called in this test, so that only another request can update the
	// scoreboard.
	for waiting := true; waiting; {
		h.Fetch("", "GET", public, nil)
		select {
		case data := <-told:
			if waiting = false; !strings.Contains(data, "runner") || strings.Contains(data, "<bdi>bob") {
				t.Errorf("told is %s", data)
			}
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestFreezeByHand checks that a planned freeze still happens after the scoreboard was frozen and unfrozen
// manually, and that the following page shows the change.
func TestFreezeByHand(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -10*time.Minute, store.VisibilityPublic, store.Settings{})
	c.Freeze = 30 * time.Minute
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	const staff = "/c/spring/scoreboard?view=jury"
	do := func(what string, code int, freeze time.Duration) (page string) {
		t.Helper()
		admin := h.Cookie("admin")
		h.Fetch(admin, "GET", staff, nil)
		if got := h.Fetch(admin, "POST", "/c/spring/scoreboard", url.Values{"do": {what}}); got.Code != code {
			t.Fatalf("%s: %d\n%s", what, got.Code, got.Body)
		}
		page = h.Fetch(admin, "GET", staff, nil).Body
		if now := webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), c.ID)); now.Freeze.Round(time.Minute) != freeze {
			t.Errorf("%s: the freeze is %v, and %v is planned; want %v", what, now.Freeze, now.Settings.Planned, freeze)
		}
		return page
	}
	const frozen = "The public scoreboard is frozen"
	do("unfreeze", 409, 30*time.Minute)
	if page := do("freeze", 303, 10*time.Minute); !strings.Contains(page, frozen) {
		t.Errorf("the page after the freeze:\n%s", page)
	}
	if page := do("unfreeze", 303, 30*time.Minute); strings.Contains(page, frozen) {
		t.Errorf("the page after the thaw:\n%s", page)
	}
	do("freeze", 303, 10*time.Minute)
	h.Advance(25 * time.Minute) // after the time of the planned freeze
	do("unfreeze", 303, 0)
}

// TestFinalResults checks that results become final only by an explicit action after the end, and only if no
// submission is pending.
func TestFinalResults(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("past", -30*time.Minute, store.VisibilityPublic, store.Settings{})
	open := h.Submit(c, "ada")
	c, err := h.Store.Contest(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	c.Starts, c.Freeze = c.Starts.Add(-31*time.Minute), 20*time.Minute
	c.Length = 62 * time.Minute // includes the submission
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	admin := h.Cookie("admin")
	final := func() webtest.Response {
		return h.Fetch(admin, "POST", "/c/past/finalize",
			url.Values{"do": {"final"}, "by": {"the chief judge"}, "sure-password": {"correct-horse"}})
	}
	if got := final(); got.Code != 409 || !strings.Contains(got.Body, "The contest has not ended") {
		t.Errorf("before the end: %d\n%s", got.Code, got.Body)
	}
	if c, err = h.Store.Contest(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	// The contest ends just after the submission arrived.
	sent, err := h.Store.Submission(t.Context(), open.ID)
	if err != nil {
		t.Fatal(err)
	}
	c.Length = sent.Received.Sub(c.Starts) + time.Microsecond
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	h.Advance(time.Second)
	until(h, "", "/c/past/scoreboard", "the end", func(page string) bool { return strings.Contains(page, "The results are not final") })
	if got := final(); got.Code != 409 || !strings.Contains(got.Body, "1 submission has no verdict") {
		t.Errorf("while something is open: %d\n%s", got.Code, got.Body)
	}
	h.RecordJudgement(open, webtest.AcceptedEvents()...)
	until(h, admin, "/c/past/scoreboard?view=jury", "the verdict",
		func(page string) bool { return strings.Contains(rowOf(page, "ada"), "accepted") })
	if got := final(); got.Code != 303 {
		t.Errorf("when all is judged: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", "/c/past/scoreboard", url.Values{"do": {"freeze"}}); got.Code != 409 {
		t.Errorf("a freeze after the end: %d", got.Code)
	}
	page := until(h, "", "/c/past/scoreboard", "final results", func(page string) bool { return !strings.Contains(page, "not final") })
	if !strings.Contains(page, "frozen") || strings.Contains(rowOf(page, "ada"), "accepted") {
		t.Errorf("final is not thawed:\n%s", page)
	}
	if got := h.Fetch(admin, "POST", "/c/past/scoreboard", url.Values{"do": {"unfreeze"}}); got.Code != 303 {
		t.Errorf("the thaw: %d\n%s", got.Code, got.Body)
	}
	until(h, "", "/c/past/scoreboard", "the thaw", func(page string) bool { return strings.Contains(rowOf(page, "ada"), "accepted") })
}

// TestScoreboardClock checks that the scoreboard page, which all readers share, shows when the contest ends, even
// after the end has changed.
func TestScoreboardClock(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -30*time.Minute, store.VisibilityPublic, store.Settings{})
	clock := func(c *store.Contest) func(page string) bool {
		return func(page string) bool {
			return strings.Contains(page, `<time datetime="`+c.Ends().UTC().Format(time.RFC3339)+`" data-left data-before="" data-after=" left"`) &&
				strings.Contains(page, ">ends "+c.Ends().Local().Format("2 Jan, 15:04"))
		}
	}
	for _, view := range []string{"", "?view=jury", "?view=projector"} {
		until(h, h.Cookie("admin"), "/c/spring/scoreboard"+view, "the end of the contest", clock(c))
	}
	c.Length += 10 * time.Minute
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	until(h, "", "/c/spring/scoreboard", "the new end of the contest", clock(c))
	c.Starts = time.Now().Add(time.Hour)
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	until(h, h.Cookie("admin"), "/c/spring/scoreboard?view=jury", "the start of the contest", func(page string) bool {
		return strings.Contains(page, `data-before="starts in "`) && strings.Contains(page, ">starts "+c.Starts.Local().Format("2 Jan, 15:04"))
	})
}

// TestOwnRow checks that each reader is redirected to their team's row, and that the shared page does not reveal
// the team.
func TestOwnRow(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("spring", -30*time.Minute, store.VisibilityPublic, store.Settings{})
	h.Submit(c, "ada")
	h.Submit(c, "bob")
	ada, bob := h.Cookie("ada"), h.Cookie("bob")
	page := until(h, ada, "/c/spring/scoreboard", "both teams",
		func(page string) bool { return rowOf(page, "ada") != "" && rowOf(page, "bob") != "" })
	if other := h.Fetch(bob, "GET", "/c/spring/scoreboard", nil).Body; other != page {
		t.Errorf("two readers get different pages:\n%s\n%s", page, other)
	}
	if !strings.Contains(page, `<a href="/c/spring/scoreboard/mine" data-mine>Your row</a>`) ||
		strings.Contains(h.Fetch("", "GET", "/c/spring/scoreboard", nil).Body, "data-mine") {
		t.Errorf("the link to the own row:\n%s", page)
	}
	id := func(login string) string {
		return regexp.MustCompile(`<tr id="t-([^"]+)"`).FindStringSubmatch(rowOf(page, login))[1]
	}
	for _, row := range []struct{ who, cookie, team string }{{"ada", ada, id("ada")}, {"bob", bob, id("bob")},
		{"the jury", h.Cookie("admin"), ""}, {"a visitor", "", ""}} {
		link := "/c/spring/scoreboard"
		if row.team != "" {
			link += "#t-" + row.team
		}
		got := h.Fetch(row.cookie, "GET", "/c/spring/scoreboard/mine", nil, "Accept", "text/html,*/*")
		if got.Code != 303 || got.Header.Get("Location") != link || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d to %q, want %q; %v", row.who, got.Code, got.Header.Get("Location"), link, got.Header)
		}
		got = h.Fetch(row.cookie, "GET", "/c/spring/scoreboard/mine", nil, "Accept", "application/json")
		if want := `{"team":"` + row.team + `"}` + "\n"; got.Code != 200 || got.Body != want || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s, a script: %d %s, want %s; %v", row.who, got.Code, got.Body, want, got.Header)
		}
	}
	teams := webtest.Must[[]*store.Team](t)(h.Store.Teams(t.Context(), c.ID))
	for _, team := range teams {
		if team.ID == id("ada") {
			team.ExtraTime = 7 * time.Minute
			if err := h.Store.SetTeam(t.Context(), team, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	for who, ends := range map[string]string{ada: c.Ends().Add(7 * time.Minute).UTC().Format("2006-01-02T15:04:05"), bob: ""} {
		got := h.Fetch(who, "GET", "/c/spring/scoreboard/mine", nil, "Accept", "application/json")
		if strings.Contains(got.Body, "ends") != (ends != "") || !strings.Contains(got.Body, ends) {
			t.Errorf("the end of a team with extra time: %s, want %q", got.Body, ends)
		}
	}
}
