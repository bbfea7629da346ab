package ladder

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/host/store"
)

// A randomLog is a ladder with bots in all states, and encounters of 1 to 4 games; some do not count.
func randomLog(random *rand.Rand) (bots []*store.Bot, all []*store.Encounter) {
	n := 3 + random.IntN(5)
	states := []store.BotState{store.BotActive, store.BotActive, store.BotActive, store.BotPaused, store.BotRetired, store.BotRejected}
	for i := range n {
		bots = append(bots, &store.Bot{Number: int64(i + 1), State: states[random.IntN(len(states))]})
	}
	bots[0].State, bots[1].State = store.BotActive, store.BotActive
	for i := range 20 + random.IntN(150) {
		a := 1 + random.IntN(n)
		b := 1 + (a+random.IntN(n-1))%n
		e := &store.Encounter{Number: int64(i + 1), A: int64(a), B: int64(b)}
		for range 1 + random.IntN(4) {
			e.Results += []string{"w", "l", "d"}[random.IntN(3)]
		}
		switch random.IntN(8) {
		case 0:
			e.Reason = "bot 1 did not get ready: init-failed"
		case 1:
			e.Results = ""
		}
		all = append(all, e)
	}
	return bots, all
}

// A recount counts encounters one game at a time: by pair of bots, and by bot against all opponents that a filter accepts.
type recount map[[2]int64]Record

func count(all []*store.Encounter, accepts func(*store.Encounter) bool) recount {
	c := recount{}
	for _, e := range all {
		if e.Reason != "" || e.Results == "" || !accepts(e) {
			continue
		}
		for side, pair := range [][2]int64{{e.A, e.B}, {e.B, e.A}} {
			r := c[pair]
			r.Encounters++
			for _, game := range e.Results {
				switch {
				case game == 'd':
					r.Draws++
				case (game == 'w') == (side == 0):
					r.Wins++
				default:
					r.Losses++
				}
			}
			c[pair] = r
		}
	}
	return c
}

// of returns the record of a bot against all opponents.
func (c recount) of(bot int64) (sum Record) {
	for pair, r := range c {
		if pair[0] == bot {
			sum.Encounters, sum.Wins, sum.Draws, sum.Losses =
				sum.Encounters+r.Encounters, sum.Wins+r.Wins, sum.Draws+r.Draws, sum.Losses+r.Losses
		}
	}
	return sum
}

