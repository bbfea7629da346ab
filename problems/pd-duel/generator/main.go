// The generator of pd-duel. Its kinds of case, from the smallest up:
//
//	rule NAME      a few turns that hang on one rule: see rules.go
//	name NAME      a name that is easily misread: see names.go
//	form WHO WHAT  a small duel in which one command of this form decides
//	close          a mixed duel in which few mistakes leave the winner as it is
//	long NAME      many turns that hang on one rule: see long.go
//	rescan WHAT    as long as can be, with windows that are slow to count anew
//	many A B       A and B commands, and as many turns as that allows
//
// The option --side 2 makes the strategy under test the second one. The generator
// does not say who wins: the reference does.
package main

import "assay/judge/kit"

func main() {
	kit.Generate(func(g *kit.Gen) {
		kinds := map[string]func(*kit.Gen) *duel{
			"rule":   rule,
			"name":   oddName,
			"form":   form,
			"close":  closeDuel,
			"long":   longDuel,
			"rescan": rescan,
			"many":   many,
		}
		build, known := kinds[g.Kind]
		if !known {
			g.Refuse("unknown kind %q", g.Kind)
		}
		d := build(g)
		if d == nil {
			g.Refuse("kind %q finds no such duel", g.Kind)
		}
		if g.IntOption("side", 1) == 2 {
			d.sides[0], d.sides[1] = d.sides[1], d.sides[0]
		}
		g.Println(d.turns)
		for _, s := range d.sides {
			g.Println(len(s.commands), s.name)
			for _, c := range s.commands {
				g.Println(c)
			}
		}
	})
}
