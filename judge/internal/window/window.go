// Package window extracts the few lines around a position from a text that may be huge, and makes them safe to
// print.
//
// A window has at most 3 lines before the position, its line, and 20 lines after it. A line is cropped to 160
// characters around the column of the position, with "…" where it continues. The whole window has at most 4 kB.
// Bytes that are not printable characters are written as \xNN.
//
// The text is read once, from its start to the position, through a buffer of fixed size. A text of 100 MB, even in
// a single line, takes a few milliseconds.
//
// The package does no judging: the checker decides which position is interesting. It also renders nothing: the
// reports do.
package window

import (
	"bytes"
	"errors"
	"io"

	"assay/judge"
)

const (
	linesBefore = 3
	linesAfter  = 20
	lineWidth   = 160     // maximum number of characters in a line
	lineLead    = 80      // characters before the position in a cropped line
	maxText     = 4 << 10 // maximum number of bytes in an excerpt

	blockSize = 128 << 10 // half of a typical L2 cache, so that blocks of two texts fit
	// maxSearch limits the search for the ends of the lines after the position, in bytes. If an end is not found,
	// the window stops early.
	maxSearch = 1 << 20
)

// Around returns the window around the byte at offset. An offset beyond the end means the end.
//
// If reading fails, the window contains the text that could be read.
func Around(r *io.SectionReader, offset int64) judge.Excerpt {
	t := text{r, size(r)}
	offset = max(0, min(offset, t.size))
	var p prefix
	buf := make([]byte, blockSize)
	for p.size < offset {
		block := t.read(buf[:min(blockSize, offset-p.size)], p.size)
		if len(block) == 0 {
			break
		}
		p.add(block)
	}
	return t.around(&p, buf)
}

// Head returns the window at the beginning of a text.
func Head(r *io.SectionReader) judge.Excerpt { return Around(r, 0) }

// Detail returns the excerpts that a report shows for a failed case: the first lines of the input, and the answer
// and the output around their first difference.
//
// If place is nil, the windows are around the first byte that differs. Detail.Position stays nil, because this
// difference may be harmless. If no byte differs, the windows are at the beginning. A nil reader means an empty
// text.
func Detail(in, ans, out *io.SectionReader, place *judge.Position) *judge.Detail {
	d := &judge.Detail{Input: Head(in), Place: place}
	if place != nil {
		d.Want = Around(ans, place.AnsOffset)
		d.Got = Around(out, place.OutOffset)
		return d
	}
	want, got := text{ans, size(ans)}, text{out, size(out)}
	buf, other := make([]byte, blockSize), make([]byte, blockSize)
	p := commonPrefix(want, got, buf, other)
	if p.size == want.size && p.size == got.size {
		p = prefix{}
	}
	d.Want, d.Got = want.around(&p, buf), got.around(&p, buf)
	return d
}

// text is a text of known size. If its reader is nil, it is empty.
type text struct {
	r    *io.SectionReader
	size int64
}

func size(r *io.SectionReader) int64 {
	if r == nil {
		return 0
	}
	return r.Size()
}

