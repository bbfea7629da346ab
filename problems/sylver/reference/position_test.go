package main

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPositionsAgainstASieve plays games of any numbers and asks all questions at
// each step, in any order, so that tables are made early, late and never.
func TestPositionsAgainstASieve(t *testing.T) {
	var p position
	rapid.Check(t, func(t *rapid.T) {
		p.reset()
		most := rapid.SampledFrom([]int64{9, 40, 200}).Draw(t, "most")
		factor := rapid.SampledFrom([]int64{1, 1, 1, 2, 6}).Draw(t, "factor")
		var numbers []int64
		for range rapid.IntRange(1, 9).Draw(t, "moves") {
			n := factor * rapid.Int64Range(1, most).Draw(t, "n")
			if rapid.IntRange(0, 5).Draw(t, "coprime") == 0 {
				n++
			}
			numbers = append(numbers, n)
			p.add(n)
			const far = 3000
			is := sums(numbers, far)
			for range rapid.IntRange(0, 30).Draw(t, "questions") {
				x := rapid.Int64Range(0, far).Draw(t, "x")
				if got, err := p.isSum(x); got != is[x] || err != nil {
					t.Fatalf("after %v: isSum(%d) = %v, %v", numbers, x, got, err)
				}
			}
			checkLeft(t, &p, numbers)
		}
	})
}

// checkLeft compares count, largest gap and list with a sieve that is
// long enough.
func checkLeft(t *rapid.T, p *position, numbers []int64) {
	var g int64
	for _, n := range numbers {
		g = gcd(g, n)
	}
	count, top, err := p.left()
	if err != nil {
		t.Fatal(err)
	}
	if g != 1 {
		if count != infinite {
			t.Fatalf("after %v: %d are left, want infinitely many", numbers, count)
		}
		return
	}
	far := slices.Max(numbers)*slices.Min(numbers) + 10
	var gaps []int64
	for x, is := range sums(numbers, far) {
		if !is {
			gaps = append(gaps, int64(x))
		}
	}
	if count != int64(len(gaps)) || count > 0 && top != gaps[count-1] {
		t.Fatalf("after %v: %d left up to %d, want %v", numbers, count, top, gaps)
	}
	list, ok := p.gaps(nil, 1_000_000, largest)
	if !ok || !slices.Equal(list, gaps) {
		t.Fatalf("after %v: gaps %v, want %v", numbers, list, gaps)
	}
	if list, ok = p.gaps(nil, len(gaps), top/2); !ok || !slices.Equal(list, gaps[:len(list)]) ||
		len(list) < len(gaps) && gaps[len(list)] <= top/2 {
		t.Fatalf("after %v: gaps up to %d %v of %v", numbers, top/2, list, gaps)
	}
}

func TestLargeNumbersAreToldOrRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		numbers []int64
		x       int64
		sum     bool
		refused bool
	}{
		{"searches where tables would be too large", []int64{largest / 3, largest/3 + 1, largest/3 + 3}, largest, true, false},
		{"searches, and finds no sum", []int64{largest/3 + 1, largest/3 + 2, largest/3 + 7}, largest - 100, false, false},
		{"says so where it cannot tell", []int64{1_000_000_007, 1_000_000_009, 1_000_000_021, 1_000_000_033, 1_000_000_087},
			987_654_321_987_654_321, false, true},
		{"takes six digits, and two more of seven", []int64{999_983, 999_979, 1_234_567, 7_654_321}, 999_983*5 + 999_979*3 + 1_234_567, true,
			false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p position
			for _, n := range tt.numbers {
				p.add(n)
			}
			if got, err := p.isSum(tt.x); got != tt.sum || (err != nil) != tt.refused {
				t.Errorf("isSum(%d) after %v = %v, %v", tt.x, tt.numbers, got, err)
			}
		})
	}
}

// slowly says whether who moves can win, by nothing but the rules.
func slowly(numbers []int64, far int64, known map[string]bool) bool {
	is := sums(numbers, far)
	key := ""
	for x := range far {
		if !is[x] {
			key += string(rune(x)) + ","
		}
	}
	if won, ok := known[key]; ok {
		return won
	}
	won := false
	for x := far - 1; x > 1 && !won; x-- {
		won = !is[x] && !slowly(append(slices.Clone(numbers), x), far, known)
	}
	known[key] = won
	return won
}

func winning(t interface{ Fatalf(string, ...any) }, numbers []int64) ([]int64, bool) {
	var p position
	for _, n := range numbers {
		p.add(n)
	}
	list, ok := p.gaps(nil, 1000, largest)
	if !ok {
		t.Fatalf("no list after %v", numbers)
	}
	var v solver
	return v.solve(list)
}

func TestSolverAgainstTheRules(t *testing.T) {
	known := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(2, 7).Draw(t, "a")
		b := rapid.Int64Range(a+1, 9).Draw(t, "b")
		if gcd(a, b) != 1 || a*b > 40 {
			t.Skip("few numbers left, please")
		}
		numbers := []int64{a, b}
		wins, ok := winning(t, numbers)
		if want := slowly(numbers, a*b, known); !ok || (len(wins) > 0) != want {
			t.Fatalf("%v is won by %v, %v; the rules say %v", numbers, wins, ok, want)
		}
	})
}

// TestSolverAgreesWithTheLiterature has positions that are lost for who moves.
func TestSolverAgreesWithTheLiterature(t *testing.T) {
	for _, numbers := range [][]int64{{2, 3}, {4, 5, 11}, {5, 7, 8}, {4, 7, 13}, {6, 7, 16}, {7, 9, 19}, {4, 9, 19}, {5, 6, 19}, {5, 9, 31},
		{7, 9, 24}, {7, 10, 12}, {4, 5, 6, 7}} {
		if wins, ok := winning(t, numbers); !ok || len(wins) > 0 {
			t.Errorf("%v is won by %v, %v; it is lost", numbers, wins, ok)
		}
	}
	if wins, ok := winning(t, []int64{4, 5}); !ok || !slices.Equal(wins, []int64{11}) {
		t.Errorf("{4,5} is won by %v, %v; want 11", wins, ok)
	}
}

func BenchmarkSolver(b *testing.B) {
	for _, numbers := range [][]int64{{7, 9, 24}, {11, 13, 17}, {10, 13, 21}, {13, 14, 15, 16}} {
		for b.Loop() {
			_, ok := winning(b, numbers)
			if !ok {
				b.Fatal("too long")
			}
		}
	}
}
