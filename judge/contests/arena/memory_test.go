package arena_test

import (
	"runtime"
	"testing"

	"assay/judge/contests/arena"
)

// weighed is a schedule with one stage. It measures the heap after all games.
type weighed struct {
	rules *arena.Rules
	heap  *uint64
}

func (s weighed) Stage(stage int, so *arena.Results) []arena.Encounter {
	if stage == 0 {
		return arena.RoundRobin(so.ActiveBots(), 1, s.rules.Rounds, s.rules.Games)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	*s.heap = m.HeapAlloc
	return nil
}

// TestGamesAreNotKept checks that games do not stay in memory, because a tournament may have any number of them.
// The moves alone would exceed the limit of this test.
func TestGamesAreNotKept(t *testing.T) {
	const few, many, most = 20, 170, 500 // rounds, rounds, and bytes per game
	heap := map[int]uint64{}
	for _, rounds := range []int{few, many} {
		e := newEvent(box(t), "fast:1", "fast:2", "fast:3", "fast:4")
		e.Rules.Rounds = rounds
		var seen uint64
		e.Schedule = weighed{&e.Rules, &seen}
		if out := run(t, e); out.Moves < 10*out.Played {
			t.Fatalf("%d moves in %d games are too few to be seen", out.Moves, out.Played)
		}
		heap[rounds] = seen
	}
	games := uint64((many - few) * 4 * 3)
	if heap[many] > heap[few] && (heap[many]-heap[few])/games > most {
		t.Errorf("a game takes %d bytes of memory, want at most %d", (heap[many]-heap[few])/games, most)
	} else {
		t.Logf("%d bytes for each of %d games", (int64(heap[many])-int64(heap[few]))/int64(games), games)
	}
}
