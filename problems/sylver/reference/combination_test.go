package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestCombination: whatever is a sum is shown as one, of announced numbers alone.
func TestCombination(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	for range 3000 {
		var p position
		scale := []int64{20, 400, 1_000_000, 1_000_000_000}[r.IntN(4)]
		for range 1 + r.IntN(6) {
			p.add(2 + r.Int64N(scale))
		}
		x := int64(0)
		for range 1 + r.IntN(8) {
			x += p.numbers[r.IntN(len(p.numbers))]
		}
		if is, err := p.isSum(x); !is || err != nil {
			t.Fatalf("%d is not a sum of %v: %v", x, p.numbers, err)
		}
		text := p.combination(x)
		sum := int64(0)
		_, terms, _ := strings.Cut(text, " = ")
		for word := range strings.SplitSeq(terms, " + ") {
			times, number, many := strings.Cut(word, "*")
			if !many {
				times, number = "1", word
			}
			k, err1 := strconv.ParseInt(times, 10, 64)
			n, err2 := strconv.ParseInt(number, 10, 64)
			if err1 != nil || err2 != nil || k < 1 || !slices.Contains(p.numbers, n) {
				t.Fatalf("%q of %v", text, p.numbers)
			}
			sum += k * n
		}
		if sum != x || !strings.HasPrefix(text, strconv.FormatInt(x, 10)+" = ") {
			t.Fatalf("%q of %v makes %d, want %d", text, p.numbers, sum, x)
		}
	}
	var p position
	p.add(5)
	p.add(7)
	if got := p.combination(17); got != "17 = 2*5 + 7" {
		t.Errorf("17 is %q", got)
	}
}
