package check

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/judge"
)

// TestWhereValidatorsDisagree checks the checker tokens with cases for which known output validators give
// different results. The expected results are those that the ICPC problem package format requires.
func TestWhereValidatorsDisagree(t *testing.T) {
	for _, row := range []struct {
		name, args, ans, out string
		want                 judge.Verdict
	}{
		{"hexadecimal is not a number", "float_tolerance 1e-6", "1.0", "0x1p0", judge.WrongAnswer},
		{"an exponent needs digits", "float_tolerance 1e-6", "100", "100e", judge.WrongAnswer},
		{"an exponent needs digits behind its sign", "float_tolerance 1e-6", "0", "0e+", judge.WrongAnswer},
		{"infinity is a word", "float_tolerance 1e-6", "inf", "Infinity", judge.WrongAnswer},
		{"infinity is the same word in capitals", "float_tolerance 1e-6", "inf", "INF", judge.Accepted},
		{"nan is a word with case", "float_tolerance 1e-6 case_sensitive", "nan", "NaN", judge.WrongAnswer},
		{"what is too small for float64 is not 0", "float_tolerance 0", "0", "1e-4000", judge.WrongAnswer},
		{"what is too small for float64 is near 0", "float_tolerance 1e-9", "0", "1e-4000", judge.Accepted},
		{"float64 may say yes where long double says no", "float_absolute_tolerance 0.1", "10", "10.1", judge.Accepted},
		{"exact arithmetic may say yes where float64 says no", "float_absolute_tolerance 0.1", "0.3", "0.4", judge.Accepted},
		{"a NUL does not end a token", "", "a", "a\x00", judge.WrongAnswer},
		{"a point needs a digit on one side", "float_tolerance 1", ".", "0", judge.WrongAnswer},
		{"a digit on the left of the point is enough", "float_tolerance 1e-6", "5.", "5", judge.Accepted},
		{"a digit on the right of the point is enough", "float_tolerance 1e-6", ".5", "0.5", judge.Accepted},
		{"integers are compared as numbers too", "float_tolerance 1e-6", "1", "1.0000000001", judge.Accepted},
		{"a word is wanted where the answer has one", "float_tolerance 1e-6", "one", "1", judge.WrongAnswer},
		{"what float64 cannot hold is compared exactly", "float_relative_tolerance 1e-6", "1e400", "1.0000009e400", judge.Accepted},
		{"what float64 cannot hold is refused exactly", "float_relative_tolerance 1e-6", "1e400", "1.0000011e400", judge.WrongAnswer},
		{"infinite float64 values do not meet", "float_relative_tolerance 1e-6", "1e400", "1e500", judge.WrongAnswer},
		{"minus zero is zero", "float_tolerance 0", "0", "-0.0e5", judge.Accepted},
		{"a vast exponent costs nothing", "float_tolerance 1e-6", "1", "1e999999999999999999999", judge.WrongAnswer},
		{"a vast negative exponent is as good as 0", "float_tolerance 1e-6", "0", "1e-999999999999999999999", judge.Accepted},
		{"a vast answer wants itself", "float_tolerance 1e-6", "1e999999999999", "1e999999999998", judge.WrongAnswer},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := Builtin("tokens", strings.Fields(row.args))
			if err != nil {
				t.Fatal(err)
			}
			o, err := c.Check(t.Context(), Request{Ans: section(row.ans), Out: section(row.out)})
			if err != nil || o.Verdict != row.want {
				t.Errorf("tokens %s: ans %q, out %q: %s %q, %v; want %s", row.args, row.ans, row.out, o.Verdict, o.Message, err, row.want)
			}
		})
	}
}

