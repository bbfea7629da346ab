package format

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestDistance: the choices of a range are 0, 1, 2, ... from the plainest number on,
// each for one number.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Int64().Draw(t, "lo")
		hi := rapid.Int64Min(lo).Draw(t, "hi")
		v := rapid.Int64Range(lo, hi).Draw(t, "v")
		if got := at(distance(v, lo, hi), lo, hi); got != v {
			t.Fatalf("at(distance(%d)) in %d..%d = %d", v, lo, hi, got)
		}
		if c := rapid.Uint64().Draw(t, "choice"); at(c, lo, hi) < lo || at(c, lo, hi) > hi {
			t.Fatalf("at(%d, %d, %d) = %d", c, lo, hi, at(c, lo, hi))
		}
	})
	for lo := int64(-6); lo <= 6; lo++ {
		for hi := lo; hi <= 8; hi++ {
			seen := map[uint64]bool{}
			for v := lo; v <= hi; v++ {
				d := distance(v, lo, hi)
				if seen[d] || d > uint64(hi-lo) {
					t.Errorf("distance(%d, %d, %d) = %d is not one of 0..%d of its own", v, lo, hi, d, hi-lo)
				}
				seen[d] = true
			}
			if distance(plainest(lo, hi), lo, hi) != 0 {
				t.Errorf("the plainest number of %d..%d is not choice 0", lo, hi)
			}
		}
	}
}

// TestArithmetic: numbers beyond 64 bits are held as the largest or the smallest.
func TestArithmetic(t *testing.T) {
	for _, row := range []struct {
		expression string
		want       int64
	}{
		{"7 / 2", 3}, {"-7 / 2", -4}, {"-7 % 2", 1}, {"7 % -2", -1}, {"2 ^ 10", 1024}, {"-2 ^ 2", -4}, {"2 ^ 3 ^ 2", 512},
		{"10 - 4 - 3", 3}, {"2 + 3 * 4", 14}, {"(2 + 3) * 4", 20}, {"1e3 + 1_000", 2000}, {"2^63 - 1", 1<<63 - 1},
		{"n * n", 1<<63 - 1}, {"-n * n", -1 << 63}, {"n / 0", 0}, {"n + n", 1<<63 - 1}, {"-n - n - n", -1 << 63},
		{"min(n, 3, 5)", 3}, {"max(2, 3)", 3}, {"gcd(12, 18)", 6}, {"abs(-4)", 4}, {"n % 10^9", 999_999_999},
	} {
		g, faults := Parse("x", []byte("let n = 9 * 10^18 + 10^9 - 1\nlet r = "+row.expression+"\nline a: int r..r\n"))
		if len(faults) > 0 {
			t.Errorf("%s: %v", row.expression, faults)
			continue
		}
		e := newEnv(g)
		(&writer{g: g, e: e}).block(g.body[:2], nil)
		if got := e.cur[g.names[1].slot].n; got != row.want {
			t.Errorf("%s = %d, want %d", row.expression, got, row.want)
		}
	}
}

// TestTreesAreWhole: a text that is read is written back as it is, plainly and with
// counts made to fit; and its choices tell it again.
func TestTreesAreWhole(t *testing.T) {
	g, faults := Parse("x", []byte(`
line t: int 1..3
repeat t
    line n: int 1..9  m: int 0..20  k: int -5..5
    line s: word n of "ab"  p[n]: permutation 1..n
    line a[n]: int -5..10^9 sorted  b[3]: "x" or "y" by ","
    graph u v w: n nodes, m edges, simple, connected, weight 1..10
    grid rows: 2 by n of ".#"
    either
        line "one" ( "two" x: int 0..k*k | "three" )
    or
        line title: text 0..9 of "a-c "
`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	rapid.Check(t, func(t *rapid.T) {
		chance := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		text, err := g.Draw(chance, Options{Size: 6})
		if err != nil {
			t.Fatal(err)
		}
		read := g.read(text, true)
		if !read.ok {
			t.Fatalf("%v\n%s", read.refusal(), text)
		}
		if again := g.render(read.root); string(again) != string(text) {
			t.Fatalf("render makes\n%s of\n%s", again, text)
		}
		if again := g.rewrite(read.root, 0, 0); string(again) != string(text) {
			t.Fatalf("rewrite makes\n%s of\n%s", again, text)
		}
		c := &recorder{}
		g.writeBy(c, read.root, func(e *env) { c.e = e })
		teller := &teller{choices: c.choices}
		if again := g.writeBy(teller, nil, func(e *env) { teller.e = e }); string(again) != string(text) {
			t.Fatalf("the choices %d make\n%s of\n%s", c.choices, again, text)
		}
	})
}
