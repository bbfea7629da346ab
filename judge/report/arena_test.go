package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/contests/standings"
	"assay/judge/internal/golden"
	"assay/judge/kit/referee"
	"assay/judge/report"
)

// event are results with the games as they were played.
type event struct {
	*arena.Results
	played map[arena.Key]*arena.Game
}

// change changes all games.
func (e *event) change(f func(g *arena.Game)) {
	for i := range e.Games {
		g := e.played[e.Games[i].Key()]
		f(g)
		e.Games[i] = g.Result()
	}
}

// smallEvent is an event of a game in which players take turns to cross out numbers;
// its results are drawn by strength.
func smallEvent(names ...string) *event {
	so := &arena.Results{
		Game: "cross-out", Seed: 42,
		Rules: arena.Rules{Name: "usual", Format: "round-robin", Rounds: 8, Games: 2, Score: arena.Score{By: arena.ByGame, Win: 3, Draw: 1}},
	}
	for i, name := range names {
		so.Bots = append(so.Bots, arena.Bot{ID: i + 1, Name: name, Language: "python3"})
	}
	e := &event{so, map[arena.Key]*arena.Game{}}
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range so.Rules.Rounds {
		for a := range len(names) {
			for b := a + 1; b < len(names); b++ {
				for _, k := range (arena.Encounter{Round: round + 1, A: a + 1, B: b + 1, Games: 2}).Keys() {
					g := oneGame(k, rng)
					e.played[k] = &g
					so.Games = append(so.Games, g.Result())
				}
			}
		}
	}
	slices.SortFunc(so.Games, func(a, b arena.Result) int { return a.Key().Compare(b.Key()) })
	return e
}

func oneGame(k arena.Key, rng *rand.Rand) arena.Game {
	g := arena.Game{Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second, Start: "12 numbers", Reason: "nothing-left", Winner: 2, Used: [2]float64{3, 4.5}}
	if rng.Float64() < rating.Expected(150*float64(k.Second-k.First)) {
		g.Winner = 1
	}
	for i, n := range rng.Perm(12)[:6+2*rng.IntN(2)+2-g.Winner] {
		g.Moves, g.Seats, g.Micros = append(g.Moves, fmt.Sprint(n+1)), g.Seats+fmt.Sprint(1+i%2), append(g.Micros, 150+int64(n)*900)
	}
	switch rng.IntN(12) {
	case 0:
		g.Winner, g.Reason = 0, "max-moves"
	case 1:
		g.Reason = "illegal"
		g.Fault = &arena.GameFault{Seat: 3 - g.Winner, Kind: arena.Illegal, Text: "99 was never there", Bytes: `"99"`, Stderr: "</script><b>& it failed\n"}
	}
	return g
}

// positionsOf makes up what a referee says of a game.
func positionsOf(g *arena.Game) (all []referee.Position) {
	left := strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12")
	for i := range len(g.Moves) + 1 {
		if i > 0 {
			left = slices.DeleteFunc(slices.Clone(left), func(n string) bool { return n == g.Moves[i-1] })
		}
		p := referee.Position{Count: int64(len(left)), Options: left, Exact: "lost", Text: fmt.Sprintf("%d are crossed out", i)}
		if g.Round%2 == 1 && i%3 != 2 && len(left) > 2 {
			p.Exact, p.Best = "won", left[:2]
		}
		all = append(all, p)
	}
	return all
}

// events are what the reports of the arena are drawn of.
func events() map[string]*event {
	large := smallEvent("exact", "ender", "learner", "a bot with a very long name that says all that it does", "random", "smallest")
	won := smallEvent("winner", "<b>loser</b>")
	won.change(func(g *arena.Game) {
		g.Winner, g.Reason, g.Fault = 1, "nothing-left", nil
		if g.First == 2 {
			g.Winner = 2
		}
	})
	won.Rules.Score = arena.Score{By: arena.BySurplus}
	out := smallEvent("a", "b")
	out.Bots = append(out.Bots, arena.Bot{ID: 3, Name: "crasher"})
	out.Out = []arena.Disqualified{{Bot: 3, Fault: arena.GameFault{Kind: arena.Crashed, Text: "exit code 3", Bytes: `"7\n"`}}}
	out.Rules.Score = arena.Score{By: arena.ByEncounter, Win: 2, Draw: 1}
	even := smallEvent("x", "y")
	even.change(func(g *arena.Game) { g.Winner = 0 })
	return map[string]*event{
		"large": large, "won": won, "out": out, "even": even,
		"nobody": {Results: &arena.Results{Game: "cross-out", Rules: arena.Rules{Name: "usual", Format: "swiss"}}},
		"alone":  {Results: &arena.Results{Game: "cross-out", Bots: []arena.Bot{{ID: 1, Name: "alone"}}, Rules: arena.Rules{Name: "usual", Format: "ladder", Rounds: 1, Games: 1}}},
	}
}

