package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/judge/running/config"
)

// TestPagesOfDocs checks that a script runs every command that these pages show. The script may add flags to a
// command.
func TestPagesOfDocs(t *testing.T) {
	for file, least := range map[string]int{"hosting.md": 10, "workers.md": 8, "operations.md": 8, "class.md": 8, "regional.md": 2} {
		t.Run(file, func(t *testing.T) { typedCommands(t, file, least) })
	}
}

// TestSettings checks that the table in docs/hosting.md lists all keys of [server] with their defaults.
func TestSettings(t *testing.T) {
	page, err := os.ReadFile("../../docs/hosting.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../judge.toml")
	if err != nil {
		t.Fatal(err)
	}
	_, server, _ := strings.Cut(string(text), "\n[server]\n")
	server, _, _ = strings.Cut(server, "\n[env]\n")
	defaults := map[string]string{}
	for line := range strings.Lines(server) {
		if key, value, is := strings.Cut(line, "="); is {
			defaults[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(reflect.TypeFor[config.Server]()) {
		if f.Type.Kind() == reflect.Struct {
			fields = append(fields, reflect.VisibleFields(f.Type)...)
		} else {
			fields = append(fields, f)
		}
	}
	told := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+`) \\| `([^`]*)` \\|").FindAllStringSubmatch(string(page), -1) {
		for key := range strings.SplitSeq(row[1], ", ") {
			told[strings.Trim(key, "`")] = row[2]
		}
	}
	for _, f := range fields {
		key := f.Tag.Get("toml")
		want, set := defaults[key]
		switch {
		case set:
		case f.Type.Kind() == reflect.String:
			want = `""`
		case f.Type.Kind() == reflect.Slice:
			want = "[]"
		case f.Type.Kind() == reflect.Map:
			want = "{}"
		}
		if told[key] != want {
			t.Errorf("the page says that the default of %s is %q, judge.toml %q", key, told[key], want)
		}
		delete(told, key)
	}
	if len(told) > 0 {
		t.Errorf("the page has settings that do not exist: %v", told)
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
