// Package matchmaking says who meets whom next on a ladder that stays open: a new bot is
// placed against others spread over the whole table, and then everybody meets neighbors for
// as long as the ladder lives. It is a pure function of what was played and of a seed. It
// knows no game, computes no rating, and does not say how many encounters are enough:
// rating.Settled does.
package matchmaking

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"assay/judge/contests/rating"
)

// Bot is a bot that plays, as far as its next encounter depends on it.
type Bot struct {
	Encounters int // those that it has begun
	// Waited is how many encounters have begun on the ladder since its last one, or since it
	// came.
	Waited int
	// Met are the bots that it met last, newest first, by their indices. More than Near
	// of them make no difference.
	Met []int
}

// The numbers of the rules.
const (
	Placement = 10 // encounters by which a bot is placed
	Near      = 8  // neighbors among whom an opponent is drawn
	anybody   = 8  // one encounter in so many is against anybody
	regular   = 3  // one encounter in so many is for the one that waits longest, though a bot is to be placed
)

// Next says which two bots meet next, by their indices: first the one whose turn it is. The
// ratings are those of the bots, in their order. There must be two bots at least.
func Next(bots []Bot, r *rating.Ratings, seed uint64) (turn, opponent int) {
	random := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	turn = whose(bots, random)
	if bots[turn].Encounters < Placement {
		return turn, spread(bots, r, turn, random)
	}
	if random.IntN(anybody) == 0 {
		opponent = random.IntN(len(bots) - 1)
		if opponent >= turn {
			opponent++
		}
		return turn, opponent
	}
	return turn, neighbor(bots, r, turn, random)
}

// whose says whose turn it is: that of a bot that has waited for three quarters as many
// encounters as there are bots; else that of one that is to be placed, except one time in a few; else that
// of the bot that has waited longest for what it has played.
func whose(bots []Bot, random *rand.Rand) int {
	mean, longest := 1.0, 0 // a bot that has played nothing is before one that has played as others have
	for i, b := range bots {
		mean += float64(b.Encounters) / float64(len(bots))
		if b.Waited > bots[longest].Waited {
			longest = i
		}
	}
	if bots[longest].Waited*4 >= len(bots)*3 {
		return longest
	}
	fresh := random.IntN(regular) > 0
	best, most := -1, math.Inf(-1)
	for i, b := range bots {
		urgency := float64(b.Waited+1) / (1 + float64(b.Encounters)/mean)
		if fresh && b.Encounters < Placement {
			urgency += 1e12 // before everybody who is placed
		}
		if urgency > most {
			best, most = i, urgency
		}
	}
	return best
}

// spread finds an opponent for a bot that is being placed: one that it has not met lately, at
// another part of the table each time. The parts come in the order of halves, quarters and so
// on, so that few encounters are spread as well as many.
func spread(bots []Bot, r *rating.Ratings, turn int, random *rand.Rand) int {
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
	at := corput(bots[turn].Encounters) * float64(len(others))
	fresh := func(i int) int { // how long ago it was met; as long as can be where it was not
		if k := slices.Index(bots[turn].Met, others[i]); k >= 0 && k < len(others)-1 {
			return k
		}
		return math.MaxInt
	}
	best, nearest, jitter := -1, 0.0, random.Float64()
	for i := range others {
		distance := math.Abs(float64(i) + jitter - at)
		if best < 0 || fresh(i) > fresh(best) || fresh(i) == fresh(best) && distance < nearest {
			best, nearest = i, distance
		}
	}
	return others[best]
}

// corput is the n-th number of the sequence of van der Corput: 1/2, 1/4, 3/4, 1/8 and so on.
func corput(n int) float64 {
	v, part := 0.0, 0.5
	for n++; n > 0; n /= 2 {
		v += part * float64(n%2)
		part /= 2
	}
	return v
}

// neighbor draws an opponent among the nearest in strength: rather one against whom the
// outcome is open, and of whom little is known. No pair meets again while another one of the
// nearest has not been met since.
func neighbor(bots []Bot, r *rating.Ratings, turn int, random *rand.Rand) int {
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
	others = others[:min(Near, len(others))]
	met := bots[turn].Met[:min(len(others)-1, len(bots[turn].Met))]
	others = slices.DeleteFunc(others, func(o other) bool { return slices.Contains(met, o.bot) })
	weights, sum := make([]float64, len(others)), 0.0
	for i, o := range others {
		elo, deviation := r.Difference(turn, o.bot)
		p := rating.Expected(elo)
		weights[i] = p*(1-p)*deviation + 1e-12 // one is drawn in any case
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
