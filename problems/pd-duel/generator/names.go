package main

import (
	"strings"

	"assay/judge/kit"
)

// oddNames are names that a reader of the input or a printer of the output may
// stumble over: the one that wins and the one that loses.
var oddNames = map[string][2]string{
	"actions":    {"C", "D"},
	"calls":      {"printf(\"%d\");", "$(date)`id`"},
	"conditions": {"*", "-1"},
	"digits":     {"007", "42"},
	"draw-case":  {"Draw", "draw"},
	"draw-part":  {"DRAWN", "WITHDRAW"},
	"empty":      {"null", "None"},
	"equal":      {"Twin", "Twin"},
	"escapes":    {`\n\t\0\\`, `"'"`},
	"formats":    {"%s%n%d%x", "{0}{}"},
	"letters":    {"ada", "ADA"},
	"longest":    {strings.Repeat("Methuselah", 6), strings.Repeat("Methuselah", 5) + "MethuselaH"},
	"lone":       {"x", "X"},
	"markup":     {"#<b>&lt;//--;", "<!--"},
	"options":    {"-n", "-e"},
	"prototypes": {"__proto__", "constructor"},
	"punctuated": {"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "~~~"},
	"start":      {"START", "LAST"},
	"who":        {"ME", "OPP"},
	"words":      {"RAND", "START"},
	"zero":       {"0", "1"},
}

// oddName makes a short duel that the first of two odd names wins, or, with
// --draw yes, that nobody wins.
func oddName(g *kit.Gen) *duel {
	names, known := oddNames[g.Word(0)]
	if !known {
		g.Refuse("no odd name %q", g.Word(0))
	}
	d := newDuel(3, "START C; OPP -1 C D; * C", "* C")
	if g.Option("draw", "no") == "yes" {
		d = newDuel(3, "START D; * C", "START C; ME -1 C D; * C")
	}
	for s := range names {
		d.sides[s].name = names[s]
	}
	return d
}
