package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
)

// polygonOptions lists the standard checkers of Polygon, known as std::wcmp.cpp and so on. They are as strict as
// testlib: 007 and +7 are not integers, a missing line is wrong even if it is empty, and nothing may follow a
// single number.
var polygonOptions = []Option{
	{"acmp", "", "one number, within 1.5e-6 absolutely"},
	{"dcmp", "", "one number, within 1e-6, absolutely or relatively"},
	{"fcmp", "", "lines, byte for byte"},
	{"hcmp", "", "one integer of any size"},
	{"icmp", "", "one integer of 32 bits"},
	{"lcmp", "", "lines of words; blanks between them do not matter"},
	{"ncmp", "", "integers of 64 bits"},
	{"nyesno", "", "words YES and NO in any letter case"},
	{"rcmp", "", "one number, within 1.5e-6 absolutely"},
	{"rcmp4", "", "numbers within 1e-4, absolutely or relatively"},
	{"rcmp6", "", "numbers within 1e-6, absolutely or relatively"},
	{"rcmp9", "", "numbers within 1e-9, absolutely or relatively"},
	{"rncmp", "", "numbers within 1.5e-5 absolutely"},
	{"uncmp", "", "integers of 64 bits in any order"},
	{"wcmp", "", "words; upper and lower case differ"},
	{"yesno", "", "one word YES or NO in any letter case"},
}

// polygonRules maps each checker to its comparison.
var polygonRules = map[string]func(p *polygon) error{
	"acmp": singleWord(absolutely(1.5e-6)), "rcmp": singleWord(absolutely(1.5e-6)), "dcmp": singleWord(near(1e-6)),
	"rcmp4": eachWord(near(1e-4)), "rcmp6": eachWord(near(1e-6)), "rcmp9": eachWord(near(1e-9)), "rncmp": eachWord(absolutely(1.5e-5)),
	"icmp": singleWord(integers(32)), "ncmp": eachWord(integers(64)), "uncmp": unorderedIntegers,
	"hcmp":   oneHugeInteger,
	"wcmp":   nil, // like tokens with case_sensitive
	"nyesno": eachWord(yesNo), "yesno": singleWord(yesNo),
	"lcmp": polygonLines(wordsOf), "fcmp": polygonLines(func(line string) []string { return []string{line} }),
}

func newPolygon(o options) (comparer, error) {
	if len(o) > 1 {
		return nil, &judge.ProblemError{Text: fmt.Sprintf("checker polygon: want one name of a checker, got %d", len(o))}
	}
	name := "wcmp" // the default checker
	for given := range o {
		name = given
	}
	rule := polygonRules[name]
	if rule == nil {
		return (&tokens{caseSensitive: true}).compare, nil
	}
	return func(ctx context.Context, r Request, _ *buffers) (judge.Outcome, error) {
		p := &polygon{ctx: ctx, ans: newWords(ctx, r.Ans), out: newWords(ctx, r.Out)}
		err := rule(p)
		if err == nil {
			err = p.nothingMore()
		}
		switch e := err.(type) {
		case nil:
			return accepted, nil
		case *polygonFault:
			return judge.Outcome{Verdict: judge.JudgeError, Message: "the answer file does not fit the checker: " + e.text}, nil
		case *polygonWrong:
			return newDifferenceFinder(ctx, r, p.ans.start, p.out.start).wrongAnswer("%s", e.text)
		}
		return judge.Outcome{}, err
	}, nil
}

// A polygonWrong is an error in the contestant's output. A polygonFault is an error in the answer file.
type (
	polygonWrong struct{ text string }
	polygonFault struct{ text string }
)

func (e *polygonWrong) Error() string { return e.text }
func (e *polygonFault) Error() string { return e.text }

func wrongf(format string, args ...any) error { return &polygonWrong{fmt.Sprintf(format, args...)} }

// A polygon is the state of one comparison.
type polygon struct {
	ctx      context.Context // a polygon is used only within one call
	ans, out *wordReader
}

// nothingMore returns an error if the output contains more words. As in testlib, this is checked before an output
// is accepted.
func (p *polygon) nothingMore() error {
	word, err := p.out.word()
	if err == nil {
		return wrongf("want the end, got %s", shortQuote(word))
	}
	return ignoreEOF(err)
}

// ignoreEOF returns nil for io.EOF, and any other error unchanged.
func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// A comparison compares words. Want returns an error if the answer's word is malformed. Same returns an error if
// the output's word differs.
type comparison struct {
	want func(ans string) error
	same func(ans, out string) error
	late bool // whether to call want only if the output has a word
}

