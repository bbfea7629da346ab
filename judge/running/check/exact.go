package check

import (
	"context"
	"io"

	"assay/judge"
)

func newExact(options) (comparer, error) { return compareExact, nil }

// compareExact compares byte for byte.
func compareExact(ctx context.Context, r Request, b *buffers) (judge.Outcome, error) {
	ans, out := b.streams(r)
	for {
		if err := fillBoth(ctx, ans, out); err != nil {
			return judge.Outcome{}, err
		}
		n := commonPrefix(ans.rest(), out.rest())
		ans.lo += n
		out.lo += n
		switch {
		case ans.ended() && out.ended():
			return accepted, nil
		case ans.lo < ans.hi || ans.ended() || out.ended(): // both windows advance together
			return bytesDiffer(ctx, r, ans.offset())
		}
	}
}

// bytesDiffer returns the outcome for an output that differs from the answer at an offset. The message quotes both
// texts from the offset to the end of the line.
func bytesDiffer(ctx context.Context, r Request, at int64) (judge.Outcome, error) {
	w := newDifferenceFinder(ctx, r, at, at)
	line, column := w.line(), w.column()
	switch {
	case at == r.Out.Size():
		return w.wrongAnswer(
			"output ends early, in line %d, column %d: want %s, first %s", line, column,
			judge.Quantity(r.Ans.Size()-at, "more byte"), w.restOfLine(r.Ans, at),
		)
	case at == r.Ans.Size():
		return w.wrongAnswer(
			"line %d, column %d: want the end, got %s, first %s", line, column,
			judge.Quantity(r.Out.Size()-at, "more byte"), w.restOfLine(r.Out, at),
		)
	}
	return w.wrongAnswer("line %d, column %d: want %s, got %s", line, column, w.restOfLine(r.Ans, at), w.restOfLine(r.Out, at))
}

// restOfLine quotes a text from an offset to the end of the line, including the line feed.
func (w *differenceFinder) restOfLine(text *io.SectionReader, at int64) string {
	end := w.scanForward(text, at, isLineFeed)
	return w.quote(text, span{at, min(end+1, text.Size())}, at)
}

func isLineFeed(c byte) bool { return c == '\n' }
