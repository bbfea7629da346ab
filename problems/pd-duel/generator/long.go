package main

import (
	"fmt"
	"math"
	"slices"

	"assay/judge/kit"
)

// What the constraints allow at most.
const (
	maxTurns = 200_000
	maxWork  = 2_000_000 // turns x commands of both
)

// longDuel makes a witness, as rule does, of many turns.
func longDuel(g *kit.Gen) *duel {
	name := g.Word(0)
	w, known := longWitnesses[name]
	if !known {
		g.Refuse("no long duel %q", name)
	}
	return newDuel(w.turns, w.tested, w.other)
}

// longWitnesses show what goes wrong only after many turns. In those of
// windows, whole histories are near a tie again and again, so that it shows if old
// actions are dropped, or if a share is rounded; in those of wins, both sides keep
// at most a turn ahead of each other, so that it shows if a sum of rewards wraps
// round. All are from a search for the two strategies that show the most of that.
var longWitnesses = map[string]witness{
	"windows-own":      {maxTurns, "ME LAST 199999 C D; * C", "ME MAX D C; * D"},
	"windows-of-draws": {maxTurns, "START RAND; OPP MAX D C; ME MAX C D; * C", "START C; OPP -1 D C; * D"},
	"windows-of-wins":  {maxTurns, "START D; OPP LAST 199999 D C; OPP MAX D D; * D", "START D; OPP WIN C; OPP MAX D C; * D"},
	"wins":             {maxTurns, "START D; OPP WIN D; * C", "START C; ME WIN C; * D"},
	"wins-of-draws":    {maxTurns - 1, "START D; OPP WIN D; ME WIN C; * RAND", "START C; OPP WIN D; ME WIN C; * RAND"},
	// Both strategies stay near a tie, and the windows drop their first actions in the last turns. A program
	// that keeps fewer actions than a window has counts others, and a side wins.
	"windows-but-three": {maxTurns, "ME LAST 199997 D C; OPP LAST 199997 C D; * C", "OPP LAST 199997 D D; ME MAX D C; START C; * C"},
	// For a while the actions repeat, and each repetition changes the lead or the margin of a majority. The
	// cycle ends when another side leads, or when MAX holds for another action. A program that takes the rest
	// of the duel for repetitions finds another winner, whenever it begins to look for a cycle. The first duel
	// has only short windows, in the second one MAX decides too.
	"cycle-of-leads": {60147, "OPP LAST 6 C RAND; OPP WIN D; ME LAST 11 D D; * C", "OPP -1 C D; OPP LAST 13 D C; * RAND"},
	"cycle-of-majorities": {maxTurns / 2, "OPP MAX C D; OPP WIN C; ME LAST 3 C D; * C",
		"ME LAST 5 D RAND; OPP MAX D D; OPP WIN RAND; START RAND; * C"},
	// 32769 to 32766: on both sides of what 16 bits with a sign hold.
	"result-in-16-bits": {16384, "START D; * C", "* C"},
}

// rescan makes a duel that is as long as can be and slow for whoever counts a
// history anew for each condition: of LAST with long windows, of MAX, or of both.
func rescan(g *kit.Gen) *duel {
	what := g.Word(0)
	g.Option("seed", "")
	const each = maxWork / maxTurns / 2
	draft := func() *duel {
		d := randomDuel(g.Rand, maxTurns, 0, 0)
		for s := range d.sides {
			side := &d.sides[s]
			side.commands = []command{{who: "*", y: "RAND"}}
			if s == 1 {
				side.commands = []command{{who: "ME", what: "-1", x: "C", y: "D"}, {who: "*", y: "RAND"}}
			}
			for len(side.commands) < each {
				side.commands = append([]command{slowCommand(g.Rand, what)}, side.commands...)
			}
		}
		return d
	}
	return best(24, draft, func(d *duel) float64 {
		return d.rescanned() + d.cutsSeen()
	})
}

// slowCommand makes a condition over a long history.
func slowCommand(r *kit.Rand, what string) command {
	c := command{
		who:  kit.Pick(r, []string{"ME", "OPP"}),
		what: what,
		x:    kit.Pick(r, []string{"C", "D"}),
		y:    kit.Pick(r, []string{"C", "D", "RAND"}),
	}
	if what == "BOTH" {
		c.what = kit.Pick(r, []string{"LAST", "MAX"})
	}
	if c.what == "LAST" {
		c.n = int(r.Between(maxTurns/4, maxTurns))
	}
	return c
}

