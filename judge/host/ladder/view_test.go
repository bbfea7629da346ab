package ladder

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/host/store"
)

// table returns a view with n bots and the given encounters, added at once or one after the other.
func table(t *testing.T, n int, all []*store.Encounter, atOnce bool) *View {
	t.Helper()
	var bots []*store.Bot
	for i := range n {
		bots = append(bots, &store.Bot{Number: int64(i + 1), Name: fmt.Sprint("bot ", i+1), State: store.BotActive})
	}
	var v *View
	var err error
	for len(all) > 0 {
		part := all[:1]
		if atOnce {
			part = all
		}
		all = all[len(part):]
		if v, err = newView(&store.Ladder{Rules: []byte(`{"Games":2}`)}, bots, part, v); err != nil {
			t.Fatal(err)
		}
	}
	v.rate(time.Unix(0, 0))
	return v
}

func played(n, encounters int) (all []*store.Encounter) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range encounters {
		a := 1 + random.IntN(n)
		b := 1 + (a+random.IntN(n-1))%n
		results := ""
		for range 2 {
			if random.Float64() < rating.Expected(float64(80*(b-a))) { // lower numbers are stronger
				results += "w"
			} else {
				results += "l"
			}
		}
		all = append(all, &store.Encounter{Number: int64(i + 1), A: int64(a), B: int64(b), Results: results})
	}
	return all
}

// TestATableMadeInSteps checks that adding games one after the other gives the same table as adding all at once,
// and the same as counting independently.
func TestATableMadeInSteps(t *testing.T) {
	all := played(6, 300)
	v, steps := table(t, 6, all, true), table(t, 6, all, false)
	if !reflect.DeepEqual(v.Lines, steps.Lines) || !reflect.DeepEqual(v.Cross(), steps.Cross()) {
		t.Errorf("got %+v\nand in steps %+v", v.Lines, steps.Lines)
	}
	games, points := 0, 0.0
	for i, l := range v.Lines {
		if l.Number != int64(i+1) || l.Rank != i+1 || l.Placing() {
			t.Errorf("bot %d is at place %d", l.Number, i+1)
		}
		games += l.Record.Games()
		points += l.Record.Score() * float64(l.Record.Games())
		met := 0
		for _, m := range v.Opponents(l.Number) {
			met += m.Games()
		}
		form := 0
		for _, m := range v.Form(l.Number) {
			form += m.Games
		}
		if met != l.Record.Games() || form != met {
			t.Errorf("bot %d has %d games, %d with its opponents and %d in its form", l.Number, l.Record.Games(), met, form)
		}
	}
	if games != 2*600 || points != 600 {
		t.Errorf("%d games and %v points", games, points)
	}
}

func TestPerformance(t *testing.T) {
	against := []float64{0, 0, 100, -100}
	if p := performanceRating(2, against); math.Abs(p) > 0.1 {
		t.Errorf("half of the points are played like %v", p)
	}
	for _, points := range []float64{0, 4} {
		if p := performanceRating(points, against); math.Abs(p) > 800 || p*(points-2) < 0 {
			t.Errorf("%v points of 4 are played like %v", points, p)
		}
	}
	if p := performanceRating(3*rating.Expected(150), []float64{0, 0, 0}); math.Abs(p-150) > 0.1 {
		t.Errorf("what 150 points expect is played like %v", p)
	}
}

