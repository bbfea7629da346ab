package rating_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"assay/judge/contests/rating"

	"pgregory.net/rapid"
)

// TestTallyOfPublishedNumbers compares differences, half-widths of intervals, and likelihoods of superiority with
// the tests of fastchess, a tournament manager for chess engines.
func TestTallyOfPublishedNumbers(t *testing.T) {
	none := math.NaN()
	for _, row := range []struct {
		name              string
		tally             rating.Tally
		elo, half, better float64
	}{
		{"games 1", rating.Tally{Games: [3]int{89, 123, 76}}, none, none, 0.1553},
		{"games 2", rating.Tally{Games: [3]int{96, 111, 136}}, 40.70, 30.43, 0.9960},
		{"pairs 1", rating.Tally{Pairs: [5]int{34, 54, 31 + 32, 64, 75}}, 55.58, 27.65, 1},
		{"pairs 2", rating.Tally{Pairs: [5]int{332, 433, 457 + 41, 333, 334}}, -8.64, 10.33, 0.0505},
		{"pairs 3", rating.Tally{Pairs: [5]int{7895, 8757, 5485 + 200, 568, 9999}}, -21.04, 2.95, none},
	} {
		elo, low, high := row.tally.Elo()
		if row.elo == row.elo {
			near(t, row.name+": Elo", elo, row.elo, 0.005)
			near(t, row.name+": half of the interval", (high-low)/2, row.half, 0.005)
		}
		if row.better == row.better {
			near(t, row.name+": superiority", row.tally.Superiority(), row.better, 0.00005)
		}
	}
}

func TestTallyOfNoScatter(t *testing.T) {
	inf := math.Inf(1)
	for _, row := range []struct {
		it                    string
		tally                 rating.Tally
		elo, low, high, above float64
	}{
		{"has no idea without games", rating.Tally{}, 0, -inf, inf, 0.5},
		{"is infinite where all was won", rating.Tally{Pairs: [5]int{4: 3}}, inf, inf, inf, 1},
		{"is infinite where all was lost", rating.Tally{Games: [3]int{3, 0, 0}}, -inf, -inf, -inf, 0},
		{"is even where every pair was shared", rating.Tally{Pairs: [5]int{2: 3}}, 0, 0, 0, 0.5},
	} {
		elo, low, high := row.tally.Elo()
		if elo != row.elo || low != row.low || high != row.high || row.tally.Superiority() != row.above {
			t.Errorf("it %s: got %v in [%v, %v], superior %v", row.it, elo, low, high, row.tally.Superiority())
		}
	}
}

// TestSPRTOfPublishedNumbers compares log-likelihood ratios with those in the tests of fastchess for the logistic
// model.
func TestSPRTOfPublishedNumbers(t *testing.T) {
	for _, row := range []struct {
		name       string
		elo0, elo1 float64
		tally      rating.Tally
		want       float64
	}{
		{"games 1", 0.5, 2.5, rating.Tally{Games: [3]int{21184, 40708, 21404}}, -1.57},
		{"games 2", 0, 2, rating.Tally{Games: [3]int{57030, 106593, 57433}}, -2.59},
		{"pairs 1", 0.5, 2.5, rating.Tally{Pairs: [5]int{223, 9863, 20279 + 1000, 10037, 246}}, -3.07},
		{"pairs 2", 0, 2, rating.Tally{Pairs: [5]int{871, 26175, 55003 + 980, 26678, 821}}, -4.98},
	} {
		s := rating.SPRT{Elo0: row.elo0, Elo1: row.elo1, Alpha: 0.05, Beta: 0.05}
		near(t, row.name, s.LLR(row.tally), row.want, 0.0051)
	}
	low, high := rating.SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05}.Bounds()
	near(t, "lower bound", low, -2.944, 0.001)
	near(t, "upper bound", high, 2.944, 0.001)
}

// slowLLR computes SPRT.LLR by bisection alone. It searches the x in the shares p/(1 + x(a - mean)) of the scores
// a, over all x for which each share is positive.
func slowLLR(s rating.SPRT, counts []int) float64 {
	total := 0.0
	seen := make([]float64, len(counts))
	for i, count := range counts {
		seen[i] = max(float64(count), 1e-3)
		total += seen[i]
	}
	likelihood := func(elo float64) float64 {
		mean := rating.Expected(elo)
		score := func(i int) float64 { return float64(i)/float64(len(counts)-1) - mean }
		low, high := -1/(1-mean), 1/mean
		for range 200 {
			x, off := (low+high)/2, 0.0
			for i, count := range seen {
				off += count * score(i) / (1 + x*score(i))
			}
			if off > 0 {
				low = x
			} else {
				high = x
			}
		}
		ln := 0.0
		for i, count := range seen {
			ln -= count * math.Log(1+low*score(i))
		}
		return ln
	}
	return likelihood(s.Elo1) - likelihood(s.Elo0)
}

