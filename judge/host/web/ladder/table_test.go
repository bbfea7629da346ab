package ladder_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/contests/standings"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// enters adds a bot of an account to a ladder, in the given state.
func enters(h *webtest.Harness, l *store.Ladder, login, name string, state store.BotState) *store.Bot {
	h.Helper()
	b := &store.Bot{Ladder: l.ID, Account: h.Accounts[login].ID, Name: name, File: name + ".py"}
	if err := h.Store.NewBot(h.Context(), b, "trial", func(*store.Bot) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		h.Fatal(err)
	}
	after := state
	if state == store.BotPaused || state == store.BotRetired {
		state = store.BotActive
	}
	if b.State, b.TestOutput = state, []byte(`{}`); state != store.BotChecking {
		if err := h.Store.EndBotCheck(h.Context(), b); err != nil {
			h.Fatal(err)
		}
	}
	if after != state {
		if err := h.Store.SetBotState(h.Context(), l.ID, b.Number, state, after, ""); err != nil {
			h.Fatal(err)
		}
	}
	return b
}

// meet stores an encounter of two games. The argument results is from the first bot's point of view. If reason is
// not empty, the encounter does not count, although it has game records.
func meet(h *webtest.Harness, l *store.Ladder, a, b int64, results, reason string) {
	h.Helper()
	e := &store.Encounter{Ladder: l.ID, A: a, B: b}
	if err := h.Store.NewEncounter(h.Context(), e, "encounter", l.Owner,
		func(*store.Encounter) ([]byte, error) { return []byte("{}"), nil }); err != nil {
		h.Fatal(err)
	}
	var lines [][]byte
	for i, c := range results {
		g := &arena.Game{Round: int(e.Number), Leg: i + 1, First: int(a), Second: int(b), Reason: "over"}
		if i%2 > 0 {
			g.First, g.Second = g.Second, g.First
		}
		if winner := map[rune]int64{'w': a, 'l': b}[c]; winner == int64(g.First) {
			g.Winner = 1
		} else if winner != 0 {
			g.Winner = 2
		}
		lines = append(lines, webtest.Must[[]byte](h)(json.Marshal(arena.Record{Game: g})))
	}
	e.Results, e.Reason, e.Records = results, reason, h.StoreBlob(webtest.Must[[]byte](h)(job.PackLines(lines)))
	if err := h.Store.EndEncounter(h.Context(), e); err != nil {
		h.Fatal(err)
	}
}

// row is a bot's row in a table.
type row struct {
	bot, wins, draws, losses int
	elo, low, high           float64
}

// TestTheLogMakesTheTable compares three tables: the one on a ladder's page, the one that `judge arena standings`
// computes from the ladder's log, and a count of the encounters. They must be equal. Bots that do not play, and
// encounters that do not count, must be left out.
func TestTheLogMakesTheTable(t *testing.T) {
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 1))
		h := webtest.New(t)
		l := h.Ladder("hill", store.VisibilityPublic, true) // bots 1 and 2 have already met: "wl"
		states := []store.BotState{store.BotActive, store.BotActive}
		for i, state := range []store.BotState{store.BotActive, store.BotRejected, store.BotActive, store.BotPaused,
			store.BotRetired, store.BotChecking, store.BotActive} {
			enters(h, l, []string{"ada", "bob"}[i%2], fmt.Sprint("bot", i), state)
			states = append(states, state)
		}
		type met struct{ wins, draws, losses int }
		cross, duels, games := map[[2]int]*met{}, map[[2]int]rating.Tally{}, 0
		playing := func(n int) bool { return states[n-1] == store.BotActive }
		count := func(a, b int, results string) {
			if !playing(a) || !playing(b) {
				return
			}
			halves := 0
			for i, c := range results {
				for k, pair := range [][2]int{{a, b}, {b, a}} {
					if cross[pair] == nil {
						cross[pair] = &met{}
					}
					switch {
					case c == 'd':
						cross[pair].draws++
					case c == 'w' == (k == 0):
						cross[pair].wins++
					default:
						cross[pair].losses++
					}
				}
				games++
				if halves += map[rune]int{'w': 2, 'd': 1}[c]; i%2 > 0 {
					tally := duels[[2]int{min(a, b), max(a, b)}]
					if a > b {
						halves = 4 - halves
					}
					tally.Pairs[halves]++
					duels[[2]int{min(a, b), max(a, b)}] = tally
				}
			}
		}
		count(1, 2, "wl")
		all := []int{1, 2, 3, 5, 6, 7, 9}
		for range 30 {
			a := all[random.IntN(len(all))]
			b := all[random.IntN(len(all))]
			if a == b {
				continue
			}
			results := string([]byte{"wdl"[random.IntN(3)], "wdl"[random.IntN(3)]})
			if random.IntN(5) == 0 {
				meet(h, l, int64(a), int64(b), results, "bot did not get ready")
				continue
			}
			meet(h, l, int64(a), int64(b), results, "")
			count(a, b, results)
		}

		// By hand.
		var bots []int
		for n := range states {
			if playing(n + 1) {
				bots = append(bots, n+1)
			}
		}
		var met2 []rating.Duel
		for i, a := range bots {
			for k, b := range bots[i+1:] {
				if tally := duels[[2]int{a, b}]; tally != (rating.Tally{}) {
					met2 = append(met2, rating.Duel{A: i, B: i + 1 + k, Tally: tally})
				}
			}
		}
		var want []row
		for i, p := range rating.Rate(len(bots), met2).Players {
			one := row{bot: bots[i], elo: p.Elo, low: p.Low, high: p.High}
			for pair, m := range cross {
				if pair[0] == bots[i] {
					one.wins, one.draws, one.losses = one.wins+m.wins, one.draws+m.draws, one.losses+m.losses
				}
			}
			want = append(want, one)
		}
		slices.SortFunc(want, func(a, b row) int {
			ranked := func(r row) rating.RankedPlayer {
				return rating.RankedPlayer{Elo: r.elo, Games: r.wins + r.draws + r.losses, ID: int64(r.bot)}
			}
			return ranked(a).Compare(ranked(b))
		})
		same := func(what string, got []row) {
			t.Helper()
			equal := slices.EqualFunc(got, want, func(a, b row) bool {
				near := func(x, y float64) bool { return math.Abs(x-y) < 1e-3 }
				return a.bot == b.bot && a.wins == b.wins && a.draws == b.draws && a.losses == b.losses && near(a.elo, b.elo) &&
					near(a.low, b.low) && near(a.high, b.high)
			})
			if !equal {
				t.Errorf("seed %d, %s:\n%+v\nwant\n%+v", seed, what, got, want)
			}
		}

		now := webtest.Must[*store.Ladder](t)(h.Store.LadderBySlug(t.Context(), "hill"))
		v, err := h.Ladders.View(t.Context(), now)
		if err != nil {
			t.Fatal(err)
		}
		var lines []row
		for i, line := range v.Lines {
			lines = append(lines, row{int(line.Number), line.Record.Wins, line.Record.Draws, line.Record.Losses, line.Elo, line.Low, line.High})
			for k := range v.Lines {
				got, m := v.Cross()[i][k], cross[[2]int{int(line.Number), int(v.Lines[k].Number)}]
				if m == nil {
					m = &met{}
				}
				if got.Wins != m.wins || got.Draws != m.draws || got.Losses != m.losses {
					t.Errorf("seed %d: the head-to-head results of %d and %d are %+v, want %+v", seed, line.Number, v.Lines[k].Number, got, m)
				}
			}
		}
		same("the table of the page", lines)
		page := h.Fetch("", "GET", "/ladder/hill", nil).Body
		if text := fmt.Sprintf("%d bots, %d games", len(bots), games); !strings.Contains(page, text) {
			t.Errorf("seed %d: the page is without %q", seed, text)
		}

		held, err := arena.ReadLog(strings.NewReader(h.Fetch("", "GET", "/ladder/hill/games.jsonl", nil).Body), "")
		if err != nil {
			t.Fatal(err)
		}
		so, err := held.Replay()
		if err != nil {
			t.Fatal(err)
		}
		lines = nil
		for _, b := range standings.Compute(so, nil, nil).Bots {
			lines = append(lines, row{b.Bot, b.Wins, b.Draws, b.Losses, b.Elo, b.Low, b.High})
		}
		same("the table of the log", lines)

		log := h.Fetch("", "GET", "/ladder/hill/games.jsonl?all=yes", nil).Body
		held, err = arena.ReadLog(strings.NewReader(log), "")
		if so, rerr := held.Replay(); err != nil || rerr != nil || len(so.Bots) != 7 || len(so.Games) < games {
			t.Errorf("seed %d: the log of all games has %d bots and %d games (%v, %v)", seed, len(so.Bots), len(so.Games), err, rerr)
		}
	}
}

