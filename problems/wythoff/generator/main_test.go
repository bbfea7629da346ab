package main

import "testing"

func TestWinnersAgainstTheRules(t *testing.T) {
	const n = 160
	var lost, winners [n][n]int
	for i := range n {
		for j := range n {
			for take := 1; take <= max(i, j); take++ {
				if take <= i {
					winners[i][j] += lost[i-take][j]
				}
				if take <= j {
					winners[i][j] += lost[i][j-take]
				}
				if take <= i && take <= j {
					winners[i][j] += lost[i-take][j-take]
				}
			}
			if winners[i][j] == 0 {
				lost[i][j] = 1
			}
			p := position{int64(i), int64(j)}
			if got := len(p.winners()); got != winners[i][j] {
				t.Fatalf("from %d %d, %d moves win, want %d", i, j, got, winners[i][j])
			}
			for _, q := range p.winners() {
				if !q.lost() {
					t.Fatalf("from %d %d, the move to %d %d does not win", i, j, q.i, q.j)
				}
			}
		}
	}
}
