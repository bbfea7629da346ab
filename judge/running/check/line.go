package check

import (
	"bytes"
	"context"
)

// line is one line of a text, without the blanks at its end.
type line struct {
	start, end int64  // offsets in the text
	text       []byte // until the stream moves on; nil if it is longer than the window
}

func (l line) empty() bool { return l.start == l.end }

// nextLine passes a line and returns it. It is not ok at the end of the text.
func (s *stream) nextLine(ctx context.Context) (l line, ok bool, err error) {
	known := 0 // bytes of the window without a line feed
	for {
		if i := bytes.IndexByte(s.buf[s.lo+known:s.hi], '\n'); i >= 0 {
			return s.passLine(known+i, 1), true, nil
		}
		known = s.hi - s.lo
		switch {
		case s.full():
			return s.passLine(known, 0), known > 0, nil
		case s.lo == 0 && s.hi == len(s.buf):
			l, err = s.longLine(ctx)
			return l, err == nil, err
		}
		if err := s.more(ctx); err != nil {
			return line{}, false, err
		}
	}
}

// passLine passes a line of n bytes and then the line feed, if there is one.
func (s *stream) passLine(n, feed int) line {
	text := s.buf[s.lo : s.lo+n]
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	l := line{start: s.offset(), end: s.offset() + int64(len(text)), text: text}
	s.lo += n + feed
	return l
}

// longLine passes a line that does not fit in the window.
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
