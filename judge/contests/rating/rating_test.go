package rating_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"assay/judge/contests/rating"

	"pgregory.net/rapid"
)

// near fails the test unless got differs from want by at most off.
func near(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if !(math.Abs(got-want) <= off) {
		t.Errorf("%s = %.5f, want %.5f (up to %g)", what, got, want, off)
	}
}

// TestRateOfPublishedData uses the citation counts between four journals of statistics (S. Stigler, Statistical
// Science 9, 1994). It compares the strengths with those published by H. Turner and D. Firth (Bradley-Terry Models
// in R, Journal of Statistical Software 48, 2012). They set Biometrika to 0 and use no virtual games, which make
// little difference with thousands of games.
func TestRateOfPublishedData(t *testing.T) {
	const biometrika, communications, jasa, jrssb = 0, 1, 2, 3
	cited := func(a, b, won, lost int) rating.Duel {
		return rating.Duel{A: a, B: b, Tally: rating.Tally{Games: [3]int{lost, 0, won}}}
	}
	r := rating.Rate(4, []rating.Duel{
		cited(biometrika, communications, 730, 33), cited(biometrika, jasa, 498, 320), cited(biometrika, jrssb, 221, 284),
		cited(communications, jasa, 68, 813), cited(communications, jrssb, 17, 276), cited(jasa, jrssb, 142, 325),
	})
	for _, row := range []struct {
		name     string
		player   int
		strength float64
	}{
		{"Communications in Statistics", communications, -2.94907},
		{"JASA", jasa, -0.47957},
		{"JRSS-B", jrssb, 0.26895},
	} {
		elo, _ := r.Difference(row.player, biometrika)
		near(t, row.name, elo/rating.Scale, row.strength, 0.01)
	}
	if order := r.Order(); order[0] != jrssb || order[3] != communications {
		t.Errorf("Order() = %v, want JRSS-B first and Communications last", order)
	}
}

// TestModelDeviations checks that the sandwich estimator agrees with the standard errors of the model if games
// vary as the model predicts.
func TestModelDeviations(t *testing.T) {
	// 300 wins and 100 losses give ln 3, with variance 1/300 + 1/100.
	r := rating.Rate(2, []rating.Duel{{A: 0, B: 1, Tally: rating.Tally{Games: [3]int{100, 0, 300}}}})
	elo, deviation := r.Difference(0, 1)
	near(t, "difference", elo/rating.Scale, math.Log(3), 0.01)
	near(t, "deviation", deviation/rating.Scale, math.Sqrt(1.0/300+1.0/100), 0.002)
	near(t, "superiority", r.Superiority(0, 1), 1, 1e-6)
	// Independent pairs of games give the same result: 9/16 won, 6/16 shared, 1/16 lost.
	r = rating.Rate(2, []rating.Duel{{A: 0, B: 1, Tally: rating.Tally{Pairs: [5]int{25, 0, 150, 0, 225}}}})
	_, deviation = r.Difference(0, 1)
	near(t, "deviation of pairs", deviation/rating.Scale, math.Sqrt(1.0/600+1.0/200), 0.002)
}

// TestDeviationOfPairsAndGames compares the deviation of games in pairs and of single games with values calculated
// manually. The scores are even, so all strengths are 0.
func TestDeviationOfPairsAndGames(t *testing.T) {
	for _, row := range []struct {
		tally rating.Tally
		meat  float64 // variance of the total points
	}{
		// The pairs contribute a variance of 2, the single games 4/4, and the additional pair 1/2. The sum is
		// scaled from 7 pairs to the 6 pairs that were played, where the 4 single games are 2 pairs.
		{rating.Tally{Pairs: [5]int{0: 1, 2: 2, 4: 1}, Games: [3]int{0: 2, 2: 2}}, (2 + 1 + 0.5) * 6 / 7.0},
		{rating.Tally{Pairs: [5]int{2: 1}}, 0.5 / 2},
		{rating.Tally{Pairs: [5]int{2: 1}, Games: [3]int{1: 2}}, 0.5 * 2 / 3},
		// Without pairs, one additional game contributes 1/4.
		{rating.Tally{Games: [3]int{1, 2, 1}}, (0.5 + 0.25) * 4 / 5},
		{rating.Tally{Games: [3]int{1: 2}}, 0.25 * 2 / 3},
		{rating.Tally{Games: [3]int{1, 0, 1}}, (0.5 + 0.25) * 2 / 3},
	} {
		_, games := row.tally.Points()
		information := float64(games)/4 + float64(games)/4 + 0.25 // information about the difference, including the virtual games
		r := rating.Rate(2, []rating.Duel{{A: 0, B: 1, Tally: row.tally}})
		_, deviation := r.Difference(0, 1)
		near(t, fmt.Sprintf("the deviation of %v", row.tally), deviation, rating.Scale*math.Sqrt(4*row.meat+0.5)/information, 1e-9)
	}
}

