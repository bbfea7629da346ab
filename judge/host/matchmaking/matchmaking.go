// Package matchmaking chooses which bots of a ladder play next. A new bot is placed by playing bots from the whole
// table. After that it plays its neighbors in the ranking. The choice is a pure function of the past encounters
// and a seed. The package does not know the game, computes no ratings, and does not decide how many encounters are
// enough: rating.Settled does.
package matchmaking

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"assay/judge/contests/rating"
)

// A Bot contains the properties of a bot that the choice depends on.
type Bot struct {
	Encounters int // number of encounters played
	// Waited is the number of encounters that have started on the ladder since the bot's last one, or since it
	// joined.
	Waited int
	// Opponents lists the indices of the bot's last opponents, newest first. Only the first Neighbors entries matter.
	Opponents []int
}

// The parameters of the choice.
const (
	Placement        = 10 // number of encounters that place a bot
	Neighbors        = 8  // number of neighbors from which an opponent is chosen at random
	randomEvery      = 8  // one in this many encounters is against an arbitrary bot
	longestWaitEvery = 3  // one in this many is for the bot that waits longest, despite placements
)

// ChoosePair returns the indices of the two bots that play next. The result turn is the bot that is due. The ratings
// must be in the order of bots. There must be at least two bots.
func ChoosePair(bots []Bot, r *rating.Ratings, seed uint64) (turn, opponent int) {
	random := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	turn = dueBot(bots, random)
	if other, late := lateOpponent(bots, turn); late {
		return turn, other
	}
	if bots[turn].Encounters < Placement {
		return turn, placementOpponent(bots, r, turn, random)
	}
	if random.IntN(randomEvery) == 0 {
		opponent = random.IntN(len(bots) - 1)
		if opponent >= turn {
			opponent++
		}
		return turn, opponent
	}
	return turn, similarOpponent(bots, r, turn, random)
}

// dueBot returns the bot that is due. If a bot has waited for at least three quarters as many encounters as there
// are bots, whose returns the bot that has waited longest. Otherwise it prefers bots that are being placed, except
// in one of every `regular` calls on average. Among the remaining candidates, it returns the bot that has waited
// longest relative to the number of its encounters.
func dueBot(bots []Bot, random *rand.Rand) int {
	mean, longest := 1.0, 0 // a bot without encounters precedes one with the average number
	for i, b := range bots {
		mean += float64(b.Encounters) / float64(len(bots))
		if b.Waited > bots[longest].Waited {
			longest = i
		}
	}
	if bots[longest].Waited*4 >= len(bots)*3 {
		return longest
	}
	fresh := random.IntN(longestWaitEvery) > 0
	best, most := -1, math.Inf(-1)
	for i, b := range bots {
		urgency := float64(b.Waited+1) / (1 + float64(b.Encounters)/mean)
		if fresh && b.Encounters < Placement {
			urgency += 1e12 // before all placed bots
		}
		if urgency > most {
			best, most = i, urgency
		}
	}
	return best
}

// lateOpponent returns the bot that has waited longest, except the bot turn. The result late reports whether it must be
// the opponent, because a bot would otherwise wait for more encounters than there are bots. This happens because two
// bots share each length of wait, and dueBot returns only one of them per encounter.
func lateOpponent(bots []Bot, turn int) (opponent int, late bool) {
	others := make([]int, 0, len(bots)-1)
	for i := range bots {
		if i != turn {
			others = append(others, i)
		}
	}
	slices.SortStableFunc(others, func(a, b int) int { return bots[b].Waited - bots[a].Waited })
	for earlier, i := range others {
		// The bot plays after this encounter and those of the bots that have waited longer.
		late = late || bots[i].Waited+earlier+2 > max(len(bots), 4)
	}
	return others[0], late
}

// placementOpponent returns an opponent for a bot that is being placed: one that the bot has not played recently, from a
// different part of the table each time. The parts are halves, then quarters, and so on, so that even a few
// encounters cover the table.
func placementOpponent(bots []Bot, r *rating.Ratings, turn int, random *rand.Rand) int {
	var placed, others []int
	for _, i := range r.Order() {
		if i == turn {
			continue
		}
		others = append(others, i)
		if bots[i].Encounters >= Placement {
			placed = append(placed, i)
		}
	}
	if len(placed) > 0 {
		others = placed
	}
	at := vanDerCorput(bots[turn].Encounters) * float64(len(others))
	notRecent := func(i int) int { // encounters since they played, or the maximum if they never did
		if k := slices.Index(bots[turn].Opponents, others[i]); k >= 0 && k < len(others)-1 {
			return k
		}
		return math.MaxInt
	}
	best, nearest, jitter := -1, 0.0, random.Float64()
	for i := range others {
		distance := math.Abs(float64(i) + jitter - at)
		if best < 0 || notRecent(i) > notRecent(best) || notRecent(i) == notRecent(best) && distance < nearest {
			best, nearest = i, distance
		}
	}
	return others[best]
}

// vanDerCorput returns the n-th number of the van der Corput sequence: 1/2, 1/4, 3/4, 1/8, and so on.
func vanDerCorput(n int) float64 {
	v, part := 0.0, 0.5
	for n++; n > 0; n /= 2 {
		v += part * float64(n%2)
		part /= 2
	}
	return v
}

// similarOpponent chooses a random opponent among the nearest in strength. It prefers opponents for which the result is
// uncertain or the strength is not well known. A pair plays again only after the bot has played all its other
// nearest opponents.
func similarOpponent(bots []Bot, r *rating.Ratings, turn int, random *rand.Rand) int {
	type other struct {
		bot      int
		distance float64
	}
	others := make([]other, 0, len(bots)-1)
	for i := range bots {
		if i != turn {
			others = append(others, other{i, math.Abs(r.Players[i].Elo - r.Players[turn].Elo)})
		}
	}
	slices.SortFunc(others, func(a, b other) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.bot, b.bot))
	})
	others = others[:min(Neighbors, len(others))]
	met := bots[turn].Opponents[:min(len(others)-1, len(bots[turn].Opponents))]
	others = slices.DeleteFunc(others, func(o other) bool { return slices.Contains(met, o.bot) })
	weights, sum := make([]float64, len(others)), 0.0
	for i, o := range others {
		elo, deviation := r.Difference(turn, o.bot)
		p := rating.Expected(elo)
		weights[i] = p*(1-p)*deviation + 1e-12 // never zero
		sum += weights[i]
	}
	at := random.Float64() * sum
	for i, w := range weights {
		if at -= w; at < 0 {
			return others[i].bot
		}
	}
	return others[len(others)-1].bot
}
