package worker

import (
	"testing"
	"time"

	"assay/judge/contests/arena"
)

// TestSlices: an event of bots that remember is cut so that what is played again costs about as
// much as the event, however long it is.
func TestSlices(t *testing.T) {
	for _, games := range []int{10, 100, 1000, 2000} { // of a second each
		now := time.Unix(0, 0)
		slices := 0
		for done := 0; done < games; slices++ {
			m := &meter{start: now}
			now = now.Add(time.Duration(done) * time.Second)
			for done < games {
				now = now.Add(time.Second)
				m.game(&arena.Game{}, 100, now)
				if done++; m.enough() {
					break
				}
			}
		}
		if took := now.Sub(time.Unix(0, 0)); slices > 8 || took > 4*time.Duration(games)*time.Second {
			t.Errorf("%d games: %d slices take %v", games, slices, took)
		}
	}
}
