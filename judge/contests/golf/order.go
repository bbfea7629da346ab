package golf

import (
	"cmp"
	"slices"
	"strings"
)

// Order sorts results. Correct ones come first, by bytes or by characters.
func Order(results []*Result, chars bool) {
	size := func(r *Result) int {
		if chars {
			return r.Chars
		}
		return r.Bytes
	}
	rank := map[Verdict]int{Correct: 0, TooSlow: 1, Incorrect: 2, CannotRun: 3}
	slices.SortStableFunc(results, func(a, b *Result) int {
		return cmp.Or(rank[a.Verdict]-rank[b.Verdict], size(a)-size(b), strings.Compare(a.File, b.File))
	})
}
