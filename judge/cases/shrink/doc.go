package shrink

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// A Doc is a text split into lines of words. Words are separated by single blanks, so two consecutive blanks
// enclose an empty word. Bytes returns exactly the parsed text.
type Doc struct {
	Lines [][]string
	Ended bool // whether the last line ends with a line feed
}

// Parse splits a text into lines of words.
func Parse(text []byte) *Doc {
	d := &Doc{}
	if text, d.Ended = bytes.CutSuffix(text, []byte{'\n'}); len(text) == 0 && !d.Ended {
		return d
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if line == "" {
			d.Lines = append(d.Lines, nil)
			continue
		}
		d.Lines = append(d.Lines, strings.Split(line, " "))
	}
	return d
}

// Bytes returns the text.
func (d *Doc) Bytes() []byte {
	var b bytes.Buffer
	for i, line := range d.Lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		for k, w := range line {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
	}
	if d.Ended && len(d.Lines) > 0 {
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// clone returns a copy whose words may be changed.
func (d *Doc) clone() *Doc {
	c := &Doc{Lines: make([][]string, len(d.Lines)), Ended: d.Ended}
	for i, line := range d.Lines {
		c.Lines[i] = slices.Clone(line)
	}
	return c
}

// A Position is the position of a word.
type Position struct{ Line, Word int }

// At returns the word at the spot.
func (d *Doc) At(p Position) string { return d.Lines[p.Line][p.Word] }

// WithWord returns a copy in which the spot has another word.
func (d *Doc) WithWord(p Position, word string) *Doc {
	c := d.clone()
	c.Lines[p.Line][p.Word] = word
	return c
}

// FindWords returns the spots of all words for which want returns true.
func (d *Doc) FindWords(want func(word string) bool) (found []Position) {
	for l, line := range d.Lines {
		for w, word := range line {
			if want(word) {
				found = append(found, Position{l, w})
			}
		}
	}
	return found
}

// Integer parses a word that is a 64-bit integer without a plus sign or leading zeros.
func Integer(word string) (int64, bool) {
	if word == "" || len(word) > 20 || word[0] != '-' && (word[0] < '0' || word[0] > '9') {
		return 0, false
	}
	n, err := strconv.ParseInt(word, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == word
}

// IsInteger reports whether Integer can parse the word.
func IsInteger(word string) bool {
	_, ok := Integer(word)
	return ok
}
