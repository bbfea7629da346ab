package web_test

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
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/internal/browser"
)

// hill opens a ladder on which a bot of ada's and one of the admin's have met: each has failed
// in a game.
func (h *harness) hill(slug string, v store.Visibility, open bool) *store.Ladder {
	h.Helper()
	check := func(err error) {
		h.Helper()
		if err != nil {
			h.Fatal(err)
		}
	}
	ctx := h.Context()
	l := &store.Ladder{
		Slug: slug, Name: slug + evil, Problem: "sum", Choice: []byte(`{"games":2}`), Seed: 7, Visibility: cmp.Or(v, store.Accounts), PerAccount: 2, Owner: h.accounts["admin"].ID,
	}
	check(h.store.NewLadder(ctx, l))
	rules, err := json.Marshal(arena.Rules{Name: "s1", Format: "open-ladder", Rounds: 1, Games: 2})
	check(err)
	check(h.store.SetLadderRules(ctx, l.ID, rules, ""))
	for _, login := range []string{"ada", "admin"} {
		text := []byte("the bot of " + login + evil)
		b := &store.Bot{Ladder: l.ID, Account: h.accounts[login].ID, Name: login + "'s bot" + evil, File: "bot.py", Files: []job.File{{Path: "bot.py", Size: int64(len(text)), Digest: h.put(text)}}}
		check(h.store.NewBot(ctx, b, "trial", func(*store.Bot) ([]byte, error) { return []byte("{}"), nil }))
		b.State, b.Told = store.BotActive, []byte(`{"ok":true,"positions":[{"name":"`+"a start"+`"}]}`)
		check(h.store.EndCheck(ctx, b))
	}
	e := &store.Encounter{Ladder: l.ID, A: 1, B: 2}
	check(h.store.NewEncounter(ctx, e, "encounter", l.Owner, func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }))
	var lines [][]byte
	for i, g := range []*arena.Game{
		{Round: 1, Leg: 1, First: 1, Second: 2, Winner: 1, Start: "5 7", Moves: []string{"3" + evil}, Seats: "1", Micros: []int64{10}, Reason: "crashed", Fault: &arena.GameFault{Seat: 2, Kind: arena.Crashed, Text: "it ended", Stderr: secret + evil}},
		{Round: 1, Leg: 2, First: 2, Second: 1, Winner: 1, Start: "5 7", Reason: "flood", Fault: &arena.GameFault{Seat: 2, Kind: arena.Flood, Text: "too much", Stderr: "of-ada" + evil}, Notes: []arena.Note{{Seat: 1, Kind: "comment", Text: secret}}},
	} {
		line, err := json.Marshal(arena.Record{Game: g})
		check(err)
		lines = append(lines, line)
		e.Faults[1-i] = string(g.Fault.Kind)
	}
	packed, err := job.PackLines(lines)
	check(err)
	e.Results, e.Records = "wl", h.put(packed)
	check(h.store.EndEncounter(ctx, e))
	check(h.store.Climbed(ctx, l.ID, []store.Climb{{Bot: 1, Place: 1}, {Bot: 2, Before: 1, Place: 2}}))
	got, err := h.store.Ladder(ctx, l.ID)
	check(err)
	if got.Open = open; !open {
		check(h.store.ChangeLadder(ctx, got))
	}
	return got
}

// TestFaultsAreTheAuthors: what a bot did wrong is told to its author and the staff, on the
// page, in the viewer and in the log.
func TestFaultsAreTheAuthors(t *testing.T) {
	h := newHarness(t)
	h.hill("hill", store.Public, true)
	for who, sees := range map[string][2]bool{"": {}, "bob": {}, "ada": {false, true}, "judge": {true, true}, "admin": {true, true}} {
		for _, path := range []string{"/ladder/hill/e/1", "/ladder/hill/e/1/replay", "/ladder/hill/games.jsonl"} {
			got := h.ask(h.cookie(cmp.Or(who, "anonymous")), "GET", path, nil)
			if got.code != 200 {
				t.Fatalf("%s at %s: %d", who, path, got.code)
			}
			for i, word := range []string{secret, "of-ada"} {
				if strings.Contains(got.body, word) != sees[i] {
					t.Errorf("%q at %s reads %q: %v, want %v", who, path, word, !sees[i], sees[i])
				}
			}
			if kind := strings.Contains(got.body, "flood"); kind != sees[1] {
				t.Errorf("%q at %s reads of which kind the fault was: %v", who, path, kind)
			}
		}
	}
}

