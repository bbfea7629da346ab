package referee_test

import (
	"fmt"
	"strconv"
	"testing"

	"assay/judge/kit/referee"
)

// taking returns the rules of a small game. The players take 1 to 3 objects in turn, and the player who takes the
// last one wins.
func taking() referee.Rules {
	return referee.Rules{
		Check: func(e *referee.Event) error { _, err := e.IntIn("heap", 1, 100); return err },
		Greet: func(b *referee.Bot) {
			if answer := b.Ask("take 1"); answer != "ready" {
				b.Refuse("it says %q", answer)
			}
		},
		Play: func(g *referee.Game) {
			left := int(g.Int("heap"))
			for seat := 1; ; seat = 3 - seat {
				answer := g.Ask(seat, fmt.Sprint("move ", left))
				n, err := strconv.Atoi(answer)
				if err != nil || n < 1 || n > min(3, left) {
					g.Lose(seat, "illegal", "%q of %d", answer, left)
				}
				g.Move(seat, answer)
				if left -= n; left == 0 {
					g.Win(seat, "last-one")
				}
			}
		},
	}
}

// taker returns a bot that gives the same answer to every request for a move.
func taker(ready string, moves ...string) func(string) []string {
	return func(line string) []string {
		if line == "take 1" {
			return []string{ready}
		}
		return moves
	}
}

func ExampleTry() {
	e := referee.Event{Options: map[string]string{"heap": "4"}}
	game, _ := referee.Try(taking(), e, 1, taker("ready", "1"), taker("ready", "3"))
	fmt.Println(game.Moves, game.Seats, game.Result.Winner, game.Result.Reason)
	// Output: [1 3] 12 2 last-one
}

func TestTry(t *testing.T) {
	for _, tt := range []struct {
		it            string
		first, second func(string) []string
		winner        int
		reason        string
	}{
		{"ends at an illegal move", taker("ready", "1"), taker("ready", "4"), 1, "illegal"},
		{"ends where a bot says nothing", taker("ready"), taker("ready", "1"), 2, "gone"},
		{"ends where a bot says too much", taker("ready", "1", "2"), taker("ready", "1"), 2, "unsolicited"},
		{"ends where a bot is not ready", taker("ready", "1"), taker("no"), 1, "init-failed"},
	} {
		t.Run("it "+tt.it, func(t *testing.T) {
			e := referee.Event{Options: map[string]string{"heap": "9"}}
			game, text := referee.Try(taking(), e, 1, tt.first, tt.second)
			if game.Result.Winner != tt.winner || game.Result.Reason != tt.reason {
				t.Errorf("%+v (%s), want %d by %s", game.Result, text, tt.winner, tt.reason)
			}
		})
	}
}

func TestIntIn(t *testing.T) {
	e := referee.Event{Options: map[string]string{"a": "7", "b": "x"}}
	if n, err := e.IntIn("a", 1, 9); n != 7 || err != nil {
		t.Errorf("a is %d, %v", n, err)
	}
	for _, name := range []string{"b", "missing"} {
		if n, err := e.IntIn(name, 1, 9); err == nil {
			t.Errorf("%s is %d", name, n)
		}
	}
	if _, err := e.IntIn("a", 8, 9); err == nil {
		t.Error("7 is from 8 to 9")
	}
}