// singleWord returns a function that compares the first word of the output with the first word of the answer.
func singleWord(c comparison) func(p *polygon) error {
	return func(p *polygon) error {
		ans, err := p.ans.word()
		if errors.Is(err, io.EOF) {
			return &polygonFault{"it is empty"}
		}
		if err != nil {
			return err
		}
		out, err := p.out.word()
		missing := errors.Is(err, io.EOF)
		if err != nil && !missing {
			return err
		}
		if !missing || !c.late {
			if err := c.want(ans); err != nil {
				return err
			}
		}
		if missing {
			return wrongf("want %s, got nothing", shortQuote(ans))
		}
		return c.same(ans, out)
	}
}

// eachWord returns a function that compares each word of the answer with the corresponding word of the output.
func eachWord(c comparison) func(p *polygon) error {
	one := singleWord(c)
	return func(p *polygon) error {
		for {
			more, err := p.ans.more()
			if err != nil || !more {
				return err
			}
			if err := one(p); err != nil {
				return err
			}
		}
	}
}

var hugeInteger = pattern.New(`^(0|-?[1-9][0-9]*)$`)

// oneHugeInteger compares one integer of any size. It compares the words, because an integer has only one
// spelling.
func oneHugeInteger(p *polygon) error {
	alone := func(ans string) error {
		if !hugeInteger().MatchString(ans) {
			return &polygonFault{"want an integer, got " + shortQuote(ans)}
		}
		more, err := p.ans.more()
		if err == nil && more {
			err = &polygonFault{"want one integer, got more"}
		}
		return err
	}
	return singleWord(comparison{alone, sameWord, true})(p)
}

func sameWord(ans, out string) error {
	if ans != out {
		return wrongf("want %s, got %s", shortQuote(ans), shortQuote(out))
	}
	return nil
}

// integers compares integers of at most bits bits. It compares the words, because an integer has only one
// spelling.
func integers(bits int) comparison {
	return comparison{func(ans string) error {
		if n, err := strconv.ParseInt(ans, 10, bits); err != nil || strconv.FormatInt(n, 10) != ans {
			return &polygonFault{fmt.Sprintf("want an integer of %d bits, got %s", bits, shortQuote(ans))}
		}
		return nil
	}, sameWord, false}
}

var yesNo = comparison{func(ans string) error {
	if want := strings.ToUpper(ans); want != "YES" && want != "NO" {
		return &polygonFault{"want YES or NO, got " + shortQuote(ans)}
	}
	return nil
}, func(ans, out string) error {
	if !strings.EqualFold(ans, out) {
		return wrongf("want %s, got %s", strings.ToUpper(ans), shortQuote(out))
	}
	return nil
}, true}