// TestSPRTAgainstHalving compares LLR with bisection. The tallies include players that win nearly everything, and
// hypotheses that are far from the observed score.
func TestSPRTAgainstHalving(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 30, 1000, 1_000_000})
		var tally rating.Tally
		counts := tally.Pairs[:]
		if rapid.Bool().Draw(t, "no pairs") {
			counts = tally.Games[:]
		}
		total := 0
		for i := range counts {
			counts[i] = count.Draw(t, "count")
			total += counts[i]
		}
		elo := rapid.SampledFrom([]float64{-900, -400, -30, -1, 0, 2, 50, 300, 800})
		s := rating.SPRT{Elo0: elo.Draw(t, "elo0"), Elo1: elo.Draw(t, "elo1")}
		want := slowLLR(s, counts)
		if total == 0 {
			want = 0
		}
		if got := s.LLR(tally); math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
			t.Fatalf("LLR(%v) = %v, want %v", tally, got, want)
		}
	})
}

func TestSPRTRefusesNonsense(t *testing.T) {
	for _, s := range []rating.SPRT{
		{Elo0: 5, Elo1: 5, Alpha: 0.05, Beta: 0.05}, {Elo0: 5, Elo1: 0, Alpha: 0.05, Beta: 0.05}, {Elo1: math.NaN(), Alpha: 0.05, Beta: 0.05},
		{Elo1: 5, Beta: 0.05}, {Elo1: 5, Alpha: -0.1, Beta: 0.05}, {Elo1: 5, Alpha: 0.5, Beta: 0.05}, {Elo1: 5, Alpha: math.NaN(), Beta: 0.05},
		{Elo1: 5, Alpha: 0.05}, {Elo1: 5, Alpha: 0.05, Beta: -0.1}, {Elo1: 5, Alpha: 0.05, Beta: 0.5}, {Elo1: 5, Alpha: 0.05, Beta: math.NaN()},
	} {
		if s.Check() == nil {
			t.Errorf("%+v is taken", s)
		}
	}
	if err := (rating.SPRT{Elo1: 5, Alpha: 0.05, Beta: 0.05}).Check(); err != nil {
		t.Errorf("an ordinary test is refused: %v", err)
	}
}

// TestSPRTKeepsItsErrorRates checks the test when one hypothesis is true. The other one must be accepted in at
// most 5 of 100 runs, but not in far fewer, because then the test would take longer than necessary.
func TestSPRTKeepsItsErrorRates(t *testing.T) {
	s := rating.SPRT{Elo0: 0, Elo1: 80, Alpha: 0.05, Beta: 0.05}
	for _, row := range []struct {
		it     string
		elo    float64
		wrong  rating.Decision
		start  start
		shared bool
	}{
		{"rarely takes an equal player for a better one", 0, rating.AcceptElo1, start{}, false},
		{"rarely takes a better player for an equal one", 80, rating.AcceptElo0, start{}, false},
		{"keeps its rate where it matters who goes first", 0, rating.AcceptElo1, start{favor: 150, drawn: 0.5}, false},
		{"keeps its rate with starts that decide games", 0, rating.AcceptElo1, start{favor: 50}, true},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			const tests = 1500
			wrong, played := 0, 0
			for range tests {
				var tally rating.Tally
				decision := rating.Undecided
				for decision == rating.Undecided {
					tally.Pairs[play(rng, row.elo, row.start, row.shared)]++
					decision = s.Decide(tally)
					played++
				}
				if decision == row.wrong {
					wrong++
				}
			}
			rate := float64(wrong) / tests
			t.Logf("%.1f %% wrong, after %d pairs on average", 100*rate, played/tests)
			if rate > 0.065 || rate < 0.015 {
				t.Errorf("%.1f %% of the tests are wrong, want 1.5 to 6.5", 100*rate)
			}
		})
	}
}

