package problem_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/packages"
	"assay/judge/problem"
)

const goodGame = `title = "x"
[game]
referee = "referee.go"
[game.options]
size = 5
fast = true
[[game.adapter]]
folder = "adapter"
extensions = ["py"]
as = "bot"
main = ['def play']
unless = ['ready']
[[game.rules]]
name = "one"
[[game.rules]]
name = "two"
form = 'def two'
clock = "30s"
[game.rules.options]
size = 7
[game.rules.costs]
crashed = "event"
`

func openGame(t *testing.T, text string) (*problem.Folder, judge.Faults) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{"problem.toml": text, "referee.go": "package main", "adapter/main.py": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return problem.Open(packages.Formats, dir, filepath.Join(dir, "tests"), judge.Limits{})
}

func TestGame(t *testing.T) {
	f, faults := openGame(t, goodGame)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	one, two := f.Game.Rules[0], f.Game.Rules[1]
	if one.Options["size"] != "5" || one.Options["fast"] != "yes" || two.Options["size"] != "7" {
		t.Errorf("options %v and %v", one.Options, two.Options)
	}
	if one.Format != "round-robin" || one.Rounds != 1 || one.Games != 1 || one.Move == 0 || one.Wall < 1 || one.Memory == 0 {
		t.Errorf("without what is usual: %+v", one)
	}
	if two.Move != 0 || two.Clock != 30*time.Second || two.Costs["crashed"] != "event" {
		t.Errorf("the second: %+v", two)
	}
	if one.Form != nil || !two.Form.MatchString("def two") {
		t.Errorf("forms %v and %v", one.Form, two.Form)
	}
	a := f.Game.Adapters[0]
	for text, want := range map[string]bool{"def play": true, "def play ready": false, "ready": false, "x": true} {
		if a.Takes("py", []byte(text)) != want {
			t.Errorf("takes %q: %v", text, !want)
		}
	}
	if a.Takes("go", []byte("def play")) {
		t.Error("takes another extension")
	}
}

func TestGameFaults(t *testing.T) {
	for _, tt := range []struct{ it, old, new, want string }{
		{"names a referee that is not there", `"referee.go"`, `"gone"`, `program "gone"`},
		{"wants a referee", `referee = "referee.go"`, ``, "the game has no referee"},
		{"wants rules", "[[game.rules]]", "[[group]]", "the game has no rules"},
		{"knows the options", "size = 7", "sice = 7", `unknown option "sice"`},
		{"wants names of rules", `name = "one"`, "", "the rule set has no name"},
		{"wants distinct names", `name = "one"`, `name = "two"`, `two rule sets "two"`},
		{"knows what faults cost", `crashed = "event"`, `crashed = "much"`, `cannot cost "much"`},
		{"refuses expressions that are none", "'def play'", "'('", "missing closing"},
		{"wants adapters to say whom they are for", `as = "bot"`, "", "does not say which bots"},
		{"refuses forms that are not expressions", `'def two'`, `"["`, "missing closing"},
		{"refuses a wall limit below the CPU's", `clock = "30s"`, "wall = 0.5", "cannot be less"},
		{"knows kinds of bots", `referee =`, "bots = \"people\"\nreferee =", `unknown kind of bots "people"`},
	} {
		t.Run("it "+tt.it, func(t *testing.T) {
			_, faults := openGame(t, strings.ReplaceAll(goodGame, tt.old, tt.new))
			text := faults.Error()
			if !strings.Contains(text, tt.want) || !strings.Contains(text, "problem.toml") {
				t.Errorf("faults:\n%s\nwant %q", text, tt.want)
			}
		})
	}
}
