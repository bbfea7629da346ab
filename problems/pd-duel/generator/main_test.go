package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// problemTOML is where the generator's lines stand.
const problemTOML = "../problem.toml"

func TestEveryRuleNameAndLongDuelHasACase(t *testing.T) {
	plan, err := os.ReadFile(problemTOML)
	if err != nil {
		t.Fatal(err)
	}
	// A blank behind each word, so that one name is not found in a longer one.
	lines := strings.ReplaceAll(string(plan), `"`, " ")
	for name := range maps.Keys(witnesses) {
		if !strings.Contains(lines, " rule "+name+" ") {
			t.Errorf("no case is made of the rule %s", name)
		}
	}
	for name := range maps.Keys(oddNames) {
		if !strings.Contains(lines, " name "+name+" ") {
			t.Errorf("no case is made of the name %s", name)
		}
	}
	for name := range maps.Keys(longWitnesses) {
		if !strings.Contains(lines, " long "+name+" ") {
			t.Errorf("no test case is made of the long duel %s", name)
		}
	}
}

func TestNoWitnessIsStuck(t *testing.T) {
	for name, w := range witnesses {
		if newDuel(w.turns, w.tested, w.other).winner() == stuck {
			t.Errorf("rule %s has a turn in which no command holds", name)
		}
	}
}

func TestPlay(t *testing.T) {
	for name, row := range map[string]struct {
		duel *duel
		slip slip
		want winner
	}{
		"it is won by who defects more often":       {newDuel(3, "START D; * C", "* C"), noSlip, 0},
		"it is drawn where both do as often":        {newDuel(2, "START D; * C", "START C; * D"), noSlip, draw},
		"it is stuck without a command":             {newDuel(2, "START D", "* C"), noSlip, stuck},
		"it follows a slip that makes a command so": {newDuel(1, "OPP WIN D; * C", "* C"), slip{0, 0, 0}, 0},
		"it follows a slip that passes a command":   {newDuel(1, "* D; START C", "* C"), slip{0, 0, 0}, draw},
		"it draws D, D and then C":                  {newDuel(3, "* RAND", "START D; OPP -1 D D; * C"), noSlip, 1},
		"it draws a C in the third place":           {newDuel(2, "START RAND; * C", "* RAND"), noSlip, draw},
		"it loses that C with a slip":               {newDuel(2, "START RAND; * C", "* RAND"), slip{1, 0, lostDraw}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := row.duel.play(row.slip, nil); got != row.want {
				t.Errorf("winner %d, want %d", got, row.want)
			}
		})
	}
}

// anyCommand draws commands of every form.
var anyCommand = rapid.Custom(func(t *rapid.T) command {
	c := command{
		who: rapid.SampledFrom([]string{"*", "START", "ME", "OPP"}).Draw(t, "who"),
		y:   rapid.SampledFrom([]string{"C", "D", "RAND"}).Draw(t, "y"),
	}
	if c.who == "*" || c.who == "START" {
		return c
	}
	c.what = rapid.SampledFrom([]string{"-1", "MAX", "LAST", "WIN"}).Draw(t, "what")
	if c.what != "WIN" {
		c.x = rapid.SampledFrom([]string{"C", "D"}).Draw(t, "x")
	}
	if c.what == "LAST" {
		c.n = rapid.IntRange(1, 1<<31-1).Draw(t, "n")
	}
	return c
})

func TestParseReadsWhatStringWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(anyCommand, 1, 5).Draw(t, "commands")
		var words []string
		for _, c := range list {
			words = append(words, c.String())
		}
		if got := parse("", strings.Join(words, "; ")).commands; !slices.Equal(got, list) {
			t.Errorf("%q was read as %v", words, got)
		}
	})
}

func TestEditsAreOtherCommandsThatAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyCommand.Draw(t, "command")
		for _, e := range edits(c) {
			if e == c {
				t.Errorf("an edit of %v is the same", c)
			}
			if (e.what == "LAST") != (e.n > 0) || (e.x == "") != (e.what == "" || e.what == "WIN") {
				t.Errorf("%v is edited to %v, which is not a command", c, e)
			}
		}
	})
}
