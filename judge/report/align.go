package report

import "github.com/sergi/go-diff/diffmatchpatch"

// maxAlign bounds what go-diff compares in one alignment, as elements of one list times elements of
// the other: at worst it takes that many steps, and it has no other bound that is the same on a busy
// machine.
const maxAlign = 1 << 22

// A Matched is one element of an alignment: an index into each of two lists, or -1 for the list that
// does not have the element.
type Matched struct{ Old, New int }

// Align pairs the texts that two lists have in common, in order, as many as possible. Between two
// pairs, what only the old list has comes first.
//
// What both lists begin and end with is paired at once, and texts of one list alone are omitted of
// the comparison. If what remains is larger than maxAlign, it is not paired. The lists must have fewer
// than a million different texts.
func Align(was, now []string) (steps []Matched) {
	var at Matched
	for _, p := range append(common(was, now), Matched{len(was), len(now)}) {
		for ; at.Old < p.Old; at.Old++ {
			steps = append(steps, Matched{at.Old, -1})
		}
		for ; at.New < p.New; at.New++ {
			steps = append(steps, Matched{-1, at.New})
		}
		if p.Old < len(was) {
			steps = append(steps, p)
			at = Matched{p.Old + 1, p.New + 1}
		}
	}
	return steps
}

// common returns the pairs of an alignment. If go-diff panics, there are none.
func common(was, now []string) (pairs []Matched) {
	defer func() {
		if recover() != nil {
			pairs = nil
		}
	}()
	private := map[string]rune{} // of each text that both lists have; 0 for texts of the old list alone
	for _, text := range was {
		private[text] = 0
	}
	next := rune(0xE000)
	for _, text := range now {
		if r, known := private[text]; known && r == 0 {
			private[text] = next
			next++
		}
	}
	both := func(texts []string) (places []int, runes []rune) {
		for i, text := range texts {
			if r := private[text]; r > 0 {
				places, runes = append(places, i), append(runes, r)
			}
		}
		return places, runes
	}
	olds, a := both(was)
	news, b := both(now)
	pair := func(i, j int) { pairs = append(pairs, Matched{olds[i], news[j]}) }
	start, end := 0, 0
	for ; start < min(len(a), len(b)) && a[start] == b[start]; start++ {
		pair(start, start)
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	i, j := start, start
	if (len(a)-start-end)*(len(b)-start-end) <= maxAlign {
		for _, diff := range newDiffer().DiffMainRunes(a[start:len(a)-end], b[start:len(b)-end], false) {
			for range diff.Text {
				if diff.Type == diffmatchpatch.DiffEqual {
					pair(i, j)
				}
				if diff.Type != diffmatchpatch.DiffInsert {
					i++
				}
				if diff.Type != diffmatchpatch.DiffDelete {
					j++
				}
			}
		}
	}
	for ; end > 0; end-- {
		pair(len(a)-end, len(b)-end)
	}
	return pairs
}

func newDiffer() *diffmatchpatch.DiffMatchPatch {
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // no deadline: the result must not depend on the machine's load
	return d
}
