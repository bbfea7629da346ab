package arena

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// field returns results without games for bots 1 to n.
func field(n int, rules Rules) *Results {
	so := &Results{Rules: rules}
	for id := range n {
		so.Bots = append(so.Bots, Bot{ID: id + 1, Name: fmt.Sprint("bot", id+1)})
	}
	return so
}

// run plays a tournament to its end, and returns the encounters of each stage. Win returns the winner of a game:
// 1, 2, or 0 for a draw.
func run(t rapid.TB, so *Results, s Schedule, win func(k Key) int) (stages [][]Encounter) {
	t.Helper()
	seen := map[Key]bool{}
	for stage := 0; ; stage++ {
		all := s.Stage(stage, so)
		if diff := cmp.Diff(all, s.Stage(stage, so)); diff != "" {
			t.Fatalf("stage %d is another when it is asked for again: %s", stage, diff)
		}
		if len(all) == 0 {
			return stages
		}
		if stage > 1000 {
			t.Fatal("the event does not end")
		}
		stages = append(stages, all)
		for _, e := range all {
			for _, k := range e.Keys() {
				if k.First == k.Second || so.Bot(k.First) == nil || so.Bot(k.Second) == nil || seen[k] {
					t.Fatalf("stage %d: %v is played", stage, k)
				}
				seen[k] = true
				so.Games = append(so.Games, Result{Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second, Winner: win(k)})
			}
		}
		slices.SortFunc(so.Games, func(a, b Result) int { return a.Key().Compare(b.Key()) })
	}
}

// byStrength returns a function for run. That function lets the bot with the smaller strength value win, in either
// seat.
func byStrength(strength []int) func(Key) int {
	return func(k Key) int {
		switch a, b := strength[k.First-1], strength[k.Second-1]; {
		case a < b:
			return 1
		case a > b:
			return 2
		}
		return 0
	}
}

func byChance(seed uint64) func(Key) int {
	return func(k Key) int {
		return rand.New(rand.NewPCG(seed, uint64(k.Round<<40+k.First<<24+k.Second<<8+k.Leg))).IntN(3)
	}
}

var perGame = Score{Criterion: ByGame, Win: 3, Draw: 1}

// setup draws an event.
func setup(t *rapid.T, format string) (*Results, Schedule) {
	rules := Rules{
		Format: format, Rounds: rapid.IntRange(1, 4).Draw(t, "rounds"),
		Games: rapid.IntRange(1, 3).Draw(t, "games"), Score: perGame,
	}
	so := field(rapid.IntRange(0, 9).Draw(t, "bots"), rules)
	if len(so.Bots) > 1 && rapid.Bool().Draw(t, "one is out") {
		so.Disqualified = []Disqualified{{Bot: rapid.IntRange(1, len(so.Bots)).Draw(t, "who")}}
	}
	return so, Formats()[format](&so.Rules)
}

// pairs returns the number of encounters of each pair of bots.
func pairs(stages [][]Encounter) map[[2]int]int {
	met := map[[2]int]int{}
	for _, stage := range stages {
		for _, e := range stage {
			met[[2]int{min(e.A, e.B), max(e.A, e.B)}]++
		}
	}
	return met
}

// TestFormatsAreFair checks all formats. Only bots that are not disqualified may play, and encounters must have
// the right number of games. A bot that goes first in one encounter of a pair must not go first in the next.
func TestFormatsAreFair(t *testing.T) {
	for _, format := range FormatNames() {
		t.Run(format, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				so, s := setup(rt, format)
				began := map[[2]int][2]int{} // last round of a pair, and the bot that went first
				for _, stage := range run(rt, so, s, byChance(rapid.Uint64().Draw(rt, "seed"))) {
					for _, e := range stage {
						if e.Games != so.Rules.Games {
							rt.Fatalf("%v: want %d games", e, so.Rules.Games)
						}
						if so.isDisqualified(e.A) || so.isDisqualified(e.B) {
							rt.Fatalf("%v: a bot is disqualified", e)
						}
						pair := [2]int{min(e.A, e.B), max(e.A, e.B)}
						if last := began[pair]; last[0] == e.Round-1 && last[1] == e.A {
							rt.Fatalf("%v: %d begins twice in a row", e, e.A)
						}
						began[pair] = [2]int{e.Round, e.A}
					}
				}
				if table := Table(so); len(table) != len(so.ActiveBots()) {
					rt.Fatalf("the table has %d rows for %d bots", len(table), len(so.ActiveBots()))
				}
			})
		})
	}
}

