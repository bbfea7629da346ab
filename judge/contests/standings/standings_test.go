package standings_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/contests/standings"
	"assay/judge/kit/referee"

	"github.com/google/go-cmp/cmp"
)

// event simulates a tournament. Elo contains the true strength of each bot, numbered from 1.
func event(t *testing.T, s arena.Schedule, rules *arena.Rules, elo ...float64) *arena.Results {
	t.Helper()
	so := &arena.Results{Game: "game", Rules: *rules}
	for i := range elo {
		so.Bots = append(so.Bots, arena.Bot{ID: i + 1, Name: fmt.Sprint("bot", i+1)})
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for stage := 0; ; stage++ {
		all := s.Stage(stage, so)
		if len(all) == 0 {
			return so
		}
		for _, e := range all {
			for _, k := range e.Keys() {
				g := arena.Result{Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second, Winner: 2, Reason: "illegal"}
				if rng.Float64() < rating.Expected(elo[k.First-1]-elo[k.Second-1]) {
					g.Winner = 1
				}
				so.Games = append(so.Games, g)
			}
		}
		slices.SortFunc(so.Games, func(a, b arena.Result) int { return a.Key().Compare(b.Key()) })
	}
}

func usual(rounds int) *arena.Rules {
	return &arena.Rules{Format: "round-robin", Rounds: rounds, Games: 2, Score: arena.Score{Criterion: arena.ByGame, Win: 3, Draw: 1}}
}

func TestMake(t *testing.T) {
	rules := usual(40)
	so := event(t, arena.Formats()["round-robin"](rules), rules, 0, 400, 200)
	so.Games[0].Used, so.Games[0].Moves, so.Games[0].Slowest = [2]float64{5, 7}, [2]int32{2, 1}, [2]int32{4000, 2000}
	s := standings.Compute(so, nil, nil)
	var names []string
	games := 0
	for i, b := range s.Bots {
		names = append(names, b.Name)
		games += b.Games
		if b.Place != i+1 || b.Low >= b.Elo || b.High <= b.Elo || b.ByLots {
			t.Errorf("line %d: %+v", i+1, b)
		}
		losses := 0
		for _, r := range b.Reasons {
			losses += r.Times
		}
		if losses != b.Losses {
			t.Errorf("%s has %d reasons for %d losses", b.Name, losses, b.Losses)
		}
		for j := range s.Bots {
			m, back := s.Cross[i][j], s.Cross[j][i]
			if m.Wins != back.Losses || m.Draws != back.Draws || i != j && m.Games() != 80 || i == j && m.Games() != 0 {
				t.Errorf("%s against %s: %+v and %+v", b.Name, s.Bots[j].Name, m, back)
			}
		}
	}
	if diff := cmp.Diff([]string{"bot2", "bot3", "bot1"}, names); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if games != 2*s.Games || s.Games != 240 {
		t.Errorf("%d games of bots, %d in all; want 480 and 240", games, s.Games)
	}
	if s.Bots[0].Better < 0.99 || s.Cross[2][0].Superior > 0.01 {
		t.Errorf("superior %v and %v, want near 1 and 0", s.Bots[0].Better, s.Cross[2][0].Superior)
	}
	last := s.History[len(s.History)-1]
	for i, b := range s.Bots {
		if math.Abs(last.Elo[i]-b.Elo) > 1e-9 {
			t.Errorf("the history of %s ends at %v, its rating is %v", b.Name, last.Elo[i], b.Elo)
		}
	}
	first, second := line(s, so.Games[0].First), line(s, so.Games[0].Second)
	if first.UsedMS != 5 || second.UsedMS != 7 || first.Moves != 2 || second.Moves != 1 || first.SlowestMS != 4 || second.SlowestMS != 2 {
		t.Errorf("time: %+v and %+v", first, second)
	}
}

func TestWithoutTimes(t *testing.T) {
	rules := usual(2)
	so := event(t, arena.Formats()["round-robin"](rules), rules, 0, 100)
	before := standings.Compute(so, nil, nil).WithoutTimes()
	for i := range so.Games {
		so.Games[i].Used, so.Games[i].Moves, so.Games[i].Slowest = [2]float64{5, 7}, [2]int32{1}, [2]int32{1000}
	}
	timed := standings.Compute(so, nil, nil)
	after := timed.WithoutTimes()
	for i := range before.Bots {
		before.Bots[i].Moves = after.Bots[i].Moves
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("times are left (-want +got):\n%s", diff)
	}
	if timed.Bots[0].UsedMS == 0 {
		t.Error("the times of the standings themselves are gone")
	}
}

func line(s *standings.Standings, id int) *standings.Bot {
	return &s.Bots[slices.IndexFunc(s.Bots, func(b standings.Bot) bool { return b.Row.Bot == id })]
}

// TestMakeOfDraws checks that a draw is half a win, that lots determine the order of tied bots, and that a title
// is included if it differs from the name.
func TestMakeOfDraws(t *testing.T) {
	rules := usual(2)
	so := event(t, arena.Formats()["round-robin"](rules), rules, 0, 0, 0)
	for i := range so.Games {
		so.Games[i].Winner = 0
		if so.Games[i].First == 3 || so.Games[i].Second == 3 { // the third bot loses all games
			so.Games[i].Winner = 1 + so.Games[i].First/3
		}
	}
	so.Bots[0].Title, so.Bots[1].Title = "BOT1", "The Second"
	s := standings.Compute(so, nil, nil)
	first, second, third := line(s, 1), line(s, 2), line(s, 3)
	if !first.ByLots || !second.ByLots || third.ByLots || third.Place != 3 {
		t.Errorf("by lots: %v, %v, %v; the third has place %d", first.ByLots, second.ByLots, third.ByLots, third.Place)
	}
	if first.Title != "" || second.Title != "The Second" {
		t.Errorf("titles %q and %q, want the second alone", first.Title, second.Title)
	}
	if first.Elo != second.Elo || third.Elo >= first.Elo-100 {
		t.Errorf("ratings %v, %v, %v", first.Elo, second.Elo, third.Elo)
	}
	met := s.Cross[first.Place-1][second.Place-1]
	if met.Draws != 4 || met.Games() != 4 || s.Cross[second.Place-1][first.Place-1].Draws != 4 || met.Score() != 0.5 {
		t.Errorf("the first two met so: %+v", met)
	}
}

// TestScoreOfAMeeting checks that the score is the share of the points, where a draw is half a point.
func TestScoreOfAMeeting(t *testing.T) {
	for m, want := range map[standings.HeadToHead]float64{
		{}: 0.5, {Draws: 3}: 0.5, {Wins: 1}: 1, {Losses: 2}: 0, {Wins: 1, Losses: 3}: 0.25, {
			Wins: 1, Draws: 1, Losses: 2,
		}: 0.375, {Wins: 3, Draws: 2}: 0.8,
	} {
		if got := m.Score(); math.Abs(got-want) > 1e-12 || m.Games() != m.Wins+m.Draws+m.Losses {
			t.Errorf("%+v: the score of %d games is %v, want %v", m, m.Games(), got, want)
		}
	}
}

// TestShown checks the events for games, with positions for the games that were looked at.
func TestShown(t *testing.T) {
	so := &arena.Results{Bots: []arena.Bot{{ID: 1, Name: "one"}, {ID: 2, Name: "two"}}}
	plain, looked := &arena.Game{}, &arena.Game{}
	plain.Round, plain.First, plain.Second = 1, 1, 2
	looked.Round, looked.First, looked.Second = 2, 2, 1
	events, err := standings.GameEvents(so, []*arena.Game{plain, looked}, arena.GamePositions{looked.Key(): {{Exact: "won"}}})
	if err != nil || len(events) != 2 {
		t.Fatalf("got %v, %v", events, err)
	}
	one, two := events[0].(*judge.GameShown), events[1].(*judge.GameShown)
	if one.First != "one" || one.Second != "two" || one.Positions != nil || len(one.Game) == 0 {
		t.Errorf("a game that was not looked at: %+v", one)
	}
	if two.First != "two" || two.Second != "one" || !strings.Contains(string(two.Positions), "won") || len(two.Game) == 0 {
		t.Errorf("a game that was looked at: %+v", two)
	}
}

func TestMakeOfLittle(t *testing.T) {
	for _, n := range []int{0, 1, 2} {
		so := &arena.Results{Rules: *usual(1)}
		for id := range n {
			so.Bots = append(so.Bots, arena.Bot{ID: id + 1})
		}
		s := standings.Compute(so, nil, nil)
		if len(s.Bots) != n || len(s.Cross) != n || s.History != nil {
			t.Errorf("%d bots without games: %+v", n, s)
		}
		for _, b := range s.Bots {
			if math.IsNaN(b.Elo) || math.IsNaN(b.Low) || b.Flag != rating.NoGames {
				t.Errorf("%d bots without games: %+v", n, b)
			}
		}
	}
}

func TestMakeWithADisqualifiedBot(t *testing.T) {
	rules := usual(4)
	so := event(t, arena.Formats()["round-robin"](rules), rules, 0, 0, 0)
	so.Disqualified = []arena.Disqualified{{Bot: 2, Fault: arena.GameFault{Kind: arena.Crashed, Text: "exit code 3"}}}
	so.Games = slices.DeleteFunc(so.Games, func(g arena.Result) bool { return g.First == 2 || g.Second == 2 })
	s := standings.Compute(so, nil, nil)
	if len(s.Bots) != 2 || len(s.Disqualified) != 1 || s.Disqualified[0].Name != "bot2" || s.Games != 8 {
		t.Errorf("got %d lines, out %+v, %d games", len(s.Bots), s.Disqualified, s.Games)
	}
}

func TestDuelsMakePairsOfBothSeats(t *testing.T) {
	game := func(first, second, winner int) arena.Result {
		return arena.Result{First: first, Second: second, Winner: winner}
	}
	at := map[int]int{1: 0, 2: 1}
	for _, row := range []struct {
		it    string
		games []arena.Result
		want  rating.Tally
	}{
		{"pairs a game with its return", []arena.Result{game(1, 2, 1), game(2, 1, 2)}, rating.Tally{Pairs: [5]int{4: 1}}},
		{"counts a draw as half", []arena.Result{game(1, 2, 0), game(2, 1, 2)}, rating.Tally{Pairs: [5]int{3: 1}}},
		{"pairs no games of one seat", []arena.Result{
			game(1, 2, 1), game(1, 2, 2), game(2, 1, 1),
		}, rating.Tally{Pairs: [5]int{0: 1}, Games: [3]int{2: 1}}},
		{"keeps a game that is alone", []arena.Result{game(2, 1, 1)}, rating.Tally{Games: [3]int{0: 1}}},
	} {
		got := standings.Duels(row.games, at)
		if diff := cmp.Diff([]rating.Duel{{A: 0, B: 1, Tally: row.want}}, got); diff != "" {
			t.Errorf("it %s (-want +got):\n%s", row.it, diff)
		}
	}
}

// TestDuelsOfMany checks that each pair of bots has its own duel.
func TestDuelsOfMany(t *testing.T) {
	const n = 5
	at := map[int]int{}
	var games []arena.Result
	var want []rating.Duel
	for a := range n {
		at[10*a+10] = a
		for b := a + 1; b < n; b++ {
			d := rating.Duel{A: a, B: b}
			for k := range 1 + a + n*b {
				games = append(games, arena.Result{Round: k, First: 10*a + 10, Second: 10*b + 10, Winner: 1 + b%2})
				d.Games[2-2*(b%2)]++
			}
			want = append(want, d)
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
	if diff := cmp.Diff(want, standings.Duels(games, at)); diff != "" {
		t.Errorf("the duels (-want +got):\n%s", diff)
	}
}

func TestChances(t *testing.T) {
	at := func(words string) (all []referee.Position) {
		for _, w := range strings.Fields(words) {
			p := referee.Position{Exact: strings.Trim(w, "-")}
			if w == "won" {
				p.Best = []string{"x"}
			}
			all = append(all, p)
		}
		return all
	}
	for _, row := range []struct {
		it, seats, seen string
		winner          int
		want            string
	}{
		{"sees a chance that is used", "12", "won lost won", 1, "1@0"},
		{"sees a chance that is thrown away", "12", "won won lost", 1, "1@0! 2@1"},
		{"knows nothing where the referee does not", "12", "- - -", 1, ""},
		{"takes a position that is not known for no mistake", "12", "won - -", 1, "1@0"},
		{"sees a chance of who then loses at once", "1", "- won", 1, "2@1!"},
		{"sees no chance of who has won", "1", "- won", 2, ""},
		{"sees no chance in a draw", "1", "- won", 0, ""},
		{"sees a last move that loses", "1", "won", 2, "1@0!"},
	} {
		g := &arena.Game{First: 1, Second: 2, Winner: row.winner, Seats: row.seats, Moves: strings.Split(row.seats, "")}
		var got []string
		for _, c := range standings.WinningPositions(g, at(row.seen)) {
			missed := ""
			if c.Blundered {
				missed = "!"
			}
			got = append(got, fmt.Sprintf("%d@%d%s", c.Seat, c.Move, missed))
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("it %s: %v, want %s", row.it, got, row.want)
		}
	}
}

func TestMakeCountsBlunders(t *testing.T) {
	so := &arena.Results{Rules: *usual(1), Bots: []arena.Bot{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}}}
	g := &arena.Game{Round: 1, Leg: 1, First: 1, Second: 2, Moves: []string{"6", "9"}, Seats: "12", Winner: 2}
	so.Games = []arena.Result{g.Result()}
	s := standings.Compute(so, []*arena.Game{g},
		arena.GamePositions{g.Key(): {{Exact: "won", Best: []string{"4"}}, {Exact: "won"}, {Exact: "lost"}}})
	if s.Looked != 1 || line(s, 1).Chances != 1 || line(s, 1).Blunders != 1 || line(s, 2).Chances != 1 || line(s, 2).Blunders != 0 {
		t.Errorf("%+v", s.Bots)
	}
	want := &standings.Blunder{Game: g.Key(), Move: 0, Played: "6", Best: []string{"4"}}
	if diff := cmp.Diff(want, line(s, 1).Worst); diff != "" {
		t.Errorf("worst (-want +got):\n%s", diff)
	}
}

func TestPick(t *testing.T) {
	var games []arena.Result
	for round := range 50 {
		for a := 1; a <= 4; a++ {
			for b := a + 1; b <= 4; b++ {
				games = append(games, arena.Result{Round: round + 1, Leg: 1, First: a, Second: b, Reason: "illegal"})
			}
		}
	}
	games[17].Faulty, games[17].Reason = true, "crashed"
	picked := standings.SelectGames(games, 7)
	met := map[string]bool{}
	for i, g := range picked {
		if i > 0 && picked[i-1].Key().Compare(g.Key()) >= 0 {
			t.Errorf("%v comes before %v", picked[i-1].Key(), g.Key())
		}
		met[fmt.Sprint(g.First, g.Second, g.Reason)] = true
	}
	if len(picked) != 7 || len(met) != 7 || !slices.Contains(picked, &games[17]) {
		t.Errorf("picked %d games of %d kinds, want each pair and the fault", len(picked), len(met))
	}
	if all := standings.SelectGames(games[:3], 10); len(all) != 3 {
		t.Errorf("picked %d of 3 games", len(all))
	}
}

func TestSPRT(t *testing.T) {
	for _, row := range []struct {
		it   string
		elo  float64
		want string
	}{
		{"finds that the first is stronger", 150, "bot1 is stronger than bot2: by more than 0 Elo"},
		{"finds that it is not", -30, "bot1 is not stronger than bot2 by 50 Elo"},
	} {
		s := standings.SPRT{Rules: usual(5000), Test: rating.SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}}
		so := event(t, s, s.Rules, row.elo, 0)
		if got := s.Verdict(so); !strings.HasPrefix(got, row.want) {
			t.Errorf("it %s: %s", row.it, got)
		}
		if len(so.Games) >= 10_000 || len(so.Games)%16 != 0 {
			t.Errorf("it %s: after %d games", row.it, len(so.Games))
		}
	}
	one := standings.SPRT{Rules: usual(1), Test: rating.SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}}
	if got := one.Verdict(event(t, one, one.Rules, 2000, 0)); !strings.Contains(got, "LLR 0.") || strings.Contains(got, "LLR 0.00") {
		t.Errorf("it counts the last round, too: %s", got)
	}
	s := standings.SPRT{Rules: usual(10), Test: rating.SPRT{Elo0: 0, Elo1: 1, Alpha: 0.05, Beta: 0.05}}
	so := event(t, s, s.Rules, 0, 0)
	if got := s.Verdict(so); len(so.Games) != 20 || !strings.HasPrefix(got, "undecided") {
		t.Errorf("it ends with the rounds: %d games, %s", len(so.Games), got)
	}
}

