package stress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/cases/format"
	"assay/judge/cases/shrink"
)

// vocabulary holds the values from which changed cases are built: numbers, words and lines of the problem's cases, and
// constants of its programs.
type vocabulary struct {
	literals []int64 // constants of programs, and their neighbors
	numbers  []int64 // numbers in the cases
	words    []string
	lines    [][]string
	spans    map[string][2]int64 // maps slots of generator lines to the smallest and largest number
}

// maxListLength is the maximum length of each list in words.
const maxListLength = 4096

func newVocabulary(bases []base, literals []int64, groups []judge.Group) *vocabulary {
	w := &vocabulary{spans: map[string][2]int64{}}
	for _, n := range literals {
		w.literals = append(w.literals, n-1, n, n+1)
	}
	slices.Sort(w.literals)
	w.literals = slices.Compact(w.literals)
	seen := map[string]bool{}
	first := func(s string, have int) bool {
		if seen[s] || have >= maxListLength {
			return false
		}
		seen[s] = true
		return true
	}
	for _, b := range bases {
		for _, line := range shrink.Parse(b.input).Lines {
			if first("\n"+strings.Join(line, " "), len(w.lines)) {
				w.lines = append(w.lines, line)
			}
			for _, word := range line {
				if n, ok := shrink.Integer(word); !ok && word != "" && first(word, len(w.words)) {
					w.words = append(w.words, word)
				} else if ok && first(word, len(w.numbers)) {
					w.numbers = append(w.numbers, n)
				}
			}
		}
	}
	for _, g := range groups {
		for _, c := range g.Cases {
			w.recordLine(strings.Fields(c.Line))
		}
	}
	return w
}

// recordLine records the numbers of a generator line.
func (w *vocabulary) recordLine(line []string) {
	for k := range line {
		n, ok := shrink.Integer(line[k])
		if !ok {
			continue
		}
		span, known := w.spans[slot(line, k)]
		if !known {
			span = [2]int64{min(n, 0), n}
		}
		w.spans[slot(line, k)] = [2]int64{min(span[0], n), max(span[1], n)}
	}
}

// span returns the range for word k of a generator line. The range contains 0 and the numbers at the same position
// in all lines with the same first word.
func (w *vocabulary) span(line []string, k int) (lo, hi int64) {
	s := w.spans[slot(line, k)]
	return s[0], s[1]
}

// slot returns a key for the position of word k in generator lines with the same first word. After a flag such as
// --n, the flag determines the position.
func slot(line []string, k int) string {
	if k > 0 && strings.HasPrefix(line[k-1], "--") {
		return line[0] + " " + line[k-1]
	}
	return fmt.Sprintf("%s %d", line[0], k)
}

// change returns a modified copy of a document. It makes one change, and more with decreasing probability.
func (w *vocabulary) change(r *rand.Rand, d *shrink.Doc) *shrink.Doc {
	for {
		d = w.changeOnce(r, d)
		if r.IntN(3) > 0 {
			return d
		}
	}
}

// changeOnce returns a copy with one change.
func (w *vocabulary) changeOnce(r *rand.Rand, d *shrink.Doc) *shrink.Doc {
	numbers := d.FindWords(shrink.IsInteger)
	switch k := r.IntN(16); {
	case k < 6 && len(numbers) > 0:
		p := numbers[r.IntN(len(numbers))]
		return d.WithWord(p, w.number(r, d, p, numbers))
	case k == 6 && len(numbers) > 1: // change two numbers by the same amount
		p, q := numbers[r.IntN(len(numbers))], numbers[r.IntN(len(numbers))]
		a, _ := shrink.Integer(d.At(p))
		b, _ := shrink.Integer(d.At(q))
		step := w.step(r, max(a, b))
		return d.WithWord(p, text(a+step)).WithWord(q, text(b+step))
	case k < 9:
		return w.otherWord(r, d)
	case k < 13:
		return w.series(r, d)
	case k == 13 && len(w.lines) > 0 && len(d.Lines) > 0: // replace a line with one of another case
		c := clone(d)
		c.Lines[r.IntN(len(c.Lines))] = w.lines[r.IntN(len(w.lines))]
		return c
	case k == 14:
		return swapLines(r, d)
	}
	return swapWords(r, d)
}

