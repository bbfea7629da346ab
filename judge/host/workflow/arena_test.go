package workflow

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"assay/judge/blob"
	"assay/judge/contests/arena"
	"assay/judge/host/job"
)

// arenaSpec returns a tournament with the given number of bots.
func arenaSpec(t *testing.T, bots int) *Spec {
	t.Helper()
	o := ArenaOptions{Seed: 7}
	var files []job.File
	for i := range bots {
		at := fmt.Sprintf("%d/bot.py", i+1)
		o.Bots = append(o.Bots, ArenaBot{Path: at, File: "bot.py"})
		files = append(files, job.File{Path: at, Size: 1, Digest: blob.DigestOf([]byte(at))})
	}
	return spec(t, Arena, o, files...)
}

// openedPart returns the part that opens a tournament.
func openedPart(t *testing.T, bots int, pure bool, rules arena.Rules) (TaskResult, *arena.Opened) {
	t.Helper()
	o := &arena.Opened{Version: arena.Version, Game: "sum", Rules: rules, Seed: 7}
	a := ArenaOpened{Opened: o, NoMemory: pure}
	for i := range bots {
		o.Bots = append(o.Bots, arena.Bot{ID: i + 1, Name: fmt.Sprint("bot", i+1), Hash: fmt.Sprint(i)})
		a.Records = append(a.Records, &arena.Record{Ready: &arena.Ready{Bot: i + 1, Pure: pure}})
	}
	return TaskResult{Key: OpeningKey, State: job.Done, Output: output(t, a), Events: blob.DigestOf([]byte(OpeningKey))}, o
}

// playedPart returns the result of a job of kind Games. Bot 3 has a failure in round 5 that disqualifies it. The
// duration of a game depends on the ids of its bots.
func playedPart(t *testing.T, j Task) (p TaskResult, games []arena.Key) {
	t.Helper()
	var o GamesOptions
	if err := json.Unmarshal(j.Work.Options, &o); err != nil {
		t.Fatal(err)
	}
	played := ArenaPlayed{Bytes: 600}
	for _, e := range o.Only {
		for _, k := range e.Keys() {
			g := &arena.Game{Round: k.Round, Leg: k.Leg, First: k.First, Second: k.Second, Winner: 1 + k.Leg%2, Reason: "over"}
			if k.Round == 5 && k.Second == 3 {
				g.Fault = &arena.GameFault{Seat: 2, Kind: arena.Crashed}
			}
			played.Records = append(played.Records, &arena.Record{Game: g})
			played.SecondsPerGame = float64(k.First*k.Second) / 20
			games = append(games, k)
		}
	}
	return TaskResult{Key: j.Key, State: job.Done, Output: output(t, played)}, games
}

var roundRobin = arena.Rules{
	Name: "s1", Format: "round-robin", Rounds: 10, Games: 2, Score: arena.Score{Criterion: arena.ByGame},
	Costs: map[arena.Fault]arena.Cost{arena.Crashed: arena.CostTournament},
}

// TestAnEventIsPlanned checks that each game is played once in any order of jobs, except the games of a
// disqualified bot. The plan must not depend on the order of the parts, and a repeated part must change nothing.
func TestAnEventIsPlanned(t *testing.T) {
	seeds := uint64(2)
	if os.Getenv("ASSAY_SLOW") != "" {
		seeds = 8
	}
	for seed := range seeds {
		for _, format := range arena.FormatNames() {
			rules := roundRobin
			rules.Format = format
			if seed%2 == 1 {
				rules.Rounds, rules.Games = 5, 24 // encounters are divided into several jobs
			}
			eventIsPlanned(t, rules, rand.New(rand.NewPCG(seed, 3)))
		}
	}
}

