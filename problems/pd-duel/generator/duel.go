package main

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

type duel struct {
	turns int
	sides [2]strategy
}

type strategy struct {
	name     string
	commands []command
}

// command has the words of its line; those that it does not need are empty.
type command struct {
	who  string // *, START, ME or OPP
	what string // -1, MAX, LAST or WIN
	n    int
	x, y string
}

func (c command) String() string {
	words := []string{c.who, c.what, "", c.x, c.y}
	if c.n > 0 {
		words[2] = strconv.Itoa(c.n)
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// parse reads a strategy with "; " between its commands. It is for the texts of
// this generator alone and panics on any other.
func parse(name, text string) strategy {
	s := strategy{name: name}
	for line := range strings.SplitSeq(text, "; ") {
		w := strings.Fields(line)
		c := command{who: w[0], y: w[len(w)-1]}
		if len(w) > 2 {
			c.what = w[1]
		}
		if len(w) > 3 {
			c.x = w[len(w)-2]
		}
		if len(w) > 4 {
			n, err := strconv.Atoi(w[2])
			if err != nil {
				panic(fmt.Sprintf("command %q: %v", line, err))
			}
			c.n = n
		}
		s.commands = append(s.commands, c)
	}
	return s
}

func newDuel(turns int, tested, other string) *duel {
	return &duel{turns, [2]strategy{parse("Witness", tested), parse("Foil", other)}}
}

// slip is one mistake in a duel, by which the generator tells whether mistakes
// show: in this turn, the side finds that the command holds where it does not, or
// the other way round. With command = lostDraw it takes a number from the random
// generator that it has no use for.
type slip struct{ turn, side, command int }

const lostDraw = -1

var noSlip = slip{turn: -1}

// winner is the side that wins, or draw, or stuck if a side has no command that
// holds.
type winner int

const (
	draw  winner = 2
	stuck winner = 3
)

// play plays the duel. It calls see, if there is one, for each condition that is
// looked at.
func (d *duel) play(mistake slip, see func(turn, side, command int, holds bool)) winner {
	h := history{x: 12}
	for s := range d.sides {
		h.sums[s] = append(make([]int, 0, d.turns+1), 0)
	}
	for turn := range d.turns {
		var actions [2]int // 1 is D
		for s := range d.sides {
			if mistake == (slip{turn, s, lostDraw}) {
				h.random()
			}
			chosen := -1
			for i := range d.sides[s].commands {
				holds := h.holds(s, &d.sides[s].commands[i])
				if see != nil {
					see(turn, s, i, holds)
				}
				if holds != (mistake == slip{turn, s, i}) {
					chosen = i
					break
				}
			}
			if chosen < 0 {
				return stuck
			}
			switch d.sides[s].commands[chosen].y {
			case "D":
				actions[s] = 1
			case "RAND":
				actions[s] = h.random()
			}
		}
		for s, a := range actions {
			h.sums[s] = append(h.sums[s], h.sums[s][turn]+a)
		}
	}
	switch lead := h.lead(); {
	case lead > 0:
		return 0
	case lead < 0:
		return 1
	}
	return draw
}

// history is what both sides have done: sums[s][t] is how often side s defected
// in the first t turns.
type history struct {
	sums [2][]int
	x    int
}

// lead is how many more times the first side has defected. Who defects alone gets
// three more than the other, and nothing else makes a difference, so who defected
// more often has the greater reward.
func (h *history) lead() int {
	return h.sums[0][len(h.sums[0])-1] - h.sums[1][len(h.sums[1])-1]
}

func (h *history) random() int {
	h.x = (137*h.x + 187) % 256
	return 1 - bits.OnesCount(uint(h.x))%2
}

func (h *history) holds(s int, c *command) bool {
	who := s
	if c.who == "OPP" {
		who = 1 - s
	}
	played := len(h.sums[who]) - 1
	window := played
	switch {
	case c.who == "*":
		return true
	case c.who == "START":
		return played == 0
	case c.what == "WIN":
		return who == 0 && h.lead() > 0 || who == 1 && h.lead() < 0
	case c.what == "LAST":
		window = min(c.n, played)
	case c.what == "-1":
		window = min(1, played)
	}
	defections := h.sums[who][played] - h.sums[who][played-window]
	if c.x == "D" {
		return 2*defections > window
	}
	return 2*defections < window
}
