package arena_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge/contests/arena"
)

// TestAGatheredEvent checks that a gathered tournament has the same results as the original, and that its log can
// be read and resumed. One tournament has a disqualified bot, and another has bots that remember.
func TestAGatheredEvent(t *testing.T) {
	for _, remembers := range []bool{false, true} {
		b := box(t)
		event := func() *arena.Tournament {
			e := newEvent(b, "one", "good", "rare", "all")
			if remembers {
				e = newEvent(b, "one", "remember", "good")
			}
			e.Rules.Rounds = 6
			e.Rules.Costs[arena.Illegal] = arena.CostTournament
			return e
		}
		var lines [][]byte
		whole := event()
		whole.Sink = func(line []byte) error {
			r, err := arena.ReadRecord(line)
			if err == nil && (remembers || r.Over == nil && r.Lots == nil && (r.Out == nil || r.Out.Game == nil)) {
				lines = append(lines, slices.Clone(line))
			}
			return err
		}
		want := run(t, whole).Results
		path := filepath.Join(t.TempDir(), "log.jsonl")
		g, err := arena.NewRemoteTournament(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := g.Results(); err == nil {
			t.Error("there are results before the event is open")
		}
		for i := range lines {
			if err := g.Add(lines[i]); err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 { // add a duplicate, which must be ignored
				if r, _ := arena.ReadRecord(lines[i]); r.Game == nil {
					if err := g.Add(lines[i]); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		out, err := g.Finish()
		if err != nil || !out.Complete {
			t.Fatalf("it ends with %+v, %v", out, err)
		}
		if got := untimed(t, out.Results); got != untimed(t, want) {
			t.Errorf("gathered:\n%s\nheld:\n%s", got, untimed(t, want))
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		again := event()
		again.LogPath = path
		if out := run(t, again); out.Played != 0 || !out.Complete || len(out.Results.Disqualified) != len(want.Disqualified) {
			t.Errorf("gone on with its log: %d games were played, out are %+v", out.Played, out.Results.Disqualified)
		}
		if _, err := arena.NewRemoteTournament(path); err == nil || !strings.Contains(err.Error(), "already has games") {
			t.Errorf("a log that is there: %v", err)
		}
	}
}

// TestGreet checks that every bot reports about itself and that no game is played. A bot that does not become
// ready must be disqualified.
func TestGreet(t *testing.T) {
	e := newEvent(box(t), "one", "good", "gone")
	var ready, out, games int
	e.Sink = func(line []byte) error {
		r, err := arena.ReadRecord(line)
		switch {
		case err != nil:
			return err
		case r.Ready != nil:
			ready++
		case r.Out != nil && r.Out.Bot == 3 && r.Out.Fault.Kind == arena.InitFailed:
			out++
		case r.Game != nil || r.Over != nil:
			games++
		}
		return nil
	}
	if _, err := e.Greet(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ready != 2 || out != 1 || games != 0 {
		t.Errorf("%d are ready, %d out, %d games", ready, out, games)
	}
}

// TestAPartOfABotThatIsNotReady checks that a part of a tournament ends although one of its bots does not become
// ready. The part must report the disqualification, and the games of the other bots.
func TestAPartOfABotThatIsNotReady(t *testing.T) {
	e := newEvent(box(t), "one", "good", "gone")
	e.Opened = &arena.Opened{Rules: e.Rules, Seed: e.Seed, Game: e.Game, Bots: []arena.Bot{
		{ID: 1, Name: "one"}, {ID: 2, Name: "good"}, {ID: 3, Name: "gone"},
	}}
	e.Only = []arena.Encounter{{Round: 1, A: 1, B: 3, Games: 2}, {Round: 1, A: 1, B: 2, Games: 2, Offset: 4}}
	so := run(t, e).Results
	if len(so.Disqualified) != 1 || so.Disqualified[0].Bot != 3 || len(so.Games) != 2 || so.Games[0].Leg != 5 || so.Games[0].First != 1 {
		t.Errorf("out are %+v, played %+v", so.Disqualified, so.Games)
	}
}

// TestAlong checks that Companions returns exactly the files that a bot's text imports or names, directly or
// indirectly.
func TestAlong(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"bot.py": "import helper\nfrom lib.deep import x\nopen('table.txt')\nother = 1\n", "helper.py": "import more", "more.py": "1",
		"other.py": "2", "table.txt": "3", "lib/deep.py": "4", "lib/too.py": "5", "unused/x.py": "6", ".hidden": "7",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := strings.Join(arena.Companions(filepath.Join(dir, "bot.py")), " ")
	if want := filepath.FromSlash("helper.py lib/deep.py lib/too.py more.py table.txt"); got != want {
		t.Errorf("along come %s, want %s", got, want)
	}
	if got := arena.Companions(dir); got != nil {
		t.Errorf("with a directory come %v", got)
	}
}
