package report_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/contests/standings"
	"assay/judge/internal/golden"
	"assay/judge/kit/referee"
	"assay/judge/report"
)

// event contains results with the games that were played.
type event struct {
	*arena.Results
	played map[arena.Key]*arena.Game
}

// change calls f for all games.
func (e *event) change(f func(g *arena.Game)) {
	for i := range e.Games {
		g := e.played[e.Games[i].Key()]
		f(g)
		e.Games[i] = g.Result()
	}
}

// smallEvent returns a tournament of a game in which players take turns to cross out numbers. The results are
// random, weighted by strength.
func smallEvent(names ...string) *event {
	so := &arena.Results{
		Game: "cross-out", Seed: 42,
		Rules: arena.Rules{Name: "usual", Format: "round-robin", Rounds: 8, Games: 2,
			Score: arena.Score{Criterion: arena.ByGame, Win: 3, Draw: 1}},
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
	g := arena.Game{
		Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second, Start: "12 numbers",
		Reason: "nothing-left", Winner: 2, Used: [2]float64{3, 4.5},
	}
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
		g.Fault = &arena.GameFault{
			Seat: 3 - g.Winner, Kind: arena.Illegal, Text: "99 was never there", Bytes: `"99"`,
			Stderr: "</script><b>& it failed\n",
		}
	}
	return g
}

// positionsOf makes up the positions that a referee returns for a game.
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

// events maps names to the tournaments for the tests of arena reports.
func events() map[string]*event {
	large := smallEvent("exact", "ender", "learner", "a bot with a very long name that says all that it does", "random", "smallest")
	won := smallEvent("winner", "<b>loser</b>")
	won.change(func(g *arena.Game) {
		g.Winner, g.Reason, g.Fault = 1, "nothing-left", nil
		if g.First == 2 {
			g.Winner = 2
		}
	})
	won.Rules.Score = arena.Score{Criterion: arena.BySurplus}
	out := smallEvent("a", "b")
	out.Bots = append(out.Bots, arena.Bot{ID: 3, Name: "crasher"})
	out.Disqualified = []arena.Disqualified{{Bot: 3, Fault: arena.GameFault{Kind: arena.Crashed, Text: "exit code 3", Bytes: `"7\n"`}}}
	out.Rules.Score = arena.Score{Criterion: arena.ByEncounter, Win: 2, Draw: 1}
	even := smallEvent("x", "y")
	even.change(func(g *arena.Game) { g.Winner = 0 })
	return map[string]*event{
		"large": large, "won": won, "out": out, "even": even,
		"empty": {Results: &arena.Results{Game: "cross-out", Rules: arena.Rules{Name: "usual", Format: "swiss"}}},
		"alone": {Results: &arena.Results{Game: "cross-out", Bots: []arena.Bot{{ID: 1, Name: "alone"}}, Rules: arena.Rules{
			Name: "usual", Format: "ladder", Rounds: 1, Games: 1,
		}}},
	}
}