// TestTake checks the results that are read from the records of an encounter, for all cases of who moved first and
// who failed.
func TestTake(t *testing.T) {
	game := func(leg, first, second, winner int, fault *arena.GameFault) *arena.Record {
		return &arena.Record{Game: &arena.Game{Leg: leg, First: first, Second: second, Winner: winner, Fault: fault}}
	}
	for _, one := range []struct {
		what            string
		records         []*arena.Record
		results, reason string
		faults          [2]string
	}{
		{"both win as the first", []*arena.Record{game(1, 7, 3, 1, nil), game(2, 3, 7, 1, nil)}, "wl", "", [2]string{}},
		{"they come in another order", []*arena.Record{game(2, 3, 7, 0, nil), game(1, 7, 3, 2, nil)}, "ld", "", [2]string{}},
		{"each fails once", []*arena.Record{
			game(1, 7, 3, 2, &arena.GameFault{Seat: 1, Kind: arena.Crashed}), game(2, 3, 7, 2, &arena.GameFault{Seat: 1, Kind: arena.Flood}),
		}, "lw", "", [2]string{"crashed", "flood"}},
		{"one fails twice, in another order", []*arena.Record{
			game(1, 7, 3, 2, &arena.GameFault{Seat: 1, Kind: arena.Flood}), game(2, 3, 7, 1, &arena.GameFault{Seat: 2, Kind: arena.Crashed}),
		}, "ll", "", [2]string{"crashed,flood", ""}},
		{
			"one does not get ready",
			[]*arena.Record{{Out: &arena.Disqualified{Bot: 3, Fault: arena.GameFault{Kind: arena.InitFailed}}}}, "",
			"bot 3 did not get ready: init-failed", [2]string{"", "init-failed,init-failed"},
		},
		{
			"one does not get ready later",
			[]*arena.Record{game(1, 7, 3, 1, nil), {Out: &arena.Disqualified{Bot: 7, Fault: arena.GameFault{Kind: arena.InitFailed}}}},
			"", "bot 7 did not get ready: init-failed", [2]string{"init-failed,init-failed", ""},
		},
		{"nothing", nil, "", "no game was played", [2]string{}},
	} {
		e := &store.Encounter{A: 7, B: 3}
		if err := fillEncounter(e, one.records, 2); err != nil {
			t.Errorf("%s: %v", one.what, err)
		}
		if e.Results != one.results || e.Reason != one.reason || e.Failures != one.faults {
			t.Errorf("%s: got %q, %q, %q", one.what, e.Results, e.Reason, e.Failures)
		}
	}
	for what, records := range map[string][]*arena.Record{
		"of another bot":     {game(1, 7, 3, 1, nil), game(2, 3, 8, 1, nil)},
		"of one bot":         {game(1, 7, 7, 1, nil)},
		"one twice":          {game(1, 7, 3, 1, nil), game(1, 7, 3, 2, nil)},
		"one missing":        {game(1, 7, 3, 1, nil)},
		"begun by the other": {game(1, 3, 7, 1, nil), game(2, 7, 3, 1, nil)},
		"begun by one":       {game(1, 7, 3, 1, nil), game(2, 7, 3, 1, nil)},
		"number 0":           {game(0, 3, 7, 1, nil), game(1, 7, 3, 1, nil)},
		"one too many":       {game(1, 7, 3, 1, nil), game(2, 3, 7, 1, nil), game(3, 7, 3, 1, nil)},
		"another bot is out": {{Out: &arena.Disqualified{Bot: 8, Fault: arena.GameFault{Kind: arena.InitFailed}}}},
	} {
		e := &store.Encounter{A: 7, B: 3}
		if err := fillEncounter(e, records, 2); err == nil || e.Results != "" || e.Failures != [2]string{} {
			t.Errorf("games that cannot be, %s: %v, %q, %q", what, err, e.Results, e.Failures)
		}
	}
}

// TestBroken checks that a bot's failures count only in recent games since the bot joined. Illegal moves must not
// count.
func TestBroken(t *testing.T) {
	all := played(2, 30)
	for i, e := range all {
		at := 0
		if e.B == 1 {
			at = 1
		}
		switch {
		case i < 25 || i == 27:
			e.Failures[at] = "crashed,crashed"
		case i == 26:
			e.Failures[at] = "illegal,malformed"
		}
		e.Failures[1-at] = "illegal,penalties"
	}
	v := table(t, 2, all, true)
	// The failures are in encounters 20 to 24 and 27, which are among the last 10.
	if n := v.ProcessFailures(v.Bots[0]); n != 12 {
		t.Errorf("%d faults", n)
	}
	if n := v.ProcessFailures(v.Bots[1]); n != 0 {
		t.Errorf("bad moves are %d faults", n)
	}
	v.Bots[0].JoinedAfter = 26
	if n := v.ProcessFailures(v.Bots[0]); n != 2 {
		t.Errorf("%d faults since it came back", n)
	}
}

func TestTallyOfResults(t *testing.T) {
	for results, want := range map[string]rating.Tally{
		"":     {},
		"wl":   {Pairs: [5]int{2: 1}},
		"wwdl": {Pairs: [5]int{1: 1, 4: 1}},
		"wld":  {Pairs: [5]int{2: 1}, Games: [3]int{1: 1}},
	} {
		if got := tallyPairs(results); got != want {
			t.Errorf("tally(%q) = %v, want %v", results, got, want)
		}
		e := &store.Encounter{A: 1, B: 2, Results: results}
		if other := tallyPairs(ResultsFor(e, 2)); other != want.Reversed() || ResultsFor(e, 1) != results ||
			strings.Count(ResultsFor(e, 2), "d") != strings.Count(results, "d") {
			t.Errorf("the other side of %q is %v", results, other)
		}
	}
}