// brings has a worker do the only job of a flow, which ends with it.
func (h *harness) brings(id, key string, output any, lines ...string) {
	h.Helper()
	ctx, check := h.Context(), func(err error) {
		h.Helper()
		if err != nil {
			h.Fatal(err)
		}
	}
	work := job.Work{Kind: job.Games, Bundle: h.problem.Bundle, Config: h.problem.Config, Problem: "sum", Program: "sum"}
	_, err := h.store.AddJobs(ctx, id, store.FlowJob{Key: key, Work: work, Lane: job.Background, Class: "main", Cost: time.Second})
	check(err)
	told, err := json.Marshal(output)
	check(err)
	var all [][]byte
	for _, l := range lines {
		all = append(all, []byte(l))
	}
	packed, err := job.PackLines(all)
	check(err)
	for _, s := range must[[]*job.Spec](h)(h.store.Next(ctx, job.Background, "main", 100)) {
		if s.ID == store.JobID(id, key) {
			_, err = h.store.Fold(ctx, &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "liar", State: job.Done, Output: told, Events: packed}, h.put(packed))
			check(err)
		}
	}
}

// TestAWorkerThatLies: what cannot be true of an encounter counts for nobody, and its page and
// those of the ladder say so; the pages of an event say who brought it.
func TestAWorkerThatLies(t *testing.T) {
	h := newHarness(t)
	l := h.hill("hill", store.Public, true)
	admin := h.cookie("admin")
	good := `{"game":{"round":1,"leg":1,"first":1,"second":2,"winner":1,"reason":"over"}}`
	for i, lines := range [][]string{
		{good, strings.Replace(good, `"leg":1`, `"leg":2`, 1)},
		{good, "no record"},
		{strings.Replace(good, `"winner":1`, `"winner":7`, 1)},
		{strings.Replace(good, `"second":2`, `"second":3`, 1)},
		{good, good},
	} {
		e := &store.Encounter{Ladder: l.ID, A: 1, B: 2}
		if err := h.store.NewEncounter(t.Context(), e, "encounter", l.Owner, func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }); err != nil {
			t.Fatal(err)
		}
		h.brings(e.Flow, "games", struct{}{}, lines...)
		if _, err := h.store.FinishFlow(t.Context(), e.Flow, store.FlowDone, ""); err != nil {
			t.Fatal(err)
		}
		h.ladders.Step(t.Context())
		page := fmt.Sprintf("/ladder/hill/e/%d", e.Number)
		staff, others := h.ask(admin, "GET", page, nil), h.ask("", "GET", page, nil)
		replay := h.ask("", "GET", page+"/replay", nil).code
		switch {
		case i == 0:
			if strings.Contains(others.body, "Nothing was played") || strings.Count(others.body, "won: ") != 2 || replay != 200 {
				t.Errorf("what is true: %d\n%s", replay, others.body)
			}
		case !strings.Contains(staff.body, "Nothing was played: what the worker brought cannot be: ") || !strings.Contains(others.body, "Nothing was played: the authors of the bots and the staff read why") || replay != 404:
			t.Errorf("%q: %d\n%s", lines, replay, others.body)
		}
	}
	log := h.ask("", "GET", "/ladder/hill/games.jsonl", nil).body
	if held, err := arena.ReadLog(strings.NewReader(log), ""); err != nil || len(held.Damaged) > 0 || strings.Count(log, `{"game":`) != 4 {
		t.Errorf("the log of the ladder: %v\n%s", err, log)
	}
	if got := h.ask(admin, "GET", "/ladder/hill/bot/1", nil); got.code != 200 || strings.Contains(got.body, "It is paused") {
		t.Errorf("a bot is paused for what its worker did: %d", got.code)
	}

	rules := arena.Rules{Name: "s1", Format: "round-robin", Rounds: 1, Games: 2, Score: arena.Score{By: arena.ByGame}}
	opened := &arena.Opened{Version: arena.Version, Game: "sum", Rules: rules, Seed: 7, Bots: []arena.Bot{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}}
	opening := string(must[[]byte](t)(json.Marshal(arena.Record{Opened: opened})))
	spec := must[[]byte](t)(json.Marshal(flow.Spec{Kind: flow.Arena, Work: job.Work{Problem: "sum"}, Options: []byte(`{"bots":[{},{}],"seed":7}`)}))
	id := "ANEVENTOFWORKERSTHATLIE"
	if _, err := h.store.NewFlow(t.Context(), id, string(flow.Arena), spec, h.accounts["admin"].ID); err != nil {
		t.Fatal(err)
	}
	h.brings(id, flow.OpeningKey, flow.ArenaOpened{Opened: opened, Pure: true}, opening)
	h.brings(id, "games 1-2 first", flow.ArenaPlayed{}, good)
	if got := h.ask(admin, "GET", "/arena/"+id, nil); got.code != 200 || !strings.Contains(got.body, "1 of 2 games") {
		t.Errorf("an event: %d\n%s", got.code, got.body)
	}
	h.brings(id, "games 1-2 1", flow.ArenaPlayed{}, "no record")
	for _, page := range []string{"", "/log", "/report"} {
		if got := h.ask(admin, "GET", "/arena/"+id+page, nil); got.code != 500 || !strings.Contains(got.body, "the worker liar brought games that cannot be: ") {
			t.Errorf("an event of which games cannot be read, %q: %d\n%s", page, got.code, got.body)
		}
	}
}

