package check

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
)

// defaultChunk is the size of a read. Two chunks fit into a CPU's second-level cache, so bytes are still cached
// when they are compared.
const defaultChunk = 256 << 10

// maxNumber is the maximum length in bytes of a token that is parsed as a number. Longer tokens are words. So a
// stream need not keep more than this of a token.
const maxNumber = defaultChunk / 4

// buffers is memory that checks reuse.
type buffers struct {
	ans, out, list []byte
	sums           *sums
	chunk          int // set by tests; zero means defaultChunk
}

// streams opens the answer and the output.
func (b *buffers) streams(r Request) (ans, out *stream) {
	return b.open("the answer", r.Ans, &b.ans), b.open("the output", r.Out, &b.out)
}

// open returns a stream whose window is in memory. If necessary, it enlarges the memory to hold the text, or a
// chunk of it.
func (b *buffers) open(name string, text *io.SectionReader, memory *[]byte) *stream {
	chunk := cmp.Or(b.chunk, defaultChunk)
	n := int(min(text.Size(), int64(chunk)))
	if cap(*memory) < n {
		*memory = make([]byte, n)
	}
	return &stream{name: name, src: text, size: text.Size(), buf: (*memory)[:n], longest: chunk / 4}
}

// A stream reads a text of any size through a window that moves forward. The unread part of the window is buf[lo:hi].
type stream struct {
	name   string
	src    io.ReaderAt
	size   int64
	buf    []byte
	lo, hi int
	base   int64 // offset of buf[0] in the text

	keep    bool // whether to keep the token at lo in the window, from its start
	longest int  // do not keep a token longer than this, in bytes
	cut     bool // whether the token at buf[0] begins before the window
}

func (s *stream) rest() []byte  { return s.buf[s.lo:s.hi] }
func (s *stream) offset() int64 { return s.base + int64(s.lo) }

// full reports whether the window reaches the end of the text.
func (s *stream) full() bool { return s.base+int64(s.hi) == s.size }

// ended reports whether the whole text was consumed.
func (s *stream) ended() bool { return s.lo == s.hi && s.full() }

// more moves the window forward, so that it contains at least one more byte. At the end of the text, it does
// nothing.
func (s *stream) more(ctx context.Context) error {
	if s.full() {
		return nil
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	from := s.lo
	if s.keep {
		start, whole := s.tokenStart()
		if whole && s.lo-start <= s.longest {
			from = start
		}
		s.cut = !whole || from > start
	}
	s.hi = copy(s.buf, s.buf[from:s.hi])
	s.base += int64(from)
	s.lo -= from
	next := s.base + int64(s.hi)
	n := int(min(int64(len(s.buf)-s.hi), s.size-next))
	got, err := s.src.ReadAt(s.buf[s.hi:s.hi+n], next)
	if got < n {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("read %s at byte %d: %w", s.name, next+int64(got), err)
	}
	s.hi += n
	return nil
}

// fillBoth fills the window of a and that of b if they are empty, unless the text has ended.
func fillBoth(ctx context.Context, a, b *stream) error {
	if a.lo == a.hi {
		if err := a.more(ctx); err != nil {
			return err
		}
	}
	if b.lo == b.hi {
		return b.more(ctx)
	}
	return nil
}

// tokenStart returns the index in the window at which the token that extends to lo starts. If no token extends to
// lo, it returns lo. If the token begins before the window, whole is false.
func (s *stream) tokenStart() (start int, whole bool) {
	start = s.lo
	for start > 0 && !isSpace(s.buf[start-1]) {
		start--
	}
	return start, start > 0 || !s.cut
}

// token returns the whole token around the current position. It may move the window, but does not consume
// anything. If the token is too long, ok is false.
func (s *stream) token(ctx context.Context) (token []byte, ok bool, err error) {
	start, whole := s.tokenStart()
	if !whole {
		return nil, false, nil
	}
	end := s.lo
	for {
		for end < s.hi && !isSpace(s.buf[end]) {
			end++
		}
		if end-start > s.longest {
			return nil, false, nil
		}
		if end < s.hi || s.full() {
			return s.buf[start:end], true, nil
		}
		ahead := end - s.lo
		if err := s.more(ctx); err != nil {
			return nil, false, err
		}
		start, _ = s.tokenStart()
		end = s.lo + ahead
	}
}

// skipSpace skips white space in the window.
func (s *stream) skipSpace() {
	for s.lo < s.hi && isSpace(s.buf[s.lo]) {
		s.lo++
	}
}

// atSpace reports whether the next byte is white space, or the window is empty.
func (s *stream) atSpace() bool { return s.lo == s.hi || isSpace(s.buf[s.lo]) }

// isSpace reports whether a byte is ASCII white space. Checkers treat no other characters as white space.
func isSpace(c byte) bool { return c == ' ' || c-'\t' <= '\r'-'\t' }

// commonPrefix returns the length of the common prefix of a and b.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	// A difference is often near the start. After that, comparing growing blocks with bytes.Equal is faster.
	i := 0
	for ; i < 64 && i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for block := 256; i < n; block = min(2*block, 16<<10) {
		end := min(i+block, n)
		if !bytes.Equal(a[i:end], b[i:end]) {
			break
		}
		i = end
	}
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
