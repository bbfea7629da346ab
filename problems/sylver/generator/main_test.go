package main

import (
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSystemAgainstASieve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Int64Range(1, 80), 1, 7).Draw(t, "numbers")
		const far = 2000
		var is [far]bool
		is[0] = true
		s := newSystem(numbers)
		for x := range int64(far) {
			for _, n := range numbers {
				is[x] = is[x] || x >= n && is[x-n]
			}
			if got := s.isSum(x); got != is[x] {
				t.Fatalf("newSystem(%v).isSum(%d) = %v, want %v", numbers, x, got, is[x])
			}
		}
	})
}

func TestTwoNumbersNeedNoTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(2, 500).Draw(t, "a")
		b := rapid.Int64Range(a+1, 1e18).Draw(t, "b")
		if gcd(a, b) != 1 {
			t.Skip("the closed form is for coprime numbers")
		}
		x := min(b/2*rapid.Int64Range(0, 1e18/b).Draw(t, "halves"), maxNumber)
		x -= x % rapid.Int64Range(1, 2*a).Draw(t, "grain")
		without, with := &system{numbers: []int64{a, b}}, newSystem([]int64{a, b})
		if got, want := without.isSum(x), with.isSum(x); got != want {
			t.Fatalf("%d is a sum of %d and %d: %v without a table, %v with it", x, a, b, got, want)
		}
	})
}

// A mistake that no line names is dead code, or a case that was forgotten.
func TestEveryMistakeHasAWitness(t *testing.T) {
	problem, err := os.ReadFile("../problem.toml")
	if err != nil {
		t.Fatal(err)
	}
	for name := range mistakes {
		if !strings.Contains(string(problem), `"witness `+name+` `) && !strings.Contains(string(problem), `"witness `+name+`"`) {
			t.Errorf("no generator line of problem.toml starts with %q", "witness "+name)
		}
	}
}

// Each mistake has to be right on most inputs, or it is not worth a search.
func TestMistakesAreRightOnTheNumbersThemselves(t *testing.T) {
	s := newSystem([]int64{10, 17})
	for name, mistaken := range mistakes {
		if !mistaken(s, 10) {
			t.Errorf("mistake %q takes 10 for no sum of 10 and 17", name)
		}
	}
}