func TestEnoughOf(t *testing.T) {
	test := rating.SPRT{Elo0: -2.5, Elo1: 50, Alpha: 0.05, Beta: 0.01}
	for _, s := range []interface {
		standings.StoppingSchedule
		Format() string
	}{standings.SPRT{Test: test}, standings.UntilSettled{}} {
		r := &arena.Rules{Format: s.Format()}
		got := standings.StoppingScheduleOf(r)
		if sprt, is := got.(standings.SPRT); is && sprt.Test != test {
			t.Errorf("EnoughOf(%q) is a test of %+v, want %+v", r.Format, sprt.Test, test)
		}
		if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", s) {
			t.Errorf("EnoughOf(%q) is a %T, want %T", r.Format, got, s)
		}
	}
	for _, format := range []string{"", "swiss", "sprt", "sprt 5 0 0.05 0.05", "sprt 0 5 0 0"} {
		if got := standings.StoppingScheduleOf(&arena.Rules{Format: format}); got != nil {
			t.Errorf("EnoughOf(%q) = %v, want none", format, got)
		}
	}
}

func TestUntilSettled(t *testing.T) {
	s := standings.UntilSettled{Rules: usual(4096)}
	so := event(t, s, s.Rules, 0, 200, 400)
	rounds := so.Games[len(so.Games)-1].Round
	if got, want := s.Verdict(so), fmt.Sprintf("the ranking is settled after %d rounds", rounds); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if rounds < 4 || rounds > 1024 {
		t.Errorf("settled after %d rounds", rounds)
	}
	s = standings.UntilSettled{Rules: usual(5)}
	so = event(t, s, s.Rules, 0, 0)
	if got := s.Verdict(so); len(so.Games) != 10 || got != "the ranking is not settled after 5 rounds" {
		t.Errorf("it ends with the rounds: %d games, %s", len(so.Games), got)
	}
}
