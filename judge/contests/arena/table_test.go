package arena

import (
	"fmt"
	"testing"
)

// legs returns the games of one encounter between bots 1 and 2. Each letter is a result for bot 1: W, D or L.
func legs(round int, letters string) (games []Result) {
	for i, c := range letters {
		g := Result{Round: round, Leg: i + 1, First: 1, Second: 2, Winner: map[rune]int{'W': 1, 'D': 0, 'L': 2}[c]}
		if i%2 == 1 {
			g.First, g.Second = 2, 1
			g.Winner = map[rune]int{'W': 2, 'D': 0, 'L': 1}[c]
		}
		games = append(games, g)
	}
	return games
}

func TestTable(t *testing.T) {
	three := func(by string) Score { return Score{Criterion: by, Win: 3, Draw: 1} }
	for _, row := range []struct {
		it    string
		score Score
		per   int // number of games per encounter
		games []string
		want  string // points of bot 1 and bot 2
	}{
		{"scores each game", three(ByGame), 2, []string{"WW", "WL", "DD", "LW"}, "14 8"},
		{"scores encounters, where one all is a draw", three(ByEncounter), 2, []string{"WW", "WL", "DD", "WD", "LD"}, "8 5"},
		{"scores what was won above half", Score{Criterion: BySurplus}, 4, []string{"WWWL", "LLLL", "WLWL"}, "1 2"},
		{"takes no draw for a win above half", Score{Criterion: BySurplus}, 4, []string{"WDDD", "WWDD", "WWWD"}, "1 0"},
		{"scores games of an encounter that is not over", three(ByGame), 4, []string{"WL"}, "3 3"},
		{"does not score an encounter that is not over", three(ByEncounter), 4, []string{"WWW"}, "0 0"},
		{"does not score a surplus that is not over", Score{Criterion: BySurplus}, 4, []string{"WWW"}, "0 0"},
		{"can punish a loss", Score{Criterion: ByGame, Win: 1, Loss: -1}, 2, []string{"WW", "WL"}, "2 -2"},
	} {
		so := field(2, Rules{Games: row.per, Score: row.score})
		for i, letters := range row.games {
			so.Games = append(so.Games, legs(i+1, letters)...)
		}
		points := map[int]float64{}
		for _, r := range Table(so) {
			points[r.Bot] = r.Points
			if r.Wins+r.Draws+r.Losses != r.Games || r.Games != len(so.Games) {
				t.Errorf("it %s: %+v does not add up", row.it, r)
			}
		}
		if got := fmt.Sprint(points[1], points[2]); got != row.want {
			t.Errorf("it %s: points %s, want %s", row.it, got, row.want)
		}
	}
}

func TestTableBreaksTies(t *testing.T) {
	for _, row := range []struct {
		it    string
		games []string
		lots  []int
		first int
		tied  bool
	}{
		{"needs no lots where points differ", []string{"WL", "DL"}, []int{1, 2}, 2, false},
		{"lets lots decide at last", []string{"WL", "LW"}, []int{2, 1}, 2, true},
		{"lets lots decide at last, the other way", []string{"WL", "LW"}, []int{1, 2}, 1, true},
	} {
		so := field(2, Rules{Games: 2, Score: perGame})
		so.Lots = row.lots
		for i, letters := range row.games {
			so.Games = append(so.Games, legs(i+1, letters)...)
		}
		table := Table(so)
		if table[0].Bot != row.first || perGame.Tied(&table[0], &table[1]) != row.tied {
			t.Errorf("it %s: %+v, tied %v", row.it, table, perGame.Tied(&table[0], &table[1]))
		}
	}
}

func TestScoreCompares(t *testing.T) {
	for _, row := range []struct {
		it   string
		by   string
		a, b Row
		want int
	}{
		{"puts points before wins", ByGame, Row{Points: 4, Wins: 1}, Row{Points: 3, Wins: 3}, 1},
		{"puts more wins first among equal points", ByGame, Row{Points: 3, Wins: 1}, Row{Points: 3}, 1},
		{"does not look at encounters where games are scored", ByGame, Row{Won: 1}, Row{}, 0},
		{"puts encounters before games", BySurplus, Row{Won: 1, Wins: 5}, Row{Wins: 9}, 1},
		{"puts games last", ByEncounter, Row{Won: 1, Wins: 5}, Row{Won: 1, Wins: 9}, -1},
	} {
		if got := (Score{Criterion: row.by}).compare(&row.a, &row.b); got != row.want {
			t.Errorf("it %s: %d, want %d", row.it, got, row.want)
		}
	}
}

func TestTableOfPayoffs(t *testing.T) {
	so := field(2, Rules{Games: 2, Score: Score{Criterion: ByPayoff, Win: 100}})
	so.Games = legs(1, "WL")
	so.Games[0].Payoff, so.Games[1].Payoff = &[2]float64{5, 1}, &[2]float64{2.5, 0}
	table := Table(so)
	if table[0].Bot != 1 || table[0].Points != 5 || table[1].Points != 3.5 {
		t.Errorf("got %+v, want 5 for bot 1 and 3.5 for bot 2", table)
	}
}
