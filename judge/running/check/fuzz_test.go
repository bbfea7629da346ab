package check

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/judge"
)

// smallWindow is a window size in bytes that is so small that short texts span many windows. The maximum length of
// a number is a quarter of the window size.
const smallWindow = 128

// used contains the buffers for each window size. As in the judge, they contain old data. No test here is
// parallel.
var used = map[int]*buffers{}

// run runs a comparer on an answer and an output, with windows of the given size.
func run(t testing.TB, compare comparer, window int, ans, out string) judge.Outcome {
	t.Helper()
	r := Request{In: section(""), Ans: section(ans), Out: section(out)}
	if used[window] == nil {
		used[window] = &buffers{chunk: window}
	}
	o, err := compare(context.Background(), r, used[window])
	if err != nil {
		t.Fatalf("ans %q, out %q: %v", ans, out, err)
	}
	if o.Verdict == judge.WrongAnswer {
		p := o.Place
		line, column := naiveSite(out, int(p.OutOffset))
		if p.Line != line || p.Column != column || p.AnsOffset < 0 || p.AnsOffset > int64(len(ans)) {
			t.Errorf("ans %q, out %q: place %+v, want line %d, column %d", ans, out, *p, line, column)
		}
		if o.Message == "" || strings.ContainsAny(o.Message, "\x00\n") || strings.Contains(o.Message, "%!") && !strings.Contains(ans+out, "%") {
			t.Errorf("ans %q, out %q: message %q", ans, out, o.Message)
		}
	}
	return o
}

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}

// agree checks that the comparer and the function naive agree on an answer and an output, with a small window and
// with the default one.
func agree(t testing.TB, what string, compare comparer, naive func(longest int) bool, ans, out string) {
	t.Helper()
	for window, longest := range map[int]int{smallWindow: smallWindow / 4, defaultChunk: maxNumber} {
		got, want := run(t, compare, window, ans, out).Verdict == judge.Accepted, naive(longest)
		if got != want {
			t.Errorf("%s, window %d: ans %q, out %q: accepted = %v, the slow version says %v", what, window, ans, out, got, want)
		}
	}
}

