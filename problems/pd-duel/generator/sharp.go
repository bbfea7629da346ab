package main

import (
	"slices"

	"assay/judge/kit"
)

// A duel has three results at most, so most mistakes go unseen in most duels. A
// duel is sharp if they are seen: the sharpness is the share of its small changes
// after which somebody else wins. There are two sorts of change: one slip while
// playing, and one edit of one command.
func (d *duel) sharpness() float64 {
	seen, all := d.editsSeen()
	truth := d.winner()
	try := func(s slip) {
		all++
		if d.play(s, nil) != truth {
			seen++
		}
	}
	var slips []slip
	draws := slices.ContainsFunc(slices.Concat(d.sides[0].commands, d.sides[1].commands), func(c command) bool { return c.y == "RAND" })
	d.play(noSlip, func(turn, side, command int, _ bool) {
		slips = append(slips, slip{turn, side, command})
		if command == 0 && draws {
			slips = append(slips, slip{turn, side, lostDraw})
		}
	})
	// Of a long duel, some slips must do.
	for i := 0; i < len(slips); i += 1 + len(slips)/400 {
		try(slips[i])
	}
	return float64(seen) / float64(all)
}

func (d *duel) winner() winner { return d.play(noSlip, nil) }

// editsSeen counts the edits of all commands, and those of them that are seen.
func (d *duel) editsSeen() (seen, all int) {
	truth := d.winner()
	for s := range d.sides {
		for i := range d.sides[s].commands {
			got, of := d.editsSeenOf(s, i, truth)
			seen += got
			all += of
		}
	}
	return seen, all
}

// editsSeenOf is editsSeen for one command.
func (d *duel) editsSeenOf(s, i int, truth winner) (seen, all int) {
	try := func(commands []command) {
		edited := *d
		edited.sides[s].commands = commands
		all++
		if edited.winner() != truth {
			seen++
		}
	}
	list := d.sides[s].commands
	for _, c := range edits(list[i]) {
		changed := slices.Clone(list)
		changed[i] = c
		try(changed)
	}
	try(slices.Delete(slices.Clone(list), i, i+1))
	if i+1 < len(list) && list[i].y != list[i+1].y {
		changed := slices.Clone(list)
		changed[i], changed[i+1] = changed[i+1], changed[i]
		try(changed)
	}
	return seen, all
}

// edits returns the commands that c might be misread as.
func edits(c command) []command {
	var all []command
	edit := func(f func(*command)) {
		e := c
		f(&e)
		all = append(all, e)
	}
	for _, y := range []string{"C", "D", "RAND"} {
		if y != c.y {
			edit(func(e *command) { e.y = y })
		}
	}
	if c.who != "*" {
		edit(func(e *command) { *e = command{who: "*", y: c.y} })
	}
	if c.what == "" {
		return all
	}
	edit(func(e *command) { e.who = map[string]string{"ME": "OPP", "OPP": "ME"}[c.who] })
	if c.what == "WIN" {
		return all
	}
	edit(func(e *command) { e.x = map[string]string{"C": "D", "D": "C"}[c.x] })
	if c.what != "-1" {
		edit(func(e *command) { e.what, e.n = "-1", 0 })
	}
	if c.what != "MAX" {
		edit(func(e *command) { e.what, e.n = "MAX", 0 })
	}
	if c.what == "LAST" {
		for _, n := range []int{c.n - 1, c.n + 1, c.n / 10, c.n % 10} {
			if n > 0 && n != c.n {
				edit(func(e *command) { e.n = n })
			}
		}
	}
	return all
}

// best returns the best of many duels, or nil if none is worth anything.
func best(tries int, draft func() *duel, worth func(*duel) float64) *duel {
	var kept *duel
	most := -1.0
	for range tries {
		d := draft()
		if d.winner() == stuck {
			continue
		}
		if w := worth(d); w > most {
			kept, most = d, w
		}
	}
	return kept
}

// form makes a small duel in which the command WHO WHAT X Y decides: nearly every
// way to misread it makes somebody else win.
func form(g *kit.Gen) *duel {
	// A case's name cannot have * and -1 in it.
	words := map[string]string{"STAR": "*", "PREVIOUS": "-1"}
	c := command{who: g.Word(0), x: g.Option("x", ""), y: g.Option("y", ""), n: int(g.IntOption("n", 0))}
	if len(g.Words(1)) > 0 {
		c.what = g.Word(1)
	}
	for _, word := range []*string{&c.who, &c.what} {
		if other, ok := words[*word]; ok {
			*word = other
		}
	}
	draft := func() *duel {
		d := randomDuel(g.Rand, int(g.Rand.Between(2, 14)), 1, 3)
		list := d.sides[0].commands
		d.sides[0].commands = slices.Insert(list, g.Rand.IntN(len(list)), c)
		return d
	}
	return best(500, draft, func(d *duel) float64 {
		i := slices.Index(d.sides[0].commands, c)
		seen, all := d.editsSeenOf(0, i, d.winner())
		return 5*float64(seen)/float64(all) + d.sharpness()
	})
}

// closeDuel makes a duel of many features in which most mistakes show.
func closeDuel(g *kit.Gen) *duel {
	turns := int(g.IntOption("turns", 20))
	commands := int(g.IntOption("commands", 5))
	g.Option("seed", "")
	wanted, chosen := map[string]winner{"first": 0, "second": 1, "nobody": draw}[g.Option("winner", "")]
	draft := func() *duel { return randomDuel(g.Rand, turns, max(1, commands-2), commands+2) }
	return best(min(1000, 90_000/turns), draft, func(d *duel) float64 {
		if chosen && d.winner() != wanted {
			return -1
		}
		return d.sharpness()
	})
}
