package judge_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// retired lists words, as regular expressions, that comments, texts and documents of the project must not use, and
// what to write instead.
var retired = []struct{ word, instead string }{
	{`anew`, "again"},
	{`besides`, "also, or except"},
	{`whoever|somebody|nobody`, "the role: caller, owner, author, administrator, contestant; or no account"},
	{`askers?`, "caller"},
	{`one's own`, "the role: your own, the account's own"},
	{`who takes? part`, "contestants, or teams"},
	{`who looks?`, "spectator"},
	{`but for`, "except, or without"},
	{`at last`, "finally"},
	{`by now`, "already"},
	{`goes along`, "what it does"},
	{`of which`, "two sentences"},
	{`told`, "receives, is called with, reports"},
	{`brought`, "uploaded, or included"},
	{`a line each`, "one per line"},
	{`as it is`, "unchanged"},
	{`what there is`, "what exists"},
	{`shuts? out`, "disable"},
	{`pokes?`, "wake"},
	{`shelf|shelves`, "cache"},
	{`patience`, "timeout"},
	{`sweeps?`, "garbage collection"},
	{`mend(s|ed)?`, "fix"},
	{`(judged?|proved?) again`, "rejudge, or recheck"},
	{`kept going`, "resumed"},
	{`stands? still`, "is frozen"},
	{`(?-i:thaws?)`, "unfreeze"},
	{`tool chains?`, "toolchain"},
	{`the house|house's`, "bundled"},
	{`brings? along`, "contains"},
	{`passed over`, "ignored"},
	{`rungs?`, "isolation level"},
	{`folders?`, "directory"},
	{`(?:an?|each|no|of|other|the|this) lanes?`, "priority"},
	{`(?:an?|each|no|of|the|this) flows?`, "remote run on pages, workflow in code"},
	{`processor time`, "CPU time"},
	{`clock on the wall`, "wall time"},
	{`unwell|illness`, "unhealthy"},
	{`[a-z]*(?:colour|behaviour|neighbour|favour|honour|minimis|recognis|organis)[a-z]*`, "the American spelling"},
}

// TestRetiredWords checks that comments and strings in Go, comments in queries, templates, style sheets, scripts
// and documents contain no retired words. It does not read tests or problem statements.
func TestRetiredWords(t *testing.T) {
	const root = ".."
	var all []string
	for _, r := range retired {
		all = append(all, r.word)
	}
	any := regexp.MustCompile(`(?i)(?:^|[^\pL\pN_])(` + strings.Join(all, "|") + `)(?:$|[^\pL\pN_])`)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(name, root+string(filepath.Separator)))
		if d.IsDir() {
			if base := d.Name(); rel != root && (base == "testdata" || strings.HasPrefix(base, ".") || rel == "solutions" || rel == "testcases" ||
				rel == "problems") {
				return filepath.SkipDir
			}
			return nil
		}
		lines, err := textOf(name)
		for _, line := range lines {
			for _, word := range any.FindAllStringSubmatch(line.text, -1) {
				t.Errorf("%s:%d: %q is retired: write %s", rel, line.number, word[1], insteadOf(word[1]))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func insteadOf(word string) string {
	for _, r := range retired {
		if regexp.MustCompile(`(?i)^(` + r.word + `)$`).MatchString(word) {
			return r.instead
		}
	}
	return ""
}

// actions matches template actions, which contain Go names.
var actions = regexp.MustCompile(`\{\{[^}]*\}\}`)

type textLine struct {
	number int
	text   string
}

// textOf returns the human-readable text in a file: comments and strings in Go, except the keys of struct tags,
// comments in queries, and everything in templates, style sheets, scripts and documents. The comments in generated
// code come from the queries.
func textOf(name string) (all []textLine, err error) {
	kind := filepath.Ext(name)
	if !slices.Contains([]string{".go", ".sql", ".html", ".css", ".js", ".md"}, kind) || strings.HasSuffix(name, "_test.go") {
		return nil, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	add := func(number int, text string) {
		for line := range strings.Lines(text) {
			all = append(all, textLine{number, line})
			number++
		}
	}
	switch kind {
	case ".go":
	case ".html":
		add(1, actions.ReplaceAllString(string(data), ""))
		return all, nil
	case ".sql":
		if filepath.Base(filepath.Dir(name)) == "migrations" { // the version of a migration is stored, so migrations cannot change
			return nil, nil
		}
		for i, line := range strings.Split(string(data), "\n") {
			if _, comment, is := strings.Cut(line, "--"); is {
				add(i+1, comment)
			}
		}
		return all, nil
	default:
		add(1, string(data))
		return all, nil
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, data, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("read the words of %s: %w", name, err)
	}
	if ast.IsGenerated(f) {
		return nil, nil
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			add(set.Position(c.Pos()).Line, c.Text)
		}
	}
	tags := map[*ast.BasicLit]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if field, is := n.(*ast.Field); is {
			tags[field.Tag] = true
		}
		if s, is := n.(*ast.BasicLit); is && s.Kind == token.STRING && !tags[s] {
			add(set.Position(s.Pos()).Line, s.Value)
		}
		_, imports := n.(*ast.ImportSpec)
		return !imports
	})
	return all, nil
}
