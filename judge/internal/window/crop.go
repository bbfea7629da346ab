package window

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cut marks that a cropped line continues. A "…" in the text itself is escaped.
const Cut = "…"

// crop returns the line in start..end of the text, made printable and cropped around a column (in bytes, from 0),
// and the position of the column in the result.
func (t text) crop(start, end, column int64) (line string, at int) {
	const reach = lineWidth * utf8.UTFMax // maximum number of bytes to read on each side
	place := min(start+column, end)
	from, to := max(start, place-reach), min(end, place+reach)
	raw := make([]byte, to-from)
	raw = t.read(raw, from)
	at = int(place - from)
	if from > start { // do not start in the middle of a character
		skip := 0
		for skip < min(utf8.UTFMax-1, at, len(raw)) && !utf8.RuneStart(raw[skip]) {
			skip++
		}
		raw, at = raw[skip:], at-skip
	}
	return cropCells(split(raw), min(at, len(raw)), from > start, to < end)
}

// cell is the smallest piece of a line. It is either shown or cut as a whole.
type cell struct {
	text string
	raw  int // number of bytes that it represents
}

// width returns the number of characters in the cell.
func (c cell) width() int { return utf8.RuneCountInString(c.text) }

// cropCells joins the cells around byte `at` that fit into lineWidth. before and after report whether the line
// continues outside the cells.
func cropCells(cells []cell, at int, before, after bool) (string, int) {
	total, place, seen := 0, len(cells), 0 // place is the index of the cell with byte `at`
	for i, c := range cells {
		if at < seen+c.raw && place == len(cells) {
			place = i
		}
		seen += c.raw
		total += c.width()
	}
	first, last := 0, len(cells)
	if before || after || total > lineWidth {
		room := lineLead
		for first = place; first > 0 && room >= cells[first-1].width(); first-- {
			room -= cells[first-1].width()
		}
		room += lineWidth - lineLead
		for last = place; last < len(cells) && room >= cells[last].width(); last++ {
			room -= cells[last].width()
		}
	}
	var b strings.Builder
	if before || first > 0 {
		b.WriteString(Cut)
	}
	mark := 0
	for i := first; i < last; i++ {
		if i == place {
			mark = b.Len()
		}
		b.WriteString(cells[i].text)
	}
	if place >= last {
		mark = b.Len()
	}
	if after || last < len(cells) {
		b.WriteString(Cut)
	}
	return b.String(), mark
}

// split splits bytes into printable cells. Control characters, invalid UTF-8, invisible characters and characters
// that change the direction of the text are written as \xNN, one escape per byte. A backslash is written as \x5C
// if it could be mistaken for the start of an escape, so different texts never look the same.
func split(b []byte) []cell {
	cells := make([]cell, 0, len(b))
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1, !strconv.IsPrint(r), string(r) == Cut:
			for range n {
				cells = append(cells, cell{escaped(b[i]), 1})
				i++
			}
			continue
		case r == '\\' && looksEscaped(b[i:]):
			cells = append(cells, cell{escaped('\\'), 1})
		default:
			cells = append(cells, cell{string(b[i : i+n]), n})
		}
		i += n
	}
	return cells
}

// escaped writes a byte as \xNN.
func escaped(c byte) string {
	const digits = "0123456789ABCDEF"
	return `\x` + string(digits[c>>4]) + string(digits[c&15])
}

// looksEscaped reports whether b looks like the start of an escape.
func looksEscaped(b []byte) bool {
	return len(b) >= 4 && b[1] == 'x' && isHex(b[2]) && isHex(b[3])
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'A' <= c && c <= 'F' }
