// Wythoff's golf checker: in a won position the output must be a position that a
// single move leads to and from which the other player cannot win; in a lost one
// any text that is not a position, the same text for every lost input.
package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/judge/kit"
)

func main() { kit.CheckGolf(check) }

// place is the sizes of the two piles.
type place struct{ i, j int }

func (p place) String() string { return fmt.Sprintf("%d %d", p.i, p.j) }

// losing is one text that was given for lost inputs.
type losing struct {
	text    string
	inputs  []place
	answers []int
}

func check(g *kit.Golf) {
	var variants []*losing
	notes := map[string]int{}
	for k, a := range g.Answers {
		from, err := input(a.In)
		if err != nil {
			panic(err)
		}
		text := strings.TrimSpace(string(a.Out))
		to, policy, isPosition := parse(text)
		switch {
		case lost(from) && isPosition:
			g.Wrong(k, "%v is lost: expected a text that is not a position", from)
		case lost(from):
			variants = record(variants, text, from, k)
		case !isPosition:
			g.Wrong(k, "has a winning move, e.g. %s", winner(from))
		case !leads(from, to):
			g.Wrong(k, "no move leads from %v to %v; expected e.g. %s", from, to, winner(from))
		case !lost(to):
			g.Wrong(k, "%v is not won by moving to %v; expected e.g. %s", from, to, winner(from))
		default:
			notes[policy]++
		}
	}
	for _, policy := range slices.Sorted(keys(notes)) {
		if policy != "" {
			g.Note("%s", policy)
		}
	}
	checkLosing(g, variants)
}

func keys(m map[string]int) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func record(variants []*losing, text string, from place, answer int) []*losing {
	at := slices.IndexFunc(variants, func(v *losing) bool { return v.text == text })
	if at < 0 {
		variants = append(variants, &losing{text: text})
		at = len(variants) - 1
	}
	v := variants[at]
	v.answers = append(v.answers, answer)
	if !slices.Contains(v.inputs, from) {
		v.inputs = append(v.inputs, from)
	}
	return variants
}

// checkLosing demands one text for all lost inputs. Where there are several, that
// of most inputs is taken for the one that was meant.
func checkLosing(g *kit.Golf, variants []*losing) {
	if len(variants) == 0 {
		return
	}
	slices.SortStableFunc(variants, func(a, b *losing) int { return len(b.inputs) - len(a.inputs) })
	meant := variants[0]
	if len(variants) == 1 {
		g.Say("lost positions give %s", show(meant.text))
		if meant.text == "" {
			g.Note("no output at all is taken as the text of lost positions")
		}
		return
	}
	for _, v := range variants[1:] {
		for k, answer := range v.answers {
			from := v.inputs[min(k, len(v.inputs)-1)]
			g.Wrong(answer, "%v is lost: expected the same non-position as for %v, which was %s", from, meant.inputs[0], show(meant.text))
		}
	}
	var all []string
	for _, v := range variants[:min(len(variants), 6)] {
		one := fmt.Sprintf("%s (%d inputs, e.g. %v)", show(v.text), len(v.inputs), v.inputs[0])
		if len(v.inputs) == 1 {
			one = fmt.Sprintf("%s (1 input: %v)", show(v.text), v.inputs[0])
		}
		all = append(all, one)
	}
	if len(variants) > 6 {
		all = append(all, fmt.Sprintf("and %d other texts", len(variants)-6))
	}
	g.Say("lost positions give %s", strings.Join(all, ", "))
}

// show writes a text so that blanks and nothing at all can be seen.
func show(text string) string {
	const most = 60
	switch {
	case text == "":
		return "nothing"
	case len(text) > most:
		return strconv.Quote(text[:most]) + "..."
	case strings.ContainsFunc(text, func(c rune) bool { return !strconv.IsPrint(c) }):
		return strconv.Quote(text)
	}
	return text
}

func input(args []string) (place, error) {
	if len(args) != 2 {
		return place{}, fmt.Errorf("an input has 2 piles, got %q", args)
	}
	i, err := strconv.Atoi(args[0])
	if err != nil {
		return place{}, err
	}
	j, err := strconv.Atoi(args[1])
	return place{i, j}, err
}

func leads(from, to place) bool {
	di, dj := from.i-to.i, from.j-to.j
	return di >= 0 && dj >= 0 && di+dj > 0 && (di == 0 || dj == 0 || di == dj)
}

// lost follows the rule that the lost position with difference d has the least
// pile that no earlier one has. Golf piles are small.
func lost(p place) bool {
	small, large := min(p.i, p.j), max(p.i, p.j)
	if small < 0 || large > 10_000 {
		return false
	}
	taken := make([]bool, large+1)
	for low, difference := 0, 0; low <= small; low++ {
		if taken[low] {
			continue
		}
		high := low + difference
		if low == small {
			return high == large
		}
		if high <= large {
			taken[high] = true
		}
		difference++
	}
	return false
}

// winner is a move for people.
func winner(from place) string {
	for take := 1; take <= max(from.i, from.j); take++ {
		for _, to := range []place{{from.i - take, from.j - take}, {from.i, from.j - take}, {from.i - take, from.j}} {
			if to.i >= 0 && to.j >= 0 && lost(to) {
				return fmt.Sprintf("(%d, %d)", to.i, to.j)
			}
		}
	}
	return "none"
}
