package arena_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/contests/arena"
)

// TestPartsMakeOneEvent checks that a tournament played in many parts has the same results as one played as a
// whole. The parts arrive in any order, some of them twice, and a fault disqualifies a bot. With ASSAY_SLOW=1, it
// plays 10,000 games in 300 parts.
func TestPartsMakeOneEvent(t *testing.T) {
	rounds, parts := 6, 12
	if os.Getenv("ASSAY_SLOW") == "1" {
		rounds, parts = 850, 300 // six pairs without the disqualified bot, with two games each
	}
	b := box(t)
	event := func() *arena.Tournament {
		e := newEvent(b, "one", "good", "rare", "all", "one:2")
		e.Rules.Rounds = rounds
		e.Rules.Costs[arena.Illegal] = arena.CostTournament
		return e
	}
	whole := event()
	opened := &arena.Opened{}
	whole.Sink = func(line []byte) error {
		if r, err := arena.ReadRecord(line); err != nil || r.Opened == nil {
			return err
		} else {
			opened = r.Opened
		}
		return nil
	}
	want := run(t, whole).Results
	if len(want.Disqualified) != 1 || want.Disqualified[0].Bot != 3 {
		t.Fatalf("out are %+v, want the third bot", want.Disqualified)
	}

	first, err := json.Marshal(&arena.Record{Opened: opened})
	if err != nil {
		t.Fatal(err)
	}
	log := append(first, '\n')
	schedule := arena.Formats()[opened.Rules.Format](&opened.Rules)
	draw := rand.New(rand.NewPCG(12, 13))
	for {
		held, err := arena.ReadLog(bytes.NewReader(log), "")
		if err != nil || len(held.Damaged) > 0 {
			t.Fatal(err, held.Damaged)
		}
		so, todo, err := held.Evaluate(schedule)
		if err != nil {
			t.Fatal(err)
		}
		if todo.IsComplete() {
			if got := untimed(t, so); got != untimed(t, want) {
				t.Errorf("in parts:\n%s\nin one go:\n%s", got, untimed(t, want))
			}
			return
		}
		batches := split(todo.Encounters, parts)
		batches = append(batches, batches[draw.IntN(len(batches))])
		draw.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
		for _, batch := range batches {
			e := event()
			e.Only, e.Opened, e.Jobs = batch, opened, 1
			e.Bots = slices.DeleteFunc(e.Bots, func(c *arena.Contestant) bool {
				i := slices.IndexFunc(opened.Bots, func(b arena.Bot) bool { return b.Name == c.Name })
				id := opened.Bots[i].ID
				return !slices.ContainsFunc(batch, func(o arena.Encounter) bool { return o.A == id || o.B == id })
			})
			var lines []string
			e.Sink = func(line []byte) error { lines = append(lines, string(line)); return nil }
			run(t, e)
			draw.Shuffle(len(lines)-1, func(i, j int) { lines[i+1], lines[j+1] = lines[j+1], lines[i+1] })
			log = append(log, strings.Join(lines, "")...)
		}
	}
}

// split splits encounters into batches, whose number is about the given number of parts. Each batch contains
// encounters of a single pair.
func split(all []arena.Encounter, parts int) (batches [][]arena.Encounter) {
	most := max(1, len(all)/parts)
	at := map[[2]int]int{}
	for _, e := range all {
		pair := [2]int{min(e.A, e.B), max(e.A, e.B)}
		i, open := at[pair]
		if !open || len(batches[i]) == most {
			i, at[pair] = len(batches), len(batches)
			batches = append(batches, nil)
		}
		batches[i] = append(batches[i], e)
	}
	return batches
}

