package arena_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/contests/arena"
)

// python returns the referee of the small game written in Python, which must behave like the one in Go.
func python(t testing.TB) *judge.Program {
	t.Helper()
	const interpreter = "/usr/bin/python3" // the only one visible to programs in tests
	if _, err := os.Stat(interpreter); err != nil {
		t.Skip("no " + interpreter + ": apt-get install python3")
	}
	dir := t.TempDir()
	for name, from := range map[string]string{"heap.py": "testdata", "kit.py": "../../kit", "kit_referee.py": "../../kit"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return &judge.Program{
		Name: "heap.py", Key: "heap.py", Dir: dir,
		Argv: []string{interpreter, judge.ProgramDir + "/heap.py"},
		Env:  []string{markEnv + "=" + mark(), "PYTHONDONTWRITEBYTECODE=1"},
	}
}

// TestARefereeInPython runs the same tournaments with both referees. The games, faults and penalties must be the
// same, even if bots learn, leave, or return.
func TestARefereeInPython(t *testing.T) {
	b := box(t)
	for it, make := range map[string]func() *arena.Tournament{
		"plays": func() *arena.Tournament { return newEvent(b, "one", "all", "good", "comments") },
		"tells of penalties": func() *arena.Tournament {
			e := newEvent(b, "good", "illegal", "malformed", "one")
			e.Rules.Options["errs"] = "1"
			return e
		},
		"has bots learn":  func() *arena.Tournament { return newEvent(b, "remember", "recall", "one", "learn-wrong") },
		"goes on without": func() *arena.Tournament { return newEvent(b, "good", "last", "not-ready", "one", "illegal") },
	} {
		t.Run("it "+it, func(t *testing.T) {
			want := withAnswers(t, run(t, make()).Results)
			e := make()
			e.Referee = python(t)
			if got := withAnswers(t, run(t, e).Results); got != want {
				t.Errorf("in Python\n%s\nin Go\n%s", got, want)
			}
		})
	}
	e := newEvent(b, "one", "all")
	e.Referee = python(t)
	e.Rules.Options["errs"] = "11"
	if _, err := e.Run(t.Context()); !strings.Contains(fmt.Sprint(err), `the option errs is "11": it must be a number from 0 to 10`) {
		t.Errorf("error = %v, want one about errs", err)
	}
}

// withAnswers returns the results as text, with the answers by which a game is replayed to a bot that remembers.
func withAnswers(t *testing.T, r *arena.Results) string {
	t.Helper()
	text := summary(r)
	for i, g := range games(t, r) {
		text += fmt.Sprintln(i+1, g.Answers)
	}
	return text
}
