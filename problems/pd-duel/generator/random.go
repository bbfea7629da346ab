package main

import (
	"math"

	"assay/judge/kit"
)

// randomDuel makes a duel of strategies with lo to hi commands before the ones
// that close them.
func randomDuel(r *kit.Rand, turns, lo, hi int) *duel {
	d := &duel{turns: turns}
	var windows []int
	names := r.Perm(len(plainNames))
	for s := range d.sides {
		side := &d.sides[s]
		side.name = plainNames[names[s]]
		for range r.Between(int64(lo), int64(hi)) {
			c := randomCommand(r, turns)
			if c.n > 0 && windows != nil && r.IntN(3) == 0 {
				c.n = kit.Pick(r, windows) // whoever keeps windows by N must not mix them up
			}
			if c.n > 0 {
				windows = append(windows, c.n)
			}
			side.commands = append(side.commands, c)
		}
		side.commands = append(side.commands, closing(r)...)
	}
	return d
}

var plainNames = []string{"Ada", "Brook", "Cleo", "Dov", "Esra", "Fynn", "Gil", "Hana", "Ivo", "June", "Kim", "Lou", "Mya", "Nils", "Opal", "Pia"}

// closing makes commands of which one always holds: mostly a star, and sometimes
// a star in other words.
func closing(r *kit.Rand) []command {
	y := func() string { return kit.Pick(r, []string{"C", "C", "D", "D", "RAND"}) }
	if r.IntN(4) > 0 {
		return []command{{who: "*", y: y()}}
	}
	who := kit.Pick(r, []string{"ME", "OPP"})
	all := []command{{who: "START", y: y()}, {who: who, what: "-1", x: "C", y: y()}, {who: who, what: "-1", x: "D", y: y()}}
	r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all
}

func randomCommand(r *kit.Rand, turns int) command {
	c := command{who: kit.Pick(r, []string{"ME", "OPP"}), y: kit.Pick(r, []string{"C", "C", "D", "D", "RAND"})}
	if r.IntN(12) == 0 {
		return command{who: "START", y: c.y}
	}
	c.what = kit.Pick(r, []string{"-1", "MAX", "LAST", "LAST", "WIN"})
	if c.what != "WIN" {
		c.x = kit.Pick(r, []string{"C", "D"})
	}
	if c.what == "LAST" {
		c.n = randomWindow(r, turns)
	}
	return c
}

// randomWindow picks the N of a LAST: short, or about as long as the duel, or
// beyond all bounds.
func randomWindow(r *kit.Rand, turns int) int {
	n := int64(turns)
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		return int(r.Between(1, 6))
	case 4, 5, 6:
		return int(r.Between(1, n))
	case 7:
		return int(r.Between(10, 20))
	case 8:
		return int(r.Between(n/2+1, 2*n))
	}
	return kit.Pick(r, []int{100, 257, 1 << 16, 1<<16 + 1, 1_000_000_000, math.MaxInt32})
}