func TestRoundRobin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		so, s := setup(t, "round-robin")
		stages := run(t, so, s, byChance(1))
		met, n := pairs(stages), len(so.ActiveBots())
		for _, a := range so.ActiveBots() {
			for _, b := range so.ActiveBots() {
				if a < b && met[[2]int{a, b}] != so.Rules.Rounds {
					t.Fatalf("%d and %d meet %d times, want %d", a, b, met[[2]int{a, b}], so.Rules.Rounds)
				}
			}
		}
		// By the circle method, the n/2 encounters of a turn involve different bots.
		for _, stage := range stages {
			for turn := range slices.Chunk(stage, n/2) {
				busy := map[int]bool{}
				for _, e := range turn {
					if busy[e.A] || busy[e.B] {
						t.Fatalf("a bot plays twice in the turn %v", turn)
					}
					busy[e.A], busy[e.B] = true, true
				}
			}
		}
	})
}

func TestGauntlet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		so, s := setup(t, "gauntlet")
		met, in := pairs(run(t, so, s, byChance(1))), so.ActiveBots()
		for i, a := range in {
			for _, b := range in[i+1:] {
				want := 0
				if i == 0 {
					want = so.Rules.Rounds
				}
				if met[[2]int{a, b}] != want {
					t.Fatalf("%d and %d meet %d times, want %d", a, b, met[[2]int{a, b}], want)
				}
			}
		}
	})
}

// canPair reports whether all vertices can be paired along edges. It tries all possibilities.
func canPair(free []int, edge func(a, b int) bool) bool {
	if len(free) == 0 {
		return true
	}
	for i := 1; i < len(free); i++ {
		rest := slices.Concat(free[1:i], free[i+1:])
		if edge(free[0], free[i]) && canPair(rest, edge) {
			return true
		}
	}
	return false
}

func TestSwiss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := Rules{Format: "swiss", Rounds: rapid.IntRange(1, 9).Draw(t, "rounds"), Games: 2, Score: perGame}
		so := field(rapid.IntRange(0, 9).Draw(t, "bots"), rules)
		stages := run(t, so, swiss{rules.Rounds, rules.Games}, byChance(rapid.Uint64().Draw(t, "seed")))
		if want := rules.Rounds; len(so.Bots) > 1 && len(stages) != want {
			t.Fatalf("%d rounds are played, want %d", len(stages), want)
		}
		everybody := so.ActiveBots()
		if len(everybody)%2 == 1 {
			everybody = append(everybody, noOpponent)
		}
		met := map[[2]int]int{}
		for i, stage := range stages {
			if len(stage) != len(so.Bots)/2 {
				t.Fatalf("round %d has %d encounters of %d bots", i+1, len(stage), len(so.Bots))
			}
			rests := slices.Clone(everybody)
			most := 0
			var now [][2]int
			for _, e := range stage {
				now = append(now, [2]int{min(e.A, e.B), max(e.A, e.B)})
				rests = slices.DeleteFunc(rests, func(id int) bool { return id == e.A || id == e.B })
			}
			if len(rests) > 0 {
				slices.Sort(rests)
				if len(rests) != 2 || rests[0] != noOpponent {
					t.Fatalf("round %d: %v do not play, or a bot plays twice", i+1, rests)
				}
				now = append(now, [2]int(rests))
			}
			for _, p := range now {
				most = max(most, met[p])
			}
			if most > 0 && canPair(everybody, func(a, b int) bool { return met[[2]int{min(a, b), max(a, b)}] < most }) {
				t.Fatalf("round %d: %v has a pair that met %d times, which can be avoided", i+1, now, most)
			}
			for _, p := range now {
				met[p]++
			}
		}
	})
}

// TestSwissPairsEquals checks that the leaders play each other if strengths differ clearly.
func TestSwissPairsEquals(t *testing.T) {
	so := field(8, Rules{Format: "swiss", Rounds: 3, Games: 2, Score: perGame})
	stages := run(t, so, swiss{3, 2}, byStrength([]int{1, 2, 3, 4, 5, 6, 7, 8}))
	if e := stages[2][0]; min(e.A, e.B) != 1 || max(e.A, e.B) != 5 {
		t.Errorf("the third round begins with %v, want the two that won all, 1 and 5", e)
	}
	if table := Table(so); table[0].Bot != 1 || table[7].Bot != 8 {
		t.Errorf("the table is %+v, want bot 1 first and bot 8 last", table)
	}
}