// untimed formats the results and the games without times.
func untimed(t *testing.T, r *arena.Results) string {
	t.Helper()
	var b strings.Builder
	results := *r
	results.Games = slices.Clone(r.Games)
	for i := range results.Games {
		g := &results.Games[i]
		g.Slowest, g.Used = [2]int32{}, [2]float64{}
	}
	if err := json.NewEncoder(&b).Encode(&results); err != nil {
		t.Fatal(err)
	}
	for _, g := range games(t, r) {
		g.Run, g.Micros, g.Used = 0, nil, [2]float64{}
		if err := json.NewEncoder(&b).Encode(g); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestAPartNeedsItsBots checks that a part with a missing bot is rejected before any game is played.
func TestAPartNeedsItsBots(t *testing.T) {
	b := box(t)
	e := newEvent(b, "one", "good")
	e.Opened = &arena.Opened{Rules: e.Rules, Seed: e.Seed, Game: e.Game, Bots: []arena.Bot{
		{ID: 4, Name: "one"}, {ID: 7, Name: "good"}, {ID: 9, Name: "all"},
	}}
	e.Only = []arena.Encounter{{Round: 1, A: 4, B: 9, Games: 1}}
	if _, err := e.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "bot 9 has a game") {
		t.Errorf("a part without one of its bots: %v", err)
	}
	e.Only = []arena.Encounter{{Round: 3, A: 7, B: 4, Games: 2}}
	so := run(t, e).Results
	if len(so.Games) != 2 || so.Games[0].First != 7 || so.Games[0].Round != 3 || len(so.Bots) != 3 {
		t.Errorf("a part has %+v of %d bots", so.Games, len(so.Bots))
	}
}

// TestAGameIsLoggedWhenItEnds checks that a game is logged when it ends, and again when slow bots have processed
// the result. If the judge is stopped in between, the game must be replayed.
func TestAGameIsLoggedWhenItEnds(t *testing.T) {
	e := newEvent(box(t), "learn-slowly", "one")
	e.Rules.Rounds, e.Jobs = 1, 1
	var early, late []*arena.Game
	var log []byte
	e.Sink = func(line []byte) error {
		r, err := arena.ReadRecord(line)
		if err != nil {
			return err
		}
		switch {
		case r.Game != nil && r.Game.Learning:
			early = append(early, r.Game)
		case r.Game != nil:
			late = append(late, r.Game)
		}
		if len(late) == 0 {
			log = append(log, line...)
		}
		return nil
	}
	so := run(t, e).Results
	if len(early) != 2 || len(late) != 2 || len(so.Games) != 2 {
		t.Fatalf("%d games were logged when they ended, and %d when the bots knew; %d count", len(early), len(late), len(so.Games))
	}
	for i := range early {
		if early[i].Key() != late[i].Key() || !slices.Equal(early[i].Moves, late[i].Moves) ||
			early[i].Winner != late[i].Winner || early[i].Reason != late[i].Reason {
			t.Errorf("first %+v, then %+v", early[i], late[i])
		}
	}
	held, err := arena.ReadLog(bytes.NewReader(log), "")
	if err != nil || len(held.Damaged) > 0 {
		t.Fatal(err, held.Damaged)
	}
	if shown, err := held.Replay(); err != nil || len(shown.Games) != 1 {
		t.Errorf("the game is not shown: %v", err)
	}
	schedule := arena.Formats()[e.Rules.Format](&e.Rules)
	if counted, todo, err := held.Evaluate(schedule); err != nil || len(counted.Games) != 0 || todo.Requested != 2 {
		t.Errorf("it counts before its bots know: %+v, %v", counted.Games, err)
	}
}

// TestAGameIsLoggedBeforeASlowOne checks that a finished game is logged before the next game ends.
func TestAGameIsLoggedBeforeASlowOne(t *testing.T) {
	for name, referee := range map[string]func(testing.TB) *judge.Program{
		"referee in Go":     func(testing.TB) *judge.Program { return program("referee") },
		"referee in Python": python,
	} {
		t.Run(name, func(t *testing.T) { logsBeforeASlowOne(t, referee(t)) })
	}
}

func logsBeforeASlowOne(t *testing.T, referee *judge.Program) {
	e := newEvent(box(t), "held", "good")
	e.Referee = referee
	e.Rules.Rounds, e.Rules.Games, e.Rules.Move, e.Jobs = 1, 3, time.Minute, 1
	dir := beside(t, e.Bots[0])
	logged := 0
	e.Sink = func(line []byte) error {
		if !strings.HasPrefix(string(line), `{"game"`) {
			return nil
		}
		logged++
		return os.WriteFile(filepath.Join(dir, fmt.Sprint("logged-", logged)), nil, 0o644)
	}
	for _, g := range run(t, e).Results.Games {
		if g.Reason != "last-one" {
			t.Errorf("the next game began before this one was logged: %+v", g)
		}
	}
	if logged != 3 {
		t.Errorf("%d games were logged", logged)
	}
}

// beside gives a bot a program directory of its own, in which the test can create files. It returns the directory.
func beside(t *testing.T, bot *arena.Contestant) (dir string) {
	t.Helper()
	own := *bot.Program
	dir = t.TempDir()
	if err := os.Link(filepath.Join(own.Dir, filepath.Base(own.Argv[0])), filepath.Join(dir, filepath.Base(own.Argv[0]))); err != nil {
		t.Fatal(err)
	}
	own.Dir, own.Key = dir, dir
	bot.Program = &own
	return dir
}

// TestABotThatComesBackRemembers checks a bot that is restarted because the machine delayed its third game. The
// results must be the same as without the delay.
func TestABotThatComesBackRemembers(t *testing.T) {
	var want string
	for _, waits := range []bool{false, true} {
		e := newEvent(box(t), "held-recall", "recall", "remember", "good")
		e.Rules.Move, e.Rules.Wall, e.Jobs = 3*time.Second, 1, 1
		dir := beside(t, e.Bots[0])
		log := func(n int) {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("logged-", n)), nil, 0o644); err != nil {
				t.Error(err)
			}
		}
		for n := range 20 {
			if n != 2 || !waits {
				log(n)
			}
		}
		ended := make(chan *arena.Outcome, 1)
		go func() {
			out, err := e.Run(t.Context())
			if err != nil {
				t.Error(err)
			}
			ended <- out
		}()
		if waits {
			until := func(what string, is func(now []string) bool) {
				for end := time.Now().Add(3 * time.Minute); !is(leftOver(t, "held-recall")); time.Sleep(5 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatal("never:", what)
					}
				}
			}
			var first []string
			until("it plays", func(now []string) bool { first = now; return len(now) > 0 })
			until("it was ended", func(now []string) bool { return !slices.Contains(now, first[0]) })
			log(2)
		}
		out := <-ended
		if out == nil || !out.Complete {
			t.Fatal("the event is not over")
		}
		got := summary(out.Results)
		if !waits {
			want = got
		}
		if got != want {
			t.Errorf("after it was kept waiting:\n%s\nelse:\n%s", got, want)
		}
	}
}