// drawStandings passes s and the events of the games to be shown to the report r.
func drawStandings(t testing.TB, r report.Report, s *standings.Standings, shown []judge.Event) {
	t.Helper()
	stood, err := s.Event()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(append([]judge.Event{&judge.TournamentStarted{Format: judge.EventFormat}}, shown...), stood) {
		r.Event(e)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

func drawnOf(so *event) (*standings.Standings, []judge.Event) {
	seen := arena.GamePositions{}
	var looked []*arena.Game
	for _, r := range standings.SelectGames(so.Games, 40) {
		g := so.played[r.Key()]
		looked = append(looked, g)
		seen[g.Key()] = positionsOf(g)
	}
	shown, err := standings.GameEvents(so.Results, looked, seen)
	if err != nil {
		panic(err)
	}
	s := standings.Compute(so.Results, looked, seen)
	s.Title, s.Over = "Crossing out numbers", len(so.Disqualified) == 0
	return s, shown
}

func TestArenaTerminal(t *testing.T) {
	for name, so := range events() {
		s, _ := drawnOf(so)
		for _, width := range []int{80, 120, 44} {
			var out bytes.Buffer
			drawStandings(t, report.Terminal(&out, report.TerminalOptions{Width: width}), s, nil)
			if width != 44 {
				golden.Check(t, filepath.Join("testdata", "arena", fmt.Sprintf("%s-%d.txt", name, width)), out.Bytes())
			}
			if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
				t.Errorf("%s: it draws\n%s", name, &out)
			}
			var colored bytes.Buffer
			drawStandings(t, report.Terminal(&colored, report.TerminalOptions{Width: width, Color: true}), s, nil)
			if plain := stripColor(colored.String()); plain != out.String() {
				t.Errorf("%s: with colors it says something else:\n%s", name, plain)
			}
		}
	}
}

// stripColor removes the escape sequences for colors.
func stripColor(s string) string {
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
	drawStandings(t, report.Terminal(&out, report.TerminalOptions{Width: 80}), s, nil)
	for line := range strings.Lines(out.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

// TestArenaReplay checks that a report saved with --json is replayed byte for byte, on the terminal and as a page.
func TestArenaReplay(t *testing.T) {
	s, shown := drawnOf(events()["large"])
	var saved, terminal, page bytes.Buffer
	all := report.Multi(report.JSON(&saved), report.Terminal(&terminal, report.TerminalOptions{Width: 80}), report.HTML(&page))
	all.Event(&judge.TournamentProgressed{Done: 1, Total: 2})
	drawStandings(t, all, s, shown)
	if strings.Contains(saved.String(), "arena-progressed") {
		t.Error("progress is saved")
	}
	var again, pageAgain bytes.Buffer
	if err := report.Replay(&saved, report.Terminal(&again, report.TerminalOptions{Width: 80}), report.HTML(&pageAgain)); err != nil {
		t.Fatal(err)
	}
	if again.String() != terminal.String() || !strings.Contains(again.String(), "Crossing out numbers") {
		t.Errorf("drawn again:\n%s\nand before:\n%s", &again, &terminal)
	}
	if pageAgain.String() != page.String() || !strings.Contains(page.String(), `id="viewer"`) {
		t.Error("the page drawn again is another one")
	}
}

// TestTrial checks the report on the trial of a bot.
func TestTrial(t *testing.T) {
	var out bytes.Buffer
	r := report.Terminal(&out, report.TerminalOptions{})
	for _, e := range []judge.Event{
		&judge.BotTrialStarted{Format: 1, Game: "x", Bot: "a.py", Rules: "r", MadeFor: true},
		&judge.PositionTried{Name: "nothing was announced"},
		&judge.PositionTried{Name: "2 and 3", Errors: []string{"going first: illegal: \x1b[31m7"}},
		&judge.BotTrialFinished{Moves: 3, MeanUS: 1500, SlowestUS: 2000000},
	} {
		r.Event(e)
	}
	const want = "x: a.py by the rules r, for which it was made\n\nok   nothing was announced\nBAD  2 and 3\n" +
		"     going first: illegal: \\x1B[31m7\n\n3 moves, 1.5ms each on average, 2s the slowest\nsomething is wrong\n"
	if err := r.Close(); err != nil || out.String() != want {
		t.Errorf("drawn: %v\n%s\nwant:\n%s", err, &out, want)
	}
}

func TestArenaPage(t *testing.T) {
	for name, so := range events() {
		s, shown := drawnOf(so)
		var out bytes.Buffer
		drawStandings(t, report.HTML(&out), s, shown)
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

// progressOf returns a progress event with the results of so after done of its games.
func progressOf(so *event, done, of int) *judge.TournamentProgressed {
	p := arena.Progress{
		Done: done, Total: of, Played: done, Moves: 20 * done, Took: 1500 * time.Millisecond,
		Results: func() *arena.Results { return so.Results },
	}
	return p.Event()
}

func TestArenaLive(t *testing.T) {
	live := func(rows int, all ...judge.Event) string {
		var out bytes.Buffer
		r := report.ArenaLive(&out, report.TerminalOptions{}, func() (int, int) { return 60, rows })
		for _, e := range all {
			r.Event(e)
		}
		text := out.String()
		if err := r.Close(); err != nil || !strings.HasSuffix(out.String(), "\x1b[J") {
			t.Errorf("it is not cleared: %v, %q", err, out.String())
		}
		return text
	}
	large := events()["large"]
	for _, rows := range []int{40, 7, 4, 0} {
		text := live(rows, progressOf(large, 120, 240))
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
	empty := &judge.TournamentProgressed{}
	if text := live(24, empty); text != "0 of 0 games" {
		t.Errorf("an empty event is drawn as %q", text)
	}
	if text := live(24, empty, &judge.TournamentStarted{}, empty); text != "0 of 0 games\r\x1b[J0 of 0 games" {
		t.Errorf("a line is drawn over another as %q", text)
	}
	table := live(40, progressOf(large, 1, 2))
	if text := live(40, progressOf(large, 1, 2), empty); text != fmt.Sprintf(
		"%s\r\x1b[%dA\x1b[J0 of 0 games", table, strings.Count(table, "\n"),
	) {
		t.Errorf("a table is drawn over as %q", text)
	}
}
