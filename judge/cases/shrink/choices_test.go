package shrink_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"assay/judge/cases/shrink"
)

// list reads choices as a generator would: a count up to 9, and then that many numbers up to 99. Missing choices
// are 0.
func list(choices []uint64) (numbers, used []uint64) {
	next := func(most uint64) uint64 {
		c := uint64(0)
		if len(choices) > 0 {
			c, choices = min(choices[0], most), choices[1:]
		}
		used = append(used, c)
		return c
	}
	for range next(9) {
		numbers = append(numbers, next(99))
	}
	return numbers, used
}

func TestChoices(t *testing.T) {
	sum := func(n []uint64) (all uint64) {
		for _, v := range n {
			all += v
		}
		return all
	}
	for _, row := range []struct {
		it    string
		holds func(n []uint64) bool
		want  string
	}{
		{"takes everything away where anything holds", func([]uint64) bool { return true }, "[0]"},
		{"keeps the one number that matters", func(n []uint64) bool { return slices.Contains(n, 70) }, "[1 70]"},
		{"finds the least that is enough", func(n []uint64) bool {
			return slices.ContainsFunc(
				n, func(v uint64) bool { return v > 41 },
			)
		}, "[1 42]"},
		{"keeps two that differ", func(n []uint64) bool { return len(n) > 1 && n[0] != n[len(n)-1] }, "[2 0 1]"},
		{"lowers two together", func(n []uint64) bool { return len(n) > 1 && n[0]+1 == n[1] }, "[2 0 1]"},
		{"gives one what the other has", func(n []uint64) bool { return len(n) > 1 && sum(n) >= 60 }, "[2 0 60]"},
		{"counts down from the front", func(n []uint64) bool { return len(n) >= 3 }, "[3 0 0 0]"},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			first := []uint64{8, 5, 6, 70, 71, 3, 9, 42, 50}
			if n, _ := list(first); !row.holds(n) {
				t.Fatal("the first sequence does not hold")
			}
			got, err := shrink.Choices(t.Context(), first, shrink.Budget{}, func(c []uint64) ([]uint64, bool, error) {
				n, used := list(c)
				return used, row.holds(n), nil
			})
			if err != nil || !got.Done || fmt.Sprint(got.Choices) != row.want {
				t.Errorf("Choices = %+v, %v, want %s", got, err, row.want)
			}
		})
	}
}

// TestChoicesHold checks that each adopted sequence is acceptable and smaller than the one before. Repeated runs
// must give the same result, and the budget must not be exceeded.
func TestChoicesHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SliceOfN(rapid.Uint64Range(0, 120), 1, 20).Draw(t, "choices")
		modulus, least := rapid.Uint64Range(1, 7).Draw(t, "modulus"), rapid.IntRange(0, 3).Draw(t, "least")
		_, first = list(first)
		holds := func(n []uint64) bool {
			all := uint64(0)
			for _, v := range n {
				all += v
			}
			return len(n) >= least && all%modulus == 0
		}
		budget := shrink.Budget{Evaluations: rapid.IntRange(1, 400).Draw(t, "budget")}
		run := func() (*shrink.ChoicesResult, string) {
			log, now := "", first
			r, err := shrink.Choices(context.Background(), first, budget, func(c []uint64) ([]uint64, bool, error) {
				n, used := list(c)
				smaller := len(used) < len(now) || len(used) == len(now) && slices.Compare(used, now) < 0
				if holds(n) && smaller {
					now = used
				}
				log += fmt.Sprintln(c)
				return used, holds(n), nil
			})
			if err != nil || !slices.Equal(r.Choices, now) || r.Evaluations > budget.Evaluations {
				t.Fatalf("Choices = %+v, %v; the last one taken was %d", r, err, now)
			}
			return r, log
		}
		a, log := run()
		if b, again := run(); log != again || !slices.Equal(a.Choices, b.Choices) {
			t.Fatalf("%d, and then %d", a.Choices, b.Choices)
		}
	})
}

func TestChoicesEnd(t *testing.T) {
	broken := errors.New("broken")
	if _, err := shrink.Choices(
		t.Context(), []uint64{3}, shrink.Budget{},
		func([]uint64) ([]uint64, bool, error) { return nil, false, broken },
	); err != broken {
		t.Errorf("the error of try becomes %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := shrink.Choices(ctx, []uint64{3}, shrink.Budget{}, nil); err != context.Canceled {
		t.Errorf("it ends with %v", err)
	}
}

func ExampleChoices() {
	result, _ := shrink.Choices(context.Background(), []uint64{4, 17, 30, 8, 2}, shrink.Budget{}, func(c []uint64) ([]uint64, bool, error) {
		return c, len(c) > 1 && c[0] >= 1 && slices.ContainsFunc(c[1:], func(v uint64) bool { return v > 9 }), nil
	})
	fmt.Println(result.Choices)
	// Output: [1 10]
}
