package main

import (
	"strings"
	"testing"

	"assay/judge/kit/referee"

	"pgregory.net/rapid"
)

func TestParseStrategy(t *testing.T) {
	for _, row := range []struct{ it, text, want string }{
		{"takes every command", "* C\nSTART D\nME -1 C D\nOPP MAX D C\nME LAST 3 C RAND\nOPP WIN C\n", ""},
		{"takes comments, empty lines and blanks", "# a note\r\n\r\n  OPP -1 D D # pays back\r\n\t*  C", ""},
		{"takes the form of the puzzle", "2 Machiavel\nOPP WIN D\n* C\n", ""},
		{"refuses an empty file", "# nothing\n", "the file has no command"},
		{"refuses more than a hundred commands", strings.Repeat("* C\n", 101), "the file has 101 commands; it may have 100"},
		{"refuses another number of commands than announced", "3 X\n* C\n", "the file has 1 commands and announces 3"},
		{"refuses an announced number that is too large", "101 X\n* C\n", "line 1: 101 commands are announced"},
		{"refuses a long name", "1 " + strings.Repeat("x", 61) + "\n* C\n", "has more than 60 characters"},
		{"refuses a program", "import random\n", `line 1, "import random": a command is "* Y"`},
		{"refuses small letters", "* c\n", `the action is "c", want C, D or RAND`},
		{"refuses an unknown comparison", "ME -1 X C\n", `"X" is compared, want C or D`},
		{"refuses RAND where it compares", "ME MAX RAND C\n", `"RAND" is compared, want C or D`},
		{"refuses a word too few", "ME LAST 3 C\n", "it has 4 words, want 5"},
		{"refuses a word too many", "* C D\n", "it has 3 words, want 2"},
		{"refuses a lone word", "START\n", "it has 1 words, want 2"},
		{"refuses N of 0", "ME LAST 0 C D\n", `the N of LAST is "0", want a number from 1 to 2147483647`},
		{"refuses N above 2^31", "ME LAST 2147483648 C D\n", "want a number from 1 to"},
		{"refuses a second head", "1 X\n1 Y\n* C\n", `line 2, "1 Y": a command is`},
	} {
		_, err := parseStrategy(row.text)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("it %s: error %v, want %q", row.it, err, row.want)
		}
	}
}

func FuzzParseStrategy(f *testing.F) {
	f.Add("2 Machiavel\nOPP WIN D\n* C\n")
	f.Add("ME LAST 99999999999999999999 C D")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := parseStrategy(text); err == nil && (len(s.commands) == 0 || len(s.commands) > mostCommands) {
			t.Errorf("%q makes %d commands", text, len(s.commands))
		}
	})
}

// TestStrategiesAreReadAlike: what the puzzle's input makes of a command is what a
// contestant's file makes of it.
func TestStrategiesAreReadAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := inputs(t)
		d, err := read(strings.NewReader(input))
		if err != nil {
			t.Fatal(err)
		}
		_, block, _ := strings.Cut(input, "\n")
		block, _, _ = strings.Cut(block, " Ben\n")
		block = block[:strings.LastIndex(block, "\n")+1]
		s, err := parseStrategy(block)
		if err != nil {
			t.Fatalf("%v in %q", err, block)
		}
		if len(s.commands) != len(d.sides[0].commands) {
			t.Fatalf("%d commands, want %d", len(s.commands), len(d.sides[0].commands))
		}
		for i, c := range s.commands {
			if c != d.sides[0].commands[i] {
				t.Fatalf("command %d is %+v, want %+v", i+1, c, d.sides[0].commands[i])
			}
		}
	})
}

func TestDuelsHaveTheRewardsOfThePuzzle(t *testing.T) {
	play := func(turns string, commands ...string) (referee.Played, []referee.Position) {
		e := referee.Event{Options: map[string]string{"turns": turns, "rand": "puzzle"}}
		r := axelrod()
		r.Greet = func(b *referee.Bot) {
			b.Text = []byte(commands[b.ID-1])
			readContestant(b)
		}
		nobody := func(string) []string { return nil }
		p, text := referee.Try(r, e, 1, nobody, nobody)
		if text != "" {
			t.Fatal(text)
		}
		return p, lookAt(&e, &p)
	}
	for _, row := range []struct {
		it, turns, one, two string
		first, second       float64
		last                string
	}{
		{"is the statement's third sample", "7", "* RAND", "* RAND", 11, 8, "after 7 turns, rewards 11 : 8"},
		{"is the statement's sixth sample", "10", "START C\nOPP LAST 3 D D\n* C", "START RAND\nOPP -1 D C\nOPP -1 C D", 16, 13,
			"after 10 turns, rewards 16 : 13"},
		{"gives all to the other where one is stuck", "10", "START C\nOPP -1 C C", "ME -1 C D\n* C", 0, 30, "after 2 turns, rewards 2 : 5"},
	} {
		p, seen := play(row.turns, row.one, row.two)
		if len(p.Result.Payoff) != 2 || p.Result.Payoff[0] != row.first || p.Result.Payoff[1] != row.second {
			t.Errorf("it %s: payoff %v, want %v and %v", row.it, p.Result.Payoff, row.first, row.second)
		}
		if len(seen) != len(p.Moves)+1 || seen[len(seen)-1].Text != row.last {
			t.Errorf("it %s: at the end %q, want %q", row.it, seen[len(seen)-1].Text, row.last)
		}
	}
}
