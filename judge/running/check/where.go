package check

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"assay/judge"
)

// A differenceFinder describes the position of a difference for a message: the line, the token, and the expected text. To do
// so, it reads the texts again, in pieces. It keeps the first read error, and the method wrong returns that error.
type differenceFinder struct {
	ctx          context.Context // a where is used only within one call
	r            Request
	ansAt, outAt int64 // offsets of the difference
	err          error
	buf          []byte
	lineNumber   int   // line number of outAt in the output, from 1; zero until it is known
	lineStart    int64 // offset of that line in the output
}

// A span is a piece of a text.
type span struct{ start, end int64 }

func newDifferenceFinder(ctx context.Context, r Request, ansAt, outAt int64) *differenceFinder {
	return &differenceFinder{ctx: ctx, r: r, ansAt: ansAt, outAt: outAt, buf: make([]byte, 64<<10)}
}

// wrongAnswer returns the outcome for a wrong answer. If an earlier read failed, which includes reads for the arguments,
// it returns that error.
func (w *differenceFinder) wrongAnswer(format string, args ...any) (judge.Outcome, error) {
	place := &judge.Position{Line: w.line(), Column: w.column(), AnsOffset: w.ansAt, OutOffset: w.outAt}
	if w.err != nil {
		return judge.Outcome{}, w.err
	}
	return wrongAnswer(place, fmt.Sprintf(format, args...))
}

// read reads the text from an offset up to end, but at most as much as the buffer holds.
func (w *differenceFinder) read(text *io.SectionReader, from, end int64) []byte {
	if w.err == nil {
		w.err = context.Cause(w.ctx)
	}
	if w.err != nil {
		return nil
	}
	n := int(min(int64(len(w.buf)), end-from))
	got, err := text.ReadAt(w.buf[:n], from)
	if got < n {
		w.err = fmt.Errorf("read again at byte %d: %w", from, err)
		return nil
	}
	return w.buf[:n]
}

// pieces reads the text from start to end in pieces, and calls f with each piece until f returns false.
func (w *differenceFinder) pieces(text *io.SectionReader, start, end int64, f func(at int64, piece []byte) bool) {
	for start < end {
		piece := w.read(text, start, end)
		if piece == nil || !f(start, piece) {
			return
		}
		start += int64(len(piece))
	}
}

// line returns the line number, from 1, of the difference in the output.
func (w *differenceFinder) line() int {
	if w.lineNumber > 0 {
		return w.lineNumber
	}
	w.lineNumber = 1
	w.pieces(w.r.Out, 0, w.outAt, func(at int64, piece []byte) bool {
		if n := bytes.Count(piece, []byte{'\n'}); n > 0 {
			w.lineNumber += n
			w.lineStart = at + int64(bytes.LastIndexByte(piece, '\n')) + 1
		}
		return true
	})
	return w.lineNumber
}

// column returns the byte position, from 1, of the difference in its line.
func (w *differenceFinder) column() int {
	w.line()
	return int(w.outAt-w.lineStart) + 1
}

// tokenInLine returns the number, from 1, of the token that starts at the offset start in the output. The token is
// in the line of the difference.
func (w *differenceFinder) tokenInLine(start int64) int64 {
	w.line()
	return 1 + w.tokensIn(w.r.Out, w.lineStart, start)
}

// countTokens counts the tokens from an offset to the end.
func (w *differenceFinder) countTokens(text *io.SectionReader, from int64) int64 {
	return w.tokensIn(text, from, text.Size())
}

func (w *differenceFinder) tokensIn(text *io.SectionReader, start, end int64) int64 {
	var n int64
	between := true
	w.pieces(text, start, end, func(_ int64, piece []byte) bool {
		for _, c := range piece {
			space := isSpace(c)
			if between && !space {
				n++
			}
			between = space
		}
		return true
	})
	return n
}

