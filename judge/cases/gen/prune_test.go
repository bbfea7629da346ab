package gen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/packages"
	"assay/judge/problem"
)

const prunable = `title = "Prune"
[reference]
program = "reference.sh"
[generator]
program = "generator.sh"
[[group]]
name = "one"
cases = ["a 1", "a 2", 'a 3'] # a remark with "a 9"
[[group]]
name = "two"
cases = [
  # what follows
  "b {1..4}", # four
  "c",

  "d 1", "d 2",
]
`

func TestPrune(t *testing.T) {
	for _, row := range []struct {
		name  string
		drops []string
		want  []string // lines of the group tables
	}{
		{"nothing", nil, []string{`cases = ["a 1", "a 2", 'a 3'] # a remark with "a 9"`, `  "b {1..4}", # four`, `  "c",`, `  "d 1", "d 2",`}},
		{"the first of a list", []string{"a 1"}, []string{`cases = ["a 2", 'a 3'] # a remark with "a 9"`}},
		{"the last of a list", []string{"a 3"}, []string{`cases = ["a 1", "a 2"] # a remark with "a 9"`}},
		{"all of a list", []string{"a 1", "a 2", "a 3"}, []string{`cases = [] # a remark with "a 9"`}},
		{"some of a pattern", []string{"b 2", "b 4"}, []string{`  "b 1", "b 3", # four`}},
		{"all of a pattern, with its line", []string{"b 1", "b 2", "b 3", "b 4"}, []string{"  # what follows\n  \"c\","}},
		{"one of two on a line", []string{"d 1"}, []string{`  "d 2",`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "prune")
			for name, text := range map[string]string{"problem.toml": prunable, "reference.sh": "cat\n", "generator.sh": "echo\n"} {
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			f, faults := problem.Open(packages.Formats, dir, filepath.Join(dir, "tests"), judge.Limits{})
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			dropped := func(c *judge.Case) bool {
				for _, d := range row.drops {
					if c.Line == d {
						return true
					}
				}
				return false
			}
			changes, err := gen.Prune(f, judge.Limits{}, func(c *judge.Case) bool { return !dropped(c) }, false)
			if err != nil {
				t.Fatal(err)
			}
			if (len(changes) > 0) != (len(row.drops) > 0) {
				t.Errorf("changes = %q", changes)
			}
			got, err := os.ReadFile(filepath.Join(dir, "problem.toml"))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range row.want {
				if !strings.Contains(string(got), want+"\n") {
					t.Errorf("problem.toml has no\n%s\nbut is\n%s", want, got)
				}
			}
		})
	}
}