// number returns a replacement for the number at p.
func (w *vocabulary) number(r *rand.Rand, d *shrink.Doc, p shrink.Position, numbers []shrink.Position) string {
	n, _ := shrink.Integer(d.At(p))
	other, _ := shrink.Integer(d.At(numbers[r.IntN(len(numbers))]))
	switch r.IntN(12) {
	case 0:
		return text(int64(r.IntN(3)))
	case 1:
		return text(n + int64(r.IntN(2))*2 - 1)
	case 2:
		return text(n + w.step(r, n))
	case 3, 4:
		if len(w.literals) > 0 {
			return text(w.literals[r.IntN(len(w.literals))])
		}
	case 5, 6:
		if len(w.numbers) > 0 {
			return text(w.numbers[r.IntN(len(w.numbers))] + int64(r.IntN(3)) - 1)
		}
	case 7:
		return text(other + int64(r.IntN(3)) - 1)
	case 8:
		return text(n / 2)
	case 9:
		return text(2*n + int64(r.IntN(3)) - 1)
	case 10:
		return text(format.Between(r, 0, n))
	}
	return text(int64(math.Exp(r.Float64() * math.Log(1e18)))) // each number of digits is equally likely
}

// step returns an amount of up to about n. Each number of digits is equally likely.
func (w *vocabulary) step(r *rand.Rand, n int64) int64 {
	size := int64(math.Exp(r.Float64() * math.Log(math.Abs(float64(n))+2)))
	if r.IntN(2) == 0 {
		return -size
	}
	return size
}

func text(n int64) string { return strconv.FormatInt(n, 10) }

// otherWord replaces a word that is not a number with another word from the cases.
func (w *vocabulary) otherWord(r *rand.Rand, d *shrink.Doc) *shrink.Doc {
	spots := d.FindWords(func(word string) bool { return word != "" && !shrink.IsInteger(word) })
	if len(spots) == 0 {
		return swapWords(r, d)
	}
	p := spots[r.IntN(len(spots))]
	word := d.At(p)
	i := r.IntN(len(word))
	switch r.IntN(4) {
	case 0:
		return d.WithWord(p, word[:i]+word[i+1:])
	case 1:
		return d.WithWord(p, word[:i]+word[r.IntN(len(word)):])
	case 2:
		return d.WithWord(p, d.At(spots[r.IntN(len(spots))]))
	}
	if len(w.words) == 0 { // the cases contain only numbers, so an earlier change made this word
		return swapWords(r, d)
	}
	return d.WithWord(p, w.words[r.IntN(len(w.words))])
}

// series removes or duplicates a counted item, and adjusts its count.
func (w *vocabulary) series(r *rand.Rand, d *shrink.Doc) *shrink.Doc {
	all := d.Series()
	if len(all) == 0 {
		return w.otherWord(r, d)
	}
	s := all[r.IntN(len(all))]
	item := r.IntN(len(s.Items))
	if r.IntN(3) == 0 {
		return d.WithoutItems(s, item, item+1)
	}
	more := d.WithItemTwice(s, item)
	if numbers := more.FindWords(shrink.IsInteger); len(numbers) > 0 && r.IntN(2) == 0 {
		p := numbers[r.IntN(len(numbers))]
		return more.WithWord(p, w.number(r, more, p, numbers))
	}
	return more
}

func swapLines(r *rand.Rand, d *shrink.Doc) *shrink.Doc {
	if len(d.Lines) < 2 {
		return swapWords(r, d)
	}
	c := clone(d)
	i, k := r.IntN(len(c.Lines)), r.IntN(len(c.Lines))
	c.Lines[i], c.Lines[k] = c.Lines[k], c.Lines[i]
	return c
}

func swapWords(r *rand.Rand, d *shrink.Doc) *shrink.Doc {
	spots := d.FindWords(func(string) bool { return true })
	if len(spots) < 2 {
		return d
	}
	p, q := spots[r.IntN(len(spots))], spots[r.IntN(len(spots))]
	return d.WithWord(p, d.At(q)).WithWord(q, d.At(p))
}

// clone copies the list of lines. The lines themselves are shared and must not be changed.
func clone(d *shrink.Doc) *shrink.Doc {
	return &shrink.Doc{Lines: slices.Clone(d.Lines), Ended: d.Ended}
}