// rescanned is the share of the largest possible work that counting anew takes.
func (d *duel) rescanned() float64 {
	work := 0
	d.play(noSlip, func(turn, side, i int, _ bool) {
		switch c := d.sides[side].commands[i]; c.what {
		case "MAX":
			work += turn
		case "LAST":
			work += min(turn, c.n)
		}
	})
	commands := len(d.sides[0].commands) + len(d.sides[1].commands)
	return float64(work) / float64(d.turns*d.turns/2*commands)
}

// cutsSeen is the share of cuts, such as a program's fixed tables or narrow
// integers make them, after which somebody else wins.
func (d *duel) cutsSeen() float64 {
	truth := d.winner()
	seen, all := 0, 0
	try := func(cut *duel) {
		all++
		if cut.winner() != truth {
			seen++
		}
	}
	for _, turns := range []int{1000, math.MaxInt16, math.MaxUint16, d.turns & math.MaxUint16, 100_000} {
		if turns < d.turns {
			cut := *d
			cut.turns = turns
			try(&cut)
		}
	}
	for _, window := range []int{100, 1000, 10_000, math.MaxUint16} {
		cut := *d
		for s := range cut.sides {
			var list []command
			for _, c := range d.sides[s].commands {
				if c.what == "MAX" || c.what == "LAST" && c.n > window {
					c.what, c.n = "LAST", window
				}
				list = append(list, c)
			}
			cut.sides[s].commands = list
		}
		try(&cut)
	}
	return float64(seen) / float64(all)
}

// many makes a duel of two strategies with a given number of commands, of which
// most are looked at in each turn, and as many turns as that allows.
func many(g *kit.Gen) *duel {
	a, b := int(g.Int64(0)), int(g.Int64(1))
	turns := int(g.IntOption("turns", int64(min(maxTurns, maxWork/(a+b)))))
	g.Option("seed", "")
	draft := func() *duel {
		d := randomDuel(g.Rand, turns, 0, 0)
		usual := map[string]string{}
		for _, who := range []string{"ME", "OPP"} {
			usual[who] = kit.Pick(g.Rand, []string{"C", "D"})
		}
		d.sides[0].commands = longStrategy(g.Rand, a, turns, usual)
		usual["ME"], usual["OPP"] = usual["OPP"], usual["ME"]
		d.sides[1].commands = longStrategy(g.Rand, b, turns, usual)
		return d
	}
	return best(min(1000, 5_000_000/(turns*(a+b))+13), draft, func(d *duel) float64 {
		looked := 0
		d.play(noSlip, func(int, int, int, bool) { looked++ })
		return float64(looked)/float64(turns*(a+b)) + 3*d.shortsSeen()
	})
}

// longStrategy makes n commands of which the early ones seldom hold: both sides
// mostly do what is usual for them, two times of three, and the conditions ask
// whether they mostly do the other.
func longStrategy(r *kit.Rand, n, turns int, usual map[string]string) []command {
	rare := map[string]string{"C": "D", "D": "C"}
	if n == 1 {
		return []command{{who: "*", y: kit.Pick(r, []string{usual["ME"], "RAND"})}}
	}
	last := parse("", fmt.Sprintf("ME LAST 2 %[1]s %[2]s; * %[1]s", usual["ME"], rare[usual["ME"]])).commands
	for range min(n-2, r.IntN(4)) {
		last = slices.Insert(last, 0, randomCommand(r, turns))
	}
	var list []command
	for len(list)+len(last) < n {
		c := command{who: kit.Pick(r, []string{"ME", "OPP"}), what: "LAST", y: kit.Pick(r, []string{"C", "D", "RAND"})}
		c.x = rare[usual[c.who]]
		c.n = max(3, randomWindow(r, turns))
		if r.IntN(8) == 0 {
			c.what, c.n = "MAX", 0
		}
		list = append(list, c)
	}
	return append(list, last...)
}

// shortsSeen is the share of shorter lists of commands with which somebody else
// wins: only the first few, and then what a program does if nothing holds.
func (d *duel) shortsSeen() float64 {
	truth := d.winner()
	seen, all := 0, 0
	for _, n := range []int{1, 9, 10, 16, 20, 32, 50, 64, 99} {
		if n >= max(len(d.sides[0].commands), len(d.sides[1].commands)) {
			break
		}
		for _, y := range []string{"C", "D", "last"} {
			cut := *d
			for s := range cut.sides {
				list := d.sides[s].commands
				if n >= len(list) {
					continue
				}
				end := command{who: "*", y: y}
				if y == "last" {
					end = list[len(list)-1]
				}
				cut.sides[s].commands = append(slices.Clone(list[:n]), end)
			}
			all++
			if cut.winner() != truth {
				seen++
			}
		}
	}
	return float64(seen) / float64(max(all, 1))
}
