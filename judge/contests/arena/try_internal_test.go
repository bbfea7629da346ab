package arena

import "testing"

// TestATrialEndsWithTheFirstFailure checks that the second game is played unless the bot failed in the first. A
// failure of the tester must not count as a failure of the bot.
func TestATrialEndsWithTheFirstFailure(t *testing.T) {
	rules := Rules{Rounds: 1, Games: 2}
	for what, tt := range map[string]struct {
		game  func(seat int) *Game // of the bot
		games int                  // number of games played
	}{
		"no bot fails":                  {func(int) *Game { return &Game{} }, 2},
		"the bot fails":                 {func(seat int) *Game { return &Game{Fault: &GameFault{Seat: seat, Kind: Crashed}} }, 1},
		"it fails in a way of the game": {func(seat int) *Game { return &Game{Fault: &GameFault{Seat: seat, Kind: "penalties"}} }, 1},
		"it fails as it learns":         {func(seat int) *Game { return &Game{After: &GameFault{Seat: seat, Kind: LearnFault}} }, 1},
		"the tester fails":              {func(seat int) *Game { return &Game{Fault: &GameFault{Seat: 3 - seat, Kind: Crashed}} }, 2},
	} {
		so := field(2, rules)
		all := untilFailure{}.Stage(0, so)
		if len(all) != 1 || len(all[0].Keys()) != 1 {
			t.Fatalf("%s: the first stage is %v", what, all)
		}
		first := all[0].Keys()[0]
		g := tt.game(map[bool]int{true: 1, false: 2}[first.First == so.Bots[0].ID])
		g.Round, g.Leg, g.First, g.Second = first.Round, first.Leg, first.First, first.Second
		so.Games = append(so.Games, g.Result())
		played := 1
		for _, e := range (untilFailure{}).Stage(1, so) {
			if keys := e.Keys(); keys[0] != first {
				t.Errorf("%s: the first game is played again as %v", what, keys[0])
			} else {
				played = len(keys)
			}
		}
		if played != tt.games {
			t.Errorf("%s: %d games are played, want %d", what, played, tt.games)
		}
		if all := (untilFailure{}).Stage(2, so); len(all) > 0 {
			t.Errorf("%s: there is more: %v", what, all)
		}
	}
	so := field(2, rules)
	so.Disqualified = []Disqualified{{Bot: 1}}
	if all := (untilFailure{}).Stage(0, so); len(all) > 0 {
		t.Errorf("a bot that is not ready plays %v", all)
	}
	// The games must be those of a round robin.
	if got, want := (untilFailure{}).Stage(1, field(2, rules)), (roundRobin{1, 2}).Stage(0, field(2, rules)); len(got) != 1 ||
		got[0] != want[0] {
		t.Errorf("the games are %v, want %v", got, want)
	}
}
