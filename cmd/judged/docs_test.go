package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHostingPage: every command that docs/hosting.md, docs/class.md and docs/regional.md show is typed by a
// script, perhaps with more flags.
func TestHostingPage(t *testing.T) {
	for file, least := range map[string]int{"hosting.md": 10, "class.md": 8, "regional.md": 2} {
		t.Run(file, func(t *testing.T) { typedCommands(t, file, least) })
	}
}

func typedCommands(t *testing.T, name string, least int) {
	page, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d scripts, %v", len(files), err)
	}
	var typed [][]string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			typed = append(typed, strings.Fields(line))
		}
	}
	shown := 0
	for line := range strings.Lines(string(page)) {
		command, is := strings.CutPrefix(line, "$ ")
		if !is {
			continue
		}
		shown++
		words := strings.Fields(inScripts(command))
		if !slices.ContainsFunc(typed, func(line []string) bool { return inOrder(words, line) }) {
			t.Errorf("no script types %q", words)
		}
	}
	if shown < least {
		t.Errorf("the page shows %d commands", shown)
	}
}

var (
	joining = regexp.MustCompile(`'https://judge\.example/#\.\.\.'`)
	address = regexp.MustCompile(`https://judge\.example`)
)

// inScripts writes a command of the page as scripts do.
func inScripts(command string) string {
	command = strings.NewReplacer(" :8080", " $ONE", " ID", " $ID").Replace(command)
	return address.ReplaceAllString(joining.ReplaceAllString(command, "$$JOIN"), "http://$$ONE")
}

// inOrder says whether the words are among those of a line, in this order; a file may
// stand in the folder above.
func inOrder(words, line []string) bool {
	for _, w := range line {
		if len(words) > 0 && (w == words[0] || w == "../"+words[0]) {
			words = words[1:]
		}
	}
	return len(words) == 0
}
