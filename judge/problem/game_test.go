package problem_test

import (
	"errors"
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
directory = "adapter"
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

func openGame(t *testing.T, text string) (*problem.Directory, judge.ProblemErrors) {
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
		{"wants adapters to say whom they are for", `as = "bot"`, "", "has no extensions"},
		{"refuses forms that are not expressions", `'def two'`, `"["`, "missing closing"},
		{"refuses a wall limit below the CPU's", `clock = "30s"`, "wall = 0.5", "cannot be less"},
		{
			"wants statements inside the directory", `referee =`, "statement = \"../game.md\"\nreferee =",
			`"../game.md" is not inside the problem directory`,
		},
		{"wants statements in Markdown", `referee =`, "statement = \"game.txt\"\nreferee =", `"game.txt" is not Markdown`},
		{
			"wants examples inside the directory", `referee =`, "examples = [\"a.py\", \"/b.py\"]\nreferee =",
			`problem.toml:3:21: the example "/b.py" is not inside the problem directory`,
		},
		{"knows keys", `referee =`, "statment = \"game.md\"\nreferee =", `statment`},
		{
			"knows the options that have a meaning", "[[game.adapter]]",
			"[game.meanings]\nsice = \"how large\"\n[[game.adapter]]", `unknown option "sice"`,
		},
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

func TestGameTexts(t *testing.T) {
	text := strings.Replace(goodGame, "referee =", "statement = \"game/text.md\"\nexamples = [\"game/a.py\", \"game/b.py\"]\nreferee =", 1)
	for _, tt := range []struct {
		it, a string
		make  func(dir string) error
		want  string // text in the faults of Lint; if empty, there are none
	}{
		{it: "takes texts", a: "print()"},
		{
			it: "wants them to be there", a: "x",
			make: func(dir string) error { return os.Remove(filepath.Join(dir, "game/b.py")) },
			want: `problem.toml:4:26: `,
		},
		{
			it: "says which is missing", a: "x",
			make: func(dir string) error { return os.Remove(filepath.Join(dir, "game/text.md")) },
			want: "game/text.md: no such file",
		},
		{it: "wants something in them", a: " \n", want: "a.py is empty"},
		{it: "wants UTF-8", a: "\xff", want: "a.py: the text is not UTF-8"},
		{it: "bounds them", a: strings.Repeat("x", 256<<10+1), want: "a.py: the text has more than 256 KiB"},
		{it: "wants files", a: "x", make: func(dir string) error {
			path := filepath.Join(dir, "game/b.py")
			return errors.Join(os.Remove(path), os.Mkdir(path, 0o755))
		}, want: "b.py: not a file"},
		{it: "follows no link out of the directory", a: "x", make: func(dir string) error {
			path := filepath.Join(dir, "game/b.py")
			return errors.Join(os.Remove(path), os.Symlink("/etc/passwd", path))
		}, want: "b.py: "},
	} {
		t.Run("it "+tt.it, func(t *testing.T) {
			f, faults := openGame(t, text)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			if f.Game.Statement != filepath.Join(f.Dir, "game/text.md") || len(f.Game.Examples) != 2 ||
				f.Game.Examples[1] != filepath.Join(f.Dir, "game/b.py") {
				t.Fatalf("%+v", f.Game)
			}
			if err := os.Mkdir(filepath.Join(f.Dir, "game"), 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"statement.md": "# X", "game/text.md": "# Game", "game/a.py": tt.a, "game/b.py": "print()"} {
				if err := os.WriteFile(filepath.Join(f.Dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if tt.make != nil {
				if err := tt.make(f.Dir); err != nil {
					t.Fatal(err)
				}
			}
			got := f.Lint().Error()
			if tt.want == "" && strings.Contains(got, "game/") || !strings.Contains(got, tt.want) {
				t.Errorf("faults:\n%s\nwant %q", got, tt.want)
			}
		})
	}
}
