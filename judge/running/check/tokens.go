package check

import (
	"context"

	"assay/judge"
)

// tokensOptions lists the options of tokens, which is the default output validator of the ICPC problem package
// format. Its rules are:
//
//   - Texts are bytes. White space is 0x20 and 0x09 to 0x0d. It separates tokens. Both texts must have the same tokens
//     in the same order.
//   - Tokens are compared byte by byte. The case of ASCII letters matters only with case_sensitive.
//   - With a tolerance, if a token of the answer is a number (see parseNumber), the token of the output must be a number
//     near it: the absolute error or the relative error must be within the tolerance. This applies to integers, too.
//     "inf" and "nan" are words.
//   - White space does not matter. With space_change_sensitive, all white space must be the same bytes, including white
//     space before the first token and after the last.
var tokensOptions = []Option{
	{"case_sensitive", "", "upper and lower case differ"},
	{"space_change_sensitive", "", "white space must be the same, byte for byte"},
	{"float_relative_tolerance", "EPSILON", "numbers may differ by this much times the answer"},
	{"float_absolute_tolerance", "EPSILON", "numbers may differ by this much"},
	{"float_tolerance", "EPSILON", "both of the above"},
}

func newTokens(o options) (comparer, error) {
	t, err := tokensFrom("tokens", o)
	if err != nil {
		return nil, err
	}
	return t.compare, nil
}

// tokens compares texts token by token.
type tokens struct {
	caseSensitive  bool
	spaceSensitive bool
	near           *tolerance // if nil, numbers are words
}

