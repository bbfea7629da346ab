package shrink

import "strconv"

// A Series is a guess at the structure of a text: a number that counts the items after it. A guess may be wrong,
// because the caller checks each result.
//
// For a number n in a line, the guesses are:
//
//   - the next n lines, or n-1 lines as for a tree; or all following lines, in n
//     blocks of the same size or in blocks with their own counts
//   - the rest of the line, as n words or n groups of words
//   - each later line that has n or n-1 words; all such lines together as columns
//   - later lines with a single word of n letters, as words or as columns of a grid
type Series struct {
	Head  Position
	Count int64
	Items []Item
	kind  string
}

// An Item is one of the counted elements: parts of the text that are added and removed together.
type Item []part

// part is a whole line (word < 0), a word (letter < 0), or a letter of a word.
type part struct{ line, word, letter int }

// maxItems is the maximum number of items in a series.
const maxItems = 200_000

// maxHeads is the maximum number of integers that are considered as counts. These are the first integers of the
// text, because counts usually come early. In a text of a million numbers, considering all would take too long.
const maxHeads = 256

// heads returns the positions of integers that may be counts.
func (d *Doc) heads() (found []Position) {
	for l := range d.Lines {
		for w, word := range d.Lines[l] {
			if n, ok := Integer(word); ok && n >= 1 && n <= maxItems {
				if found = append(found, Position{l, w}); len(found) == maxHeads {
					return found
				}
			}
		}
	}
	return found
}

// Series returns the guesses for the document, ordered by the position of the count.
func (d *Doc) Series() (all []Series) {
	for _, head := range d.heads() {
		all = append(all, d.seriesAt(head)...)
	}
	return all
}

// seriesAt returns the guesses for the count at head.
func (d *Doc) seriesAt(head Position) []Series {
	n, ok := Integer(d.At(head))
	if !ok || n < 1 || n > maxItems {
		return nil
	}
	all := d.guesses(head.Line, head.Word, int(n))
	for i := range all {
		all[i].Head, all[i].Count = head, n
	}
	return all
}

// guesses returns the series that a count n at word w of line l may describe.
func (d *Doc) guesses(l, w, n int) (found []Series) {
	add := func(kind string, items []Item) {
		if len(items) > 0 {
			found = append(found, Series{kind: kind, Items: items})
		}
	}
	rest := len(d.Lines) - l - 1
	if n <= rest {
		add("lines", blocksOf(l+1, n, 1))
	}
	if n > 1 && rest == n-1 {
		add("tree", blocksOf(l+1, n-1, 1))
	}
	if rest > n && rest%n == 0 {
		add("blocks", blocksOf(l+1, n, rest/n))
	}
	add("counted blocks", d.countedBlocks(l+1, n))
	if after := len(d.Lines[l]) - w - 1; after >= n && after%n == 0 {
		add("words", wordsOf(l, w+1, n, after/n))
	}
	add("columns", d.columns(l, n))
	for _, below := range d.linesOf(l, n, 4) {
		add("words of line "+strconv.Itoa(below-l), wordsOf(below, 0, len(d.Lines[below]), 1))
	}
	add("letters", d.grid(l, n))
	return found
}

// blocksOf returns n items, each with size lines. The first line has the index from.
func blocksOf(from, n, size int) []Item {
	items := make([]Item, n)
	for i := range items {
		for k := range size {
			items[i] = append(items[i], part{from + i*size + k, -1, -1})
		}
	}
	return items
}

// wordsOf returns n items, each with size words of a line. The first word has the index from.
func wordsOf(line, from, n, size int) []Item {
	items := make([]Item, n)
	for i := range items {
		for k := range size {
			items[i] = append(items[i], part{line, from + i*size + k, -1})
		}
	}
	return items
}

// countedBlocks parses the line with the index from and all later lines as n blocks. Each block starts with the
// number of its lines, or with the number of words in its next line.
func (d *Doc) countedBlocks(from, n int) []Item {
	for _, byLines := range []bool{true, false} {
		var items []Item
		at := from
		for range n {
			if at >= len(d.Lines) || len(d.Lines[at]) == 0 {
				break
			}
			k, ok := Integer(d.Lines[at][0])
			if !ok || k < 0 {
				break
			}
			size := int64(2)
			if byLines {
				size = 1 + k
			}
			if size > int64(len(d.Lines)-at) || !byLines && int64(len(d.Lines[at+1])) != k {
				break
			}
			items = append(items, blocksOf(at, 1, int(size))[0])
			at += int(size)
		}
		if len(items) == n && at == len(d.Lines) {
			return items
		}
	}
	return nil
}

// linesOf returns the lines below line l that have n or n-1 words. Limit is the maximum number of lines.
func (d *Doc) linesOf(l, n, limit int) (lines []int) {
	for i := l + 1; i < len(d.Lines) && len(lines) < limit; i++ {
		if k := len(d.Lines[i]); k > 0 && (k == n || k == n-1) {
			lines = append(lines, i)
		}
	}
	return lines
}

// columns returns one item per column of the lines below line l that have n words.
func (d *Doc) columns(l, n int) []Item {
	var items []Item
	lines := 0
	for i := l + 1; i < len(d.Lines); i++ {
		if len(d.Lines[i]) != n {
			continue
		}
		lines++
		for k := range n {
			if len(items) <= k {
				items = append(items, nil)
			}
			items[k] = append(items[k], part{i, k, -1})
		}
	}
	if lines < 2 {
		return nil // a single line has its own guess
	}
	return items
}

// grid returns one item per column of letters, from the lines below line l that consist of one word of n letters.
func (d *Doc) grid(l, n int) []Item {
	var items []Item
	for i := l + 1; i < len(d.Lines); i++ {
		if len(d.Lines[i]) != 1 || len(d.Lines[i][0]) != n {
			continue
		}
		for k := range n {
			if len(items) <= k {
				items = append(items, nil)
			}
			items[k] = append(items[k], part{i, 0, k})
		}
	}
	return items
}

// WithoutItems returns the document without the items from..to of a series, with its count lowered.
func (d *Doc) WithoutItems(s Series, from, to int) *Doc {
	gone := map[part]bool{}
	for _, item := range s.Items[from:to] {
		for _, p := range item {
			gone[p] = true
		}
	}
	return d.edit(s, -int64(to-from), func(p part) int {
		if gone[p] {
			return 0
		}
		return 1
	})
}

// WithItemTwice returns the document with an item of a series duplicated, and its count raised by one.
func (d *Doc) WithItemTwice(s Series, item int) *Doc {
	double := map[part]bool{}
	for _, p := range s.Items[item] {
		double[p] = true
	}
	return d.edit(s, 1, func(p part) int {
		if double[p] {
			return 2
		}
		return 1
	})
}

// edit returns a copy in which each part is repeated times(part) times, and the count is changed by change.
func (d *Doc) edit(s Series, change int64, times func(part) int) *Doc {
	c := &Doc{Ended: d.Ended}
	for l, line := range d.Lines {
		var words []string
		for w, word := range line {
			if l == s.Head.Line && w == s.Head.Word {
				word = strconv.FormatInt(s.Count+change, 10)
			}
			if s.kind == "letters" {
				word = editLetters(word, l, w, times)
			}
			for range times(part{l, w, -1}) {
				words = append(words, word)
			}
		}
		for range times(part{l, -1, -1}) {
			c.Lines = append(c.Lines, words)
		}
	}
	return c
}

func editLetters(word string, l, w int, times func(part) int) string {
	var b []byte
	for i := range len(word) {
		for range times(part{l, w, i}) {
			b = append(b, word[i])
		}
	}
	return string(b)
}