func eventIsPlanned(t *testing.T, rules arena.Rules, draw *rand.Rand) {
	t.Helper()
	s := arenaSpec(t, 4)
	if keys, _ := next(t, s, nil); keys != OpeningKey {
		t.Fatalf("first comes %q", keys)
	}
	opening, opened := openedPart(t, 4, true, rules)
	parts := []TaskResult{opening}
	waiting := map[string]Task{}
	times := map[arena.Key]int{}
	for {
		keys, step := next(t, s, parts)
		if len(parts)%5 == 1 {
			again := slices.Clone(parts)
			again = append(again, parts[draw.IntN(len(parts))])
			draw.Shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
			if other, _ := next(t, s, again); other != keys {
				t.Fatalf("the same parts in another order: %q, and not %q", other, keys)
			}
		}
		for _, j := range step.Tasks {
			if _, known := waiting[j.Key]; !known { // as in the store, a known key is ignored
				waiting[j.Key] = j
			}
		}
		if step.Done {
			break
		}
		if len(waiting) == 0 {
			t.Fatal("nothing is planned, and it is not over")
		}
		all := slices.Sorted(func(yield func(string) bool) {
			for k := range waiting {
				if !yield(k) {
					return
				}
			}
		})
		j := waiting[all[draw.IntN(len(all))]]
		delete(waiting, j.Key)
		p, games := playedPart(t, j)
		parts = append(parts, p)
		for _, k := range games {
			times[k]++
		}
	}
	so, todo := slowly(t, opened, parts)
	if !todo.IsComplete() {
		t.Errorf("%s: it is said to be over, and %v is missing", rules.Format, todo.Encounters)
	}
	for i := range so.Games {
		if times[so.Games[i].Key()] != 1 {
			t.Errorf("%s: %v was played %d times", rules.Format, so.Games[i].Key(), times[so.Games[i].Key()])
		}
	}
	if most := 40 + todo.Requested/2; len(parts) > most {
		t.Errorf("%s: %d games in %d jobs", rules.Format, todo.Requested, len(parts))
	}
}

