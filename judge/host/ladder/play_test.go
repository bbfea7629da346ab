package ladder

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/host/matchmaking"
	"assay/judge/host/store"
)

// TestRoom checks that encounters start for the slots of the workers and two more, within the ladder's limit on
// games per minute.
func TestRoom(t *testing.T) {
	now := time.Unix(10_000, 0)
	k := New(Options{Now: func() time.Time { return now }})
	made := func(ago ...time.Duration) (all []*store.Encounter) {
		for _, d := range ago {
			all = append(all, &store.Encounter{Made: now.Add(-d), Ended: now.Add(-d + time.Second)})
		}
		return all
	}
	const s = time.Second
	for _, tt := range []struct {
		what        string
		perMinute   int64
		games       int
		slots       int
		open, ended []*store.Encounter
		want        int
	}{
		{"nothing is played", 0, 2, 4, nil, nil, 6},
		{"some are played", 0, 2, 4, made(9*s, 8*s), nil, 4},
		{"more are played than there is room for", 0, 2, 1, made(s, s, s, s), nil, 0},
		{"what has ended needs no slot", 0, 2, 4, nil, made(9*s, 8*s), 6},
		{"ten games a minute", 10, 2, 50, nil, nil, 5},
		{"encounters under way count", 10, 2, 50, made(9*s, 8*s), nil, 3},
		{"encounters that have ended count", 10, 2, 50, nil, made(9*s, 8*s), 3},
		{"both count", 10, 2, 50, made(9 * s), made(30*s, 8*s), 2},
		{"of this minute only", 10, 2, 50, made(90*s, 9*s), made(300*s, 90*s, 61*s, 59*s), 3},
		{"at the limit", 10, 2, 50, made(s, s), made(3*s, 2*s, s), 0},
		{"the slots are fewer", 100, 2, 1, nil, nil, 3},
		{"an encounter is longer than a minute's games", 1, 6, 50, nil, nil, 1},
		{"and was begun", 1, 6, 50, made(59 * s), nil, 0},
		{"and was begun before", 1, 6, 50, made(61 * s), nil, 1},
		{"a minute ago is another minute", 2, 2, 50, made(60 * s), nil, 1},
	} {
		v := &View{Ladder: &store.Ladder{PerMinute: tt.perMinute}, GameRules: arena.Rules{Games: tt.games}, Encounters: tt.ended}
		if got := k.capacity(v, tt.open, tt.slots); got != tt.want {
			t.Errorf("%s: room for %d encounters, want %d", tt.what, got, tt.want)
		}
	}
}

// TestNoMinuteHasMoreGames checks the limit for every period of 60 seconds, for random start and end times.
func TestNoMinuteHasMoreGames(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	now := time.Unix(0, 0)
	k := New(Options{Now: func() time.Time { return now }})
	for range 50 {
		v := &View{Ladder: &store.Ladder{PerMinute: int64(2 + random.IntN(40))}, GameRules: arena.Rules{Games: 2 * (1 + random.IntN(3))}}
		var open []*store.Encounter
		var begun []time.Time
		for range 400 {
			now = now.Add(time.Duration(random.IntN(3000)) * time.Millisecond)
			for i := 0; i < len(open); {
				if random.IntN(4) > 0 {
					i++
					continue
				}
				open[i].Ended = now
				v.Encounters = append(v.Encounters, open[i])
				open = append(open[:i], open[i+1:]...)
			}
			for range k.capacity(v, open, 5) {
				open, begun = append(open, &store.Encounter{Made: now}), append(begun, now)
			}
		}
		if len(begun) < 5 {
			t.Fatalf("only %d encounters began", len(begun))
		}
		for i, from := range begun {
			games := 0
			for _, at := range begun[i:] {
				if at.Sub(from) < time.Minute {
					games += v.GameRules.Games
				}
			}
			if most := max(int(v.PerMinute), v.GameRules.Games); games > most {
				t.Fatalf("%d games began within a minute, at most %d may", games, most)
			}
		}
	}
}

// TestPlayed checks, for random logs, what the choice of the next encounter depends on: for each active bot, the number of
// its encounters, for how many encounters of the ladder it has waited, and its latest active opponents, newest first.
func TestPlayed(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	for range 40 {
		bots, all := randomLog(random)
		ended := all[:len(all)-random.IntN(6)]
		open := all[len(ended):]
		l := &store.Ladder{Encounters: int64(len(all)) - int64(random.IntN(2)*len(open))}
		for _, b := range bots {
			b.JoinedAfter = int64(random.IntN(len(all)))
		}
		v, err := newView(l, bots, ended, nil)
		if err != nil {
			t.Fatal(err)
		}
		v.rate(time.Unix(0, 0))
		got, numbers, number := v.played(open)
		want := int64(len(all)) // also if the ladder was read before the newest encounters began
		if number != want || len(got) != len(v.Lines) {
			t.Fatalf("encounter %d of %d, and %d bots of %d", number, want, len(got), len(v.Lines))
		}
		for i, n := range numbers {
			b := v.Bot(n)
			bot := matchmaking.Bot{Waited: int(number - b.JoinedAfter)}
			for j := len(all) - 1; j >= 0; j-- {
				e := all[j]
				if e.A != n && e.B != n {
					continue
				}
				bot.Encounters++
				bot.Waited = min(bot.Waited, int(number-e.Number))
				if at, plays := v.index[e.A+e.B-n]; plays && len(bot.Opponents) < matchmaking.Neighbors {
					bot.Opponents = append(bot.Opponents, at)
				}
			}
			if v.index[n] != i || !reflect.DeepEqual(got[i], bot) {
				t.Fatalf("bot %d has played %+v, want %+v", n, got[i], bot)
			}
		}
	}
}