func tokensFrom(checker string, o options) (*tokens, error) {
	t := &tokens{caseSensitive: o.has("case_sensitive"), spaceSensitive: o.has("space_change_sensitive")}
	abs, rel := o.has("float_absolute_tolerance"), o.has("float_relative_tolerance")
	both := o.has("float_tolerance")
	if both && (abs || rel) {
		return nil, &judge.ProblemError{
			Text: "checker " + checker + ": float_tolerance sets both tolerances, so it cannot be combined with one of them",
			Hint: "give float_absolute_tolerance and float_relative_tolerance only",
		}
	}
	if !both && !abs && !rel {
		return t, nil
	}
	t.near = &tolerance{}
	for _, set := range []struct {
		option  string
		epsilon *epsilon
	}{
		{"float_absolute_tolerance", &t.near.abs},
		{"float_relative_tolerance", &t.near.rel},
		{"float_tolerance", &t.near.abs},
		{"float_tolerance", &t.near.rel},
	} {
		if !o.has(set.option) {
			continue
		}
		var err error
		if *set.epsilon, err = parseEpsilon(checker, set.option, o[set.option]); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// compare processes both texts at the same time. Equal bytes are compared with bytes.Equal. Only if the bytes
// differ does compare look at tokens. At that point, both positions are at the same distance from the start of a
// token, or both are after a token.
func (t *tokens) compare(ctx context.Context, r Request, b *buffers) (judge.Outcome, error) {
	ans, out := b.streams(r)
	ans.keep, out.keep = t.near != nil, t.near != nil
	between := true // after white space, or at the start
	for {
		if err := fillBoth(ctx, ans, out); err != nil {
			return judge.Outcome{}, err
		}
		if n := commonPrefix(ans.rest(), out.rest()); n > 0 {
			ans.lo += n
			out.lo += n
			between = isSpace(ans.buf[ans.lo-1])
		}
		if ans.lo == ans.hi && !ans.full() || out.lo == out.hi && !out.full() {
			continue // no difference yet
		}
		ansSpace, outSpace := ans.atSpace(), out.atSpace()
		switch {
		case ans.ended() && out.ended():
			return accepted, nil
		case between && ans.ended() && !outSpace:
			return extraOutput(ctx, r, out.offset())
		case between && out.ended() && !ansSpace:
			return missingOutput(ctx, r, ans.offset())
		case t.spaceSensitive && (ansSpace && outSpace || between && ansSpace != outSpace):
			return spaceDiffers(ctx, r, ans.offset(), out.offset())
		case ansSpace && outSpace:
			ans.skipSpace()
			out.skipSpace()
			between = true
		case between && ansSpace:
			ans.skipSpace()
		case between && outSpace:
			out.skipSpace()
		default:
			between = false
			same, err := t.sameToken(ctx, ans, out)
			if err != nil {
				return judge.Outcome{}, err
			}
			if !same {
				return t.tokenDiffers(ctx, r, ans.offset(), out.offset())
			}
		}
	}
}

// spaceDiffers returns the outcome for white space that differs from the answer.
func spaceDiffers(ctx context.Context, r Request, ansAt, outAt int64) (judge.Outcome, error) {
	w := newDifferenceFinder(ctx, r, ansAt, outAt)
	want, got := w.spaceRun(r.Ans, ansAt), w.spaceRun(r.Out, outAt)
	return w.wrongAnswer("line %d, column %d: white space differs: want %s, got %s", w.line(), w.column(), want, got)
}

// sameToken compares two tokens whose bytes differ at the current positions. If the tokens are equal by the rules
// of the checker, it moves both streams past the difference.
func (t *tokens) sameToken(ctx context.Context, ans, out *stream) (bool, error) {
	if t.near == nil {
		return !t.caseSensitive && skipFoldedEqual(ans, out) > 0, nil
	}
	if t.sameShortNumber(ans, out) {
		return true, nil
	}
	want, whole, err := ans.token(ctx)
	if err != nil {
		return false, err
	}
	got, wholeToo, err := out.token(ctx)
	if err != nil {
		return false, err
	}
	if whole && wholeToo {
		if near, isNumber := t.near.accepts(want, got); isNumber {
			if near {
				ans.consume(len(want))
				out.consume(len(got))
			}
			return near, nil
		}
	}
	return t.sameWord(ctx, ans, out)
}

// sameShortNumber is a fast variant of sameToken for plain numbers, which are the most common tokens. If it
// returns false, sameToken must still compare the tokens.
func (t *tokens) sameShortNumber(ans, out *stream) bool {
	start, whole := ans.tokenStart()
	if !whole {
		return false
	}
	outStart := out.lo - (ans.lo - start)
	if outStart < 0 { // the token is so long that its start has left the window
		return false
	}
	want, n := shortNumber(ans.buf[start:ans.hi])
	got, m := shortNumber(out.buf[outStart:out.hi])
	if n == 0 || m == 0 || !t.near.floats(want, got) {
		return false
	}
	ans.lo, out.lo = start+n, outStart+m
	return true
}

// consume consumes the token of n bytes at lo.
func (s *stream) consume(n int) {
	start, _ := s.tokenStart()
	s.lo = start + n
}

// sameWord compares the rest of two tokens as words.
func (t *tokens) sameWord(ctx context.Context, ans, out *stream) (bool, error) {
	if t.caseSensitive {
		return false, nil
	}
	for {
		n := skipFoldedEqual(ans, out)
		if err := fillBoth(ctx, ans, out); err != nil {
			return false, err
		}
		if ans.atSpace() && out.atSpace() {
			return true, nil
		}
		if n == 0 && skipFoldedEqual(ans, out) == 0 {
			return false, nil
		}
	}
}

// skipFoldedEqual consumes the bytes at the start of both windows that are equal if the case of letters is ignored. It
// returns the number of bytes.
func skipFoldedEqual(a, b *stream) int {
	x, y := a.rest(), b.rest()
	x = x[:min(len(x), len(y))]
	n := 0
	for n < len(x) && !isSpace(x[n]) && lower(x[n]) == lower(y[n]) {
		n++
	}
	a.lo += n
	b.lo += n
	return n
}

// lower converts an ASCII letter to lower case, and returns other bytes unchanged.
func lower(c byte) byte {
	if c-'A' <= 'Z'-'A' {
		return c + ('a' - 'A')
	}
	return c
}

// tokenDiffers returns the outcome for a token that differs from the answer.
func (t *tokens) tokenDiffers(ctx context.Context, r Request, ansAt, outAt int64) (judge.Outcome, error) {
	w := newDifferenceFinder(ctx, r, ansAt, outAt)
	want, got := w.word(r.Ans, ansAt), w.word(r.Out, outAt)
	line, token := w.line(), w.tokenInLine(got.start)
	why := ""
	if t.near != nil {
		why = t.near.explain(w.bytes(r.Ans, want), w.bytes(r.Out, got))
	}
	return w.wrongAnswer("line %d, token %d: want %s, got %s%s", line, token, w.quote(r.Ans, want, ansAt), w.quote(r.Out, got, outAt), why)
}

// missingOutput returns the outcome for missing tokens.
func missingOutput(ctx context.Context, r Request, ansAt int64) (judge.Outcome, error) {
	w := newDifferenceFinder(ctx, r, ansAt, r.Out.Size())
	next := w.word(r.Ans, ansAt)
	n := w.countTokens(r.Ans, ansAt)
	if r.Out.Size() == 0 {
		return w.wrongAnswer("the output is empty: want %s, first %s", judge.Quantity(n, "token"), w.quote(r.Ans, next, next.start))
	}
	return w.wrongAnswer(
		"output ends early, in line %d: want %s, first %s", w.line(), judge.Quantity(n, "more token"),
		w.quote(r.Ans, next, next.start),
	)
}

// extraOutput returns the outcome for an output that continues with more tokens after the end of the answer.
func extraOutput(ctx context.Context, r Request, outAt int64) (judge.Outcome, error) {
	w := newDifferenceFinder(ctx, r, r.Ans.Size(), outAt)
	next := w.word(r.Out, outAt)
	n := w.countTokens(r.Out, outAt)
	and := ""
	if n > 1 {
		and = " and " + judge.Quantity(n-1, "more token")
	}
	return w.wrongAnswer("line %d, token %d: want the end, got %s%s", w.line(), w.tokenInLine(outAt), w.quote(r.Out, next, next.start), and)
}
