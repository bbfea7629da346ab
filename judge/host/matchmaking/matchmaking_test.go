package matchmaking_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"assay/judge/contests/rating"
	"assay/judge/host/matchmaking"
)

// A hill is a ladder of simulated bots with known strengths.
type hill struct {
	elo     []float64
	bots    []matchmaking.Bot
	met     map[[2]int]*rating.Tally // of a < b
	random  *rand.Rand
	ratings *rating.Ratings
	every   int // encounters after which bots are rated again
	began   int
	longest []int // the most encounters that each bot has waited since it was placed
	pairs   [][2]int
}

func newHill(seed uint64, every int, elo ...float64) *hill {
	h := &hill{met: map[[2]int]*rating.Tally{}, random: rand.New(rand.NewPCG(seed, 1)), every: every}
	for _, e := range elo {
		h.join(e)
	}
	return h
}

func (h *hill) join(elo float64) {
	h.elo = append(h.elo, elo)
	h.bots = append(h.bots, matchmaking.Bot{})
	h.longest = append(h.longest, 0)
	h.ratings = nil
}

func (h *hill) duels() (all []rating.Duel) {
	for pair, t := range h.met {
		all = append(all, rating.Duel{A: pair[0], B: pair[1], Tally: *t})
	}
	slices.SortFunc(all, func(a, b rating.Duel) int { return (a.A-b.A)*len(h.bots) + a.B - b.B })
	return all
}

// play plays an encounter with two games.
func (h *hill) play() (turn, opponent int) {
	if h.ratings == nil || h.began%h.every == 0 {
		h.ratings = rating.Rate(len(h.bots), h.duels())
	}
	turn, opponent = matchmaking.ChoosePair(h.bots, h.ratings, h.random.Uint64())
	h.began++
	for i := range h.bots {
		b := &h.bots[i]
		b.Waited++
		if b.Encounters >= matchmaking.Placement {
			h.longest[i] = max(h.longest[i], b.Waited)
		}
	}
	a, b := min(turn, opponent), max(turn, opponent)
	t := h.met[[2]int{a, b}]
	if t == nil {
		t = &rating.Tally{}
		h.met[[2]int{a, b}] = t
	}
	points := 0
	for range 2 {
		if h.random.Float64() < rating.Expected(h.elo[a]-h.elo[b]) {
			points += 2
		}
	}
	t.Pairs[points]++
	for i, other := range map[int]int{a: b, b: a} {
		h.bots[i].Encounters++
		h.bots[i].Waited = 0
		h.bots[i].Opponents = slices.Insert(h.bots[i].Opponents, 0, other)
	}
	h.pairs = append(h.pairs, [2]int{turn, opponent})
	return turn, opponent
}

// TestOrderOfGradedBots checks the ranking after 2,000 games of twelve bots. Two bots whose intervals do not
// overlap must be in their true order. The intervals of the strongest and the weakest bot must not overlap.
func TestOrderOfGradedBots(t *testing.T) {
	for seed := range uint64(10) {
		var elo []float64
		for i := range 12 {
			elo = append(elo, 60*float64(i))
		}
		rand.New(rand.NewPCG(seed, 2)).Shuffle(len(elo), func(i, j int) { elo[i], elo[j] = elo[j], elo[i] })
		h := newHill(seed, 10, elo...)
		for range 1000 {
			h.play()
		}
		r := rating.Rate(len(elo), h.duels())
		apart := 0
		for i := range elo {
			for j := range elo {
				if r.Players[i].Low > r.Players[j].High {
					apart++
					if elo[i] < elo[j] {
						t.Errorf("seed %d: a bot of %.0f stands above one of %.0f, and their intervals do not overlap", seed, elo[i], elo[j])
					}
				}
			}
		}
		if all := len(elo) * (len(elo) - 1) / 2; apart < all/2 {
			t.Errorf("seed %d: of %d pairs only %d are told apart", seed, all, apart)
		}
	}
}

// TestNoBotStarves checks that a bot with at most the median number of games never waits more than twice the mean
// gap between two encounters of a bot, even if other bots join.
func TestNoBotStarves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 25).Draw(t, "bots")
		h := newHill(rapid.Uint64().Draw(t, "seed"), 60)
		for range n {
			h.join(rapid.Float64Range(-400, 400).Draw(t, "elo"))
		}
		for late := range 20 * n {
			if late%(7*n) == 5*n {
				h.join(rapid.Float64Range(-400, 400).Draw(t, "elo"))
			}
			if a, b := h.play(); a == b {
				t.Fatalf("bot %d meets itself", a)
			}
		}
		played := make([]int, len(h.bots))
		for i, b := range h.bots {
			played[i] = b.Encounters
		}
		sorted := slices.Sorted(slices.Values(played))
		for i := range h.bots {
			if mean := float64(len(h.bots)) / 2; played[i] <= sorted[(len(sorted)-1)/2] && float64(h.longest[i]) > max(2*mean, 4) {
				t.Errorf("of %d bots, number %d has played %d encounters and waited for %d; the mean gap is %.1f", len(h.bots), i,
					played[i], h.longest[i], mean)
			}
		}
	})
}

