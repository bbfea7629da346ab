package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

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

// The plan in problem.toml says so: without it a solution that misses one lost
// position could pass.
func TestGolfSizeForcesEachLostPosition(t *testing.T) {
	forced := func(p position) (position, bool) {
		if w := p.winners(); len(w) == 1 {
			return w[0], true
		}
		return position{}, false
	}
	missing := map[position]bool{}
	for i := range int64(100) {
		for j := range int64(100) {
			if to, ok := forced(position{i, j}); ok {
				missing[to] = true
			}
		}
	}
	inputs, err := filepath.Glob("../../../testcases/wythoff/golf-size/*.in")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no generated cases (%v): make them with judge generate wythoff", err)
	}
	for _, path := range inputs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var p position
		if _, err := fmt.Sscanf(string(text), "%d %d\n", &p.i, &p.j); err != nil || max(p.i, p.j) > 99 {
			t.Fatalf("%s: %q is not an input of this group (%v)", path, text, err)
		}
		if to, ok := forced(p); ok {
			delete(missing, to)
		}
	}
	for p := range missing {
		t.Errorf("the lost position %d %d is nowhere the only right answer", p.i, p.j)
	}
}
