package rating

import "math"

// Tally counts one player's results against another.
type Tally struct {
	// Pairs counts the pairs of games, one with each player going first, by the player's points: 0, 1/2, 1, 3/2
	// and 2.
	Pairs [5]int
	// Games counts the games that belong to no pair: lost, drawn and won.
	Games [3]int
}

// Points returns the player's points and the number of games. A draw is half a point.
func (t Tally) Points() (points float64, games int) {
	for i, count := range t.Pairs {
		points += float64(i) / 2 * float64(count)
		games += 2 * count
	}
	for i, count := range t.Games {
		points += float64(i) / 2 * float64(count)
		games += count
	}
	return points, games
}

// Reversed returns the tally from the other player's side.
func (t Tally) Reversed() Tally {
	return Tally{
		Pairs: [5]int{t.Pairs[4], t.Pairs[3], t.Pairs[2], t.Pairs[1], t.Pairs[0]},
		Games: [3]int{t.Games[2], t.Games[1], t.Games[0]},
	}
}

// Plus adds two tallies.
func (t Tally) Plus(o Tally) Tally {
	for i, count := range o.Pairs {
		t.Pairs[i] += count
	}
	for i, count := range o.Games {
		t.Games[i] += count
	}
	return t
}

// score returns the mean score of a game and the standard error of that mean. The two games of a pair count as one
// observation.
func (t Tally) score() (mean, deviation float64) {
	points, games := t.Points()
	if games == 0 {
		return 0.5, math.Inf(1)
	}
	mean = points / float64(games)
	sum := 0.0
	for i, count := range t.Pairs {
		u := float64(i)/2 - 2*mean
		sum += float64(count) * u * u
	}
	for i, count := range t.Games {
		u := float64(i)/2 - mean
		sum += float64(count) * u * u
	}
	return mean, math.Sqrt(sum) / float64(games)
}

// Elo returns the difference in Elo points that corresponds to the score, with its 95% confidence interval. As is
// usual for tests of chess engines, it uses no model for more than two players, and is infinite if one player won
// everything.
func (t Tally) Elo() (elo, low, high float64) {
	mean, deviation := t.score()
	return eloOf(mean), eloOf(mean - z95*deviation), eloOf(mean + z95*deviation)
}

// Superiority returns the likelihood that the player is stronger than the other player.
func (t Tally) Superiority() float64 {
	mean, deviation := t.score()
	return superiority(mean-0.5, deviation)
}

// eloOf returns the Elo difference at which a score is expected.
func eloOf(score float64) float64 {
	switch {
	case score <= 0:
		return math.Inf(-1)
	case score >= 1:
		return math.Inf(1)
	}
	return -Scale * math.Log(1/score-1)
}
