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

// defaultChunk is the size of a read. Two chunks fit into the second-level cache,
// so that what was copied from the page cache is still near when it is compared.
const defaultChunk = 256 << 10

// maxNumber is the longest token that is read as a number, in bytes. Longer ones
// are words: that bounds what a stream keeps after its position.
const maxNumber = defaultChunk / 4

// buffers are the memory that a check needs, to be used for the next one too.
type buffers struct {
	ans, out, list []byte
	sums           *sums
	chunk          int // for tests; 0 is defaultChunk
}

// streams opens the answer and the output.
func (b *buffers) streams(r Request) (ans, out *stream) {
	return b.open("the answer", r.Ans, &b.ans), b.open("the output", r.Out, &b.out)
}

// open makes a stream with a window in the memory, which it makes large enough for
// the text, or for one chunk of it.
func (b *buffers) open(name string, text *io.SectionReader, memory *[]byte) *stream {
	chunk := cmp.Or(b.chunk, defaultChunk)
	n := int(min(text.Size(), int64(chunk)))
	if cap(*memory) < n {
		*memory = make([]byte, n)
	}
	return &stream{name: name, src: text, size: text.Size(), buf: (*memory)[:n], longest: chunk / 4}
}

// stream is a text of any size, seen through a window that moves forward. What is
// in the window and not yet passed is buf[lo:hi].
type stream struct {
	name   string
	src    io.ReaderAt
	size   int64
	buf    []byte
	lo, hi int
	base   int64 // offset of buf[0] in the text

	keep    bool // keep the token that lo is in, from its start
	longest int  // unless it has more bytes
	cut     bool // the token at buf[0] started before it
}

func (s *stream) rest() []byte  { return s.buf[s.lo:s.hi] }
func (s *stream) offset() int64 { return s.base + int64(s.lo) }

// full reports whether the window reaches to the text's end.
func (s *stream) full() bool { return s.base+int64(s.hi) == s.size }

// ended reports whether nothing is left.
func (s *stream) ended() bool { return s.lo == s.hi && s.full() }

// more moves the window forward. Unless the text ends, at least one more byte is
// in the window afterwards.
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

// topUp sees to it that there is something left in each window, unless the text
// has ended.
func topUp(ctx context.Context, a, b *stream) error {
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

// tokenStart returns where in the window the token starts that reaches up to lo,
// lo itself if there is none. If it is not whole, it started before the window.
func (s *stream) tokenStart() (start int, whole bool) {
	start = s.lo
	for start > 0 && !isSpace(s.buf[start-1]) {
		start--
	}
	return start, start > 0 || !s.cut
}

// token returns the whole token that lo is in or at. It moves the window where it
// must, but not lo within the text. It is not ok with a token that is too long
// to be kept.
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

// skipSpace passes the white space in the window.
func (s *stream) skipSpace() {
	for s.lo < s.hi && isSpace(s.buf[s.lo]) {
		s.lo++
	}
}

// atSpace reports whether the next byte is white space; the end counts as such.
func (s *stream) atSpace() bool { return s.lo == s.hi || isSpace(s.buf[s.lo]) }

// isSpace reports whether a byte is ASCII white space, the only one that counts.
func isSpace(c byte) bool { return c == ' ' || c-'\t' <= '\r'-'\t' }

// mismatch returns the length of what a and b have in common at their start.
func mismatch(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	// Differences are often near. Where they are not, whole blocks are compared,
	// ever larger ones, with bytes.Equal's wide registers.
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