// TestLateOpponent checks that the opponent is the longest waiting of the other bots exactly if playing one bot per
// encounter would make some bot wait for more encounters than there are bots.
func TestLateOpponent(t *testing.T) {
	for _, test := range []struct {
		waited []int
		late   bool
	}{
		{[]int{9, 9, 8, 8, 7, 7, 0, 0, 0, 0, 0}, true}, // the second of 8 would wait for 12
		{[]int{9, 9, 8, 7, 6, 5, 0, 0, 0, 0, 0}, false},
		{[]int{9, 9, 8, 7, 7, 5, 0, 0, 0, 0, 0}, true},
		{[]int{10, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0}, true},
		{[]int{10, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0}, false},
		{[]int{8, 8, 7, 7, 7, 7, 7, 0, 0, 0, 0}, true},
		{[]int{3, 2, 0}, false}, // a wait of 4 encounters is never too long
		{[]int{3, 3, 0}, true},
	} {
		bots, opponents := make([]matchmaking.Bot, len(test.waited)), map[int]bool{}
		for i, n := range test.waited {
			bots[len(bots)-1-i] = matchmaking.Bot{Encounters: matchmaking.Placement, Waited: n}
		}
		ratings := rating.Rate(len(bots), nil)
		for seed := range uint64(100) {
			turn, opponent := matchmaking.ChoosePair(bots, ratings, seed)
			if bots[turn].Waited != test.waited[0] {
				t.Errorf("waits %v: the bot that is due has waited for %d", test.waited, bots[turn].Waited)
			}
			opponents[bots[opponent].Waited] = true
		}
		if late := len(opponents) == 1 && opponents[test.waited[1]]; late != test.late {
			t.Errorf("waits %v: the opponents have waited for %v, late %t", test.waited, opponents, test.late)
		}
	}
}

// TestNewBotIsPlaced checks that a new bot has its correct rank after its first encounters, and that these are
// against bots from all parts of the table.
func TestNewBotIsPlaced(t *testing.T) {
	var elo []float64
	for i := range 40 {
		elo = append(elo, 25*float64(i))
	}
	h := newHill(3, 20, elo...)
	for range 1200 {
		h.play()
	}
	order := h.ratings.Order()
	h.join(700)
	fresh, begun, opponents := len(elo), h.began, map[int]bool{}
	for h.bots[fresh].Encounters < matchmaking.Placement {
		if a, b := h.play(); a == fresh {
			opponents[slices.Index(order, b)*4/len(order)] = true
		}
	}
	if took := h.began - begun; took > 4*matchmaking.Placement {
		t.Errorf("the bot was placed after %d encounters of the ladder", took)
	}
	if len(opponents) < 3 {
		t.Errorf("it met bots of %d quarters of the table", len(opponents))
	}
}

// TestNeighborsMeet checks that a placed bot mostly plays its neighbors, and that it has played all its other
// neighbors before it plays one of them again.
func TestNeighborsMeet(t *testing.T) {
	var elo []float64
	for i := range 60 {
		elo = append(elo, 40*float64(i))
	}
	h := newHill(5, 10, elo...)
	for range 1500 {
		h.play()
	}
	near, all, again := 0, 0, 0
	for range 600 {
		met := make([][]int, len(h.bots))
		for i, bot := range h.bots {
			met[i] = slices.Clone(bot.Opponents[:matchmaking.Neighbors-1])
		}
		a, b := h.play()
		if all++; max(elo[a], elo[b])-min(elo[a], elo[b]) <= 40*12 {
			near++
		}
		if slices.Contains(met[a], b) {
			again++
		}
	}
	if near < all*3/4 || near > all*97/100 {
		t.Errorf("of %d encounters %d are of neighbors", all, near)
	}
	if again > all/20 {
		t.Errorf("of %d encounters %d were of a pair that had just met", all, again)
	}
}

// TestSameSeedSameEncounter checks that ChoosePair depends only on its arguments.
func TestSameSeedSameEncounter(t *testing.T) {
	h, again := newHill(9, 5, 0, 100, 50, -20, 70), newHill(9, 5, 0, 100, 50, -20, 70)
	for range 300 {
		h.play()
		again.play()
	}
	if fmt.Sprint(h.pairs) != fmt.Sprint(again.pairs) {
		t.Error("the same ladder was paired in two ways")
	}
}

// large returns a ladder of 500 bots that have played 100,000 encounters.
func large(random *rand.Rand) (bots []matchmaking.Bot, duels []rating.Duel) {
	const n, encounters = 500, 100_000
	bots = make([]matchmaking.Bot, n)
	met := map[[2]int]*rating.Tally{}
	for range encounters {
		a := random.IntN(n)
		b := (a + 1 + random.IntN(40)) % n
		pair := [2]int{min(a, b), max(a, b)}
		if met[pair] == nil {
			met[pair] = &rating.Tally{}
		}
		points := 0
		for range 2 {
			if random.Float64() < rating.Expected(float64(pair[1]-pair[0])) {
				points += 2
			}
		}
		met[pair].Pairs[points]++
		for i, other := range map[int]int{a: b, b: a} {
			bots[i].Encounters++
			bots[i].Waited = random.IntN(n)
			bots[i].Opponents = append(bots[i].Opponents[:min(len(bots[i].Opponents), matchmaking.Neighbors)], other)
		}
	}
	for pair, t := range met {
		duels = append(duels, rating.Duel{A: pair[0], B: pair[1], Tally: *t})
	}
	return bots, duels
}

// BenchmarkNextOf500 should take at most 1 ms.
func BenchmarkNextOf500(b *testing.B) {
	bots, duels := large(rand.New(rand.NewPCG(1, 1)))
	r := rating.Rate(len(bots), duels)
	seed := uint64(0)
	for b.Loop() {
		seed++
		matchmaking.ChoosePair(bots, r, seed)
	}
}

// BenchmarkRatingsOf500 should take at most 1 s.
func BenchmarkRatingsOf500(b *testing.B) {
	bots, duels := large(rand.New(rand.NewPCG(1, 1)))
	b.ReportMetric(float64(len(duels)), "duels")
	for b.Loop() {
		rating.Rate(len(bots), duels)
	}
}
