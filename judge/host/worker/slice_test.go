package worker

import (
	"testing"
	"time"

	"assay/judge/contests/arena"
)

// TestSlices checks the cost of replaying the earlier games in each slice of a tournament. For any number of
// games, it must be at most a few times the cost of the tournament itself.
func TestSlices(t *testing.T) {
	for _, games := range []int{10, 100, 1000, 2000} { // of one second each
		now := time.Unix(0, 0)
		slices := 0
		for done := 0; done < games; slices++ {
			m := &gameMeter{start: now}
			now = now.Add(time.Duration(done) * time.Second)
			for done < games {
				now = now.Add(time.Second)
				m.add(&arena.Game{}, 100, now)
				if done++; m.sliceDone() {
					break
				}
			}
		}
		if took := now.Sub(time.Unix(0, 0)); slices > 8 || took > 4*time.Duration(games)*time.Second {
			t.Errorf("%d games: %d slices take %v", games, slices, took)
		}
	}
}
