package rating_test

import (
	"math"
	"testing"

	"assay/judge/contests/rating"
)

// tail returns the probability that a standard normal variable is above z.
func tail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// TestSettledSharesItsError checks that the smallest error for which a ranking is settled is the one that the
// documented formula gives. Two players are known to differ if the tail beyond their difference is at most half of
// a share. They are known to be equal if the tails outside the margin are at most a share. At look k, a share is
// the error divided by the number of neighbors, times 1/(k(k+1)).
func TestSettledSharesItsError(t *testing.T) {
	const margin = 15.0
	two := rating.Rate(2, []rating.Duel{pairs(0, 1, 20, 30, 55)})
	elo, deviation := two.Difference(0, 1)
	alike := rating.Rate(2, []rating.Duel{pairs(0, 1, 20, 200, 25)})
	closeness, spread := alike.Difference(0, 1)
	three := rating.Rate(3, []rating.Duel{pairs(0, 1, 20, 30, 55), pairs(1, 2, 0, 0, 500), pairs(0, 2, 0, 0, 500)})
	first, wide := three.Difference(0, 1)
	for _, row := range []struct {
		it       string
		r        *rating.Ratings
		neighbor float64 // tails that must not exceed a share, times the number of neighbors
	}{
		{"knows that two differ", two, 2 * tail(elo/deviation)},
		{"knows that two are equal", alike, tail((margin-closeness)/spread) + tail((margin+closeness)/spread)},
		{"asks twice as much of two neighbors", three, 2 * 2 * tail(first/wide)},
	} {
		for look := 1; look <= 12; look++ {
			at := row.neighbor * float64(look*(look+1))
			for _, by := range []struct {
				factor float64
				want   bool
			}{{0.999, false}, {1.001, true}} {
				s := rating.SettlingRule{Error: at * by.factor, Margin: margin}
				if got := row.r.Settled(s, look); got != by.want {
					t.Errorf("it %s: at look %d with an error of %g times %g: Settled = %v", row.it, look, by.factor, at, got)
				}
			}
		}
	}
}

// TestSettledNeedsGames checks that a ranking with a player without games is never settled, even if the
// requirements are low.
func TestSettledNeedsGames(t *testing.T) {
	anything := rating.SettlingRule{Error: 0.9, Margin: 1e6}
	one := rating.Duel{A: 0, B: 1, Tally: rating.Tally{Games: [3]int{0, 0, 1}}}
	for _, row := range []struct {
		it   string
		n    int
		all  []rating.Duel
		want bool
	}{
		{"is settled by one game", 2, []rating.Duel{one}, true},
		{"is not settled by none", 2, nil, false},
		{"is not settled while the one between two has not played", 3, []rating.Duel{one}, false},
		{"is not settled while the last has not played", 3, []rating.Duel{{A: 0, B: 1, Tally: rating.Tally{Games: [3]int{0, 1, 0}}}}, false},
	} {
		if got := rating.Rate(row.n, row.all).Settled(anything, 1); got != row.want {
			t.Errorf("it %s: Settled = %v, want %v", row.it, got, row.want)
		}
	}
}

// TestSettledByDefault checks the defaults: an error of 5% and a margin of 10 points.
func TestSettledByDefault(t *testing.T) {
	settled := map[bool]int{}
	for wins := range 120 {
		for _, draws := range []int{0, 100, 1500, 2500} {
			r := rating.Rate(2, []rating.Duel{pairs(0, 1, 20, draws, wins)})
			for look := 1; look < 8; look++ {
				got, want := r.Settled(rating.SettlingRule{}, look), r.Settled(rating.SettlingRule{Error: 0.05, Margin: 10}, look)
				if got != want {
					t.Errorf("%d wins and %d draws at look %d: %v, and with the values named %v", wins, draws, look, got, want)
				}
				settled[got]++
			}
		}
	}
	if settled[true] < 100 || settled[false] < 100 {
		t.Errorf("%v say nothing", settled)
	}
}

// TestScale checks that odds of ten to one are 400 points, and that equal players expect half a point.
func TestScale(t *testing.T) {
	near(t, "Expected(400)", rating.Expected(400), 10.0/11, 1e-12)
	near(t, "Expected(-400)", rating.Expected(-400), 1.0/11, 1e-12)
	near(t, "Expected(0)", rating.Expected(0), 0.5, 1e-12)
	near(t, "Scale", rating.Scale, 400/math.Log(10), 1e-12)
}

// TestIntervalOfTallies checks the interval of a score in Elo points. For example, 300 wins in 400 games are a
// score of 0.75 with a standard error of sqrt(0.75*0.25/400).
func TestIntervalOfTallies(t *testing.T) {
	elo := func(score float64) float64 { return 400 * math.Log10(score/(1-score)) }
	off := 1.959963984540054 * math.Sqrt(0.75*0.25/400)
	tally := rating.Tally{Games: [3]int{100, 0, 300}}
	got, low, high := tally.Elo()
	near(t, "elo", got, elo(0.75), 1e-9)
	near(t, "low", low, elo(0.75-off), 1e-9)
	near(t, "high", high, elo(0.75+off), 1e-9)
	near(t, "superiority", tally.Superiority(), 1-tail(0.25/math.Sqrt(0.75*0.25/400)), 1e-12)

	// 10, 20, 30, 20 and 20 pairs with 0 to 2 points give 1.1 points per pair. The variance of a pair follows from
	// the counts, and a pair is two games.
	tally = rating.Tally{Pairs: [5]int{10, 20, 30, 20, 20}}
	variance := (10*1.1*1.1 + 20*0.6*0.6 + 30*0.1*0.1 + 20*0.4*0.4 + 20*0.9*0.9) / 100
	off = 1.959963984540054 * math.Sqrt(variance/100) / 2
	got, low, high = tally.Elo()
	near(t, "elo of pairs", got, elo(0.55), 1e-9)
	near(t, "low of pairs", low, elo(0.55-off), 1e-9)
	near(t, "high of pairs", high, elo(0.55+off), 1e-9)
	if points, games := tally.Points(); points != 110 || games != 200 {
		t.Errorf("Points() = %v of %d, want 110 of 200", points, games)
	}
	if back := tally.Reversed(); back.Pairs != [5]int{20, 20, 30, 20, 10} || tally.Plus(back).Pairs != [5]int{30, 40, 60, 40, 30} {
		t.Errorf("Reversed() = %v", back)
	}
	// The interval of a score near 1 extends beyond 1, where the difference is infinite.
	_, _, high = rating.Tally{Games: [3]int{1, 0, 9}}.Elo()
	_, low, _ = rating.Tally{Games: [3]int{9, 0, 1}}.Elo()
	if !math.IsInf(high, 1) || !math.IsInf(low, -1) {
		t.Errorf("the interval of 9 of 10 ends at %v, that of 1 of 10 starts at %v", high, low)
	}
	games := rating.Tally{Games: [3]int{1, 2, 3}}
	if games.Reversed().Games != [3]int{3, 2, 1} || games.Plus(games.Reversed()).Games != [3]int{4, 4, 4} {
		t.Errorf("Reversed() = %v", games.Reversed())
	}
}
