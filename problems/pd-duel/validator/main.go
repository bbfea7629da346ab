// The validator of pd-duel: the form of the input, its bounds, and the promise
// that in every turn some command of each strategy holds, which only playing the
// duel can show. It does not say who wins.
package main

import "assay/judge/kit"

const (
	maxTurns    = 200_000
	maxCommands = 100
	maxWindow   = 1<<31 - 1
	maxName     = 60
	maxWork     = 2_000_000 // turns x commands of both
)

func main() { kit.Validate(validate) }

func validate(in *kit.Reader) {
	turns := in.Int(1, maxTurns, "turns")
	in.EOLN()
	var sides [2]side
	var total int64
	for s := range sides {
		n := in.Int(1, maxCommands, "n")
		total += n
		if turns*total > maxWork {
			in.Refuse("%d turns x %d commands are more than %d", turns, total, int64(maxWork))
		}
		in.Space()
		if name := in.Word(1, maxName, "name"); name == "DRAW" {
			in.Refuse("a strategy may not be called DRAW")
		}
		in.EOLN()
		for range n {
			sides[s].commands = append(sides[s].commands, readCommand(in))
			in.EOLN()
		}
	}
	in.EOF()
	if turn, s, stuck := play(int(turns), sides); stuck {
		in.Refuse("in turn %d no command of strategy %d holds", turn, s+1)
	}
}

// command is "<who> <what> <n> <x> <y>"; what it does not have is zero.
type command struct {
	who, what string
	n         int64
	x, y      string
}

func readCommand(in *kit.Reader) command {
	var c command
	c.who = oneOf(in, "*", "START", "ME", "OPP")
	in.Space()
	if c.who == "ME" || c.who == "OPP" {
		c.what = oneOf(in, "-1", "MAX", "LAST", "WIN")
		in.Space()
		if c.what == "LAST" {
			c.n = in.Int(1, maxWindow, "N")
			in.Space()
		}
		if c.what != "WIN" {
			c.x = oneOf(in, "C", "D")
			in.Space()
		}
	}
	c.y = oneOf(in, "C", "D", "RAND")
	return c
}

// oneOf reads a word and refuses any that is not listed.
func oneOf(in *kit.Reader, list ...string) string {
	got := in.Token()
	for _, word := range list {
		if got == word {
			return got
		}
	}
	in.Refuse("want one of %q, got %.60q before this place", list, got)
	return ""
}
