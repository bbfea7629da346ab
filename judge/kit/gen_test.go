package kit

import (
	"math"
	"strings"
	"testing"
)

var someSeed = Seed("salt", "line")

// generated runs a generator function in the same way as Generate, with the given arguments and always the same
// seed.
func generated(args string, f func(g *Gen)) quit {
	return generation(f, someSeed, strings.Fields(args))
}

func TestArguments(t *testing.T) {
	pair := func(g *Gen) { g.Println(g.Kind, g.Int64(0), g.IntOption("max", 5)) }
	for _, row := range []struct{ name, args, want string }{
		{"reads words and options in any order", "pair --max 7 3", "pair 3 7\n"},
		{"has defaults for options", "pair 3", "pair 3 5\n"},
		{"reads powers of ten", "pair 1e18 --max 2e0", "pair 1000000000000000000 2\n"},
		{"reads negative numbers", "pair -3", "pair -3 5\n"},
		{"takes a seed that is not used", "pair 3 --seed 1", "pair 3 5\n"},
		{"refuses a missing word", "pair", `kind "pair" needs 1 arguments, got 0`},
		{"refuses a word too many", "pair 3 4", `kind "pair" does not use the argument "4"`},
		{"refuses an unknown option", "pair 3 --min 1 --maximum 2", `kind "pair" does not use the option --maximum --min`},
		{"refuses an option without a value", "pair 3 --max", "option --max has no value"},
		{"refuses an option given twice", "pair 3 --max 1 --max 2", "option --max is given twice"},
		{"refuses what is not a number", "pair x", `"x" is not an integer`},
		{"refuses a number that does not fit", "pair 1e19", `"1e19" is not an integer`},
		{"refuses a power that never ends", "pair 1e999999999", `"1e999999999" is not an integer`},
		{"refuses half a power", "pair 1e", `"1e" is not an integer`},
	} {
		t.Run("it "+row.name, func(t *testing.T) {
			if q := generated(row.args, pair); q.message != row.want {
				t.Errorf("generate %s = %q %q, want %q", row.args, q.verdict, q.message, row.want)
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	f.Add("pair --max 7 3")
	f.Add("-- --  --")
	f.Add("random 1e18 -5 --x --y")
	f.Fuzz(func(t *testing.T, args string) {
		q := generated(args, func(g *Gen) { g.Int64(0); g.IntOption("max", 1); g.Words(1) })
		if q.verdict != OK && (q.verdict != Fail || strings.Contains(q.message, "panic")) {
			t.Errorf("generate %q = %q %q", args, q.verdict, q.message)
		}
	})
}

func TestSeedsAreTheSameForEver(t *testing.T) {
	for _, row := range []struct{ salt, line, want string }{
		{"", "", "6e340b9cffb37a989ca544e6bb780a2c"},
		{"salt", "random 5", "39a2f55a0c4957396482189ecffc3e72"},
	} {
		if got := Seed(row.salt, row.line); got != row.want {
			t.Errorf("Seed(%q, %q) = %q, want %q: the cases of every problem would change", row.salt, row.line, got, row.want)
		}
	}
	if _, err := newGen("xyz", nil, nil); err == nil {
		t.Error("a seed that is not hexadecimal was taken")
	}
}

func TestEqualSeedsMakeEqualCases(t *testing.T) {
	f := func(g *Gen) {
		for range 20 {
			g.Println(g.Rand.Between(1, 1e18), g.Rand.Perm(5), Pick(g.Rand, []string{"a", "b", "c"}))
		}
	}
	if a, b := generated("x", f), generated("x", f); a != b || a.verdict != OK {
		t.Errorf("two runs differ:\n%s\n%s", a.message, b.message)
	}
}

func TestBetween(t *testing.T) {
	g, err := newGen(someSeed, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ lo, hi int64 }{
		{1, 3}, {-2, 2}, {7, 7}, {math.MinInt64, math.MinInt64 + 1}, {math.MaxInt64 - 1, math.MaxInt64},
	} {
		seen := map[int64]bool{}
		for range 1000 {
			n := g.Rand.Between(row.lo, row.hi)
			if n < row.lo || n > row.hi {
				t.Fatalf("Between(%d, %d) = %d", row.lo, row.hi, n)
			}
			seen[n] = true
		}
		if want := int(row.hi-row.lo) + 1; len(seen) != want {
			t.Errorf("Between(%d, %d) gives %d numbers in 1000 calls, want %d", row.lo, row.hi, len(seen), want)
		}
	}
	negative := false
	for range 100 {
		negative = negative || g.Rand.Between(math.MinInt64, math.MaxInt64) < 0
	}
	if !negative {
		t.Error("Between of all numbers is never negative")
	}
	if q := catch(func() { g.Rand.Between(2, 1) }); q.verdict != Fail {
		t.Errorf("Between of an empty range: %q, want %q", q.verdict, Fail)
	}
}