// word returns the span of the token that contains the offset or ends there. The span is empty if there is no such
// token.
func (w *differenceFinder) word(text *io.SectionReader, at int64) span {
	return span{w.scanBack(text, at, isSpace), w.scanForward(text, at, isSpace)}
}

// scanBack scans backward from an offset, and returns the start of the bytes for which stop returns false.
func (w *differenceFinder) scanBack(text *io.SectionReader, at int64, stop func(byte) bool) int64 {
	for at > 0 {
		from := max(0, at-int64(len(w.buf)))
		piece := w.read(text, from, at)
		for i := len(piece) - 1; i >= 0; i-- {
			if stop(piece[i]) {
				return from + int64(i) + 1
			}
		}
		at = from
	}
	return 0
}

// scanForward scans forward from an offset, and returns the end of the bytes for which stop returns false.
func (w *differenceFinder) scanForward(text *io.SectionReader, at int64, stop func(byte) bool) int64 {
	end := text.Size()
	w.pieces(text, at, end, func(at int64, piece []byte) bool {
		for i, c := range piece {
			if stop(c) {
				end = at + int64(i)
				return false
			}
		}
		return true
	})
	return end
}

// spaceRun quotes the white space at an offset. If there is no white space, it quotes the word at the offset. At
// the end of the text, it returns "the end".
func (w *differenceFinder) spaceRun(text *io.SectionReader, at int64) string {
	run := span{w.scanBack(text, at, notSpace), w.scanForward(text, at, notSpace)}
	if run.start == run.end && run.end == text.Size() {
		return "the end"
	}
	if run.start == run.end {
		return w.quote(text, w.word(text, at), at)
	}
	return w.quote(text, run, at)
}

// bytes returns a piece of a text, or nil if the piece is too long to be a number.
func (w *differenceFinder) bytes(text *io.SectionReader, s span) []byte {
	if s.end-s.start > maxNumber {
		return nil
	}
	return bytes.Clone(w.read(text, s.start, s.end))
}

// Sizes for quote, in bytes.
const (
	quoteWhole  = 60 // texts up to this length are shown in full
	quoteHead   = 20
	quoteTail   = 10
	quoteBefore = 10 // before the difference
	quoteAfter  = 20 // from the difference on
)

// quote quotes a span of a text, with escapes such as \xNN for unprintable bytes. If the span is long, it quotes
// only the start, the end, and the part around the offset.
func (w *differenceFinder) quote(text *io.SectionReader, s span, at int64) string {
	if s.end-s.start <= quoteWhole {
		return strconv.Quote(string(w.read(text, s.start, s.end)))
	}
	shown := []span{{s.start, s.start + quoteHead}}
	for _, next := range []span{{at - quoteBefore, min(at+quoteAfter, s.end)}, {s.end - quoteTail, s.end}} {
		last := &shown[len(shown)-1]
		if next.start <= last.end {
			last.end = max(last.end, next.end)
		} else {
			shown = append(shown, next)
		}
	}
	var b []byte
	for i, piece := range shown {
		if i > 0 {
			b = append(b, "..."...)
		}
		b = strconv.AppendQuote(b, string(w.onRunes(text, piece, s)))
	}
	return fmt.Sprintf("%s (%d bytes)", b, s.end-s.start)
}

// onRunes reads a piece of a longer span. It omits incomplete characters where the piece was cut out of the span
// whole.
func (w *differenceFinder) onRunes(text *io.SectionReader, piece, whole span) []byte {
	b := w.read(text, piece.start, piece.end)
	for k := 0; piece.start > whole.start && len(b) > 0 && k < utf8.UTFMax && !utf8.RuneStart(b[0]); k++ {
		b = b[1:]
	}
	if piece.end == whole.end {
		return b
	}
	for k := 1; k < utf8.UTFMax && k <= len(b); k++ {
		if tail := b[len(b)-k:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				b = b[:len(b)-k]
			}
			break
		}
	}
	return b
}