// TestADoubleClickIsOneBot checks that a form that is sent twice adds one bot, even if the account has reached its
// maximum number of bots. A form with the same key but a different bot must be refused.
func TestADoubleClickIsOneBot(t *testing.T) {
	h := webtest.New(t)
	l := h.Ladder("hill", store.VisibilityPublic, true) // at most 2 bots per account
	bob := h.Cookie("bob")
	form := func(key, name, text string) url.Values {
		return url.Values{"key": {key}, "name": {name}, "language": {"py"}, "text": {text}}
	}
	for i, one := range []struct {
		form url.Values
		code int
		bots int // of bob, after the request
		says string
	}{
		{form("first", "knight", "print(1)"), 303, 1, ""},
		{form("first", "knight", "print(1)"), 303, 1, ""},
		{form("second", "rook", "print(1)"), 303, 2, ""},
		{form("second", "rook", "print(1)"), 303, 2, ""},
		{form("second", "rook", "print(2)"), 409, 2, "submitted another bot already"},
		{form("second", "pawn", "print(1)"), 409, 2, "submitted another bot already"},
		{form("third", "pawn", "print(1)"), 400, 2, "which is the limit"},
		{form("third", "rook", "print(1)"), 303, 3, ""}, // the same program again, on purpose
		{form("", "rook", "print(1)"), 303, 4, ""},
		{form("", "rook", "print(1)"), 303, 5, ""},
	} {
		got := h.Fetch(bob, "POST", "/ladder/hill", one.form)
		bots := webtest.Must[[]*store.Bot](t)(h.Store.Bots(t.Context(), l.ID))
		if got.Code != one.code || len(bots)-2 != one.bots || !strings.Contains(got.Body, one.says) {
			t.Errorf("form %d: %d and %d bots, want %d and %d, with %q", i, got.Code, len(bots)-2, one.code, one.bots, one.says)
		}
	}
	if got := h.Fetch(h.Cookie("ada"), "POST", "/ladder/hill", form("first", "bishop", "print(1)")); got.Code != 303 ||
		!strings.HasSuffix(got.Get("Location"), "/bot/8") {
		t.Errorf("the key of another account: %d %s", got.Code, got.Get("Location"))
	}
	key := func() string {
		_, rest, _ := strings.Cut(h.Fetch(bob, "GET", "/ladder/hill", nil).Body, `name="key" value="`)
		key, _, _ := strings.Cut(rest, `"`)
		return key
	}
	if a, b := key(), key(); a == "" || a == b {
		t.Errorf("the keys of two forms are %q and %q", a, b)
	}
}