// TestBotsAreRefused: what cannot be a bot is told in a sentence.
func TestBotsAreRefused(t *testing.T) {
	h := newHarness(t)
	h.hill("hill", store.Public, true)
	h.hill("closed", store.Public, false)
	for _, one := range []struct {
		who, ladder, name, language, text string
		code                              int
		says                              string
	}{
		{"bob", "hill", "", "py", "x", 400, "a name is missing"},
		{"bob", "hill", "a\u202eb", "py", "x", 400, "a letter that nobody can see"},
		{"bob", "hill", strings.Repeat("n", 101), "py", "x", 400, "100 bytes at most"},
		{"bob", "hill", "b", "", "x", 400, "choose the language"},
		{"bob", "hill", "b", "cobol", "x", 400, "is not offered here"},
		{"bob", "hill", "b", "py", " ", 400, "nothing to submit"},
		{"bob", "hill", "b", "py", strings.Repeat("x", 2000), 413, "the most is 1000 bytes"},
		{"bob", "hill", "b", "py", strings.Repeat("x", 1<<20), 413, "the submission is too large"},
		{"bob", "hill", "ada's bot" + evil, "py", "x", 400, "somebody else"},
		{"bob", "closed", "b", "py", "x", 403, "takes no more bots"},
		{"anonymous", "hill", "b", "py", "x", 401, "Nothing has been sent"},
		{"bob", "hill", "b", "py", "x", 303, ""},
		{"bob", "hill", "c", "py", "x", 303, ""},
		{"bob", "hill", "d", "py", "x", 400, "you have 2 bots here"},
		{"bob", "hill", "c", "py", "newer", 303, ""},
	} {
		got := h.ask(h.cookie(one.who), "POST", "/ladder/"+one.ladder, url.Values{"name": {one.name}, "language": {one.language}, "text": {one.text}})
		if got.code != one.code || !strings.Contains(got.body, one.says) {
			t.Errorf("%s sends %.20q (%.20q) to %s: %d, want %d with %q", one.who, one.name, one.text, one.ladder, got.code, one.code, one.says)
		}
	}
	bots, err := h.store.Bots(t.Context(), must[*store.Ladder](t)(h.store.LadderBySlug(t.Context(), "hill")).ID)
	if err != nil || len(bots) != 5 || bots[4].Version != 2 || bots[4].State != store.BotChecking {
		t.Errorf("got %d bots, %v", len(bots), err)
	}
}

