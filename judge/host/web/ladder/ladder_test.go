package ladder_test

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
	"assay/judge/host/workflow"
	"assay/judge/internal/browser"
)

// TestFaultsAreTheAuthors checks that only the author and the jury see a bot's faults, on the page, in the viewer
// and in the log.
func TestFaultsAreTheAuthors(t *testing.T) {
	h := webtest.New(t)
	h.Ladder("hill", store.VisibilityPublic, true)
	for who, sees := range map[string][2]bool{"": {}, "bob": {}, "ada": {false, true}, "judge": {true, true}, "admin": {true, true}} {
		for _, path := range []string{"/ladder/hill/e/1", "/ladder/hill/e/1/replay", "/ladder/hill/games.jsonl"} {
			got := h.Fetch(h.Cookie(cmp.Or(who, "anonymous")), "GET", path, nil)
			if got.Code != 200 {
				t.Fatalf("%s at %s: %d", who, path, got.Code)
			}
			for i, word := range []string{webtest.Secret, "of-ada"} {
				if strings.Contains(got.Body, word) != sees[i] {
					t.Errorf("%q at %s reads %q: %v, want %v", who, path, word, !sees[i], sees[i])
				}
			}
			if kind := strings.Contains(got.Body, "flood"); kind != sees[1] {
				t.Errorf("%q at %s reads of which kind the fault was: %v", who, path, kind)
			}
		}
	}
}

// brings adds a job to a workflow and records a worker's result for it.
func brings(h *webtest.Harness, id, key string, output any, lines ...string) {
	h.Helper()
	ctx, check := h.Context(), func(err error) {
		h.Helper()
		if err != nil {
			h.Fatal(err)
		}
	}
	work := job.Work{Kind: job.Games, Bundle: h.Problem.Bundle, Config: h.Problem.Config, Problem: "sum", Program: "sum"}
	_, err := h.Store.AddWorkflowJobs(ctx, id, store.WorkflowJob{Key: key, Work: work, Priority: job.BackgroundPriority, Class: "main",
		Cost: time.Second})
	check(err)
	told, err := json.Marshal(output)
	check(err)
	var all [][]byte
	for _, l := range lines {
		all = append(all, []byte(l))
	}
	packed, err := job.PackLines(all)
	check(err)
	for _, s := range webtest.Must[[]*job.Spec](h)(h.Store.NextJobs(ctx, job.BackgroundPriority, "main", 100)) {
		if s.ID == store.WorkflowJobID(id, key) {
			_, err = h.Store.RecordResult(ctx, &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "liar",
				State: job.Done, Output: told, Events: packed}, h.StoreBlob(packed))
			check(err)
		}
	}
}

