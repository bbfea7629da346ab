package shrink

import "slices"

// granularity is the size of the pieces that a pass removes.
type granularity int

const (
	coarse granularity = iota // at least an eighth
	fine                      // down to one
)

// smallest returns the size of the smallest piece of n elements.
func (g granularity) smallest(n int) int {
	if g == coarse {
		return max(1, n/8)
	}
	return 1
}

// chunks calls drop for pieces of n elements. The size of the pieces decreases from n to the smallest, and for
// each size the pieces go from the end to the start. Drop returns the number of remaining elements, or -1 if it
// could not remove the piece.
func (s *guessSearch) chunks(g granularity, n int, drop func(from, to int) int) {
	least := g.smallest(n)
	for size := n; size >= least && size > 0 && !s.over(); size = min(size/2, n) {
		for to := n; to > 0 && !s.over(); {
			from := max(0, to-size)
			if left := drop(from, to); left >= 0 {
				n = left
			}
			to = min(from, n)
		}
	}
}

// dropItems removes items of series, and lowers their counts.
func (s *guessSearch) dropItems(g granularity) {
	for h := 0; h < len(s.doc.heads()) && !s.over(); h++ {
		head := s.doc.heads()[h]
		for k := 0; k < len(s.doc.seriesAt(head)) && !s.over(); k++ {
			s.dropFrom(g, s.doc.seriesAt(head)[k])
		}
	}
}

func (s *guessSearch) dropFrom(g granularity, series Series) {
	s.chunks(g, len(series.Items), func(from, to int) int {
		if to > len(series.Items) || !s.try("drop "+series.kind, s.doc.WithoutItems(series, from, to)) {
			return -1
		}
		// The count comes before its items, so its position is unchanged. If the document no longer has a series
		// there, all items have been removed.
		all := s.doc.seriesAt(series.Head)
		i := slices.IndexFunc(all, func(o Series) bool { return o.kind == series.kind })
		if i < 0 {
			series.Items = nil
			return 0
		}
		series = all[i]
		return len(series.Items)
	})
}

// dropLines removes lines, assuming that no number counts them.
func (s *guessSearch) dropLines(g granularity) {
	s.chunks(g, len(s.doc.Lines), func(from, to int) int {
		c := &Doc{Ended: s.doc.Ended}
		c.Lines = append(c.Lines, s.doc.Lines[:from]...)
		c.Lines = append(c.Lines, s.doc.Lines[to:]...)
		if !s.try("drop lines", c) {
			return -1
		}
		return len(s.doc.Lines)
	})
}

// dropWords removes words of a line, assuming that no number counts them.
func (s *guessSearch) dropWords(g granularity) {
	for l := len(s.doc.Lines) - 1; l >= 0; l-- {
		if l >= len(s.doc.Lines) {
			continue
		}
		s.chunks(g, len(s.doc.Lines[l]), func(from, to int) int {
			c := s.doc.clone()
			c.Lines[l] = slices.Delete(c.Lines[l], from, to)
			if !s.try("drop words", c) {
				return -1
			}
			return len(s.doc.Lines[l])
		})
	}
}

// swapLines swaps neighboring lines that are not in order.
func (s *guessSearch) swapLines() {
	for l := 1; l < len(s.doc.Lines) && !s.over(); l++ {
		c := s.doc.clone()
		c.Lines[l-1], c.Lines[l] = c.Lines[l], c.Lines[l-1]
		s.try("swap lines", c)
	}
}

// compareShortlex compares words in shortlex order, as defined by Less.
func compareShortlex(a, b string) int {
	switch {
	case Less([]byte(a), []byte(b)):
		return -1
	case a == b:
		return 0
	}
	return 1
}