func TestMatchingIsAsLargeAsPossible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 2 * rapid.IntRange(0, 5).Draw(t, "half")
		edges := rapid.SliceOfN(rapid.IntRange(0, 2), n*n, n*n).Draw(t, "edges")
		edge := func(i, j int) bool { return edges[min(i, j)*n+max(i, j)] == 0 }
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		m := newMatching(n, edge)
		if got, want := m.perfect(), canPair(all, edge); got != want {
			t.Fatalf("perfect = %v, want %v", got, want)
		}
		for i, j := range m.mate {
			if j >= 0 && (m.mate[j] != i || i == j || !edge(i, j)) {
				t.Fatalf("%d is paired with %d: %v", i, j, m.mate)
			}
		}
	})
}

func TestKnockout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		so, s := setup(t, "knockout")
		strength := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := range len(so.Bots) {
				if !yield(i) {
					return
				}
			}
		})).Draw(t, "strength")
		stages := run(t, so, s, byStrength(strength))
		in := so.ActiveBots()
		met := pairs(stages)
		if want := max(0, len(in)-1); len(met) != want {
			t.Fatalf("%d matches of %d bots, want %d", len(met), len(in), want)
		}
		for pair, times := range met {
			if times != so.Rules.Rounds {
				t.Fatalf("the match of %v has %d encounters, want %d", pair, times, so.Rules.Rounds)
			}
		}
		if len(in) == 0 {
			return
		}
		best := slices.MinFunc(in, func(a, b int) int { return strength[a-1] - strength[b-1] })
		if table := Table(so); table[0].Bot != best {
			t.Fatalf("bot %d wins, want the strongest, %d", table[0].Bot, best)
		}
	})
}

func TestKnockoutSeeds(t *testing.T) {
	so := field(6, Rules{Format: "knockout", Rounds: 1, Games: 2, Score: perGame})
	var got []string
	for _, stage := range run(t, so, knockout{&so.Rules}, func(Key) int { return 0 }) {
		for _, e := range stage {
			got = append(got, fmt.Sprint(min(e.A, e.B), "-", max(e.A, e.B)))
		}
		got = append(got, "|")
	}
	// All games are draws, so the better seeds advance.
	if diff := cmp.Diff([]string{"4-5", "3-6", "|", "1-4", "2-3", "|", "1-2", "|"}, sortedStages(got)); diff != "" {
		t.Errorf("the bracket (-want +got):\n%s", diff)
	}
}

// sortedStages sorts the matches of the first stage, whose order depends on the bracket. It leaves the other
// stages unchanged.
func sortedStages(all []string) []string {
	end := slices.Index(all, "|")
	slices.SortFunc(all[:end], func(a, b string) int { return -slices.Compare([]byte(a), []byte(b)) })
	return all
}

func TestLadder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		so, s := setup(t, "ladder")
		all := make([]int, len(so.Bots))
		for i := range all {
			all[i] = i
		}
		strength := all
		if len(all) > 0 {
			strength = rapid.Permutation(all).Draw(t, "strength")
		}
		stages := run(t, so, s, byStrength(strength))
		table := Table(so)
		for i := 1; i < len(table); i++ {
			if strength[table[i-1].Bot-1] > strength[table[i].Bot-1] {
				t.Fatalf("bot %d stands above %d, which is stronger", table[i-1].Bot, table[i].Bot)
			}
		}
		// Every newcomer first challenges the first bot.
		if in := so.ActiveBots(); len(in) > 1 && (min(stages[0][0].A, stages[0][0].B) != in[0] || max(stages[0][0].A, stages[0][0].B) != in[1]) {
			t.Fatalf("the first match is %v, want the first two bots", stages[0])
		}
	})
}

func TestLadderKeepsTheKingOnADraw(t *testing.T) {
	so := field(3, Rules{Format: "ladder", Rounds: 1, Games: 2, Score: perGame})
	run(t, so, ladder{&so.Rules}, func(Key) int { return 0 })
	for i, row := range Table(so) {
		if row.Bot != i+1 {
			t.Errorf("bot %d stands at %d: want the order of coming", row.Bot, i+1)
		}
	}
}
