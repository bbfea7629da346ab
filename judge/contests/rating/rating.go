// Package rating estimates the strength of players from finished games, the uncertainty of the estimates, and
// whether enough games were played.
//
// Rate fits the model of Bradley and Terry (1952) on Elo's scale, on which 400 points are odds of ten to one. A
// draw is half a win. Without further games, the rating of a player that won or lost everything would be infinite.
// So each player is given half a win and half a loss against an imaginary player of strength 0. This is the
// virtual opponent of Mease (The American Statistician 57, 2003), with the weight that Firth's penalty (Biometrika
// 80, 1993) has for one pairing. Players that won or lost everything are flagged.
//
// Two games with the same start, one with each player going first, are not independent. So the pair of games
// counts as one observation, and the covariance is White's sandwich estimator (Econometrica 50, 1982) with a
// cluster for each pair. Tally has the statistics of two players alone, SPRT tests whether one is better, and
// Settled tells when a ranking needs no more games.
//
// The package does no input or output. It does not know games, bots, or the points that decide a tournament.
package rating

import (
	"cmp"
	"math"
	"slices"
)

// Scale is the number of Elo points in one unit of the logistic scale.
const Scale = 400 / math.Ln10

// z95 is the quantile of the normal distribution for 95% intervals.
const z95 = 1.959963984540054

// Expected returns the expected score of a player against one who is weaker by the given number of Elo points.
func Expected(elo float64) float64 { return 1 / (1 + math.Exp(-elo/Scale)) }

// Duel contains the results of player A against player B. Players are numbered from 0.
type Duel struct {
	A, B int
	Tally
}

// Flag tells why a rating is less informative than others.
type Flag string

const (
	Sound          Flag = ""                // the rating is an ordinary estimate
	NoGames        Flag = "no games"        // the rating is a guess
	WonEverything  Flag = "won everything"  // the rating is a lower bound
	LostEverything Flag = "lost everything" // the rating is an upper bound
)

// Player is the estimated strength of a player.
type Player struct {
	Elo       float64 // relative to the average of all players
	Low, High float64 // 95% confidence interval
	Points    float64 // number of wins, plus half the number of draws
	Games     int
	Flag      Flag
}

// Ratings contains the estimates for all players.
type Ratings struct {
	Players    []Player
	theta      []float64
	covariance [][]float64
}

// Rate estimates the strengths of n players from all duels. The same two players
// may have several duels.
func Rate(n int, duels []Duel) *Ratings {
	r := &Ratings{Players: make([]Player, n)}
	for _, d := range duels {
		points, games := d.Points()
		for i, p := range map[int]float64{d.A: points, d.B: float64(games) - points} {
			r.Players[i].Points += p
			r.Players[i].Games += games
		}
	}
	r.theta = fit(n, duels)
	r.covariance = sandwich(r.theta, duels)
	mean := 0.0
	for _, t := range r.theta {
		mean += t / float64(n)
	}
	deviations := r.deviations()
	for i := range r.Players {
		p := &r.Players[i]
		half := z95 * Scale * deviations[i]
		p.Elo = Scale * (r.theta[i] - mean)
		p.Low, p.High = p.Elo-half, p.Elo+half
		switch {
		case p.Games == 0:
			p.Flag = NoGames
		case p.Points == float64(p.Games):
			p.Flag = WonEverything
		case p.Points == 0:
			p.Flag = LostEverything
		}
	}
	return r
}

// Order returns the players from the strongest to the weakest. Among equal players, the one with the smaller
// number comes first.
func (r *Ratings) Order() []int {
	order := make([]int, len(r.Players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.theta[b], r.theta[a]) })
	return order
}

// Difference returns by how many Elo points player i is stronger than player j, and the standard error of this
// difference.
func (r *Ratings) Difference(i, j int) (elo, deviation float64) {
	low, high, c := min(i, j), max(i, j), r.covariance
	variance := c[low][low] - c[low][high] - c[high][low] + c[high][high]
	return Scale * (r.theta[i] - r.theta[j]), Scale * math.Sqrt(max(variance, 0))
}

// Superiority returns the likelihood that player i is stronger than player j.
func (r *Ratings) Superiority(i, j int) float64 {
	if i == j {
		return 0.5
	}
	return superiority(r.Difference(i, j))
}

// superiority returns the likelihood that the true difference is positive, for an estimated difference with this
// standard error.
func superiority(difference, deviation float64) float64 {
	switch {
	case deviation > 0:
		return normal(difference / deviation)
	case difference > 0:
		return 1
	case difference < 0:
		return 0
	}
	return 0.5
}

// normal returns the cumulative distribution function of the standard normal distribution.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// deviations returns the standard error of each strength relative to the mean of all strengths.
func (r *Ratings) deviations() []float64 {
	n := float64(len(r.theta))
	means, all := make([]float64, len(r.theta)), 0.0 // means of the covariances, by row and of all
	for i, row := range r.covariance {
		for j, c := range row {
			means[i] += (c + r.covariance[j][i]) / 2 / n
			all += c / n / n
		}
	}
	deviations := make([]float64, len(r.theta))
	for i := range deviations {
		deviations[i] = math.Sqrt(max(r.covariance[i][i]-2*means[i]+all, 0))
	}
	return deviations
}