// TestEverythingShownIsARecount checks, for random logs, that all numbers of a ladder's pages equal a slow recount of the
// log. The table is of the encounters that count between active bots. A bot's own page has all encounters that count.
func TestEverythingShownIsARecount(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for round := range 40 {
		bots, all := randomLog(random)
		active := map[int64]bool{}
		for _, b := range bots {
			if b.State == store.BotActive {
				active[b.Number] = true
			}
		}
		v, err := newView(&store.Ladder{Rules: []byte(`{"Games":2}`)}, bots, all, nil)
		if err != nil {
			t.Fatal(err)
		}
		v.rate(time.Unix(int64(round), 0))
		inTable := count(all, func(e *store.Encounter) bool { return active[e.A] && active[e.B] })
		ever := count(all, func(*store.Encounter) bool { return true })
		if len(v.Lines) != len(active) || !v.Rated.Equal(time.Unix(int64(round), 0)) {
			t.Fatalf("%d lines for %d active bots, rated %v", len(v.Lines), len(active), v.Rated)
		}
		games := 0
		for i := range v.Lines {
			l := &v.Lines[i]
			if !active[l.Number] || l.Record != inTable.of(l.Number) || l.ScoredEncounters != ever.of(l.Number).Encounters {
				t.Errorf("the line of bot %d is %+v with %d encounters, want %+v with %d", l.Number, l.Record, l.ScoredEncounters,
					inTable.of(l.Number), ever.of(l.Number).Encounters)
			}
			games += l.Record.Games()
			if v.Standing(l.Number) != l {
				t.Errorf("the line of bot %d is not found by its number", l.Number)
			}
			if want := l.ScoredEncounters < 10; l.Placing() != want {
				t.Errorf("a bot with %d encounters is being placed: %v", l.ScoredEncounters, !want)
			}
			if i+1 < len(v.Lines) {
				next := v.Lines[i+1]
				if l.Rank != i+1 || l.Elo < next.Elo || l.Superiority != v.ratings.Superiority(v.index[l.Number], v.index[next.Number]) {
					t.Errorf("rank %d has %v, rank %d has %v", l.Rank, l.Elo, next.Rank, next.Elo)
				}
			} else if l.Superiority != 0 {
				t.Errorf("the last bot is superior by %v", l.Superiority)
			}
			for j := range v.Lines {
				if got, want := v.Cross()[i][j], inTable[[2]int64{l.Number, v.Lines[j].Number}]; got != want {
					t.Errorf("bot %d against %d is %+v, want %+v", l.Number, v.Lines[j].Number, got, want)
				}
			}
		}
		if v.Games()*2 != games {
			t.Errorf("the table is of %d games, and its lines have %d", v.Games(), games)
		}
		if want := ratings(v, inTable, all); !reflect.DeepEqual(v.ratings.Players, want.Players) {
			t.Errorf("the ratings are %+v, want %+v", v.ratings.Players, want.Players)
		}
		for _, b := range bots {
			if !active[b.Number] && v.Standing(b.Number) != nil {
				t.Errorf("bot %d is %s and in the table", b.Number, b.State)
			}
			checkOpponents(t, v, b.Number, ever)
			checkForm(t, v, b.Number, all)
		}
		if v.Bot(0) != nil || v.Bot(int64(len(bots)+1)) != nil {
			t.Error("a bot with a number that no bot has")
		}
	}
}

