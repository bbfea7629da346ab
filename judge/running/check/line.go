package check

import (
	"bytes"
	"context"
)

// A line is a line of a text, without trailing blanks.
type line struct {
	start, end int64  // offsets in the text
	text       []byte // valid until the stream advances; nil if the line is longer than the window
}

func (l line) empty() bool { return l.start == l.end }

// nextLine consumes a line and returns it. At the end of the text, ok is false.
func (s *stream) nextLine(ctx context.Context) (l line, ok bool, err error) {
	known := 0 // number of bytes in the window that are known to contain no line feed
	for {
		if i := bytes.IndexByte(s.buf[s.lo+known:s.hi], '\n'); i >= 0 {
			return s.consumeLine(known+i, 1), true, nil
		}
		known = s.hi - s.lo
		switch {
		case s.full():
			return s.consumeLine(known, 0), known > 0, nil
		case s.lo == 0 && s.hi == len(s.buf):
			l, err = s.longLine(ctx)
			return l, err == nil, err
		}
		if err := s.more(ctx); err != nil {
			return line{}, false, err
		}
	}
}

// consumeLine consumes a line of n bytes and its line end of feed bytes.
func (s *stream) consumeLine(n, feed int) line {
	text := s.buf[s.lo : s.lo+n]
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	l := line{start: s.offset(), end: s.offset() + int64(len(text)), text: text}
	s.lo += n + feed
	return l
}

// longLine consumes a line that does not fit in the window.
func (s *stream) longLine(ctx context.Context) (line, error) {
	l := line{start: s.offset(), end: s.offset()}
	for {
		at := s.offset()
		i := bytes.IndexByte(s.rest(), '\n')
		piece, feed := s.rest(), 0
		if i >= 0 {
			piece, feed = piece[:i], 1
		}
		n := len(piece)
		for n > 0 && isBlank(piece[n-1]) {
			n--
		}
		if n > 0 {
			l.end = at + int64(n)
		}
		s.lo += len(piece) + feed
		if i >= 0 || s.full() {
			return l, nil
		}
		if err := s.more(ctx); err != nil {
			return line{}, err
		}
	}
}
