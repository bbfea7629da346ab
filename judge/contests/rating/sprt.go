package rating

import (
	"errors"
	"math"
)

// SPRT is a sequential test of two hypotheses: that a player is Elo0 points stronger than another, and that it is
// Elo1 points stronger. The test continues until one hypothesis is rejected.
//
// It is Wald's test with a likelihood ratio for multinomial distributions. For each hypothesis, it uses the
// distribution that fits the pairs of games best among those with the hypothesis's expected score. This is the
// generalized SPRT that testers of chess engines use (M. Van den Bergh, A Practical Introduction to the GSPRT,
// 2019; X. Li, J. Liu, Z. Ying, Sequential Analysis 33, 2014).
type SPRT struct {
	Elo0, Elo1  float64
	Alpha, Beta float64 // probabilities of accepting Elo1 if Elo0 is true, and Elo0 if Elo1 is true
}

// Decision is the result of a test.
type Decision string

const (
	Undecided  Decision = ""     // more games are needed
	AcceptElo0 Decision = "elo0" // the difference is not Elo1 or more
	AcceptElo1 Decision = "elo1" // the difference is not Elo0 or less
)

// Check returns an error if the test's parameters are invalid.
func (s SPRT) Check() error {
	switch {
	case !(s.Elo0 < s.Elo1):
		return errors.New("elo0 must be below elo1")
	case !(s.Alpha > 0 && s.Alpha < 0.5 && s.Beta > 0 && s.Beta < 0.5):
		return errors.New("alpha and beta must be above 0 and below 0.5")
	}
	return nil
}

// Bounds returns the values of LLR at which the test ends.
func (s SPRT) Bounds() (low, high float64) {
	return math.Log(s.Beta / (1 - s.Alpha)), math.Log((1 - s.Beta) / s.Alpha)
}

// Decide returns the result of the test after the games in t.
func (s SPRT) Decide(t Tally) Decision {
	low, high := s.Bounds()
	switch llr := s.LLR(t); {
	case llr <= low:
		return AcceptElo0
	case llr >= high:
		return AcceptElo1
	}
	return Undecided
}

// LLR returns the log-likelihood ratio of Elo1 to Elo0. Games outside pairs count only if there are no pairs.
func (s SPRT) LLR(t Tally) float64 {
	counts := t.Pairs[:]
	if t.Pairs == [5]int{} {
		counts = t.Games[:]
	}
	// An unseen that was never observed still has a small probability. Otherwise, the first pairs would decide
	// everything.
	const unseen = 1e-3
	total := 0.0
	share := make([]float64, len(counts))
	for i, count := range counts {
		share[i] = max(float64(count), unseen)
		total += share[i]
	}
	if total < 1 {
		return 0
	}
	for i := range share {
		share[i] /= total
	}
	x0, x1 := tilt(share, Expected(s.Elo0)), tilt(share, Expected(s.Elo1))
	llr := 0.0
	for i, p := range share {
		a := float64(i) / float64(len(share)-1)
		llr += p * math.Log((1+x0*(a-Expected(s.Elo0)))/(1+x1*(a-Expected(s.Elo1))))
	}
	return total * llr
}

// tilt finds the x for which the shares p/(1 + x(a - mean)), of scores a, have the given mean. These are the most
// likely shares with that mean. The mean of p(a - mean)/(1 + x(a - mean)) decreases as x grows, so tilt bisects
// the interval if a Newton step leaves it.
func tilt(share []float64, mean float64) float64 {
	low, high := -1/(1-mean), 1/mean
	x := 0.0
	for range 100 {
		f, slope := 0.0, 0.0
		for i, p := range share {
			a := float64(i)/float64(len(share)-1) - mean
			q := a / (1 + x*a)
			f += p * q
			slope -= p * q * q
		}
		if f > 0 {
			low = x
		} else {
			high = x
		}
		next := x - f/slope
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		if math.Abs(next-x) < 1e-12*max(1, math.Abs(x)) {
			break
		}
		x = next
	}
	return x
}
