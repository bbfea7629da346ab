package problems

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// diffLine is a line of what is other in one text than in another.
type diffLine struct {
	Kind     string // of the style sheet: same, got for one that is gone, want for a new one, more for some that are left out
	Mark     string
	Was, Now int // its number in each text; 0 for none
	Text     string
}

// Said returns the word that a screen reader says for the mark.
func (l diffLine) Said() string { return map[string]string{"got": "removed", "want": "added"}[l.Kind] }

// The bounds of what is compared and shown.
const (
	mostCompared = 256 << 10 // bytes of a text
	mostChanges  = 1000      // lines that are others, where it is looked for the fewest
	mostDrawn    = 400       // lines of a difference
	aroundDiff   = 3         // lines that are the same beside one that is not
)

// isText says whether bytes are a text that a page can show.
func isText(data []byte) bool { return utf8.Valid(data) && !bytes.Contains(data, []byte{0}) }

// textDiff says how one text becomes another, with a few lines around what is other. All says
// that nothing was left out at its end.
func textDiff(before, after string) (lines []diffLine, all bool) {
	was, now := linesOf(before), linesOf(after)
	start := 0
	for start < len(was) && start < len(now) && was[start] == now[start] {
		start++
	}
	end := 0
	for end < len(was)-start && end < len(now)-start && was[len(was)-1-end] == now[len(now)-1-end] {
		end++
	}
	var whole []diffLine
	same := func(i, j int) { whole = append(whole, diffLine{"same", " ", i + 1, j + 1, was[i]}) }
	for i := range start {
		same(i, i)
	}
	whole = append(whole, middle(was[start:len(was)-end], now[start:len(now)-end], start)...)
	for k := range end {
		same(len(was)-end+k, len(now)-end+k)
	}
	return around(whole)
}

func linesOf(text string) []string {
	all := slices.Collect(strings.Lines(text))
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "\n")
	}
	return all
}

// middle compares the lines of two texts, which both begin after so many others, with as few
// changes as there can be: by the greedy algorithm of E. Myers (1986), which takes the time of the
// lines times the changes. Of more changes than that is worth, all lines are others.
func middle(was, now []string, start int) (all []diffLine) {
	gone := func(i int) { all = append(all, diffLine{"got", "-", start + i + 1, 0, was[i]}) }
	come := func(j int) { all = append(all, diffLine{"want", "+", 0, start + j + 1, now[j]}) }
	before, found := furthest(was, now)
	if !found {
		for i := range was {
			gone(i)
		}
		for j := range now {
			come(j)
		}
		return all
	}
	x, y := len(was), len(now)
	for d := len(before) - 1; d >= 0; d-- { // backwards, change by change
		k := x - y
		from := step(before[d], d, k)
		px := int(before[d][from+d+1])
		py := px - from
		for x > px && y > py {
			x, y = x-1, y-1
			all = append(all, diffLine{"same", " ", start + x + 1, start + y + 1, was[x]})
		}
		switch {
		case d == 0:
		case x == px:
			come(y - 1)
		default:
			gone(x - 1)
		}
		x, y = px, py
	}
	slices.Reverse(all)
	return all
}

// step says from which diagonal one comes to the diagonal k with the change number d.
func step(v []int32, d, k int) int {
	if k == -d || k != d && v[k-1+d+1] < v[k+1+d+1] {
		return k + 1
	}
	return k - 1
}

// furthest says for each number of changes how far one comes with one less: of each diagonal,
// from -d-1 on, the lines of the first text. Found says that the last one is enough.
func furthest(was, now []string) (before [][]int32, found bool) {
	v := []int32{0, 0, 0}
	for d := range min(len(was)+len(now), mostChanges) + 1 {
		next := make([]int32, 2*d+5)
		before = append(before, v)
		for k := -d; k <= d; k += 2 {
			x := int(v[step(v, d, k)+d+1])
			if step(v, d, k) == k-1 {
				x++
			}
			y := x - k
			for x < len(was) && y < len(now) && was[x] == now[y] {
				x, y = x+1, y+1
			}
			next[k+d+2] = int32(x)
			if x >= len(was) && y >= len(now) {
				return before, true
			}
		}
		v = next
	}
	return nil, false
}

// around leaves out what is the same, except some lines beside each difference.
func around(whole []diffLine) (lines []diffLine, all bool) {
	near := make([]bool, len(whole))
	for i, l := range whole {
		if l.Kind != "same" {
			for k := max(0, i-aroundDiff); k <= min(len(whole)-1, i+aroundDiff); k++ {
				near[k] = true
			}
		}
	}
	left := 0
	for i, l := range whole {
		switch {
		case !near[i]:
			left++
			continue
		case len(lines) >= mostDrawn:
			return lines, false
		case left > 0 && len(lines) > 0:
			lines = append(lines, diffLine{Kind: "more", Text: "…"})
		}
		left = 0
		lines = append(lines, l)
	}
	return lines, true
}
