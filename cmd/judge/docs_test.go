package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/cmd/internal/cli"
)

// TestTutorialHasTheBotsThatAreTried checks that the tutorial's bots are the same as those that play in a test
// script.
func TestTutorialHasTheBotsThatAreTried(t *testing.T) {
	doc, err := os.ReadFile("../../docs/arena.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := txtar.ParseFile("testdata/script/arena_tutorial.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(script.Files) != 3 {
		t.Fatalf("the script has %d bots, want 3", len(script.Files))
	}
	for _, f := range script.Files {
		if !strings.Contains(string(doc), "```python\n"+string(f.Data)+"```\n") {
			t.Errorf("docs/arena.md does not have %s as the script has it", f.Name)
		}
		if !strings.Contains(string(doc), "`"+f.Name+"`") {
			t.Errorf("docs/arena.md does not name %s", f.Name)
		}
	}
}

// TestNimOfTheDocsIsAGame checks the Go and Python referees that problems/README.md shows. Each must be identical
// to the referee of a directory that contains only a game and passes verification.
func TestNimOfTheDocsIsAGame(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3: apt-get install python3")
	}
	page, err := os.ReadFile("../../problems/README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	do := func(args ...string) {
		t.Helper()
		var out bytes.Buffer
		if code := run(t.Context(), args, &console{in: strings.NewReader(""), out: &out, err: &out}); code != cli.ExitAccepted {
			t.Fatalf("judge %s: exit code %d\n%s", strings.Join(args, " "), code, &out)
		}
	}
	do("init", ".", "--lang", "python")
	do("new", "nim", "--kind", "game", "--lang", "python")
	game := "title = \"Nim\"\n[game]\nreferee = \"referee\"\ntester = \"tester\"\ngraded = [\"random\", \"perfect\"]\n[[game.rules]]\n" +
		"name = \"nim\"\nrounds = 20\n"
	if err := os.WriteFile("problems/nim/problem.toml", []byte(game), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct{ kind, marks, file, head, tail string }{
		{"python", "import kit_referee", "main.py", "", ""},
		{
			"go", "referee.Main(referee.Rules{", "main.go",
			"package main\n\nimport (\n\"fmt\"\n\"strconv\"\n\n\"assay/judge/kit/referee\"\n)\n\nfunc main() {\n",
			"}\n",
		},
	} {
		found := 0
		for _, block := range fenced(string(page)) {
			if block.kind != of.kind || !strings.Contains(block.text, of.marks) {
				continue
			}
			found++
			for _, err := range []error{os.RemoveAll("problems/nim/referee"), os.Mkdir("problems/nim/referee", 0o755), os.WriteFile(
				"problems/nim/referee/"+of.file, []byte(of.head+block.text+of.tail), 0o644,
			)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			do("verify", "nim")
		}
		if found != 1 {
			t.Errorf("problems/README.md shows %d referees in %s, want 1", found, of.kind)
		}
	}
}