// TestAWorkerThatLies checks that an encounter with impossible results does not count, and that the encounter's
// page says so. For a tournament, the page must also name the worker that returned them.
func TestAWorkerThatLies(t *testing.T) {
	h := webtest.New(t)
	l := h.Ladder("hill", store.VisibilityPublic, true)
	admin := h.Cookie("admin")
	good := `{"game":{"round":1,"leg":1,"first":1,"second":2,"winner":1,"reason":"over"}}`
	for i, lines := range [][]string{
		{good, strings.Replace(good, `"leg":1,"first":1,"second":2`, `"leg":2,"first":2,"second":1`, 1)},
		{good, "no record"},
		{strings.Replace(good, `"winner":1`, `"winner":7`, 1)},
		{strings.Replace(good, `"second":2`, `"second":3`, 1)},
		{good, good},
		{good},
		{good, strings.Replace(good, `"leg":1`, `"leg":2`, 1)}, // the same bot begins both games
	} {
		e := &store.Encounter{Ladder: l.ID, A: 1, B: 2}
		if err := h.Store.NewEncounter(t.Context(), e, "encounter", l.Owner,
			func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }); err != nil {
			t.Fatal(err)
		}
		brings(h, e.Workflow, "games", struct{}{}, lines...)
		if _, err := h.Store.FinishWorkflow(t.Context(), e.Workflow, store.WorkflowDone, ""); err != nil {
			t.Fatal(err)
		}
		h.Ladders.Step(t.Context())
		page := fmt.Sprintf("/ladder/hill/e/%d", e.Number)
		staff, others := h.Fetch(admin, "GET", page, nil), h.Fetch("", "GET", page, nil)
		replay := h.Fetch("", "GET", page+"/replay", nil).Code
		switch {
		case i == 0:
			if strings.Contains(others.Body, "Nothing was played") || strings.Count(others.Body, "won; ") != 2 || replay != 200 {
				t.Errorf("what is true: %d\n%s", replay, others.Body)
			}
		case !strings.Contains(staff.Body, "Nothing was played, and nothing counts: the worker returned invalid games: ") ||
			!strings.Contains(others.Body, "Nothing was played, and nothing counts: the authors of the bots and the "+
				"administrators can read why") || replay != 404:
			t.Errorf("%q: %d\n%s", lines, replay, others.Body)
		}
	}
	log := h.Fetch("", "GET", "/ladder/hill/games.jsonl", nil).Body
	if held, err := arena.ReadLog(strings.NewReader(log), ""); err != nil || len(held.Damaged) > 0 || strings.Count(log, `{"game":`) != 4 {
		t.Errorf("the log of the ladder: %v\n%s", err, log)
	}
	if got := h.Fetch(admin, "GET", "/ladder/hill/bot/1", nil); got.Code != 200 || strings.Contains(got.Body, "Paused") {
		t.Errorf("a bot is paused for what its worker did: %d", got.Code)
	}

	rules := arena.Rules{Name: "s1", Format: "round-robin", Rounds: 1, Games: 2, Score: arena.Score{Criterion: arena.ByGame}}
	opened := &arena.Opened{
		Version: arena.Version, Game: "sum", Rules: rules, Seed: 7,
		Bots: []arena.Bot{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}},
	}
	opening := string(webtest.Must[[]byte](t)(json.Marshal(arena.Record{Opened: opened})))
	spec := webtest.Must[[]byte](t)(json.Marshal(workflow.Spec{
		Kind: workflow.Arena, Work: job.Work{Problem: "sum"}, Options: []byte(`{"bots":[{},{}],"seed":7}`),
	}))
	id := "ANEVENTOFWORKERSTHATLIE"
	if _, err := h.Store.NewWorkflow(t.Context(), id, string(workflow.Arena), spec, h.Accounts["admin"].ID); err != nil {
		t.Fatal(err)
	}
	brings(h, id, workflow.OpeningKey, workflow.ArenaOpened{Opened: opened, NoMemory: true}, opening)
	brings(h, id, "games 1-2 first", workflow.ArenaPlayed{}, good)
	if got := h.Fetch(admin, "GET", "/tournaments/"+id, nil); got.Code != 200 || !strings.Contains(got.Body, "1 of 2 games") {
		t.Errorf("an event: %d\n%s", got.Code, got.Body)
	}
	brings(h, id, "games 1-2 1", workflow.ArenaPlayed{}, "no record")
	for _, page := range []string{"", "/log", "/report"} {
		if got := h.Fetch(admin, "GET", "/tournaments/"+id+page, nil); got.Code != 500 ||
			!strings.Contains(got.Body, "the worker liar returned invalid games: ") {
			t.Errorf("an event of which games cannot be read, %q: %d\n%s", page, got.Code, got.Body)
		}
	}
}