// TestSettledIsSeldomWrong checks that settled rankings have the true order in all but a few cases.
func TestSettledIsSeldomWrong(t *testing.T) {
	elos := []float64{300, 200, 80, 0}
	rng := rand.New(rand.NewPCG(5, 6))
	const events = 300
	wrong := 0
	for range events {
		all := make([]rating.Duel, 0, 6)
		for a := range elos {
			for b := range a {
				all = append(all, rating.Duel{A: a, B: b})
			}
		}
		for rounds, look := 4, 1; ; rounds, look = rounds*2, look+1 {
			if rounds > 10_000 {
				t.Fatal("a clear ranking is not settled after 10000 rounds")
			}
			for k := range all {
				d := &all[k]
				for _, games := d.Points(); games < 2*rounds; _, games = d.Points() {
					d.Pairs[play(rng, elos[d.A]-elos[d.B], start{}, false)]++
				}
			}
			r := rating.Rate(len(elos), all)
			if !r.Settled(rating.SettlingRule{}, look) {
				continue
			}
			for i, p := range r.Order() {
				if i != p {
					wrong++
					break
				}
			}
			break
		}
	}
	if rate := float64(wrong) / events; rate > 0.05 {
		t.Errorf("%.1f %% of the settled rankings are wrong, want at most 5", 100*rate)
	}
}

// pairs returns a Duel of pairs of games that player A lost, shared, or won.
func pairs(a, b, lost, shared, won int) rating.Duel {
	return rating.Duel{A: a, B: b, Tally: rating.Tally{Pairs: [5]int{lost, 0, shared, 0, won}}}
}

func TestSettled(t *testing.T) {
	for _, row := range []struct {
		it   string
		n    int
		all  []rating.Duel
		want bool
	}{
		{"is not settled by one pair", 2, []rating.Duel{pairs(0, 1, 0, 0, 1)}, false},
		{"is settled by a hundred wins", 2, []rating.Duel{pairs(0, 1, 0, 0, 100)}, true},
		{"is not settled while two are close", 2, []rating.Duel{pairs(0, 1, 30, 40, 33)}, false},
		{"is settled when two are known to be equal", 2, []rating.Duel{pairs(0, 1, 0, 4000, 0)}, true},
		{"is not settled while a player has not played", 3, []rating.Duel{pairs(0, 1, 0, 0, 100)}, false},
		{"is settled with one player", 1, nil, true},
	} {
		if got := rating.Rate(row.n, row.all).Settled(rating.SettlingRule{}, 1); got != row.want {
			t.Errorf("it %s: Settled = %v, want %v", row.it, got, row.want)
		}
	}
}

// TestSettledAsksMoreOfLaterLooks checks that the error is divided among the looks.
func TestSettledAsksMoreOfLaterLooks(t *testing.T) {
	r := rating.Rate(2, []rating.Duel{{A: 0, B: 1, Tally: rating.Tally{Pairs: [5]int{25, 0, 30, 0, 45}}}})
	if better := r.Superiority(1, 0); better < 0.001 || better > 0.0125 {
		t.Fatalf("the likelihood of an error is %f, which tells nothing of looks", better)
	}
	if !r.Settled(rating.SettlingRule{}, 1) || r.Settled(rating.SettlingRule{}, 10) {
		t.Error("the tenth look is not asked for more than the first")
	}
}

// TestSPRTBounds compares the bounds with Wald's formula for two different error rates.
func TestSPRTBounds(t *testing.T) {
	low, high := rating.SPRT{Elo0: 0, Elo1: 5, Alpha: 0.01, Beta: 0.2}.Bounds()
	near(t, "the lower bound", low, math.Log(0.2/0.99), 1e-12)
	near(t, "the upper bound", high, math.Log(0.8/0.01), 1e-12)
}

func ExampleRate() {
	r := rating.Rate(3, []rating.Duel{
		{A: 0, B: 1, Tally: rating.Tally{Pairs: [5]int{2, 0, 10, 0, 8}}},
		{A: 0, B: 2, Tally: rating.Tally{Pairs: [5]int{4: 20}}},
		{A: 1, B: 2, Tally: rating.Tally{Pairs: [5]int{1, 0, 6, 0, 13}}},
	})
	for _, i := range r.Order() {
		p := r.Players[i]
		fmt.Printf("player %d: %+.0f [%+.0f, %+.0f], %g of %d\n", i, p.Elo, p.Low, p.High, p.Points, p.Games)
	}
	fmt.Printf("player 0 is stronger than 1 with a likelihood of %.1f %%\n", 100*r.Superiority(0, 1))
	// Output:
	// player 0: +206 [+132, +281], 66 of 80
	// player 1: +52 [-18, +122], 46 of 80
	// player 2: -258 [-352, -164], 8 of 80
	// player 0 is stronger than 1 with a likelihood of 99.7 %
}

func ExampleSPRT() {
	test := rating.SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05}
	var t rating.Tally
	for pair := 1; ; pair++ {
		t.Pairs[[]int{2, 4, 2, 3}[pair%4]]++
		if d := test.Decide(t); d != rating.Undecided {
			fmt.Printf("%s after %d pairs, with %.2f\n", d, pair, test.LLR(t))
			return
		}
	}
	// Output: elo1 after 23 pairs, with 3.07
}
