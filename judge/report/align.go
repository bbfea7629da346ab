package report

import "github.com/sergi/go-diff/diffmatchpatch"

// maxAlign is the maximum size of an alignment by go-diff: the product of the lengths of both lists, which is the
// number of steps in the worst case. A timeout of go-diff would depend on the load of the machine.
const maxAlign = 1 << 22

// An AlignedPair is an element of an alignment: its index in each of two lists. If a list does not contain it, the
// index is -1.
type AlignedPair struct{ Old, New int }

// Align pairs equal texts of two lists in order, as many as possible. Between two pairs, the texts of the old list
// come before those of the new one.
//
// Align first pairs the common start and end of the lists, and removes texts that only one list contains. If the
// rest is larger than maxAlign, nothing in it is paired. The lists must contain fewer than a million different
// texts.
func Align(old, current []string) (steps []AlignedPair) {
	var next AlignedPair
	for _, p := range append(commonPairs(old, current), AlignedPair{len(old), len(current)}) {
		for ; next.Old < p.Old; next.Old++ {
			steps = append(steps, AlignedPair{next.Old, -1})
		}
		for ; next.New < p.New; next.New++ {
			steps = append(steps, AlignedPair{-1, next.New})
		}
		if p.Old < len(old) {
			steps = append(steps, p)
			next = AlignedPair{p.Old + 1, p.New + 1}
		}
	}
	return steps
}

// commonPairs returns the pairs of an alignment of was and now. It returns no pairs if go-diff panics.
func commonPairs(old, current []string) (pairs []AlignedPair) {
	defer func() {
		if recover() != nil {
			pairs = nil
		}
	}()
	private := map[string]rune{} // maps texts to unique runes; zero if only the old list has the text
	for _, text := range old {
		private[text] = 0
	}
	next := rune(0xE000)
	for _, text := range current {
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
	olds, a := both(old)
	news, b := both(current)
	pair := func(i, j int) { pairs = append(pairs, AlignedPair{olds[i], news[j]}) }
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
