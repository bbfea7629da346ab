package kit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// everything uses all kinds of random numbers that a generator can use.
func everything(g *Gen) {
	r := g.Rand
	n := r.Between(1, 6)
	g.Println(n, r.Between(-3, 9), r.Between(math.MinInt64, math.MaxInt64), r.Between(-9, -2))
	for range n {
		g.Print(r.IntN(10), r.Int32N(7), r.Int64N(1e18), r.UintN(3), r.Uint32N(4), r.Uint64N(1<<63), " ")
	}
	g.Println(r.Perm(int(n)), r.Float64(), Pick(r, []string{"x", "y", "z"}), r.Uint32(), r.NormFloat64(), r.Rand.IntN(5))
}

// split separates the line of choices from the case.
func split(t interface{ Fatalf(string, ...any) }, q quit) (choices, text string) {
	line, text, ok := strings.Cut(q.message, "\n")
	choices, is := strings.CutPrefix(line, "choices")
	if q.verdict != OK || !ok || !is {
		t.Fatalf("%s: %q", q.verdict, q.message)
	}
	return choices, text
}

// TestChoices checks that recording the choices does not change the case, and that replaying the choices makes the
// same case.
func TestChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := Seed("", rapid.String().Draw(t, "seed"))
		want := generation(everything, seed, nil)
		choices, text := split(t, generation(everything, "record "+seed, nil))
		if text != want.message {
			t.Fatalf("recorded: %q, want %q", text, want.message)
		}
		again, text := split(t, generation(everything, "replay"+choices, nil))
		if text != want.message || again != choices {
			t.Fatalf("replayed %s: %s %q, want %q", choices, again, text, want.message)
		}
		words := strings.Fields(choices)
		cut := words[:rapid.IntRange(0, len(words)).Draw(t, "cut")]
		used, text := split(t, generation(everything, "replay "+strings.Join(cut, " "), nil))
		if same, other := split(t, generation(everything, "replay"+used, nil)); same != used || other != text {
			t.Fatalf("the choices that were used, %s, make %q, want %q", used, other, text)
		}
	})
}

func TestPlainestChoices(t *testing.T) {
	_, text := split(t, generation(func(g *Gen) {
		r := g.Rand
		g.Println(r.Between(5, 9), r.Between(-3, 9), r.Between(-9, -2), r.IntN(4), r.Perm(4), r.Float64(), Pick(r, []string{"x", "y"}))
	}, "replay", nil))
	if want := "5 0 -9 0 [0 1 2 3] 0 x\n"; text != want {
		t.Errorf("no choices make %q, want %q", text, want)
	}
	for _, seed := range []string{"replay -1", "replay x", "record", "record xyz"} {
		if q := generation(everything, seed, nil); q.verdict != Fail {
			t.Errorf("%q is taken", seed)
		}
	}
}

// TestRanks checks that each number of a range has a unique rank, and that numbers near 0 have the lowest ranks.
func TestRanks(t *testing.T) {
	for lo := int64(-6); lo <= 6; lo++ {
		for hi := lo; hi <= 9; hi++ {
			var ranks []uint64
			for v := lo; v <= hi; v++ {
				c := rankOf(v, lo, hi)
				ranks = append(ranks, c)
				if got := ranked(c, lo, hi); got != v {
					t.Errorf("ranked(rankOf(%d)) in %d..%d = %d", v, lo, hi, got)
				}
			}
			slices.Sort(ranks)
			for i, c := range ranks {
				if c != uint64(i) {
					t.Fatalf("the ranks of %d..%d are %d", lo, hi, ranks)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Int64().Draw(t, "lo")
		hi := rapid.Int64Min(lo).Draw(t, "hi")
		v := rapid.Int64Range(lo, hi).Draw(t, "v")
		if got := ranked(rankOf(v, lo, hi), lo, hi); got != v {
			t.Fatalf("ranked(rankOf(%d)) in %d..%d = %d", v, lo, hi, got)
		}
	})
}
