package main

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sums says of each number up to x whether it is a sum of the numbers: slow and
// obvious.
func sums(numbers []int64, x int64) []bool {
	is := make([]bool, x+1)
	is[0] = true
	for s := range x + 1 {
		for _, n := range numbers {
			if s >= n && is[s-n] {
				is[s] = true
			}
		}
	}
	return is
}

func TestLegalAgainstASieveOnEverySmallSet(t *testing.T) {
	const most, far = 10, 90
	for set := range 1 << most {
		var numbers []int64
		for n := range most {
			if set>>n&1 == 1 {
				numbers = append(numbers, int64(n+1))
			}
		}
		is := sums(numbers, far)
		for x := range int64(far) {
			if got, err := legal(numbers, x); got != (x != 1 && !is[x]) || err != nil {
				t.Fatalf("legal(%v, %d) = %v, %v", numbers, x, got, err)
			}
		}
	}
}

func TestLegalAgainstASieve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int64{12, 60, 300}).Draw(t, "most")
		factor := rapid.SampledFrom([]int64{1, 1, 2, 6, 35}).Draw(t, "factor")
		numbers := rapid.SliceOfN(rapid.Int64Range(1, most), 0, 20).Draw(t, "numbers")
		for i := range numbers {
			numbers[i] *= factor
		}
		const far = 4000
		is := sums(numbers, far)
		for x := range int64(far) {
			if got, err := legal(numbers, x); got != (x != 1 && !is[x]) || err != nil {
				t.Fatalf("legal(%v, %d) = %v, %v", numbers, x, got, err)
			}
		}
	})
}

func TestTwoNumbersAgainstTheTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(1, 3000).Draw(t, "a")
		b := rapid.Int64Range(a, 1e18).Draw(t, "b")
		if gcd(a, b) != 1 {
			t.Skip("the closed form is for coprime numbers")
		}
		rounds := rapid.Int64Range(0, min(a, 1e18/b)).Draw(t, "rounds")
		off := rapid.Int64Range(-2*a, 2*a).Draw(t, "off")
		x := max(0, rounds*b+off)
		two := newTwoNumbers(a, b)
		var p position
		p.add(a)
		p.add(b)
		p.build()
		if want, _ := p.isSum(x); two.isSum(x) != want {
			t.Fatalf("twoNumbers(%d, %d).isSum(%d) = %v, but the table says %v", a, b, x, !want, want)
		}
	})
}

func TestLegal(t *testing.T) {
	const most = 1e18
	tests := []struct {
		name      string
		announced []int64
		x         int64
		want      bool
	}{
		{"takes 0 for a sum even of no numbers", nil, 0, false},
		{"lets nobody announce 1", nil, 1, false},
		{"lets the first player announce 2", nil, 2, true},
		{"lets the first player announce the largest number", nil, most, true},
		{"takes 1 for illegal where no sum is below 5", []int64{5, 7}, 1, false},
		{"takes everything for a sum of 1", []int64{1}, most, false},
		{"takes everything for a sum of 1 and others", []int64{most, 1, most - 1}, most - 3, false},
		{"has the last legal number of 999999937 and 999999929", []int64{999999937, 999999929}, 999999937*999999929 - 999999937 - 999999929,
			true},
		{"has a sum just above the last legal number", []int64{999999937, 999999929}, 999999937*999999929 - 999999937 - 999999929 + 1, false},
		{"does not overflow where j b has 119 bits", []int64{999999999999999989, 999999999999999967}, most, true},
		{"does not overflow in the table", []int64{7, most - 1, most}, most - 2, true},
		{"keeps what the gcd does not divide legal", []int64{6e5, 10e5, 14e5}, most - 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := legal(tt.announced, tt.x); got != tt.want || err != nil {
				t.Errorf("legal(%v, %d) = %v, %v, want %v", tt.announced, tt.x, got, err, tt.want)
			}
		})
	}
}

func TestReadRefusesAnInputThatEndsEarly(t *testing.T) {
	for _, text := range []string{"", "0\n", "2 5\n7\n", "1 x\n3\n"} {
		if announced, x, err := read(strings.NewReader(text)); err == nil {
			t.Errorf("read(%q) = %v, %d without an error", text, announced, x)
		}
	}
}