func drawnOf(so *event) (*standings.Standings, []report.Shown) {
	seen := arena.Seen{}
	var looked []*arena.Game
	var shown []report.Shown
	for _, r := range standings.Pick(so.Games, 40) {
		g := so.played[r.Key()]
		looked = append(looked, g)
		seen[g.Key()] = positionsOf(g)
		shown = append(shown, report.Shown{Game: g, First: so.Bot(g.First).Name, Second: so.Bot(g.Second).Name, Positions: seen[g.Key()]})
	}
	s := standings.Make(so.Results, looked, seen)
	s.Title, s.Over = "Crossing out numbers", len(so.Out) == 0
	return s, shown
}

func TestArenaTerminal(t *testing.T) {
	for name, so := range events() {
		s, _ := drawnOf(so)
		for _, width := range []int{80, 120, 44} {
			var out bytes.Buffer
			if err := report.ArenaTerminal(&out, s, report.TerminalOptions{Width: width}); err != nil {
				t.Fatal(err)
			}
			if width != 44 {
				golden.Check(t, filepath.Join("testdata", "arena", fmt.Sprintf("%s-%d.txt", name, width)), out.Bytes())
			}
			if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
				t.Errorf("%s: it draws\n%s", name, &out)
			}
			var coloured bytes.Buffer
			if err := report.ArenaTerminal(&coloured, s, report.TerminalOptions{Width: width, Colour: true}); err != nil {
				t.Fatal(err)
			}
			if plain := stripColour(coloured.String()); plain != out.String() {
				t.Errorf("%s: with colours it says something else:\n%s", name, plain)
			}
		}
	}
}

// stripColour takes the escape sequences of colours away.
func stripColour(s string) string {
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		if !found {
			return s
		}
		_, after, _ := strings.Cut(rest, "m")
		s = before + after
	}
}

func TestArenaTerminalKeepsItsWidth(t *testing.T) {
	s, _ := drawnOf(smallEvent("exact", "a bot with a very long name that says all that it does", "ender"))
	var out bytes.Buffer
	if err := report.ArenaTerminal(&out, s, report.TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

func TestArenaJSON(t *testing.T) {
	s, _ := drawnOf(events()["large"])
	var out bytes.Buffer
	if err := report.ArenaJSON(&out, s); err != nil {
		t.Fatal(err)
	}
	var back standings.Standings
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Bots) != 6 || back.Bots[0].Name != s.Bots[0].Name || back.Bots[0].Points != s.Bots[0].Points || len(back.Cross) != 6 {
		t.Errorf("it comes back as %+v", back.Bots)
	}
}

func TestArenaPage(t *testing.T) {
	for name, so := range events() {
		s, shown := drawnOf(so)
		var out bytes.Buffer
		if err := report.ArenaPage(&out, s, shown); err != nil {
			t.Fatal(err)
		}
		page := out.String()
		for _, bad := range []string{"NaN", "+Inf", "ZgotmplZ", "<b>loser", "</script><b>", "http:", "https:", "src=", "@import"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s: the page has %q", name, bad)
			}
		}
		for _, b := range s.Bots {
			if b.Name == "exact" && !strings.Contains(page, ">exact") {
				t.Errorf("%s: the page does not name %s", name, b.Name)
			}
		}
		if (len(shown) > 0) != strings.Contains(page, `id="viewer"`) {
			t.Errorf("%s: %d games, and the viewer is there: %v", name, len(shown), strings.Contains(page, `id="viewer"`))
		}
	}
}

func TestArenaLive(t *testing.T) {
	so := events()["large"]
	for _, rows := range []int{40, 7, 4, 0} {
		text := report.ArenaLive(so.Results, "120 of 240 games  80 games/s  2s left", report.TerminalOptions{Width: 60}, rows)
		golden.Check(t, filepath.Join("testdata", "arena", fmt.Sprintf("live-%d.txt", rows)), []byte(text+"\n"))
		if n := strings.Count(text, "\n") + 1; n > max(rows, 1) {
			t.Errorf("%d lines for a terminal of %d rows", n, rows)
		}
		for line := range strings.Lines(text) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > 60 {
				t.Errorf("a line of %d characters: %s", n, line)
			}
		}
	}
	if text := report.ArenaLive(events()["nobody"].Results, "0 of 0 games", report.TerminalOptions{Width: 60}, 24); text != "0 of 0 games" {
		t.Errorf("an event of nobody is drawn as %q", text)
	}
}

func TestOver(t *testing.T) {
	for drawn, want := range map[string]string{"": "", "a": "\r\x1b[J", "a\nb\nc": "\r\x1b[2A\x1b[J"} {
		if got := report.Over(drawn); got != want {
			t.Errorf("Over(%q) = %q, want %q", drawn, got, want)
		}
	}
}