// TestBotsAreRefused checks that each invalid bot is refused with a message.
func TestBotsAreRefused(t *testing.T) {
	h := webtest.New(t)
	h.Ladder("hill", store.VisibilityPublic, true)
	h.Ladder("closed", store.VisibilityPublic, false)
	for _, one := range []struct {
		who, ladder, name, language, text string
		code                              int
		says                              string
	}{
		{"bob", "hill", "", "py", "x", 400, "a name is missing"},
		{"bob", "hill", "a\u202eb", "py", "x", 400, "an invisible character"},
		{"bob", "hill", strings.Repeat("n", 101), "py", "x", 400, "at most 100 bytes"},
		{"bob", "hill", "b", "", "x", 400, "choose the language"},
		{"bob", "hill", "b", "cobol", "x", 400, "is not offered here"},
		{"bob", "hill", "b", "py", " ", 400, "nothing to submit"},
		{"bob", "hill", "b", "py", strings.Repeat("x", 2000), 413, "the most is 1000 bytes"},
		{"bob", "hill", "b", "py", strings.Repeat("x", 1<<20), 413, "the submission is too large"},
		{"bob", "hill", "ada's bot" + webtest.HostileMarkup, "py", "x", 400, "a bot of someone else"},
		{"bob", "closed", "b", "py", "x", 403, "takes no more bots"},
		{"anonymous", "hill", "b", "py", "x", 401, "Nothing has been sent"},
		{"bob", "hill", "b", "py", "x", 303, ""},
		{"bob", "hill", "c", "py", "x", 303, ""},
		{"bob", "hill", "d", "py", "x", 400, "you have 2 bots here"},
		{"bob", "hill", "c", "py", "newer", 303, ""},
	} {
		got := h.Fetch(h.Cookie(one.who), "POST", "/ladder/"+one.ladder, url.Values{
			"name": {one.name}, "language": {one.language}, "text": {one.text},
		})
		if got.Code != one.code || !strings.Contains(got.Body, one.says) {
			t.Errorf("%s sends %.20q (%.20q) to %s: %d, want %d with %q", one.who, one.name, one.text, one.ladder, got.Code, one.code, one.says)
		}
	}
	bots, err := h.Store.Bots(t.Context(), webtest.Must[*store.Ladder](t)(h.Store.LadderBySlug(t.Context(), "hill")).ID)
	if err != nil || len(bots) != 5 || bots[4].Version != 2 || bots[4].State != store.BotChecking {
		t.Errorf("got %d bots, %v", len(bots), err)
	}
}

