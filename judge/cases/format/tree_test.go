package format

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// TestArithmetic checks that results beyond 64 bits become the largest or smallest integer.
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

// TestTreesAreWhole checks that a text that has been read is written back unchanged, both by render and by
// rewrite.
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
			t.Fatalf("%v\n%s", read.rejection(), text)
		}
		if again := g.render(read.root); string(again) != string(text) {
			t.Fatalf("render makes\n%s of\n%s", again, text)
		}
		if again := g.rewrite(read.root, 0, 0); string(again) != string(text) {
			t.Fatalf("rewrite makes\n%s of\n%s", again, text)
		}
	})
}
