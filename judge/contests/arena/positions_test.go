package arena_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/judge/contests/arena"
)

// TestWhatWasSeenIsKept checks that the referee is asked only once about the same games. It must be asked again if
// the games or the referee differ, or if the stored positions are damaged.
func TestWhatWasSeenIsKept(t *testing.T) {
	e := newEvent(box(t), "one", "good")
	e.LogPath = filepath.Join(t.TempDir(), "log")
	out := run(t, e)
	games, err := out.Results.LoadAll()
	if err != nil || len(games) < 2 {
		t.Fatal(len(games), err)
	}
	e.CacheDir, e.Referee.Key = t.TempDir(), "the referee"
	asked := 0
	look := func(games []*arena.Game) arena.GamePositions {
		t.Helper()
		asked = 0
		seen, err := e.Positions(t.Context(), games, func(done, of int) {
			if asked++; of != len(games) || done != asked-1 {
				t.Errorf("%d of %d games are looked at", done, of)
			}
		})
		if err != nil || len(seen) != len(games) {
			t.Fatalf("seen are %d games, %v", len(seen), err)
		}
		return seen
	}
	all := len(games) + 1
	first := look(games)
	if asked != all {
		t.Errorf("told %d times", asked)
	}
	if again := look(games); asked != 0 || cmp.Diff(first, again) != "" {
		t.Errorf("told %d times, and seen is (-first +again)\n%s", asked, cmp.Diff(first, again))
	}
	if look(games[1:]); asked != all-1 {
		t.Errorf("of other games it is told %d times", asked)
	}
	e.Referee.Key = "another referee"
	if look(games); asked != all {
		t.Errorf("another referee is told of %d times", asked)
	}
	files, err := filepath.Glob(filepath.Join(e.CacheDir, "*"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.WriteFile(file, []byte("[[]"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if look(games); asked != all {
		t.Errorf("of a damaged file it is told %d times", asked)
	}
}
