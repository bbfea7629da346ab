package main

import "assay/judge/kit"

// witness is a duel of a few turns that hangs on one rule. The tested strategy
// defects more or less often than its foil if it misreads the rule, and mostly
// as often if it does not, so that the result is DRAW and any slip shows.
type witness struct {
	turns         int
	tested, other string
}

// rule makes a witness.
func rule(g *kit.Gen) *duel {
	name := g.Word(0)
	w, known := witnesses[name]
	if !known {
		g.Refuse("no rule %q", name)
	}
	d := newDuel(w.turns, w.tested, w.other)
	for i := range d.sides[0].commands {
		if c := &d.sides[0].commands[i]; c.n == anyWindow {
			c.n = int(g.IntOption("n", 0))
		}
	}
	return d
}

// anyWindow stands in the texts below where --n gives the window.
const anyWindow = 999

var witnesses = map[string]witness{
	// In the first turn there is no history, and nobody leads.
	"first-turn-previous": {1, "OPP -1 C D; OPP -1 D D; ME -1 C D; ME -1 D D; * C", "* C"},
	"first-turn-max":      {1, "OPP MAX C D; OPP MAX D D; ME MAX C D; ME MAX D D; * C", "* C"},
	"first-turn-last":     {1, "OPP LAST 1 C D; OPP LAST 2 D D; ME LAST 2147483647 C D; ME LAST 1 D D; * C", "* C"},
	"first-turn-win":      {1, "OPP WIN D; ME WIN D; * C", "* C"},
	// Conditions other than START count in the first turn too.
	"first-turn-star": {1, "* D", "* C"},
	"first-turn-rand": {1, "* RAND", "* C"},
	// Neither side sees what the other does in this turn.
	"current-action-previous": {1, "OPP -1 D D; * C", "* D"},
	"current-action-max":      {1, "OPP MAX D D; * C", "* D"},
	"current-action-last":     {1, "OPP LAST 3 D D; * C", "* D"},
	"current-action-win":      {1, "OPP WIN D; * C", "* D"},

	// START stands anywhere in the list, and is tried in its turn.
	"start-after-others": {1, "OPP -1 C C; ME WIN C; OPP MAX D C; START D; * C", "* C"},
	"start-last":         {4, "OPP -1 D C; OPP -1 C D; START D", "START D; OPP -1 C D; * C"},
	"start-shadowed":     {1, "* C; START D", "* C"},
	"start-twice":        {3, "START C; START D; * C", "* C"},
	"start-once":         {3, "START C; * D", "START D; OPP -1 D D; * C"},

	// The first command that holds, whatever it is; and none has to be a star.
	"first-that-holds":   {2, "* C; * D", "* C"},
	"star-in-the-middle": {3, "OPP -1 D C; * C; OPP -1 C D; ME -1 C D", "* C"},
	"no-star":            {4, "START C; ME -1 C D; ME -1 D C", "OPP -1 C D; OPP -1 D C; START C"},

	// The newest action, from the second turn on.
	"previous-is-the-last":    {3, "OPP -1 D D; * C", "START D; * C"},
	"previous-not-two-ago":    {2, "OPP -1 D D; * C", "START D; * C"},
	"previous-in-second-turn": {2, "OPP -1 C D; * C", "* C"},
	"previous-own":            {5, "ME -1 C D; * C", "OPP -1 D D; * C"},

	// The histories are C D C D ..., so every second turn is a tie.
	"max-tie-own-c": {6, "ME MAX C D; * C", "ME -1 C D; * C"},
	"max-tie-own-d": {6, "ME MAX D C; * D", "ME -1 D C; * D"},
	"max-tie-opp-c": {5, "OPP MAX C D; OPP MAX D D; * C", "ME -1 C D; * C"},
	// Two of three are a majority.
	"max-narrow-c": {4, "OPP MAX C D; * C", "START D; * C"},
	"max-narrow-d": {4, "OPP MAX D C; * D", "START C; * D"},

	// The same for windows, also for those that are longer than the history.
	"last-tie-own-c": {7, "ME LAST 999 C D; * C", "ME -1 C D; * C"},
	"last-tie-own-d": {7, "ME LAST 999 D C; * D", "ME -1 D C; * D"},
	"last-narrow-c":  {4, "OPP LAST 999 C D; * C", "START D; * C"},
	"last-narrow-d":  {4, "OPP LAST 999 D C; * D", "START C; * D"},

	"win-equal": {5, "ME WIN D; OPP WIN D; * C", "* C"},
}