// TestLadderFeeds checks that the JSON feed and the Atom feed are valid and have the same entries.
func TestLadderFeeds(t *testing.T) {
	h := webtest.New(t)
	h.Ladder("hill", store.VisibilityPublic, true)
	var feed struct {
		Items []struct{ Title, URL string }
	}
	if err := json.Unmarshal([]byte(h.Fetch("", "GET", "/ladder/hill/feed.json", nil).Body), &feed); err != nil {
		t.Fatal(err)
	}
	var atom struct {
		Entries []struct {
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(h.Fetch("", "GET", "/ladder/hill/feed.atom", nil).Body), &atom); err != nil {
		t.Fatal(err)
	}
	if len(feed.Items) != 2 || len(atom.Entries) != 2 || feed.Items[0].Title != "admin's bot"+webtest.HostileMarkup+" fell from 1 to 2" ||
		atom.Entries[0].Title != feed.Items[0].Title || feed.Items[1].URL != "http://judge.example/ladder/hill/bot/1" {
		t.Errorf("got %+v\n%+v", feed, atom)
	}
	badge := h.Fetch("", "GET", "/ladder/hill/bot/1/badge.svg", nil)
	if err := xml.Unmarshal([]byte(badge.Body), new(struct{})); err != nil || strings.Contains(badge.Body, "<marked") {
		t.Errorf("%v: %s", err, badge.Body)
	}
	log := h.Fetch("", "GET", "/ladder/hill/games.jsonl", nil).Body
	held, err := arena.ReadLog(strings.NewReader(log), "")
	if err != nil || len(held.Damaged) > 0 {
		t.Fatal(err, held.Damaged)
	}
	if so, err := held.Replay(); err != nil || len(so.Games) != 2 || len(so.Bots) != 2 {
		t.Errorf("got %+v, %v", so, err)
	}
}

// TestALadderInABrowser checks in a browser that a user can read a ladder, submit a bot and see the table change.
// It uses a phone and a desktop screen, with and without scripts.
func TestALadderInABrowser(t *testing.T) {
	webtest.RunInBrowsers(t, onLadder)
}

func onLadder(t *testing.T, width int, scripts bool) {
	h := webtest.New(t)
	l := h.Ladder("hill", store.VisibilityPublic, true)
	b := browser.Open(t, h.URL+"/")
	b.SetWidth(width)
	b.AllowScripts(scripts)
	look := func(page string) {
		t.Helper()
		b.ExpectValue(page+": what is wider than the screen", webtest.OverflowScript, "")
		b.Screenshot(fmt.Sprintf("ladder-%d-%v-%s", width, scripts, page))
	}
	b.Navigate(h.URL + "/ladder/hill")
	b.ExpectContains("the ladder", webtest.StatusScript, "ada's bot", "Standings", "Head-to-head results", "to submit a bot")
	look("ladder")
	b.Navigate(h.URL + "/ladder/hill/e/1")
	b.ExpectContains("an encounter", webtest.StatusScript, "Game 1", "Game 2", "a fault")
	look("encounter")
	b.Follow(".head a.btn")
	b.ExpectContains("the viewer", `document.body.innerText`, "ada's bot")

	name := strings.TrimSpace(h.Accounts["bob"].Login)
	b.Navigate(h.URL + "/login?next=/ladder/hill")
	b.Fill("input[name=login]", name)
	b.Fill("input[name=password]", "correct-horse")
	b.Follow("form.stack button")
	b.ExpectValue("the ladder again", webtest.AddressScript, "/ladder/hill")
	b.Fill("input[name=name]", "knight")
	b.Follow("form[data-submit] button")
	b.ExpectContains("nothing was sent", webtest.AlertScript, "There is nothing to submit")
	b.Fill("input[name=name]", "knight")
	b.Fill("textarea[name=text]", "print(1)")
	b.Fill("select[name=language]", "py")
	b.Follow("form[data-submit] button")
	b.ExpectValue("the bot", webtest.AddressScript, "/ladder/hill/bot/3")
	b.ExpectContains("the bot", webtest.StatusScript, "knight", "is being tested")
	look("trial")

	// The bot passes its test and plays. With scripts, the table shows that by itself.
	b.Navigate(h.URL + "/ladder/hill")
	bot, err := h.Store.Bot(t.Context(), l.ID, 3)
	if err != nil {
		t.Fatal(err)
	}
	bot.State, bot.TestOutput = store.BotActive, []byte(`{"ok":true}`)
	if err := h.Store.EndBotCheck(t.Context(), bot); err != nil {
		t.Fatal(err)
	}
	e := &store.Encounter{Ladder: l.ID, A: 3, B: 1}
	if err := h.Store.NewEncounter(t.Context(), e, "encounter", l.Owner,
		func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		t.Fatal(err)
	}
	e.Results = "ww"
	if err := h.Store.EndEncounter(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if !scripts {
		b.Navigate(h.URL + "/ladder/hill")
	}
	b.ExpectContains("the table", `document.querySelector('[data-events] table').innerText`, "knight")
	b.Navigate(h.URL + "/ladder/hill/bot/3")
	b.ExpectContains("the bot plays", webtest.StatusScript, "Number 1", "2 won", "Rating over time", "Opponents")
	look("bot")

	// The page of an encounter changes once, when its games have ended.
	e = &store.Encounter{Ladder: l.ID, A: 1, B: 3}
	if err := h.Store.NewEncounter(t.Context(), e, "encounter", l.Owner,
		func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("%s/ladder/hill/e/%d", h.URL, e.Number)
	b.Navigate(at)
	b.ExpectContains("games that are played", webtest.StatusScript, "The games are being played")
	if scripts {
		b.ExpectValue("the page says that it is live", `document.querySelector('[data-live]').hidden`, "false")
	}
	e.Reason = "no worker has the language"
	if err := h.Store.EndEncounter(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if !scripts {
		b.Navigate(at)
	}
	b.ExpectContains("games that have ended", webtest.StatusScript, "Nothing was played", "no worker has the language")
	b.ExpectValue("the part that would change", `document.querySelector('[data-reload]').dataset.reload`, "")
	b.Navigate(h.URL + "/ladder/hill/bot/3")
	b.Follow("button[value=retire]")
	b.ExpectContains("it is taken off", webtest.StatusScript, "Retired")
}

// TestLadderTellsAuthors checks that a ladder page explains the protocol, the limits of the ladder's rules,
// faults, and example bots. It must not show the problem statement, which is for submissions. If an earlier
// version of this server published the problem, the page shows only the rules.
func TestLadderTellsAuthors(t *testing.T) {
	h := webtest.New(t)
	old := webtest.Must[*client.ProblemInfo](t)(h.Intake.ProblemInfo(h.Problem))
	rules := arena.Rules{
		Name: "s1", Format: "open-ladder", Rounds: 1, Games: 6, Move: 1500 * time.Millisecond, Start: 10 * time.Second,
		Wall: 3, Memory: 64 << 20, Options: map[string]string{"cap": "77"},
	}
	for _, row := range []struct {
		it   string
		game *client.GameInfo
		read bool // a worker has read the rules
		has  []string
		not  []string
	}{
		{"shows all", &client.GameInfo{
			Rules: []client.RuleSet{{Name: "s1", Title: "the first"}, {Name: "s2", Title: "the second"}}, Tester: true,
			Statement: "# Game\n\nSay *ready* " + webtest.HostileMarkup +
				"\n\n[link](javascript:alert(1))", AdaptedExtensions: []string{"py"},
			Meanings: map[string]string{"cap": "largest " + webtest.HostileMarkup},
			Examples: []client.ExampleBot{{File: "first.py", Language: "Python", Text: "print(1)" + webtest.HostileMarkup}},
		}, true, []string{
			"Say <em>ready</em>", "1.5 s", "64 MiB", "<code>s1</code> (the first)", "meet for 6 games", "<code>77</code>",
			"<code>cap</code>: largest", "<code>.py</code>",
			"5 faults in its last 20 games", "<td>the game; a fault toward a pause</td>",
			"all games of the encounter; 2 faults toward a pause", "nothing, for the result is known", "print(1)", "judge arena check sum first.py",
		}, []string{"Add <em>both</em>", "javascript:", "the second", "the event", "No statement for authors"}},
		{"shows the statement before the rules are read",
			&client.GameInfo{Rules: []client.RuleSet{{Name: "s1"}}, Statement: "Say *ready*"}, false,
			[]string{"Say <em>ready</em>", "A worker is reading the rules"}, []string{"Add <em>both</em>", "Rules and limits"}},
		{"shows files", &client.GameInfo{Rules: []client.RuleSet{{Name: "s1"}}, Statement: "x", DataBots: true,
			Examples: []client.ExampleBot{{File: "a.duel", Text: "* C"}}}, true,
			[]string{"It is not a program", "* C", "judge arena sum a.duel a.duel"}, []string{"64 MiB", "flood"}},
		{"shows the rules of an old bundle", &client.GameInfo{Rules: []client.RuleSet{{Name: "s1"}}}, true,
			[]string{"No statement for authors", "1.5 s", "64 MiB", "crashed"}, []string{"Add <em>both</em>"}},
		{"shows the rules of an older one", nil, true, []string{"No statement for authors", "1.5 s"}, []string{"Add <em>both</em>"}},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			slug := strings.ReplaceAll(row.it, " ", "-")
			sheet := *old
			sheet.Game = row.game
			at := h.StoreBlob(webtest.Must[[]byte](t)(json.Marshal(sheet)))
			bundled := h.StoreBlob([]byte(slug))
			webtest.Must[*store.Problem](t)(h.Store.PutBundle(t.Context(), store.NewBundle{
				Problem: "sum", Title: "Sum", Owner: h.Accounts["admin"].ID, ID: bundled, Manifest: bundled, Config: bundled, ProblemInfo: at,
				MadeBy: h.Accounts["admin"].ID,
			}))
			l := &store.Ladder{
				Slug: slug, Name: slug, Problem: "sum", ChosenRules: []byte(`{"games":6}`), Visibility: store.VisibilityPublic, PerAccount: 2,
				Owner: h.Accounts["admin"].ID,
			}
			if err := h.Store.NewLadder(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			if row.read {
				if err := h.Store.SetLadderRules(t.Context(), l.ID, webtest.Must[[]byte](t)(json.Marshal(rules)), ""); err != nil {
					t.Fatal(err)
				}
			}
			got := h.Fetch("", "GET", "/ladder/"+slug, nil)
			for _, text := range row.has {
				if got.Code != 200 || !strings.Contains(got.Body, text) {
					t.Errorf("%d, without %q:\n%s", got.Code, text, got.Body)
				}
			}
			for _, text := range row.not {
				if strings.Contains(got.Body, text) {
					t.Errorf("with %q:\n%s", text, got.Body)
				}
			}
		})
	}
}
