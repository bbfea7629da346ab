package format_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/judge/cases/format"
)

func parse(t testing.TB, text string) *format.Grammar {
	t.Helper()
	g, faults := format.Parse("input.format", []byte(text))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return g
}

func TestMissing(t *testing.T) {
	for _, row := range []struct {
		it, format, statement string
		want                  []int64
	}{
		{"finds a plain number", "line n: int 1..200000", "n <= 200000", nil},
		{"finds groups of digits", "line n: int 1..200000", "n <= 200 000", nil},
		{"finds groups with commas", "line n: int 1..1234567", "n is at most 1,234,567.", nil},
		{"finds a power", "line n: int 1..10^18", "n <= 10^18", nil},
		{"finds a power in HTML", "line n: int 1..10^18", "n &le; 10<sup>18</sup>", nil},
		{"finds a power in TeX", "line n: int 1..2*10^5", `$1 \le n \leq 2 \cdot 10^{5}$`, nil},
		{"finds a power in raised digits", "line n: int 1..10^9", "1 ≤ n ≤ 10⁹", nil},
		{"finds a factor and a power", "line n: int 1..5*10^6", "n ≤ 5 · 10<sup>6</sup>", nil},
		{"finds a power less one", "line n: int 1..2147483647", "n <= 2^31 - 1", nil},
		{"finds 1e9", "line n: int 1..10^9", "up to 1e9 numbers", nil},
		{"finds a strict bound", "line n: int 1..99", "1 <= n < 100", nil},
		{"finds a lower strict bound", "line n: int 3..99", "2 < n < 100", nil},
		{"finds a negative bound", "line n: int -10^9..10^9", "|n| <= 10^9", nil},
		{"does not take 100 for 99", "line n: int 1..99", "1 <= n <= 100", []int64{99}},
		{"does not take 10^8 for 10^9", "line n: int 1..10^9", "n <= 10^8", []int64{1_000_000_000}},
		{"does not need 0 and 1", "line n: int 0..1", "a truth value", nil},
		{"looks at lengths of words", "line s: word 1..60", "at most 50 letters", []int64{60}},
		{"looks at conditions", "line n: int 0..9 k: int 0..9\nwhere n * k <= 50", "n and k are 0 to 9", []int64{50}},
		{"does not look at features", "line n: int 0..9\nfeature \"seven\" when n = 7", "0 to 9", nil},
	} {
		var got []int64
		for _, n := range parse(t, row.format+"\n").MissingNumbers(row.statement) {
			got = append(got, n.Value)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("it %s: Missing(%q) for %q = %d, want %d", row.it, row.statement, row.format, got, row.want)
		}
	}
}

func TestCoverage(t *testing.T) {
	g := parse(t, `line n: int 1..3  op: "C" or "D"
line a[n]: int 0..9
line ( "x" s: word 1..2 | "y" )
where sum(a) <= 20
feature "they fall" when n > 1 and a[1] > a[2]
`)
	c := g.NewCoverage()
	for _, input := range []string{"1 C\n0\ny\n", "3 C\n9 8 3\nx a\n", "2 C\n3 1\nx b\n"} {
		if refusal := c.Add([]byte(input)); refusal != nil {
			t.Errorf("Add(%q) = %v", input, refusal)
		}
	}
	if c.Add([]byte("4 C\n")) == nil {
		t.Error("what is not an input is not refused")
	}
	var said strings.Builder
	for _, goal := range c.Goals() {
		fmt.Fprintf(&said, "%d: %d %s\n", goal.Line, goal.Count, goal.Description)
	}
	const want = `1: 1 n = 1
1: 1 n = 3
1: 3 op is "C"
1: 0 op is "D"
2: 1 a = 0
2: 1 a = 9
3: 2 the length of s is 1
3: 0 the length of s is 2
3: 2 the alternative "x" s
3: 1 the alternative "y"
4: 1 sum(a) <= 20, and only just
5: 2 feature: they fall
`
	if said.String() != want {
		t.Errorf("Goals say\n%swant\n%s", &said, want)
	}
}

func TestLine(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{"", ""},
		{"--mode max --seed 3", ""},
		{"--size 10 n=5 m=1..9 k=-3..2e5", ""},
		{"--mode maxx", `unknown mode "maxx"; did you mean "max"?`},
		{"--mode", "--mode needs a value"},
		{"--sise 3", `unknown argument "--sise"; did you mean "--size"?`},
		{"--size many", "--size many: want a number from 1 on"},
		{"n=five", `n=five: "five" is not an integer`},
		{"--seed x", "--seed x: want a number from 0 on"},
	} {
		_, err := format.ParseLine(strings.Fields(row.line))
		if got := fmt.Sprint(err); got != row.want && (err != nil || row.want != "") {
			t.Errorf("Line(%q): %v, want %q", row.line, err, row.want)
		}
	}
}

func TestDrawKeepsToOptions(t *testing.T) {
	g := parse(t, "line n: int 1..200_000  k: int 1..10^9\nline a[n]: int 1..9\n")
	for seed := range uint64(50) {
		input := drawn(t, g, seed, format.Options{Size: 7, Ranges: map[string][2]int64{"k": {40, 42}}})
		var n, k int
		if _, err := fmt.Sscan(string(input), &n, &k); err != nil || n > 7 || k < 40 || k > 42 {
			t.Errorf("size 7, k=40..42 makes %q", input)
		}
	}
	for _, row := range []struct {
		o    format.Options
		want string
	}{
		{format.Options{Mode: "nosuch"}, "unknown mode"},
		{format.Options{Ranges: map[string][2]int64{"m": {1, 1}}}, `the declaration has no integer "m"`},
		{format.Options{Ranges: map[string][2]int64{"n": {0, 0}}}, "the line requires n in 0..0, but the declaration allows 1..200000"},
	} {
		if _, err := g.Draw(chance(1), row.o); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("Draw(%+v): %v, want %q", row.o, err, row.want)
		}
	}
}
