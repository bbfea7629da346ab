package rating

import (
	"math"
	"slices"
)

// virtual returns what the virtual game of a player of strength t adds to the log-likelihood: the negative second
// derivative (curvature) and the gradient (pull).
func virtual(t float64) (curvature, pull float64) {
	p := logistic(t)
	return p * (1 - p), 0.5 - p
}

func logistic(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// fit finds the strengths that maximize the likelihood of the games, including the virtual ones, by Newton's
// method. The likelihood is strictly concave, because every player has a virtual game. A step that overshoots is
// halved.
func fit(n int, duels []Duel) []float64 {
	const enough, small = 1e-10, 1e-3
	theta := make([]float64, n)
	value := likelihood(theta, duels)
	for range 200 {
		gradient := make([]float64, n)
		for i, t := range theta {
			_, gradient[i] = virtual(t)
		}
		for _, d := range duels {
			points, games := d.Points()
			u := points - float64(games)*logistic(theta[d.A]-theta[d.B])
			gradient[d.A] += u
			gradient[d.B] -= u
		}
		step := solve(factor(information(theta, duels)), gradient)
		largest := 0.0
		for _, s := range step {
			largest = max(largest, math.Abs(s))
		}
		if !(largest >= enough) {
			break // at the top
		}
		for share := 1.0; ; share /= 2 {
			next := make([]float64, n)
			for i := range next {
				next[i] = theta[i] + share*step[i]
			}
			// For small steps, the likelihood is flat and gives no information, but Newton's method doubles the
			// number of correct digits.
			if v := likelihood(next, duels); v > value || share*largest < small {
				theta, value = next, v
				break
			}
		}
	}
	return theta
}

// likelihood returns the log-likelihood, up to a constant.
func likelihood(theta []float64, duels []Duel) float64 {
	// ln returns the logarithm of the logistic function, without overflow.
	ln := func(t float64) float64 { return min(t, 0) - math.Log1p(math.Exp(-math.Abs(t))) }
	sum := 0.0
	for _, t := range theta {
		sum += (ln(t) + ln(-t)) / 2
	}
	for _, d := range duels {
		points, games := d.Points()
		t := theta[d.A] - theta[d.B]
		sum += points*ln(t) + (float64(games)-points)*ln(-t)
	}
	return sum
}

// information returns the negative second derivative of the log-likelihood.
func information(theta []float64, duels []Duel) [][]float64 {
	h := square(len(theta))
	for i, t := range theta {
		h[i][i], _ = virtual(t)
	}
	for _, d := range duels {
		_, games := d.Points()
		p := logistic(theta[d.A] - theta[d.B])
		spread(h, d, float64(games)*p*(1-p))
	}
	return h
}

// spread adds v times the outer product of e_A - e_B with itself to m.
func spread(m [][]float64, d Duel, v float64) {
	m[d.A][d.A] += v
	m[d.B][d.B] += v
	m[d.A][d.B] -= v
	m[d.B][d.A] -= v
}

// sandwich returns the covariance of the strengths: the observed variance of the games, multiplied by the inverse
// information from both sides.
func sandwich(theta []float64, duels []Duel) [][]float64 {
	n := len(theta)
	meat := square(n)
	for i, t := range theta {
		meat[i][i], _ = virtual(t)
	}
	for _, d := range duels {
		spread(meat, d, d.scatter(logistic(theta[d.A]-theta[d.B])))
	}
	bread := factor(information(theta, duels))
	half := square(n) // bread^-1 meat, stored by columns; the meat is symmetric
	for i := range n {
		half[i] = solve(bread, meat[i])
	}
	covariance := square(n)
	for i := range n {
		row := make([]float64, n)
		for j := range n {
			row[j] = half[j][i]
		}
		covariance[i] = solve(bread, row)
	}
	return covariance
}

// scatter returns the variance of the total points of a tally, where p points are expected in each game. It is
// estimated from the pairs, not computed from p. A start that decides its game makes pairs of one point each,
// which vary less than two independent games. Two bots that always play the same game vary more. One further pair
// with the variance implied by p is added, so that a few pairs that happen to be equal do not imply certainty. If
// one player won everything, there is no observed variance, and scatter uses only p.
func (t Tally) scatter(p float64) float64 {
	points, games := t.Points()
	alone := p * (1 - p)
	if points == 0 || points == float64(games) {
		return float64(games) * alone
	}
	sum, pairs, loose := 0.0, 0, 0
	for i, count := range t.Pairs {
		u := float64(i)/2 - 2*p
		sum += float64(count) * u * u
		pairs += count
	}
	for i, count := range t.Games {
		u := float64(i)/2 - p
		sum += float64(count) * u * u
		loose += count
	}
	if pairs > 0 {
		seen := float64(pairs) + float64(loose)/2
		return (sum + 2*alone) * seen / (seen + 1)
	}
	return (sum + alone) * float64(loose) / float64(loose+1)
}

func square(n int) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// cholesky is the Cholesky factor of a symmetric positive definite matrix. It is lower triangular, and the matrix
// is the factor times its transpose. Both are stored by rows, which suits memory access.
type cholesky struct{ lower, upper [][]float64 }

func factor(m [][]float64) cholesky {
	l, u := square(len(m)), square(len(m))
	for i := range m {
		for j := range i + 1 {
			v, row := m[i][j], l[j][:j]
			for k, a := range l[i][:len(row)] {
				v -= a * row[k]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(v, 1e-12))
			} else {
				l[i][j] = v / l[j][j]
			}
			u[j][i] = l[i][j]
		}
	}
	return cholesky{l, u}
}

// solve solves a system of linear equations with a factored matrix.
func solve(c cholesky, b []float64) []float64 {
	x := slices.Clone(b)
	for i, row := range c.lower {
		v := x[i]
		for k, l := range row[:i] {
			v -= l * x[k]
		}
		x[i] = v / row[i]
	}
	for i, row := range slices.Backward(c.upper) {
		v := x[i]
		for k, u := range row[i+1:] {
			v -= u * x[i+1+k]
		}
		x[i] = v / row[i]
	}
	return x
}