// ratings rates the active bots from the pairs of games that bots played against each other.
func ratings(v *View, inTable recount, all []*store.Encounter) *rating.Ratings {
	var duels []rating.Duel
	for a := range v.index {
		for b := range v.index {
			if a >= b || inTable[[2]int64{a, b}].Encounters == 0 {
				continue
			}
			var tally rating.Tally
			for _, e := range all {
				if e.Reason != "" || e.Results == "" || (e.A != a || e.B != b) && (e.A != b || e.B != a) {
					continue
				}
				points := func(i int) int {
					won := map[byte]int{'w': 2, 'd': 1, 'l': 0}[e.Results[i]]
					if e.A != a {
						won = 2 - won
					}
					return won
				}
				for i := 0; i+1 < len(e.Results); i += 2 {
					tally.Pairs[points(i)+points(i+1)]++
				}
				if len(e.Results)%2 == 1 {
					tally.Games[points(len(e.Results)-1)]++
				}
			}
			duels = append(duels, rating.Duel{A: v.index[a], B: v.index[b], Tally: tally})
		}
	}
	slices.SortFunc(duels, func(a, b rating.Duel) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	return rating.Rate(len(v.index), duels)
}

// checkOpponents checks a bot's opponents: most games first, and lower numbers first among equals.
func checkOpponents(t *testing.T, v *View, bot int64, ever recount) {
	t.Helper()
	met := v.Opponents(bot)
	want := 0
	for pair := range ever {
		if pair[0] == bot {
			want++
		}
	}
	if len(met) != want {
		t.Errorf("bot %d has %d opponents, want %d", bot, len(met), want)
	}
	for i, m := range met {
		if m.Record != ever[[2]int64{bot, m.Opponent.Number}] {
			t.Errorf("bot %d against %d is %+v, want %+v", bot, m.Opponent.Number, m.Record, ever[[2]int64{bot, m.Opponent.Number}])
		}
		if i > 0 && (met[i-1].Games() < m.Games() || met[i-1].Games() == m.Games() && met[i-1].Opponent.Number > m.Opponent.Number) {
			t.Errorf("opponent %d of bot %d is in the wrong place", m.Opponent.Number, bot)
		}
	}
}

// checkForm checks the strength of a bot over time. There are at most 24 points, each of at least 5 encounters. All have
// the same number of encounters, except the last one. The rating of a point is where the points scored are expected.
func checkForm(t *testing.T, v *View, bot int64, all []*store.Encounter) {
	t.Helper()
	var mine []*store.Encounter
	for _, e := range all {
		if IsScored(e) && (e.A == bot || e.B == bot) {
			mine = append(mine, e)
		}
	}
	length := max(5, int(math.Ceil(float64(len(mine))/24)))
	points := v.Form(bot)
	if want := (len(mine) + length - 1) / length; len(points) != want || len(points) > 24 {
		t.Fatalf("%d points of %d encounters, want %d", len(points), len(mine), want)
	}
	for i, p := range points {
		part := mine[i*length : min(len(mine), (i+1)*length)]
		r := count(part, func(*store.Encounter) bool { return true }).of(bot)
		if p.Encounter != part[len(part)-1].Number || p.Games != r.Games() ||
			p.Score != float64(2*r.Wins+r.Draws)/float64(2*r.Games()) {
			t.Errorf("point %d of bot %d is %+v, want %+v", i, bot, p, r)
		}
		expected, least := 0.0, float64(r.Games())
		for _, e := range part {
			elo := 0.0
			if l := v.Standing(e.A + e.B - bot); l != nil {
				elo = l.Elo
			}
			expected += float64(len(e.Results)) * rating.Expected(p.Elo-elo)
		}
		if got := min(max(p.Score*least, 0.5), least-0.5); math.Abs(got-expected) > 1e-6*least {
			t.Errorf("bot %d scored %v of %v, and at %v it is expected to score %v", bot, got, least, p.Elo, expected)
		}
	}
}

// TestFormIsBounded checks that a bot with thousands of encounters has at most 24 points, and that a bot without any has
// none.
func TestFormIsBounded(t *testing.T) {
	for _, n := range []int{0, 1, 4, 5, 6, 119, 120, 121, 144, 145, 1000} {
		all := played(2, n)
		v := &View{Ladder: &store.Ladder{}}
		if n > 0 {
			v = table(t, 2, all, true)
		}
		checkForm(t, v, 1, all)
	}
	if p := performanceRating(0, nil); p != 0 {
		t.Errorf("no games are played like %v", p)
	}
	if s := (Record{}).Score(); s != 0.5 {
		t.Errorf("no games score %v", s)
	}
}

// TestEncountersOf checks that a bot's page lists all its encounters, newest first, also those that do not count.
func TestEncountersOf(t *testing.T) {
	bots, all := randomLog(rand.New(rand.NewPCG(1, 1)))
	v, err := newView(&store.Ladder{}, bots, all, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bots {
		var want []int64
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].A == b.Number || all[i].B == b.Number {
				want = append(want, all[i].Number)
			}
		}
		var got []int64
		for _, e := range v.EncountersOf(b.Number) {
			got = append(got, e.Number)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the encounters of bot %d are %v, want %v", b.Number, got, want)
		}
	}
}

// TestPenalties checks what bot authors read about each kind of fault: only faults that end the process pause a bot.
func TestPenalties(t *testing.T) {
	v := &View{Ladder: &store.Ladder{}, GameRules: arena.Rules{Games: 6}}
	terms := v.Terms("Blitz")
	for fault, want := range map[arena.Fault]string{
		arena.InitFailed: "all games of the encounter; 2 faults toward a pause",
		arena.LearnFault: "nothing, for the result is known; a fault toward a pause",
		arena.Crashed:    "the game; a fault toward a pause",
		arena.Flood:      "the game; a fault toward a pause",
		arena.Illegal:    "the game",
		arena.Malformed:  "the game",
	} {
		if got := terms.Cost(fault); got != want {
			t.Errorf("%s costs %q, want %q", fault, got, want)
		}
	}
	if want := fmt.Sprintf("With %d faults in its last %d games", maxFaults, faultWindow); terms.Title != "Blitz" || terms.Games != 6 ||
		!strings.Contains(terms.Schedule, "for 6 games") || !strings.Contains(terms.Schedule, want) {
		t.Errorf("the terms are %+v", terms)
	}
}