// slowly computes the results of the parts from one log.
func slowly(t *testing.T, o *arena.Opened, parts []TaskResult) (*arena.Results, *arena.RemainingGames) {
	t.Helper()
	g, err := arena.NewRemoteTournament("")
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	add := func(records ...*arena.Record) {
		for _, r := range records {
			if err := g.Add(output(t, r)); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(&arena.Record{Opened: o})
	for _, p := range parts {
		var of struct{ Records []*arena.Record }
		if err := json.Unmarshal(p.Output, &of); err != nil {
			t.Fatal(err)
		}
		add(of.Records...)
	}
	so, todo, err := g.Results()
	if err != nil {
		t.Fatal(err)
	}
	return so, todo
}

// TestJobsOfGames checks that a job contains only one pair and the files of its bots. It also checks that the
// number of games follows from the time that the first games took.
func TestJobsOfGames(t *testing.T) {
	s := arenaSpec(t, 3)
	opening, _ := openedPart(t, 3, true, roundRobin)
	keys, step := next(t, s, []TaskResult{opening})
	if keys != "games 2-3 first, games 1-3 first, games 1-2 first" && keys != "games 1-2 first, games 1-3 first, games 2-3 first" {
		t.Errorf("first come %q", keys)
	}
	parts := []TaskResult{opening}
	for _, j := range step.Tasks {
		p, games := playedPart(t, j)
		parts = append(parts, p)
		if len(games) != 2 || len(j.Work.Files) != 2 ||
			strings.Contains(j.Work.Files[0].Path+j.Work.Files[1].Path, "1/") != strings.Contains(j.Key, "1-") {
			t.Errorf("%s has %d games and the files %v", j.Key, len(games), j.Work.Files)
		}
	}
	_, step = next(t, s, parts)
	count := map[string]int{}
	for _, j := range step.Tasks {
		_, games := playedPart(t, j)
		pair := j.Key[:9]
		count[pair]++
		if len(games) > 20 && pair == "games 1-2" || len(games) > 6 && pair == "games 2-3" {
			t.Errorf("%s has %d games", j.Key, len(games))
		}
	}
	if fmt.Sprint(count) != "map[games 1-2:1 games 1-3:2 games 2-3:4]" {
		t.Errorf("jobs of each pair: %v", count)
	}
}

// TestJobsCutEncounters checks that a long encounter is divided, starting with a few games. Short encounters stay
// whole.
func TestJobsCutEncounters(t *testing.T) {
	for _, c := range []struct {
		rounds, games int
		first         int
		want          string
	}{
		{1, 60, 4, "games 1-2 0, games 1-2 20, games 1-2 40"},
		{20, 3, 3, "games 1-2 0, games 1-2 18, games 1-2 36, games 1-2 54"},
	} {
		rules := roundRobin
		rules.Rounds, rules.Games = c.rounds, c.games
		s := arenaSpec(t, 2)
		opening, _ := openedPart(t, 2, true, rules)
		_, step := next(t, s, []TaskResult{opening})
		p, games := playedPart(t, step.Tasks[0])
		if len(games) != c.first {
			t.Errorf("%d games of %d rounds: the first job has %d", c.games, c.rounds, len(games))
		}
		if keys, _ := next(t, s, []TaskResult{opening, p}); keys != c.want {
			t.Errorf("%d games of %d rounds: then come %s", c.games, c.rounds, keys)
		}
	}
}

// TestAHistoryIsPlanned checks that slices are planned one after the other, each with all earlier ones.
func TestAHistoryIsPlanned(t *testing.T) {
	s := arenaSpec(t, 2)
	opening, _ := openedPart(t, 2, false, roundRobin)
	parts := []TaskResult{opening}
	for n := 1; n <= 3; n++ {
		keys, step := next(t, s, parts)
		if keys != SliceKey(n) {
			t.Fatalf("after %d slices comes %q", n-1, keys)
		}
		var o GamesOptions
		if err := json.Unmarshal(step.Tasks[0].Work.Options, &o); err != nil {
			t.Fatal(err)
		}
		before := step.Tasks[0].Work.Lines
		if len(before) != n || before[n-1] != parts[n-1].Events || o.Only != nil || len(o.Bots) != 2 || o.Bots[1].Name != "bot2" {
			t.Errorf("slice %d: %+v", n, o)
		}
		parts = append(parts, TaskResult{Key: keys, State: job.Done, Output: output(t, ArenaPlayed{Over: n == 3}),
			Events: blob.DigestOf([]byte(keys))})
	}
	if keys, step := next(t, s, parts); keys != "" || !step.Done || step.Failed != "" {
		t.Errorf("after the last: %q, %+v", keys, step)
	}
}

// TestAnEventThatFails checks that the first failed job ends the tournament.
func TestAnEventThatFails(t *testing.T) {
	s := arenaSpec(t, 2)
	failed := TaskResult{Key: OpeningKey, State: job.Failed, Reason: "sylver has no rules"}
	if _, step := next(t, s, []TaskResult{failed}); !step.Done || step.Failed != failed.Reason {
		t.Errorf("%+v", step)
	}
	opening, _ := openedPart(t, 2, true, roundRobin)
	// A job that plays no games is not repeated forever.
	parts := []TaskResult{opening}
	for range 50 {
		step, err := Next(s, parts)
		if err != nil {
			if !strings.Contains(err.Error(), "have not played the games 1-2") {
				t.Error(err)
			}
			return
		}
		for _, j := range step.Tasks {
			parts = append(parts, TaskResult{Key: j.Key, State: job.Done, Output: output(t, ArenaPlayed{})})
		}
	}
	t.Error("it is asked for for ever")
}

// TestLookIsPlanned checks that there is one job per file.
func TestLookIsPlanned(t *testing.T) {
	s := spec(t, Analysis, AnalysisOptions{&arena.Opened{}}, job.File{Path: "1", Digest: blob.DigestOf(nil)},
		job.File{Path: "26", Digest: blob.DigestOf(nil)})
	keys, step := next(t, s, nil)
	if keys != "look 1, look 26" || len(step.Tasks[1].Work.Files) != 1 || step.Tasks[1].Work.Files[0].Path != "26" {
		t.Errorf("%q", keys)
	}
	parts := []TaskResult{{Key: "look 26", State: job.Done}, {Key: "look 1", State: job.Failed, Reason: "no"}}
	if _, step := next(t, s, parts); !step.Done || step.Failed != "no" {
		t.Errorf("%+v", step)
	}
}

// BenchmarkNext plans a tournament of 10,000 games; only the last games of one pair are missing.
func BenchmarkNext(b *testing.B) {
	t := &testing.T{}
	s := arenaSpec(t, 10)
	rules := roundRobin
	rules.Rounds, rules.Costs = 112, nil
	opening, _ := openedPart(t, 10, true, rules)
	parts := []TaskResult{opening}
	for range 2 {
		step, err := Next(s, parts)
		if err != nil {
			b.Fatal(err)
		}
		for _, j := range step.Tasks {
			p, _ := playedPart(t, j)
			parts = append(parts, p)
		}
	}
	parts = parts[:len(parts)-1]
	for b.Loop() {
		step, err := Next(s, parts)
		if err != nil || step.Done {
			b.Fatal(step, err)
		}
	}
	b.ReportMetric(float64(len(parts)), "parts")
}
