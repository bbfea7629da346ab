// Package rating estimates from finished games how strong players are, how sure
// that is, and whether enough was played.
//
// Rate fits the model of Bradley and Terry (1952), on Elo's scale, where 400 points
// are odds of ten to one. A draw is half a win. To stay finite where a player won
// or lost everything, each player is given half a win and half a loss against an
// imaginary player of strength 0: the virtual opponent of Mease (The American
// Statistician 57, 2003) at the weight that Firth's penalty (Biometrika 80, 1993)
// has for one pairing. Such players are flagged.
//
// Two games with the same start, one with each player going first, are not
// independent, so what counts as one observation is the pair of games: the
// covariance is the sandwich of White (Econometrica 50, 1982) with a cluster for
// each pair. Tally has the statistics of two players alone, SPRT tests whether one
// is better, and Settled says when a ranking needs no more games.
//
// The package does no input or output. It knows nothing of games, of bots, or of
// points by which an event is won.
package rating

import (
	"cmp"
	"math"
	"slices"
)

// Scale is the number of Elo points in one unit of the logistic scale.
const Scale = 400 / math.Ln10

// z95 is the quantile of the normal distribution for intervals of 95 %.
const z95 = 1.959963984540054

// Expected returns the score that a player expects against one who is weaker by
// this many Elo points.
func Expected(elo float64) float64 { return 1 / (1 + math.Exp(-elo/Scale)) }

// Duel is what player A did against player B, who are numbered from 0.
type Duel struct {
	A, B int
	Tally
}

// Flag says why a rating tells less than the others do.
type Flag string

const (
	Sound          Flag = ""                // nothing: the rating is an estimate like any other
	NoGames        Flag = "no games"        // the rating is a guess
	WonEverything  Flag = "won everything"  // the rating is a lower bound
	LostEverything Flag = "lost everything" // the rating is an upper bound
)

// Player is the estimate of one player's strength.
type Player struct {
	Elo       float64 // above the average of all players
	Low, High float64 // interval of 95 %
	Points    float64 // wins, and half of the draws
	Games     int
	Flag      Flag
}

// Ratings are the estimates of all players.
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

// Order returns the players from the strongest to the weakest. Of equals, the one with
// the smaller number comes first.
func (r *Ratings) Order() []int {
	order := make([]int, len(r.Players))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.theta[b], r.theta[a]) })
	return order
}

// Difference is by how many Elo points player i is stronger than j, with the
// standard error of that.
func (r *Ratings) Difference(i, j int) (elo, deviation float64) {
	low, high, c := min(i, j), max(i, j), r.covariance
	variance := c[low][low] - c[low][high] - c[high][low] + c[high][high]
	return Scale * (r.theta[i] - r.theta[j]), Scale * math.Sqrt(max(variance, 0))
}

// Superior returns the likelihood that player i is stronger than j.
func (r *Ratings) Superior(i, j int) float64 {
	if i == j {
		return 0.5
	}
	return superior(r.Difference(i, j))
}

// superior returns the likelihood that a difference with this standard error is
// truly above 0.
func superior(difference, deviation float64) float64 {
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

// normal returns the distribution function of the normal distribution.
func normal(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// deviations returns the standard errors of how far each strength is above the mean of all.
func (r *Ratings) deviations() []float64 {
	n := float64(len(r.theta))
	means, all := make([]float64, len(r.theta)), 0.0 // of the covariances in a row, and of all
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
