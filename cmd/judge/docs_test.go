package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestTutorialHasTheBotsThatAreTried: the bots of the tutorial are those that a script
// has play against each other.
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