// TestBadArguments checks each error that a setter can make in the arguments of a built-in checker.
func TestBadArguments(t *testing.T) {
	for _, row := range []struct{ checker, args, text, hint string }{
		{"tokns", "", `unknown checker "tokns"`, `did you mean "tokens"?`},
		{
			"wcmp", "", `unknown checker "wcmp"`,
			`one of: any-of, case-insensitive, case-sensitive, exact, floats, lines, polygon, tokens, unordered`,
		},
		{"tokens", "case_sensitiv", `checker tokens: unknown option "case_sensitiv"`, `did you mean "case_sensitive"?`},
		{
			"tokens", "float_tolerance=1e-6", `checker tokens: unknown option "float_tolerance=1e-6"`,
			`an option and its value are two arguments: "float_tolerance", "1e-6"`,
		},
		{"tokens", "float_tolerance|1e-6|float_tolerance|1e-6", `checker tokens: option "float_tolerance" is given twice`, ``},
		{"tokens", "case_sensitive|case_sensitive", `checker tokens: option "case_sensitive" is given twice`, ``},
		{
			"tokens", "float_tolerance", `checker tokens: option "float_tolerance" has no value`,
			`the value is an argument of its own: "float_tolerance", "EPSILON"`,
		},
		{"tokens", "float_tolerance|-1", `checker tokens: float_tolerance: -1 is negative`, `a tolerance is 0 or more`},
		{"tokens", "float_tolerance|nan", `checker tokens: float_tolerance: "nan" is not a decimal number`, `write it like 1e-6 or 0.001`},
		{"tokens", "float_tolerance|inf", `checker tokens: float_tolerance: "inf" is not a decimal number`, `write it like 1e-6 or 0.001`},
		{"tokens", "float_tolerance|0x1p-3", `checker tokens: float_tolerance: "0x1p-3" is not a decimal number`, `write it like 1e-6 or 0.001`},
		{
			"tokens", "float_tolerance|1e-99999999",
			`checker tokens: float_tolerance: "1e-99999999" is not a decimal number`,
			`write it like 1e-6 or 0.001`,
		},
		{
			"tokens", "float_tolerance|1|float_absolute_tolerance|1",
			`checker tokens: float_tolerance sets both tolerances, so it cannot be combined with one of them`,
			`give float_absolute_tolerance and float_relative_tolerance only`,
		},
		{"floats", "abs 1e-6", `checker floats: unknown option "abs 1e-6"`, `an option and its value are two arguments: "abs", "1e-6"`},
		{"floats", "abs|", `checker floats: abs: "" is not a decimal number`, `write it like 1e-6 or 0.001`},
		{"floats", "rel|x", `checker floats: rel: "x" is not a decimal number`, `write it like 1e-6 or 0.001`},
		{"exact", "trim", `checker exact: unknown option "trim"`, `this checker takes no options`},
		{"any-of", "separator|a b", `checker any-of: separator "a b" is not one word of at most 100 bytes`, `leave it out to use ---`},
	} {
		t.Run(row.checker+" "+row.args, func(t *testing.T) {
			var args []string
			if row.args != "" {
				args = strings.Split(row.args, "|")
			}
			_, err := Builtin(row.checker, args)
			fault, ok := err.(*judge.ProblemError)
			if !ok || fault.Text != row.text || fault.Hint != row.hint || fault.File != "" {
				t.Errorf("Builtin(%q, %q) = %#v\nwant text %q\nhint %q", row.checker, args, err, row.text, row.hint)
			}
		})
	}
}

// law is a rule that a checker must obey for every answer.
type law struct {
	answer  func(t *rapid.T, lines [][]string) string // returns an .ans file for these words
	output  func(t *rapid.T, lines [][]string) string // returns a correct output; if nil, the answer is used
	related func(a, b string) bool                    // reports whether the checker treats two words as equal
}

