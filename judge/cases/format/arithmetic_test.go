package format

import (
	"math"
	"math/big"
	"testing"
)

// TestAgainstLargeNumbers compares the arithmetic with that of math/big. Results that overflow must be the largest
// or smallest integer. Division must round down, and division by 0 must give 0.
func TestAgainstLargeNumbers(t *testing.T) {
	ends := func(n *big.Int) int64 {
		switch {
		case n.IsInt64():
			return n.Int64()
		case n.Sign() < 0:
			return math.MinInt64
		}
		return math.MaxInt64
	}
	some := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 32, -7, -3, -2, -1, 0, 1, 2, 3, 7, 1 << 32, math.MaxInt64 - 1, math.MaxInt64}
	for _, a := range some {
		for _, b := range some {
			x, y := big.NewInt(a), big.NewInt(b)
			check := func(what string, got int64, want *big.Int) {
				if got != ends(want) {
					t.Errorf("%d %s %d = %d, want %d", a, what, b, got, ends(want))
				}
			}
			check("+", add(a, b), new(big.Int).Add(x, y))
			check("-", sub(a, b), new(big.Int).Sub(x, y))
			check("*", mul(a, b), new(big.Int).Mul(x, y))
			down, rest := new(big.Int), new(big.Int)
			if b != 0 && (a != math.MinInt64 || b != -1) {
				if down.QuoRem(x, y, rest); rest.Sign() != 0 && rest.Sign() != y.Sign() {
					down.Sub(down, big.NewInt(1))
					rest.Add(rest, y)
				}
			}
			check("/", divide("/", a, b), down)
			check("%", divide("%", a, b), rest)
		}
		for _, b := range []int64{0, 1, 2, 3, 4, 5, 62, 63, 64, 65} {
			if got, want := power(a, b), ends(new(big.Int).Exp(big.NewInt(a), big.NewInt(b), nil)); got != want {
				t.Errorf("%d ^ %d = %d, want %d", a, b, got, want)
			}
		}
	}
}