// variants returns tokens checkers for the fuzz targets, with every combination of options.
func variants(t testing.TB) map[string]*tokens {
	all := map[string]*tokens{}
	for _, options := range []string{
		"", "case_sensitive", "space_change_sensitive", "case_sensitive space_change_sensitive",
		"float_tolerance 1e-1", "float_absolute_tolerance 0.5 case_sensitive", "float_relative_tolerance 0.01 space_change_sensitive",
		"float_absolute_tolerance 0.1 float_relative_tolerance 0", "float_tolerance 0",
	} {
		o, err := parseOptions(Description{Name: "tokens", Options: tokensOptions}, strings.Fields(options))
		if err != nil {
			t.Fatal(err)
		}
		if all[options], err = tokensFrom("tokens", o); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// allAgree compares each checker with its slow version.
func allAgree(t testing.TB, all map[string]*tokens, ans, out string) {
	t.Helper()
	for options, tok := range all {
		if tok.near == nil || !hugeExponent(ans+" "+out) {
			agree(t, "tokens "+options, tok.compare, func(longest int) bool { return naiveTokens(tok, longest, ans, out) }, ans, out)
		}
	}
	agree(t, "exact", compareExact, func(int) bool { return ans == out }, ans, out)
	agree(t, "unordered", compareUnordered, func(int) bool { return naiveUnordered(ans, out) }, ans, out)
	agree(t, "lines", compareLines, func(int) bool {
		return strings.Join(naiveLines(ans), "\n") == strings.Join(naiveLines(out), "\n")
	}, ans, out)
}

// hugeExponent reports whether a number is too large for the slow version's rationals.
func hugeExponent(text string) bool {
	for _, token := range strings.FieldsFunc(text, naiveSpace) {
		if _, exponent, found := strings.Cut(strings.ToLower(token), "e"); found && len(strings.TrimLeft(exponent, "+-0")) > 4 {
			return true
		}
	}
	return false
}

func FuzzCheckers(f *testing.F) {
	for _, seed := range [][2]string{
		{"1 2 3\n", "1 2 3"}, {"1 2\n3\n", "1\n2 3\n"}, {"a  b", "a b"}, {"", " \n"}, {"12 3", "123"},
		{"Yes\nNo\n", "yes\r\nNO  \r\n\n"}, {"0.3 1e3 inf", "0.4 1000 INF"}, {"b\na\na\n", "a\nb\na"}, {"x\x00y", "x\xffy"},
		// With a small window, these long words must not be compared only by their ends, which look like numbers
		// that are near each other.
		{strings.Repeat("1", smallWindow+10) + "1", strings.Repeat("1", smallWindow+10) + "2"},
		{strings.Repeat("1", smallWindow+25) + "1", strings.Repeat("1", smallWindow+25) + "2"},
		{strings.Repeat("1", smallWindow), strings.Repeat("1", smallWindow+10) + "2"},
		{strings.Repeat("0123456789", 20), strings.Repeat("0123456789", 20) + "0"}, {"5", "5."}, {"-0", "0"}, {"1.000001 2", "1.0000010000 2.0"},
	} {
		f.Add(seed[0], seed[1])
	}
	all := variants(f)
	f.Fuzz(func(t *testing.T, ans, out string) { allAgree(t, all, ans, out) })
}

// TestFastAndSlowAgree runs the checks of FuzzCheckers on pairs of texts that are nearly equal. Random bytes
// rarely are.
func TestFastAndSlowAgree(t *testing.T) {
	pairs := 1500
	if testing.Short() {
		pairs = 200
	}
	all := variants(t)
	for seed := range uint64(pairs) {
		r := rand.New(rand.NewPCG(seed, 0))
		ans := randomText(r)
		out := ans
		for range r.IntN(4) {
			out = alter(r, out)
		}
		allAgree(t, all, ans, out)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestAnyOfAgrees tests lists of answers with outputs that are close to one of the answers.
func TestAnyOfAgrees(t *testing.T) {
	tok := variants(t)["float_tolerance 1e-1"]
	compare, err := newAnyOf(options{"float_tolerance": "1e-1"})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := make([]string, 1+r.IntN(4))
		for i := range list {
			list[i] = "x" + randomText(r) + "\n"
		}
		out := list[r.IntN(len(list))]
		for range r.IntN(2) {
			out = alter(r, out)
		}
		ans := strings.Join(list, "--- \r\n")
		agree(t, "any-of", compare, func(longest int) bool { return naiveAnyOf(tok, longest, ans, out) }, ans, out)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

var (
	alphabet = []string{"0", "1", "9", ".", "-", "+", "e", "E", "a", "A", "z", "\x00", "\xff", "é", "nan"}
	spaces   = []string{" ", " ", " ", "\n", "\n", "\t", "\r\n", "  ", "\v", "\n\n"}
	numbers  = []string{
		"0", "1", "-1", "0.1", "0.2", "10", "10.1", "1e1", "1E-3", "100", ".5", "5.", "-0", "1e-400", "1e400",
		"123456789012345678901234567890", "3.14159265358979323846264338327950288",
	}
)

// randomText returns a text of a few hundred bytes: words, numbers, and long tokens.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(40) {
		switch k := r.IntN(12); {
		case k < 5:
			b.WriteString(numbers[r.IntN(len(numbers))])
		case k < 11:
			for range 1 + r.IntN(8) {
				b.WriteString(alphabet[r.IntN(len(alphabet))])
			}
		default:
			b.WriteString(strings.Repeat(alphabet[r.IntN(len(alphabet))], r.IntN(3*smallWindow)))
		}
		b.WriteString(spaces[r.IntN(len(spaces))])
	}
	return b.String()
}

// alter makes a small change to the text.
func alter(r *rand.Rand, text string) string {
	at := r.IntN(len(text) + 1)
	end := min(len(text), at+r.IntN(3))
	piece := ""
	switch r.IntN(6) {
	case 0:
		piece = spaces[r.IntN(len(spaces))]
	case 1:
		piece = alphabet[r.IntN(len(alphabet))]
	case 2:
		return strings.ReplaceAll(text, " ", spaces[r.IntN(len(spaces))])
	case 3:
		return text[:at] + strings.ToUpper(text[at:])
	case 4: // a number close to another one
		old, now := numbers[r.IntN(len(numbers))], numbers[r.IntN(len(numbers))]
		return strings.Replace(text, old, now, 1)
	}
	return text[:at] + piece + text[end:]
}

func FuzzNumber(f *testing.F) {
	for _, n := range numbers {
		f.Add(n, "0.1", "1e-1")
	}
	f.Add("0x1p0", "1_000", "-1")
	f.Fuzz(func(t *testing.T, want, got, tolerance string) {
		if strings.ContainsFunc(want+got, naiveSpace) {
			return // no tokens
		}
		n, ok := parseNumber([]byte(want))
		if ok != naiveNumber.MatchString(want) {
			t.Fatalf("parseNumber(%q) is ok: %v", want, ok)
		}
		short, length := shortNumber([]byte(want + " "))
		if length > 0 && (length != len(want) || !ok) {
			t.Fatalf("shortNumber(%q) takes %d bytes", want, length)
		}
		if hugeExponent(want + " " + got + " " + tolerance) {
			return
		}
		if ok {
			f, fits := n.float()
			slow, slowFits := naiveFloat(want)
			if fits != slowFits || fits && f != slow || length > 0 && short != slow {
				t.Fatalf("%q is %v (%v), %v; want %v (%v)", want, f, fits, short, slow, slowFits)
			}
		}
		e, err := parseEpsilon("floats", "abs", tolerance)
		if err != nil {
			return
		}
		tok := &tokens{near: newTolerance(e)}
		agree(
			t, "tokens float_tolerance "+tolerance, tok.compare,
			func(longest int) bool { return naiveTokens(tok, longest, want, got) }, want, got,
		)
	})
}

func newTolerance(e epsilon) *tolerance { return &tolerance{abs: e, rel: e} }

// TestTheMachinesFaultsAreErrors checks that Check returns an error, not a verdict, if a text cannot be read.
func TestTheMachinesFaultsAreErrors(t *testing.T) {
	short := func(size int64) *io.SectionReader { return io.NewSectionReader(strings.NewReader("1 2 3 4"), 0, size) }
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, row := range builtins {
		compare, err := row.make(options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(row.Name+" says so of an output that is shorter than it was", func(t *testing.T) {
			_, err := compare(t.Context(), Request{Ans: short(7), Out: short(20)}, new(buffers))
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("error = %v, want %v", err, io.ErrUnexpectedEOF)
			}
		})
		t.Run(row.Name+" ends with its context", func(t *testing.T) {
			_, err := compare(ended, Request{Ans: short(7), Out: short(7)}, new(buffers))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error = %v, want %v", err, context.Canceled)
			}
		})
	}
}