var laws = map[string]law{
	"any-of": {
		answer: func(t *rapid.T, lines [][]string) string {
			other := joined(randomLines(t, "other answer"))
			if rapid.Bool().Draw(t, "first") {
				return joined(lines) + "---\n" + "other " + other
			}
			return "other " + other + "---\n" + joined(lines)
		},
		output: func(_ *rapid.T, lines [][]string) string { return joined(lines) }, related: strings.EqualFold,
	},
	"case-insensitive": {output: spaced, related: strings.EqualFold},
	"case-sensitive":   {output: spaced},
	"exact":            {},
	"floats": {output: spaced, related: func(a, b string) bool {
		_, number := parseNumber([]byte(a))
		return number || strings.EqualFold(a, b) // a changed number may still be within the tolerance
	}},
	"lines": {output: func(t *rapid.T, lines [][]string) string {
		blanks := rapid.SampledFrom([]string{"", " ", "\r", "\t "})
		var b strings.Builder
		for _, words := range lines {
			b.WriteString(strings.Join(words, " ") + blanks.Draw(t, "blanks") + "\n")
		}
		return b.String() + rapid.SampledFrom([]string{"", "\n", " \n\n"}).Draw(t, "end")
	}},
	"polygon": {output: spaced},
	"tokens":  {output: spaced, related: strings.EqualFold},
	"unordered": {output: func(t *rapid.T, lines [][]string) string {
		return joined(rapid.Permutation(lines).Draw(t, "order"))
	}},
}

// TestLaws checks that each built-in checker accepts a correct output, and rejects it after one of its words is
// changed.
func TestLaws(t *testing.T) {
	for _, row := range builtins {
		t.Run(row.Name, func(t *testing.T) {
			law, ok := laws[row.Name]
			if !ok {
				t.Fatalf("checker %s has no line in laws", row.Name)
			}
			compare, err := row.make(options{})
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(rt *rapid.T) { obeys(rt, t, compare, law) })
		})
	}
}

func obeys(rt *rapid.T, t *testing.T, compare comparer, law law) {
	lines := randomLines(rt, "lines")
	ans := joined(lines)
	if law.answer != nil {
		ans = law.answer(rt, lines)
	}
	verdict := func(out string) judge.Outcome {
		return run(t, compare, rapid.SampledFrom([]int{smallWindow, defaultChunk}).Draw(rt, "window"), ans, out)
	}
	right := []string{joined(lines)}
	if law.output != nil {
		right = append(right, law.output(rt, lines))
	}
	for _, out := range right {
		if o := verdict(out); o.Verdict != judge.Accepted {
			rt.Fatalf("ans %q, out %q: %s %q, want accepted", ans, out, o.Verdict, o.Message)
		}
	}
	line := rapid.IntRange(0, len(lines)-1).Draw(rt, "line")
	word := rapid.IntRange(0, len(lines[line])-1).Draw(rt, "word")
	old := lines[line][word]
	lines[line][word] = randomWord().Draw(rt, "new word")
	if lines[line][word] == old || law.related != nil && law.related(old, lines[line][word]) {
		rt.Skip("not a change")
	}
	if o := verdict(joined(lines)); o.Verdict != judge.WrongAnswer {
		rt.Fatalf("ans %q, out %q: %s, want wrong", ans, joined(lines), o.Verdict)
	}
}