// TestRateIsMostLikely checks that the strengths solve the equations of the model: each player has the expected
// points, including half a point from a virtual game. Reversing the duels must not change the result, even if
// players won or lost everything.
func TestRateIsMostLikely(t *testing.T) {
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 6).Draw(t, "players")
		count := rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 10, 1000, 1_000_000})
		var all, turned []rating.Duel
		for a := range n {
			for b := range a {
				d := rating.Duel{A: a, B: b, Tally: rating.Tally{Games: [3]int{count.Draw(t, "lost"), 0, count.Draw(t, "won")}}}
				all, turned = append(all, d), append(turned, rating.Duel{A: b, B: a, Tally: d.Reversed()})
			}
		}
		r, again := rating.Rate(n, all), rating.Rate(n, turned)
		// Ratings are relative to their mean. So find the strength of the virtual opponent at which the total
		// points against it are as expected.
		low, high := -100.0, 100.0
		for range 100 {
			at, over := (low+high)/2, 0.0
			for _, p := range r.Players {
				over += logistic(p.Elo/rating.Scale-at) - 0.5
			}
			if over > 0 {
				low = at
			} else {
				high = at
			}
		}
		for i, p := range r.Players {
			have, expected := p.Points+0.5, logistic(p.Elo/rating.Scale-low)
			for _, d := range all {
				for _, other := range map[int]int{d.A: d.B, d.B: d.A} {
					if _, games := d.Points(); i == d.A+d.B-other {
						expected += float64(games) * logistic((p.Elo-r.Players[other].Elo)/rating.Scale)
					}
				}
			}
			if math.Abs(have-expected) > 1e-6*max(1, have) {
				t.Fatalf("player %d has %.7f points with half a virtual one, %.7f are expected of its rating", i, have, expected)
			}
			// The bounds for a player without games are far away, so their absolute error is larger.
			if q := again.Players[i]; math.Abs(p.Elo-q.Elo) > 1e-5 || math.Abs(p.Low-q.Low) > 1e-5+1e-7*math.Abs(p.Low) {
				t.Fatalf("player %d is %+v, and %+v with all duels turned round", i, p, q)
			}
		}
	})
}

func TestRateStaysFinite(t *testing.T) {
	won := func(a, b, pairs int) rating.Duel {
		return rating.Duel{A: a, B: b, Tally: rating.Tally{Pairs: [5]int{4: pairs}}}
	}
	for _, row := range []struct {
		it    string
		n     int
		duels []rating.Duel
		flags []rating.Flag
	}{
		{"knows that one won everything", 2, []rating.Duel{won(0, 1, 100)}, []rating.Flag{rating.WonEverything, rating.LostEverything}},
		{"takes a chain in which the stronger always wins", 3, []rating.Duel{
			won(0, 1, 1000), won(1, 2, 1000), won(0, 2, 1000),
		}, []rating.Flag{rating.WonEverything, "", rating.LostEverything}},
		{"takes players without games", 3, []rating.Duel{won(0, 1, 1)}, []rating.Flag{
			rating.WonEverything, rating.LostEverything, rating.NoGames,
		}},
		{"takes groups that never met", 4, []rating.Duel{won(0, 1, 5), won(2, 3, 5)}, []rating.Flag{
			rating.WonEverything, rating.LostEverything, rating.WonEverything, rating.LostEverything,
		}},
		{"takes no players", 0, nil, nil},
		{"takes one player", 1, nil, []rating.Flag{rating.NoGames}},
		{"takes a million games", 2, []rating.Duel{won(0, 1, 500_000)}, []rating.Flag{rating.WonEverything, rating.LostEverything}},
	} {
		r := rating.Rate(row.n, row.duels)
		for i, p := range r.Players {
			if p.Flag != row.flags[i] {
				t.Errorf("it %s: player %d is flagged %q, want %q", row.it, i, p.Flag, row.flags[i])
			}
			if math.IsNaN(p.Elo) || math.IsInf(p.Elo, 0) || math.IsNaN(p.Low) || math.IsInf(p.Low, 0) || p.Low > p.Elo || p.High < p.Elo {
				t.Errorf("it %s: player %d has %v in [%v, %v]", row.it, i, p.Elo, p.Low, p.High)
			}
			if p.Flag == rating.WonEverything && !(p.Low < p.Elo-100) {
				t.Errorf(
					"it %s: the interval of player %d starts at %.0f, close to %.0f, though its strength is unknown",
					row.it, i, p.Low, p.Elo,
				)
			}
		}
	}
}

// duels draws random results between a few players.
func duels(t *rapid.T) (int, []rating.Duel) {
	n := rapid.IntRange(2, 6).Draw(t, "players")
	count := rapid.IntRange(0, 12)
	var all []rating.Duel
	for a := range n {
		for b := range a {
			d := rating.Duel{A: a, B: b}
			for i := range d.Pairs {
				d.Pairs[i] = count.Draw(t, "pairs")
			}
			for i := range d.Games {
				d.Games[i] = count.Draw(t, "games")
			}
			all = append(all, d)
		}
	}
	return n, all
}

func TestLawsOfRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, all := duels(t)
		r := rating.Rate(n, all)
		sum := 0.0
		for _, p := range r.Players {
			sum += p.Elo
		}
		if math.Abs(sum) > 1e-6 {
			t.Fatalf("the ratings have a sum of %g, want 0", sum)
		}
		// Reversing the duels must not change the result.
		var turned []rating.Duel
		for _, d := range all {
			turned = append(turned, rating.Duel{A: d.B, B: d.A, Tally: d.Reversed()})
		}
		again := rating.Rate(n, turned)
		for i, p := range r.Players {
			q := again.Players[i]
			if math.Abs(p.Elo-q.Elo) > 1e-6 || math.Abs(p.Low-q.Low) > 1e-6 || p.Points != q.Points {
				t.Fatalf("player %d is %+v, and %+v with all duels turned round", i, p, q)
			}
		}
		// Apart from the virtual game, the points are as expected. These are the equations of the model.
		for i, p := range r.Players {
			expected := 0.0
			for _, d := range all {
				_, games := d.Points()
				if d.A == i {
					elo, _ := r.Difference(d.A, d.B)
					expected += float64(games) * rating.Expected(elo)
				} else if d.B == i {
					elo, _ := r.Difference(d.B, d.A)
					expected += float64(games) * rating.Expected(elo)
				}
			}
			if math.Abs(expected-p.Points) > 0.5 {
				t.Fatalf("player %d has %.1f points, %.3f are expected of its rating", i, p.Points, expected)
			}
		}
		if los := r.Superiority(0, 1) + r.Superiority(1, 0); math.Abs(los-1) > 1e-9 {
			t.Fatalf("the likelihoods of superiority of two players have a sum of %g", los)
		}
	})
}

// start describes the start of a game. It favors the player who goes first by favor Elo points. The probability of
// a draw is proportional to drawn.
type start struct{ favor, drawn float64 }

// play simulates a pair of games. It returns the first player's points in halves, from 0 to 4.
func play(rng *rand.Rand, elo float64, s start, shared bool) int {
	// A shared start that decides a game decides both games.
	favor := [2]float64{s.favor, -s.favor}
	if shared && rng.Float64() < 0.3 {
		favor = [2]float64{2000, -2000}
	}
	halves := 0
	for _, f := range favor {
		p := rating.Expected(elo + f)
		draws := s.drawn * min(p, 1-p)
		switch u := rng.Float64(); {
		case u < p-draws/2:
			halves += 2
		case u < p+draws/2:
			halves++
		}
	}
	return halves
}

// strengthsOf computes the ratings that fit the expected points. They are the limit of the ratings for infinitely
// many games.
func strengthsOf(elos []float64, s start, shared bool) []float64 {
	const many = 1e6
	var all []rating.Duel
	for a := range elos {
		for b := range a {
			score := 0.0
			for _, f := range []float64{s.favor, -s.favor} {
				score += rating.Expected(elos[a]-elos[b]+f) / 2
			}
			if shared {
				score = 0.7*score + 0.3*(rating.Expected(elos[a]-elos[b]+2000)+rating.Expected(elos[a]-elos[b]-2000))/2
			}
			won := int(score * many)
			all = append(all, rating.Duel{A: a, B: b, Tally: rating.Tally{Games: [3]int{many - won, 0, won}}})
		}
	}
	var found []float64
	for _, p := range rating.Rate(len(elos), all).Players {
		found = append(found, p.Elo)
	}
	return found
}

// TestIntervalsCover checks that in many tournaments with known strengths, 93% to 97% of the intervals contain the
// true value.
func TestIntervalsCover(t *testing.T) {
	for _, row := range []struct {
		it     string
		elos   []float64
		pairs  int
		start  start
		shared bool
	}{
		{"covers with two players", []float64{0, 60}, 60, start{}, false},
		{"covers with fair starts", []float64{0, 50, 100, 150, 300}, 20, start{}, false},
		{"covers where it matters who goes first", []float64{0, 50, 100, 150, 300}, 20, start{favor: 200}, false},
		{"covers with starts that decide games", []float64{0, 20, 50, 100, 150, 200}, 30, start{favor: 50}, true},
		{"covers with draws", []float64{0, 30, 60, 90}, 25, start{drawn: 0.8}, false},
		{"covers in a large event of few games", []float64{0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220}, 4, start{favor: 80}, false},
	} {
		t.Run("it "+row.it, func(t *testing.T) {
			truth := strengthsOf(row.elos, row.start, row.shared)
			rng := rand.New(rand.NewPCG(1, 2))
			n, inside, all := len(row.elos), 0, 0
			for range 4000 / n {
				var duels []rating.Duel
				for a := range n {
					for b := range a {
						d := rating.Duel{A: a, B: b}
						for range row.pairs {
							d.Pairs[play(rng, row.elos[a]-row.elos[b], row.start, row.shared)]++
						}
						duels = append(duels, d)
					}
				}
				for i, p := range rating.Rate(n, duels).Players {
					all++
					if p.Low <= truth[i] && truth[i] <= p.High {
						inside++
					}
				}
			}
			share := float64(inside) / float64(all)
			t.Logf("%.1f %% of %d", 100*share, all)
			if share < 0.93 || share > 0.97 {
				t.Errorf("%.1f %% of the intervals hold the truth, want 93 to 97", 100*share)
			}
		})
	}
}