// read fills buf with the bytes from offset on, and returns the bytes that it could read.
func (t text) read(buf []byte, offset int64) []byte {
	if t.r == nil || offset >= t.size {
		return nil
	}
	n, err := t.r.ReadAt(buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return buf[:n]
}

// prefix describes the text before the position of a window.
type prefix struct {
	size  int64
	lines int // number of line feeds
	// marked lists the last blocks that contain a line feed, in order. With these blocks the last lines can be
	// located without keeping the text.
	marked [linesBefore + 1]struct{ start, end int64 }
}

// add appends a block to the prefix.
func (p *prefix) add(block []byte) {
	start := p.size
	p.size += int64(len(block))
	if n := bytes.Count(block, []byte{'\n'}); n > 0 {
		p.lines += n
		copy(p.marked[:], p.marked[1:])
		p.marked[len(p.marked)-1].start, p.marked[len(p.marked)-1].end = start, p.size
	}
}

// commonPrefix reads two texts until their first difference, and returns the prefix before the difference.
func commonPrefix(a, b text, buf, other []byte) (p prefix) {
	for {
		x, y := a.read(buf, p.size), b.read(other, p.size)
		n := min(len(x), len(y))
		if !bytes.Equal(x[:n], y[:n]) {
			n = firstDifference(x[:n], y[:n])
			p.add(x[:n])
			return p
		}
		p.add(x[:n])
		if n < blockSize {
			return p
		}
	}
}

// firstDifference returns the first index at which x and y differ. They have the same length and are not equal. It
// uses bisection, because bytes.Equal is much faster than a loop over bytes.
func firstDifference(x, y []byte) int {
	from := 0
	for len(x) > 1 {
		half := len(x) / 2
		if bytes.Equal(x[:half], y[:half]) {
			from += half
			x, y = x[half:], y[half:]
		} else {
			x, y = x[:half], y[:half]
		}
	}
	return from
}

// starts returns the offsets of the last lines in the prefix: up to linesBefore complete lines, and the line in
// which the prefix ends.
func (t text) starts(p *prefix, buf []byte) []int64 {
	var found []int64 // backwards
	for i := len(p.marked) - 1; i >= 0 && len(found) <= linesBefore; i-- {
		block := t.read(buf[:p.marked[i].end-p.marked[i].start], p.marked[i].start)
		for len(block) > 0 && len(found) <= linesBefore {
			at := bytes.LastIndexByte(block, '\n')
			if at < 0 {
				break
			}
			found = append(found, p.marked[i].start+int64(at)+1)
			block = block[:at]
		}
	}
	if len(found) <= linesBefore {
		found = append(found, 0)
	}
	starts := make([]int64, 0, len(found))
	for i := len(found) - 1; i >= 0; i-- {
		starts = append(starts, found[i])
	}
	return starts
}

// around returns the excerpt around the end of the prefix.
func (t text) around(p *prefix, buf []byte) judge.Excerpt {
	starts := t.starts(p, buf)
	line := starts[len(starts)-1]
	column := p.size - line
	e := judge.Excerpt{
		FirstLine: p.lines - (len(starts) - 1) + 1,
		Size:      t.size,
		Before:    starts[0] > 0,
	}
	var shown []byte
	for i := range len(starts) - 1 { // each ends with a line feed
		cropped, _ := t.crop(starts[i], starts[i+1]-1, column)
		shown = append(append(shown, cropped...), '\n')
	}
	next := line
	for range 1 + linesAfter {
		if next == t.size {
			break
		}
		from := max(next, min(p.size, t.size)) // the line does not end before the position
		end, found := t.lineEnd(from, buf)
		cropped, at := t.crop(next, end, column)
		if next == line {
			e.At = len(shown) + at
		} else if len(shown)+len(cropped)+1 > maxText {
			break
		}
		shown = append(shown, cropped...)
		if !found {
			next = end
			break
		}
		shown = append(shown, '\n')
		next = end + 1
	}
	if line == t.size {
		e.At = len(shown)
	}
	e.After = next < t.size
	e.Text = string(shown)
	return e
}

// lineEnd returns the offset of the first line feed at or after from. If there is none, it returns the size and
// false. If there is none nearby, it returns false and an offset within the line, beyond the text that is shown.
func (t text) lineEnd(from int64, buf []byte) (int64, bool) {
	for at := from; at < min(t.size, from+maxSearch); {
		// A short read first: most lines are short.
		block := t.read(buf[:min(len(buf), int(max(4<<10, at-from)))], at)
		if len(block) == 0 {
			break
		}
		if i := bytes.IndexByte(block, '\n'); i >= 0 {
			return at + int64(i), true
		}
		at += int64(len(block))
	}
	return min(t.size, from+maxSearch), false
}