func randomWord() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-cA-C0-9]{1,4}`), rapid.StringMatching(`-?[0-9]{1,3}\.[0-9]{1,3}`),
		rapid.StringMatching(`x{100,200}`),
	)
}

// randomLines returns at least one line. Each line contains at least one word.
func randomLines(t *rapid.T, label string) [][]string {
	return rapid.SliceOfN(rapid.SliceOfN(randomWord(), 1, 5), 1, 8).Draw(t, label)
}

func joined(lines [][]string) string {
	var b strings.Builder
	for _, words := range lines {
		b.WriteString(strings.Join(words, " ") + "\n")
	}
	return b.String()
}

// spaced joins words with random white space.
func spaced(t *rapid.T, lines [][]string) string {
	var b strings.Builder
	for _, words := range lines {
		for _, w := range words {
			b.WriteString(w + rapid.SampledFrom(spaces).Draw(t, "space"))
		}
	}
	return b.String()
}

// bigText returns a file with a text of several megabytes.
func bigText(t *testing.T, name string, write func(w *bufio.Writer)) *io.SectionReader {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	w := bufio.NewWriter(f)
	write(w)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		t.Fatal(err)
	}
	return io.NewSectionReader(f, 0, size)
}

// TestBigTexts checks that differences far behind the first window are found, with buffers of the default size.
func TestBigTexts(t *testing.T) {
	const lines = 300_000
	numbered := func(change func(i int, line string) string) *io.SectionReader {
		return bigText(t, "text", func(w *bufio.Writer) {
			for i := range lines {
				w.WriteString(change(i, fmt.Sprintf("line %d of many\n", i+1)))
			}
		})
	}
	same := func(_ int, line string) string { return line }
	ans := numbered(same)
	for _, row := range []struct {
		checker, what, want string
		out                 *io.SectionReader
	}{
		{"tokens", "one word differs", `line 299000, token 2: want "299000", got "x"`, numbered(func(i int, line string) string {
			return strings.Replace(line, "299000", "x", 1)
		})},
		{"lines", "one word differs", `line 299000: want "line 299000 of many", got "line x of many"`, numbered(func(i int, line string) string {
			return strings.Replace(line, "299000", "x", 1)
		})},
		{"tokens", "the last line is missing", `output ends early, in line 300000: want 4 more tokens, first "line"`,
			numbered(func(i int, line string) string {
				return line[:len(line)*min(1, lines-1-i)]
			})},
		{"tokens", "everything is one line", `line 1, token 1195998: want "299000", got "x"`, numbered(func(i int, line string) string {
			return strings.Replace(strings.Replace(line, "\n", " ", 1), "299000", "x", 1)
		})},
		{"unordered", "all are there, the other way round, but for one",
			`line 1001: got "line x of many", which the answer does not have; want "line 299000 of many"`, numbered(func(i int, _ string) string {
				return strings.Replace(fmt.Sprintf("line %d of many\n", lines-i), "299000", "x", 1)
			})},
		{"unordered", "half of them are others", `line 150001: got "LINE 150001 of many", which the answer does not have;` +
			` want "line 150001 of many"`, numbered(func(i int, line string) string {
			if i >= lines/2 {
				return strings.Replace(line, "line", "LINE", 1)
			}
			return line
		})},
	} {
		t.Run(row.checker+" says so when "+row.what, func(t *testing.T) {
			c, err := Builtin(row.checker, nil)
			if err != nil {
				t.Fatal(err)
			}
			o, err := c.Check(t.Context(), Request{Ans: ans, Out: row.out})
			if err != nil || o.Message != row.want {
				t.Errorf("Check = %s %q, %v\nwant %q", o.Verdict, o.Message, err, row.want)
			}
		})
	}
}

// TestMemoryDoesNotGrow checks that comparing texts of several megabytes allocates less memory than the texts
// need.
func TestMemoryDoesNotGrow(t *testing.T) {
	const size, most = 8 << 20, 6 << 20
	words := func(seed uint64, blank string) *io.SectionReader {
		return bigText(t, "text", func(w *bufio.Writer) {
			r := rand.New(rand.NewPCG(seed, 0))
			for n := 0; n < size; n += 16 {
				fmt.Fprintf(w, "%015d%s", r.Int64N(1e15), blank)
			}
		})
	}
	ans, same, other := words(1, "\n"), words(1, "\n"), words(2, "\n")
	oneLine, digits := words(1, "."), bigText(t, "digits", func(w *bufio.Writer) { w.Write(bytes.Repeat([]byte("7"), size)) })
	for _, row := range builtins {
		for what, pair := range map[string][2]*io.SectionReader{
			"equal texts": {ans, same}, "other texts": {ans, other}, "one long line": {oneLine, ans}, "one long number": {digits, oneLine},
		} {
			compare, err := row.make(options{})
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = compare(t.Context(), Request{Ans: pair[0], Out: pair[1]}, new(buffers))
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Errorf("%s with %s: %v", row.Name, what, err)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%s with %s of %d MiB allocates %d bytes, at most %d are allowed", row.Name, what, size>>20, n, most)
			}
		}
	}
}
