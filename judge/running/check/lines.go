package check

import (
	"context"
	"io"

	"assay/judge"
)

func newLines(options) (comparer, error) { return compareLines, nil }

// compareLines compares line by line. It ignores blanks at the end of a line, including the carriage return, and
// empty lines at the end of the text. Blanks within a line are compared.
func compareLines(ctx context.Context, r Request, b *buffers) (judge.Outcome, error) {
	ans, out := b.streams(r)
	for {
		if err := fillBoth(ctx, ans, out); err != nil {
			return judge.Outcome{}, err
		}
		n := commonPrefix(ans.rest(), out.rest())
		ans.lo += n
		out.lo += n
		if ans.ended() && out.ended() {
			return accepted, nil
		}
		if ans.lo == ans.hi && !ans.full() || out.lo == out.hi && !out.full() {
			continue // no difference yet
		}
		ansAt, outAt := ans.offset(), out.offset()
		ansEnd, err := ans.atLineEnd(ctx)
		if err != nil {
			return judge.Outcome{}, err
		}
		outEnd, err := out.atLineEnd(ctx)
		if err != nil {
			return judge.Outcome{}, err
		}
		if !ansEnd || !outEnd {
			return lineDiffers(ctx, r, ansAt, outAt)
		}
		if ans.ended() == out.ended() {
			continue // continue with the line feeds, or at the end
		}
		// One text has ended. The other may only contain empty lines from here on.
		longer, at := ans, &ansAt
		if ans.ended() {
			longer, at = out, &outAt
		}
		empty, err := longer.onlySpace(ctx)
		if err != nil {
			return judge.Outcome{}, err
		}
		if !empty {
			*at = longer.offset()
			return linesEndDiffers(ctx, r, ansAt, outAt, longer == ans)
		}
	}
}

// atLineEnd consumes blanks, and reports whether they are followed by the end of the line.
func (s *stream) atLineEnd(ctx context.Context) (bool, error) {
	for {
		for s.lo < s.hi && isBlank(s.buf[s.lo]) {
			s.lo++
		}
		if s.lo < s.hi {
			return s.buf[s.lo] == '\n', nil
		}
		if s.full() {
			return true, nil
		}
		if err := s.more(ctx); err != nil {
			return false, err
		}
	}
}

// onlySpace consumes white space, and reports whether it is followed by the end of the text.
func (s *stream) onlySpace(ctx context.Context) (bool, error) {
	for {
		if s.skipSpace(); s.lo < s.hi {
			return false, nil
		}
		if s.full() {
			return true, nil
		}
		if err := s.more(ctx); err != nil {
			return false, err
		}
	}
}

func notSpace(c byte) bool { return !isSpace(c) }

// isBlank reports whether a byte is white space that does not end a line.
func isBlank(c byte) bool { return isSpace(c) && c != '\n' }

// lineDiffers returns the outcome for a line that differs from the answer.
func lineDiffers(ctx context.Context, r Request, ansAt, outAt int64) (judge.Outcome, error) {
	w := newDifferenceFinder(ctx, r, ansAt, outAt)
	switch {
	case w.isBlankFrom(r.Out, outAt):
		return linesEndDiffers(ctx, r, w.scanForward(r.Ans, ansAt, notSpace), outAt, true)
	case w.isBlankFrom(r.Ans, ansAt):
		return linesEndDiffers(ctx, r, ansAt, w.scanForward(r.Out, outAt, notSpace), false)
	}
	return w.wrongAnswer("line %d: want %s, got %s", w.line(), w.wholeLine(r.Ans, ansAt), w.wholeLine(r.Out, outAt))
}

// linesEndDiffers returns the outcome if one text has lines from the given offsets on and the other does not. If
// missing is set, the output lacks these lines. Otherwise they are additional lines of the output.
func linesEndDiffers(ctx context.Context, r Request, ansAt, outAt int64, missing bool) (judge.Outcome, error) {
	w := newDifferenceFinder(ctx, r, ansAt, outAt)
	if missing {
		n := w.countLines(r.Ans, ansAt)
		if r.Out.Size() == 0 {
			return w.wrongAnswer("the output is empty: want %s, first %s", judge.Quantity(n, "line"), w.wholeLine(r.Ans, ansAt))
		}
		return w.wrongAnswer(
			"output ends early, in line %d: want %s, first %s", w.line(), judge.Quantity(n, "more line"),
			w.wholeLine(r.Ans, ansAt),
		)
	}
	and := ""
	if n := w.countLines(r.Out, outAt); n > 1 {
		and = " and " + judge.Quantity(n-1, "more line")
	}
	return w.wrongAnswer("line %d: want the end, got %s%s", w.line(), w.wholeLine(r.Out, outAt), and)
}

// isBlankFrom reports whether text contains only white space from the start of the line at the offset to the end
// of the text.
func (w *differenceFinder) isBlankFrom(text *io.SectionReader, at int64) bool {
	return w.scanForward(text, w.scanBack(text, at, isLineFeed), notSpace) == text.Size()
}

// wholeLine quotes the line at an offset, without trailing blanks.
func (w *differenceFinder) wholeLine(text *io.SectionReader, at int64) string {
	line := span{w.scanBack(text, at, isLineFeed), w.scanForward(text, at, isLineFeed)}
	line.end = max(line.start, w.trimmedEnd(text, line, isBlank))
	return w.quote(text, line, min(at, line.end))
}

// trimmedEnd returns the end of a line after removing the trailing bytes for which drop returns true.
func (w *differenceFinder) trimmedEnd(text *io.SectionReader, line span, drop func(byte) bool) int64 {
	return w.scanBack(text, line.end, func(c byte) bool { return !drop(c) })
}

// countLines counts the lines from an offset to the last non-empty line.
func (w *differenceFinder) countLines(text *io.SectionReader, from int64) int64 {
	var n, empty int64 = 0, 1
	w.pieces(text, from, text.Size(), func(_ int64, piece []byte) bool {
		for _, c := range piece {
			switch {
			case c == '\n':
				empty++
			case !isSpace(c):
				n += empty
				empty = 0
			}
		}
		return true
	})
	return n
}