// TestNoBotStarves checks that each bot plays within a few rounds, and that a new bot is placed soon. This must
// hold for any number of joining bots and running encounters.
func TestNoBotStarves(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	k := New(Options{})
	l := &store.Ladder{Seed: 7, Rules: []byte(`{"Games":2}`)}
	var bots []*store.Bot
	enter := func() {
		bots = append(bots, &store.Bot{Number: int64(len(bots) + 1), Name: fmt.Sprint(len(bots)), State: store.BotActive,
			JoinedAfter: l.Encounters})
	}
	for range 4 {
		enter()
	}
	var v *View
	var open []*store.Encounter
	last, count := map[int64]int64{}, map[int64]int{}
	came := map[int64]int64{}
	var ended []*store.Encounter
	for step := range 900 {
		if step%60 == 59 && len(bots) < 14 {
			enter()
			came[bots[len(bots)-1].Number] = l.Encounters
			last[bots[len(bots)-1].Number] = l.Encounters
		}
		var err error
		if v, err = newView(l, bots, ended, v); err != nil {
			t.Fatal(err)
		}
		v.rate(time.Unix(0, 0))
		ended = nil
		e := k.choosePair(v, open)
		l.Encounters++
		e.Number = l.Encounters
		if e.A == e.B || v.Bot(e.A) == nil || v.Bot(e.B) == nil {
			t.Fatalf("bot %d meets bot %d", e.A, e.B)
		}
		for _, bot := range []int64{e.A, e.B} {
			last[bot] = e.Number
			if count[bot]++; count[bot] == matchmaking.Placement {
				if took := e.Number - came[bot]; took > int64(6*len(bots)+40) {
					t.Errorf("bot %d was placed after %d encounters of the ladder", bot, took)
				}
			}
		}
		open = append(open, e)
		for len(open) > 3 {
			i := random.IntN(len(open))
			open[i].Results = []string{"ww", "wl", "ll", "dd"}[random.IntN(4)]
			ended = append(ended, open[i])
			open = append(open[:i], open[i+1:]...)
		}
		for _, b := range bots {
			if waits := l.Encounters - last[b.Number]; waits > int64(len(bots)+4) {
				t.Fatalf("bot %d of %d has waited for %d encounters", b.Number, len(bots), waits)
			}
		}
	}
}

// TestNothingThatDoesNotCountIsShown checks that unscored encounters are in no table.
func TestNothingThatDoesNotCountIsShown(t *testing.T) {
	counts := played(4, 60)
	var all []*store.Encounter
	for i, e := range counts {
		e.Number = int64(2*i + 2)
		all = append(all, &store.Encounter{Number: int64(2*i + 1), A: e.B, B: e.A, Results: "ll", Reason: "a bot did not get ready",
			Failures: [2]string{"init-failed,init-failed", ""}}, e)
	}
	with, without := table(t, 4, all, true), table(t, 4, counts, true)
	for i := range with.Lines {
		if with.Lines[i].Record != without.Lines[i].Record || with.Lines[i].ScoredEncounters != without.Lines[i].ScoredEncounters ||
			with.Lines[i].Elo != without.Lines[i].Elo || with.Lines[i].Low != without.Lines[i].Low {
			t.Errorf("the line is %+v, want %+v", with.Lines[i], without.Lines[i])
		}
		n := with.Lines[i].Number
		if got, want := fmt.Sprint(records(with.Opponents(n))), fmt.Sprint(records(without.Opponents(n))); got != want {
			t.Errorf("the opponents of %d are %s, want %s", n, got, want)
		}
		if got, want := fmt.Sprint(with.Form(n)), fmt.Sprint(without.Form(n)); got != want {
			t.Errorf("the form of %d is %s, want %s", n, got, want)
		}
	}
	if got, want := fmt.Sprint(with.Cross()), fmt.Sprint(without.Cross()); got != want {
		t.Errorf("the head-to-head results are %s, want %s", got, want)
	}
	if with.Games() != without.Games() || with.Games() != 120 {
		t.Errorf("%d games, want %d", with.Games(), without.Games())
	}
}

func records(all []HeadToHead) (r []Record) {
	for _, m := range all {
		r = append(r, m.Record)
	}
	return r
}

// TestRetiredOpponents checks that games against a retired bot are not in the table, and that its opponents stay
// placed.
func TestRetiredOpponents(t *testing.T) {
	all := played(3, 60)
	v := table(t, 3, all, true)
	v.Bots[2].State = store.BotRetired
	v.rate(time.Unix(0, 0))
	games := 0
	for _, e := range all {
		if e.A != 3 && e.B != 3 {
			games += 2
		}
	}
	if len(v.Lines) != 2 || v.Games() != games {
		t.Fatalf("%d lines of %d games, want 2 of %d", len(v.Lines), v.Games(), games)
	}
	for _, l := range v.Lines {
		if l.Record.Games() != games || l.ScoredEncounters <= l.Record.Encounters || l.Placing() {
			t.Errorf("bot %d has %d games in the table and met an opponent %d times; want %d games", l.Number, l.Record.Games(),
				l.ScoredEncounters, games)
		}
		if n := len(v.Opponents(l.Number)); n != 2 {
			t.Errorf("bot %d has %d opponents, want 2", l.Number, n)
		}
	}
}
