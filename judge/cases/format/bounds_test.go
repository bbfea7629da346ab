package format_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/judge/cases/format"
)

// TestIntegersAreReadExactly checks many digit strings and bounds. A text must be accepted if and only if it
// spells an integer within the bounds. The test computes the expected result with math/big.
func TestIntegersAreReadExactly(t *testing.T) {
	digits := []string{
		"00", "-0", "007", "-01", "1844674407370955162", "18446744073709551615", "18446744073709551616",
		"18446744073709551621", "36893488147419103232",
	}
	var bounds []int64
	for _, edge := range []int64{0, 7, 999_999_999_999_999_999, 1_000_000_000_000_000_000, math.MaxInt64} {
		for _, n := range []int64{edge, -edge} {
			bounds = append(bounds, n)
			for d := range int64(3) {
				digits = append(digits, new(big.Int).Add(big.NewInt(n), big.NewInt(d-1)).String())
			}
		}
	}
	bounds = append(bounds, math.MinInt64)
	digits = append(digits, "-9223372036854775809", "9999999999999999999", "-9999999999999999999", "10000000000000000000")
	for _, lo := range bounds {
		for _, hi := range bounds {
			for _, form := range []struct{ declaration, text string }{
				{"line n: int %d..%d\n", "%s\n"},
				{"line a[2]: int %d..%d by \",\"\n", "%[1]s,%[1]s\n"},
				{"line n: int %d..%d  & \";\"\n", "%s;\n"},
			} {
				if lo > hi {
					continue
				}
				g := parse(t, fmt.Sprintf(form.declaration, lo, hi))
				for _, d := range digits {
					n, _ := new(big.Int).SetString(d, 10)
					want := n.String() == d && n.Cmp(big.NewInt(lo)) >= 0 && n.Cmp(big.NewInt(hi)) <= 0
					if refusal := g.Check(fmt.Appendf(nil, form.text, d)); (refusal == nil) != want {
						t.Errorf("%s in %d..%d: %v, want it to be read: %v", d, lo, hi, refusal, want)
					}
				}
			}
		}
	}
}

// TestNearNumbers checks which wrong spellings NearMisses generates for a number. They depend on the bounds, and each
// row lists all of them.
func TestNearNumbers(t *testing.T) {
	usual := []string{
		"has a plus in front", "has a zero in front", "has a fraction", "is a word", "is beyond 64 bits",
		"is in hexadecimal", "is missing",
	}
	for _, row := range []struct {
		bounds string
		more   []string
	}{
		{"1..9", []string{"is one above its bound", "is one below its bound"}},
		{"0..9", []string{"is one above its bound", "is one below its bound", "is -0"}},
		{"-9..0", []string{"is one above its bound", "is one below its bound", "is -0"}},
		{"-9..9", []string{"is one above its bound", "is one below its bound", "is -0"}},
		{"0..0", []string{"is one above its bound", "is one below its bound", "is -0"}},
		{"-9..-1", []string{"is one above its bound", "is one below its bound"}},
		{"1..9223372036854775807", []string{"is one below its bound"}},
		{"-9223372036854775808..-1", []string{"is one above its bound"}},
		{"-9223372036854775808..9223372036854775807", []string{"is -0"}},
	} {
		want := append(slices.Clone(usual), row.more...)
		slices.Sort(want)
		for name, declaration := range map[string]string{
			"n": "line n: int " + row.bounds + "\n", "a value of a": "line a[3]: int " + row.bounds + "\n",
		} {
			wrong, err := parse(t, declaration).NearMisses(rand.New(rand.NewPCG(1, 2)), format.Options{})
			if err != nil {
				t.Fatalf("%s: %v", declaration, err)
			}
			var got []string
			for _, w := range wrong {
				if what, ok := strings.CutPrefix(w.Description, name+" "); ok && (strings.HasPrefix(what, "is ") || strings.HasPrefix(what, "has ")) {
					got = append(got, what)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%sis nearly read with %q, want %q", declaration, got, want)
			}
		}
	}
}