// real matches a decimal number as testlib reads it with C's scanf. Infinity and hexadecimal numbers do not match,
// but the digits after the e may be missing.
var real = pattern.New(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?:[eE][+-]?)?$`)

func realNumber(word string) (float64, bool) {
	m := real().FindStringSubmatch(word)
	if m == nil || strings.Count(strings.ToLower(word), "e") > 1 {
		return 0, false
	}
	x, _ := strconv.ParseFloat(m[1], 64) // a number that is too large becomes infinite, as in C
	return x, true
}

// reals compares real numbers using close.
func reals(close func(ans, out float64) bool) comparison {
	return comparison{func(ans string) error {
		if _, ok := realNumber(ans); !ok {
			return &polygonFault{"want a number, got " + shortQuote(ans)}
		}
		return nil
	}, func(ans, out string) error {
		a, _ := realNumber(ans)
		b, ok := realNumber(out)
		if !ok {
			return wrongf("want %s, got %s, which is not a number", shortQuote(ans), shortQuote(out))
		}
		if !close(a, b) {
			return wrongf("want %s, got %s", shortQuote(ans), shortQuote(out))
		}
		return nil
	}, false}
}

// testlibEpsilon is added to each tolerance, as in testlib.
const testlibEpsilon = 1e-15

func absolutely(epsilon float64) comparison {
	return reals(func(ans, out float64) bool { return !(math.Abs(ans-out) > epsilon+testlibEpsilon) })
}

// near compares numbers with a tolerance that is absolute or relative, whichever is larger.
func near(epsilon float64) comparison {
	epsilon += testlibEpsilon
	return reals(func(ans, out float64) bool {
		switch {
		case math.IsInf(ans, 0):
			return ans == out
		case math.IsInf(out, 0):
			return false
		case math.Abs(ans-out) <= epsilon:
			return true
		}
		a, b := ans*(1-epsilon), ans*(1+epsilon)
		return out >= min(a, b) && out <= max(a, b)
	})
}

// unorderedIntegers compares integers in any order.
func unorderedIntegers(p *polygon) error {
	read := func(r *wordReader, bad func(word string) error) (all []int64, err error) {
		for {
			word, err := r.word()
			if err != nil {
				slices.Sort(all)
				return all, ignoreEOF(err)
			}
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil || strconv.FormatInt(n, 10) != word {
				return nil, bad(word)
			}
			all = append(all, n)
		}
	}
	ans, err := read(p.ans, func(w string) error { return &polygonFault{"want an integer, got " + shortQuote(w)} })
	if err != nil {
		return err
	}
	out, err := read(p.out, func(w string) error { return wrongf("want an integer, got %s", shortQuote(w)) })
	switch {
	case err != nil:
		return err
	case len(ans) != len(out):
		return wrongf("want %s, got %d", judge.Quantity(len(ans), "integer"), len(out))
	}
	for i := range ans {
		if ans[i] != out[i] {
			return wrongf("in order of size, number %d: want %d, got %d", i+1, ans[i], out[i])
		}
	}
	return nil
}

// polygonLines returns a function that compares each line of the answer with a line of the output. The parameter
// of splits a line into the words to compare. If the output ends first, its missing lines are treated as empty. An
// empty last line of the answer is ignored.
func polygonLines(words func(line string) []string) func(p *polygon) error {
	return func(p *polygon) error {
		for n := 1; ; n++ {
			if more, err := p.ans.moreBytes(); err != nil || !more {
				return err
			}
			want, err := p.ans.line()
			if err != nil {
				return err
			}
			if want == "" {
				if more, err := p.ans.moreBytes(); err != nil || !more {
					return err
				}
			}
			got, err := p.out.line()
			if err != nil {
				return err
			}
			if !slices.Equal(words(want), words(got)) {
				return wrongf("line %d: want %s, got %s", n, shortQuote(want), shortQuote(got))
			}
		}
	}
}

// wordsOf returns the words of a line.
func wordsOf(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r < 0x80 && isSpace(byte(r)) })
}

// shortQuote quotes a word. If it is long, the middle is omitted.
func shortQuote(s string) string {
	const most = 60
	if q := strconv.Quote(s); len(q) <= most {
		return q
	}
	return strconv.Quote(s[:most/2]) + "..." + strconv.Quote(s[len(s)-most/4:])
}

// A wordReader reads a text in the same way as testlib.
type wordReader struct {
	ctx   context.Context // a wordReader is used only within one call
	in    *bufio.Reader
	at    int64 // offset of the next byte
	start int64 // offset of the last word or line read
}

func newWords(ctx context.Context, text *io.SectionReader) *wordReader {
	return &wordReader{ctx: ctx, in: bufio.NewReaderSize(io.NewSectionReader(text, 0, text.Size()), 64<<10)}
}

func (w *wordReader) byte() (byte, error) {
	c, err := w.in.ReadByte()
	if err == nil {
		w.at++
	}
	return c, err
}

func (w *wordReader) back() {
	w.at--
	_ = w.in.UnreadByte() // cannot fail: a byte was just read
}

func isTestlibSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// more skips white space, and reports whether a word follows.
func (w *wordReader) more() (bool, error) {
	for {
		c, err := w.byte()
		if err != nil {
			w.start = w.at
			return false, ignoreEOF(err)
		}
		if !isTestlibSpace(c) {
			w.back()
			return true, nil
		}
	}
}

// moreBytes reports whether any byte follows.
func (w *wordReader) moreBytes() (bool, error) {
	_, err := w.in.Peek(1)
	return err == nil, ignoreEOF(err)
}

// word reads the next word. At the end of the text it returns io.EOF.
func (w *wordReader) word() (string, error) {
	if more, err := w.more(); err != nil || !more {
		return "", eofIfNil(err)
	}
	if err := context.Cause(w.ctx); err != nil {
		return "", err
	}
	w.start = w.at
	var b []byte
	for {
		c, err := w.byte()
		switch {
		case errors.Is(err, io.EOF):
			return string(b), nil
		case err != nil:
			return "", err
		case isTestlibSpace(c):
			w.back()
			return string(b), nil
		}
		b = append(b, c)
	}
}

// eofIfNil returns io.EOF for nil, and any other error unchanged.
func eofIfNil(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

// line reads the next line, which ends with LF or CR LF. After the end of the text, it returns empty lines. As in
// testlib, a CR without LF swallows the next character, and the end of the text after a CR becomes the byte 255.
func (w *wordReader) line() (string, error) {
	if err := context.Cause(w.ctx); err != nil {
		return "", err
	}
	w.start = w.at
	var b []byte
	for {
		c, err := w.byte()
		if errors.Is(err, io.EOF) || err == nil && c == '\n' {
			return string(b), nil
		}
		if err == nil && c == '\r' {
			c, err = w.byte()
			if err == nil && c == '\n' {
				return string(b), nil
			}
			if errors.Is(err, io.EOF) {
				c, err = 0xff, nil
			}
		}
		if err != nil {
			return "", err
		}
		b = append(b, c)
	}
}