// TestLadderFeeds: both feeds tell the same, and are what they say they are.
func TestLadderFeeds(t *testing.T) {
	h := newHarness(t)
	h.hill("hill", store.Public, true)
	var feed struct {
		Items []struct{ Title, URL string }
	}
	if err := json.Unmarshal([]byte(h.ask("", "GET", "/ladder/hill/feed.json", nil).body), &feed); err != nil {
		t.Fatal(err)
	}
	var atom struct {
		Entries []struct {
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(h.ask("", "GET", "/ladder/hill/feed.atom", nil).body), &atom); err != nil {
		t.Fatal(err)
	}
	if len(feed.Items) != 2 || len(atom.Entries) != 2 || feed.Items[0].Title != "admin's bot"+evil+" fell from 1 to 2" || atom.Entries[0].Title != feed.Items[0].Title || feed.Items[1].URL != "http://judge.example/ladder/hill/bot/1" {
		t.Errorf("got %+v\n%+v", feed, atom)
	}
	badge := h.ask("", "GET", "/ladder/hill/bot/1/badge.svg", nil)
	if err := xml.Unmarshal([]byte(badge.body), new(struct{})); err != nil || strings.Contains(badge.body, "<marked") {
		t.Errorf("%v: %s", err, badge.body)
	}
	log := h.ask("", "GET", "/ladder/hill/games.jsonl", nil).body
	held, err := arena.ReadLog(strings.NewReader(log), "")
	if err != nil || len(held.Damaged) > 0 {
		t.Fatal(err, held.Damaged)
	}
	if so, err := held.Replay(); err != nil || len(so.Games) != 2 || len(so.Bots) != 2 {
		t.Errorf("got %+v, %v", so, err)
	}
}

// TestALadderInABrowser: somebody reads a ladder, sends a bot and sees the table change; on a
// phone and on a desk, with scripts and without.
func TestALadderInABrowser(t *testing.T) {
	everywhere(t, onLadder)
}

func onLadder(t *testing.T, width int, scripts bool) {
	h := newHarness(t)
	l := h.hill("hill", store.Public, true)
	b := browser.Open(t, h.URL+"/")
	b.Wide(width)
	b.Scripts(scripts)
	look := func(page string) {
		t.Helper()
		b.Is(page+": what is wider than the screen", wide, "")
		b.Screenshot(fmt.Sprintf("ladder-%d-%v-%s", width, scripts, page))
	}
	b.Go(h.URL + "/ladder/hill")
	b.Contains("the ladder", said, "ada's bot", "Standings", "Who does what against whom", "To put a bot on this ladder")
	look("ladder")
	b.Go(h.URL + "/ladder/hill/e/1")
	b.Contains("an encounter", said, "Game 1", "Game 2", "a fault")
	look("encounter")
	b.Follow("a.big")
	b.Contains("the viewer", `document.body.innerText`, "ada's bot")

	name := strings.TrimSpace(h.accounts["bob"].Login)
	b.Go(h.URL + "/login?next=/ladder/hill")
	b.Fill("input[name=login]", name)
	b.Fill("input[name=password]", "correct-horse")
	b.Follow("form.stack button")
	b.Is("the ladder again", address, "/ladder/hill")
	b.Fill("input[name=name]", "knight")
	b.Follow("form[data-submit] button")
	b.Contains("nothing was sent", alert, "there is nothing to submit")
	b.Fill("input[name=name]", "knight")
	b.Fill("textarea[name=text]", "print(1)")
	b.Fill("select[name=language]", "py")
	b.Follow("form[data-submit] button")
	b.Is("the bot", address, "/ladder/hill/bot/3")
	b.Contains("the bot", said, "knight", "It is being tried")
	look("trial")

	// It passes and plays, which the table tells: by itself where there are scripts.
	b.Go(h.URL + "/ladder/hill")
	bot, err := h.store.Bot(t.Context(), l.ID, 3)
	if err != nil {
		t.Fatal(err)
	}
	bot.State, bot.Told = store.BotActive, []byte(`{"ok":true}`)
	if err := h.store.EndCheck(t.Context(), bot); err != nil {
		t.Fatal(err)
	}
	e := &store.Encounter{Ladder: l.ID, A: 3, B: 1}
	if err := h.store.NewEncounter(t.Context(), e, "encounter", l.Owner, func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		t.Fatal(err)
	}
	e.Results = "ww"
	if err := h.store.EndEncounter(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if !scripts {
		b.Go(h.URL + "/ladder/hill")
	}
	b.Contains("the table", `document.querySelector('[data-events] table').innerText`, "knight")
	b.Go(h.URL + "/ladder/hill/bot/3")
	b.Contains("the bot plays", said, "Number 1", "2 won", "Form over time", "Against whom")
	look("bot")
	b.Follow("button[value=retire]")
	b.Contains("it is taken off", said, "It does not play any more")
}

// TestLadderTellsAuthors: a ladder shows what a bot speaks, the limits of its own rules, what is a
// fault, and bots to copy. It does not show the statement of the problem, which is for submissions.
// A problem that was published by an earlier version has its rules alone.
func TestLadderTellsAuthors(t *testing.T) {
	h := newHarness(t)
	old := must[*client.Sheet](t)(h.desk.Sheet(h.problem))
	rules := arena.Rules{Name: "s1", Format: "open-ladder", Rounds: 1, Games: 6, Move: 1500 * time.Millisecond, Start: 10 * time.Second, Wall: 3, Memory: 64 << 20, Options: map[string]string{"cap": "77"}}
	for _, row := range []struct {
		it   string
		game *client.SheetGame
		read bool // a worker has read the rules
		has  []string
		not  []string
	}{
		{"shows all", &client.SheetGame{
			Rules: []client.SheetRules{{Name: "s1", Title: "the first"}, {Name: "s2", Title: "the second"}}, Tester: true,
			Statement: "# Game\n\nSay *ready* " + evil + "\n\n[link](javascript:alert(1))", Adapted: []string{"py"}, Meanings: map[string]string{"cap": "largest " + evil},
			Examples: []client.SheetBot{{File: "first.py", Language: "Python", Text: "print(1)" + evil}},
		}, true, []string{
			"Say <em>ready</em>", "1.5 s", "64 MiB", "<code>s1</code> (the first)", "meet for 6 games", "<code>77</code>", "<code>cap</code>: largest", "<code>.py</code>",
			"5 faults in its last 20 games", "<td>the game; a fault toward a pause</td>", "all games of the encounter; 2 faults toward a pause", "nothing, for the result is known", "print(1)", "judge arena check sum first.py",
		}, []string{"Add <em>both</em>", "javascript:", "the second", "the event", "No statement for authors"}},
		{"shows the statement before the rules are read", &client.SheetGame{Rules: []client.SheetRules{{Name: "s1"}}, Statement: "Say *ready*"}, false,
			[]string{"Say <em>ready</em>", "A worker is reading the rules"}, []string{"Add <em>both</em>", "Rules and limits"}},
		{"shows files", &client.SheetGame{Rules: []client.SheetRules{{Name: "s1"}}, Statement: "x", Files: true, Examples: []client.SheetBot{{File: "a.duel", Text: "* C"}}}, true,
			[]string{"It is not a program", "* C", "judge arena sum a.duel a.duel"}, []string{"1.5 s", "flood"}},
		{"shows the rules of an old bundle", &client.SheetGame{Rules: []client.SheetRules{{Name: "s1"}}}, true,
			[]string{"No statement for authors", "1.5 s", "64 MiB", "crashed"}, []string{"Add <em>both</em>"}},
		{"shows the rules of an older one", nil, true, []string{"No statement for authors", "1.5 s"}, []string{"Add <em>both</em>"}},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			slug := strings.ReplaceAll(row.it, " ", "-")
			sheet := *old
			sheet.Game = row.game
			at := h.put(must[[]byte](t)(json.Marshal(sheet)))
			bundled := h.put([]byte(slug))
			must[*store.Problem](t)(h.store.PutBundle(t.Context(), store.NewBundle{
				Problem: "sum", Title: "Sum", Owner: h.accounts["admin"].ID, ID: bundled, Manifest: bundled, Config: bundled, Sheet: at, MadeBy: h.accounts["admin"].ID,
			}))
			l := &store.Ladder{Slug: slug, Name: slug, Problem: "sum", Choice: []byte(`{"games":6}`), Visibility: store.Public, PerAccount: 2, Owner: h.accounts["admin"].ID}
			if err := h.store.NewLadder(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			if row.read {
				if err := h.store.SetLadderRules(t.Context(), l.ID, must[[]byte](t)(json.Marshal(rules)), ""); err != nil {
					t.Fatal(err)
				}
			}
			got := h.ask("", "GET", "/ladder/"+slug, nil)
			for _, text := range row.has {
				if got.code != 200 || !strings.Contains(got.body, text) {
					t.Errorf("%d, without %q:\n%s", got.code, text, got.body)
				}
			}
			for _, text := range row.not {
				if strings.Contains(got.body, text) {
					t.Errorf("with %q:\n%s", text, got.body)
				}
			}
		})
	}
}
