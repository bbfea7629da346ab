package ladder_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/host/client"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
	"assay/judge/host/workflow"
)

// games publishes a game with two rule sets.
func games(h *webtest.Harness) {
	h.Helper()
	sheet := *webtest.Must[*client.ProblemInfo](h)(h.Intake.ProblemInfo(h.Problem))
	sheet.Game = &client.GameInfo{
		Rules:    []client.RuleSet{{Name: "s1"}, {Name: "s2", Title: "the second" + webtest.HostileMarkup}},
		Meanings: map[string]string{"cap": "largest" + webtest.HostileMarkup},
	}
	at, bundled := h.StoreBlob(webtest.Must[[]byte](h)(json.Marshal(sheet))), h.StoreBlob([]byte("a game"))
	webtest.Must[*store.Problem](h)(h.Store.PutBundle(h.Context(), store.NewBundle{
		Problem: "kalah", Title: "Kalah", Owner: h.Accounts["admin"].ID, ID: bundled, Manifest: bundled, Config: bundled, ProblemInfo: at,
		MadeBy: h.Accounts["admin"].ID,
	}))
}

// TestLadderForm checks that only games can be selected, that errors are shown beside their fields, and that a
// ladder gets the entered settings.
func TestLadderForm(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	if got := h.Fetch(admin, "GET", "/admin/ladders/new", nil); !strings.Contains(got.Body, "No problem on this server has one") {
		t.Errorf("the form without games:\n%s", got.Body)
	}
	games(h)
	for _, page := range []string{"/admin/ladders/new", "/tournaments"} {
		if got := h.Fetch(admin, "GET", page, nil); got.Code != 200 || !strings.Contains(got.Body, `value="kalah"`) ||
			strings.Contains(got.Body, `value="sum"`) || strings.Contains(got.Body, "<marked") {
			t.Errorf("%s offers other problems than games: %d\n%s", page, got.Code, got.Body)
		}
	}
	form := func(pairs ...string) url.Values {
		f := url.Values{"problem": {"kalah"}, "name": {"Kalah s1"}, "visibility": {"accounts"}}
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return f
	}
	for _, tt := range []struct{ field, value, says string }{
		{"problem", "sum", "Choose a game from the list."},
		{"problem", "", "Choose a game from the list."},
		{"name", " ", "A name is missing."},
		{"slug", "A b", "for example a-b."},
		{"visibility", "teams", "Select one of the choices."},
		{"per_account", "0", "Enter a number of bots from 1 to 100."},
		{"per_account", "101", "Enter a number of bots from 1 to 100."},
		{"per_minute", "-1", "Enter a number of games from 0 to 100000."},
		{"rules", "s3", "Kalah has no rule set &#34;s3&#34;: choose one of s1, s2."},
		{"games", "3", "Enter an even number of games"},
		{"games", "0", "Enter a number of games from 2 to 200."},
		{"games", "202", "Enter a number of games from 2 to 200."},
		{"move", "fast", "Enter a time in ms"},
		{"move", "0", "Enter a time in ms"},
		{"move", "2h", "Enter a time in ms"},
		{"options", "cap", "enter one NAME=VALUE in each line."},
		{"options", "=7", "enter one NAME=VALUE in each line."},
	} {
		got := h.Fetch(admin, "POST", "/admin/ladders/new", form(tt.field, tt.value))
		if got.Code != 400 || !strings.Contains(got.Body, `id="`+tt.field+`-error"`) || !strings.Contains(got.Body, tt.says) ||
			!strings.Contains(got.Body, "1 field needs a change") || !strings.Contains(got.Body, `<a href="#`+tt.field+`">`) {
			t.Errorf("%s=%q: %d, want 400 with %q:\n%s", tt.field, tt.value, got.Code, tt.says, got.Body)
		}
		if typed := `"` + tt.value + `"`; len(tt.value) > 1 && tt.field != "problem" && tt.field != "visibility" &&
			tt.field != "rules" && tt.field != "options" && !strings.Contains(got.Body, typed) {
			t.Errorf("%s=%q: what was typed is gone", tt.field, tt.value)
		}
		if id := strings.Index(got.Body, `id="`+tt.field+`"`); id < 0 {
			t.Errorf("%s: the link of its error leads nowhere", tt.field)
		}
	}
	if all := webtest.Must[[]*store.Ladder](t)(h.Store.Ladders(t.Context())); len(all) != 0 {
		t.Fatalf("forms that were refused made %d ladders", len(all))
	}
	got := h.Fetch(admin, "POST", "/admin/ladders/new",
		form("rules", "s2", "games", "4", "move", "750", "options", "cap=7\nlow=1", "per_account", "5", "per_minute", "60"))
	if got.Code != 303 || got.Get("Location") != "/ladder/kalah-s1" {
		t.Fatalf("made: %d %s\n%s", got.Code, got.Get("Location"), got.Body)
	}
	l := webtest.Must[*store.Ladder](t)(h.Store.LadderBySlug(t.Context(), "kalah-s1"))
	var c arena.RulesChoice
	if err := json.Unmarshal(l.ChosenRules, &c); err != nil || c.Rules != "s2" || *c.Games != 4 || *c.Rounds != 1 ||
		*c.Move != 750*time.Millisecond || !slices.Equal(c.Options, []string{"cap=7", "low=1"}) {
		t.Errorf("its rules are %s, %v", l.ChosenRules, err)
	}
	if l.PerAccount != 5 || l.PerMinute != 60 || l.Visibility != store.VisibilityAccounts || !l.Open {
		t.Errorf("it is %+v", l)
	}
	if got := h.Fetch(admin, "POST", "/admin/ladders/new", form()); got.Code != 400 ||
		!strings.Contains(got.Body, "Another ladder has this web address.") {
		t.Errorf("a second one: %d\n%s", got.Code, got.Body)
	}

	// Its settings.
	edit := "/ladder/kalah-s1/edit"
	if got := h.Fetch(h.Cookie("bob"), "GET", edit, nil); got.Code != 403 {
		t.Errorf("a contestant opens the settings: %d", got.Code)
	}
	if got := h.Fetch(admin, "GET", edit, nil); got.Code != 200 || !strings.Contains(got.Body, `name="per_account" value="5"`) ||
		!strings.Contains(got.Body, `name="per_minute" value="60"`) || !strings.Contains(got.Body, `name="open" value="yes" checked`) {
		t.Errorf("its settings: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", edit, form("per_account", "x", "open", "yes")); got.Code != 400 ||
		!strings.Contains(got.Body, `id="per_account-error"`) || !strings.Contains(got.Body, `"x"`) {
		t.Errorf("a bad change: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", edit, form("name", "Closed one", "visibility", "public", "open", "")); got.Code != 303 {
		t.Errorf("a change: %d\n%s", got.Code, got.Body)
	}
	if l := webtest.Must[*store.Ladder](t)(h.Store.LadderBySlug(t.Context(), "kalah-s1")); l.Open || l.Name != "Closed one" ||
		l.Visibility != store.VisibilityPublic || l.PerAccount != 3 || l.PerMinute != 0 {
		t.Errorf("it is %+v", l)
	}
	if got := h.Fetch("", "GET", "/ladder/kalah-s1", nil); strings.Contains(got.Body, edit) ||
		!strings.Contains(got.Body, "takes no more bots") {
		t.Errorf("a closed ladder:\n%s", got.Body)
	}
}

// TestArenaForm checks that each schedule and each scoring method can be selected, and that errors are shown
// beside their fields.
func TestArenaForm(t *testing.T) {
	h := webtest.New(t)
	games(h)
	admin := h.Cookie("admin")
	page := h.Fetch(admin, "GET", "/tournaments", nil).Body
	for _, name := range append(arena.FormatNames(), arena.ByGame, arena.ByEncounter, arena.BySurplus, arena.ByPayoff) {
		if !strings.Contains(page, `<option value="`+name+`"`) {
			t.Errorf("the form does not offer %s", name)
		}
	}
	bots := map[string]string{"a.py": "1", "b.py": "2"}
	for _, tt := range []struct {
		field, value, says string
		files              map[string]string
	}{
		{"problem", "sum", "Choose a game from the list.", bots},
		{"file", "", "Choose at least 2 files", nil},
		{"file", "", "Choose at least 2 files", map[string]string{"a.py": "1"}},
		{"file", "", "The file &#34;b.py&#34; is empty.", map[string]string{"a.py": "1", "b.py": ""}},
		{"rules", "s3", "has no rule set", bots},
		{"format", "cup", "Select one of the choices.", bots},
		{"points", "luck", "Select one of the choices.", bots},
		{"rounds", "0", "Enter a number of rounds", bots},
		{"games", "x", "Enter a number of games", bots},
		{"move", "x", "Enter a time in ms", bots},
		{"clock", "-3", "Enter a time in ms", bots},
		{"seed", "-1", "Enter a whole number from 0", bots},
		{"options", "x", "enter one NAME=VALUE", bots},
	} {
		fields := map[string]string{"problem": "kalah", "name": "x"}
		fields[tt.field] = tt.value
		got := h.Upload(admin, "/tournaments", fields, tt.files)
		if got.Code != 400 || !strings.Contains(got.Body, `id="`+tt.field+`-error"`) || !strings.Contains(got.Body, tt.says) ||
			!strings.Contains(got.Body, "1 field needs a change") {
			t.Errorf("%s=%q: %d, want 400 with %q:\n%s", tt.field, tt.value, got.Code, tt.says, got.Body)
		}
	}
	got := h.Upload(admin, "/tournaments", map[string]string{"problem": "kalah", "rules": "s2", "format": "swiss", "rounds": "3",
		"clock": "2000", "seed": "9"}, bots)
	id, is := strings.CutPrefix(got.Get("Location"), "/tournaments/")
	if got.Code != 303 || !is {
		t.Fatalf("started: %d\n%s", got.Code, got.Body)
	}
	var spec workflow.Spec
	var asked workflow.ArenaOptions
	f := webtest.Must[*store.Workflow](t)(h.Store.Workflow(t.Context(), id))
	if err := json.Unmarshal(f.Spec, &spec); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(spec.Options, &asked); err != nil || asked.Rules != "s2" || asked.Format != "swiss" ||
		*asked.Rounds != 3 || asked.Games != nil || *asked.Clock != 2*time.Second || asked.Seed != 9 || len(asked.Bots) != 2 {
		t.Errorf("asked for is %s, %v", spec.Options, err)
	}
	if got := h.Fetch(admin, "GET", "/tournaments/"+id, nil); got.Code != 200 || !strings.Contains(got.Body, "data-reload") ||
		!strings.Contains(got.Body, "<noscript><meta") {
		t.Errorf("its page does not change by itself: %d\n%s", got.Code, got.Body)
	}
}

// TestPagesOfBotsChange checks that the page of a bot or an encounter updates itself if the browser runs scripts.
// Without scripts, the page must say how to reload it.
func TestPagesOfBotsChange(t *testing.T) {
	h := webtest.New(t)
	l := h.Ladder("hill", store.VisibilityPublic, true)
	tested := enters(h, l, "bob", "new", store.BotChecking)
	e := &store.Encounter{Ladder: l.ID, A: 1, B: 2}
	if err := h.Store.NewEncounter(t.Context(), e, "encounter", l.Owner,
		func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		t.Fatal(err)
	}
	const refresh = `<noscript><meta http-equiv="refresh" content="5"></noscript>`
	for _, tt := range []struct {
		path, says     string
		live, refreshs bool
	}{
		{"/ladder/hill/bot/3", "reloads every 5 s until the test has ended", true, true},
		{"/ladder/hill/bot/1", `<a href="/ladder/hill/bot/1">Reload page</a>`, true, false},
		{"/ladder/hill/e/2", "reloads every 5 s until the games have ended", true, true},
		{"/ladder/hill/e/1", "Game 1", false, false},
		{"/ladder/hill", `<a href="/ladder/hill">Reload page</a>`, false, false},
	} {
		got := h.Fetch("", "GET", tt.path, nil)
		if got.Code != 200 || !strings.Contains(got.Body, tt.says) ||
			regexp.MustCompile(`data-reload="\d`).MatchString(got.Body) != tt.live || strings.Contains(got.Body, refresh) != tt.refreshs {
			t.Errorf("%s (bot %d): %d\n%s", tt.path, tested.Number, got.Code, got.Body)
		}
	}
}
