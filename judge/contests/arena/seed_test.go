package arena

import "testing"

// TestBothBeginWithOneStart checks which games share random numbers: the two games of a pair in which each bot
// goes first once, for all pairs of a round, and no other games.
func TestBothBeginWithOneStart(t *testing.T) {
	s := newSeeder(&Opened{Seed: 7, Bots: []Bot{{ID: 1, Name: "a"}, {ID: 2, Name: "b"}, {ID: 3, Name: "c"}}})
	seen, games := map[uint64][2]int{}, map[uint64]Key{}
	for round := 1; round <= 3; round++ {
		for _, pair := range [][2]int{{1, 2}, {1, 3}, {2, 3}} {
			for leg := 1; leg <= 6; leg++ {
				k := Key{Round: round, First: pair[0], Second: pair[1], Leg: leg}
				if leg%2 == 0 {
					k.First, k.Second = k.Second, k.First
				}
				want := [2]int{round, (leg - 1) / 2}
				if have, ok := seen[s.shared(k)]; ok && have != want {
					t.Errorf("%+v shares its chances with round and pair of games %v", k, have)
				}
				seen[s.shared(k)] = want
				if other, twice := games[s.game(k)]; twice {
					t.Errorf("%+v and %+v have one seed", k, other)
				}
				games[s.game(k)] = k
			}
		}
	}
	if len(seen) != 9 {
		t.Errorf("%d different chances in 3 rounds of 3 pairs of games", len(seen))
	}
}
