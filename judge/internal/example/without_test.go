package example_test

import (
	"strings"
	"testing"

	"assay/judge/internal/example"
)

func TestWithout(t *testing.T) {
	const fence = "```"
	samples := []string{"1 2\n", "3\n4\n"}
	for _, row := range []struct{ it, markdown, want string }{
		{"leaves a statement without examples", "# T\n\nAdd.\n\n## Input\n\nTwo numbers.\n", "# T\n\nAdd.\n\n## Input\n\nTwo numbers.\n"},
		{"removes a section", "Add.\n\n## Examples\n\nInput:\n\n" + fence + "\n1 2\n" + fence + "\n\nOutput:\n\n" + fence + "\n3\n" + fence +
			"\n\n## Note\n\nIt is so.\n", "Add.\n\n## Note\n\nIt is so.\n"},
		{"removes one at the end", "Add.\n\n## Example\n\n" + fence + "\n1 2\n" + fence + "\n\n" + fence + "\n3\n" + fence + "\n", "Add.\n"},
		{
			"removes headings in headings",
			"Add.\n\nBeispiele\n---------\n\n### Beispiel 1\n\n#### Eingabe\n\n    1 2\n\n#### Ausgabe\n\n    3\n\n## Ende\n\nx\n",
			"Add.\n\n## Ende\n\nx\n",
		},
		{"removes a table", "Add.\n\n## Examples\n\n| Input | Output |\n|---|---|\n| `1 2` | `3` |\n\nEnd.\n", "Add.\n\n## Examples\n\nEnd.\n"},
		{
			"keeps a table with others",
			"## Examples\n\n| Input | Output |\n|---|---|\n| `1 2` | `3` |\n| `7` | `8` |\n",
			"## Examples\n\n| Input | Output |\n|---|---|\n| `1 2` | `3` |\n| `7` | `8` |\n",
		},
		{
			"keeps an explanation with its heading",
			"Add.\n\n## Example 1\n\nInput:\n" + fence + "\n3\n4\n" + fence + "\nOutput:\n" + fence + "\n7\n" + fence + "\n\nBecause 3 + 4 = 7.\n",
			"Add.\n\n## Example 1\n\nBecause 3 + 4 = 7.\n",
		},
		{
			"keeps an example that is no sample",
			"Add.\n\n## Example\n\nInput:\n\n" + fence + "\n9\n" + fence + "\n\nOutput:\n\n" + fence + "\n9\n" + fence + "\n",
			"Add.\n\n## Example\n\nInput:\n\n" + fence + "\n9\n" + fence + "\n\nOutput:\n\n" + fence + "\n9\n" + fence + "\n",
		},
		{"keeps a section that was empty before", "## Examples\n\n## Note\n\nx\n", "## Examples\n\n## Note\n\nx\n"},
		{"keeps the section of the input", "## Input\n\nTwo.\n\n### Example\n\nInput:\n\n    1 2\n\nOutput:\n\n    3\n", "## Input\n\nTwo.\n"},
	} {
		got := example.RemoveSamples(row.markdown, func(in example.Text) bool {
			return in.Equals(samples[0]) || in.Equals(samples[1])
		})
		if got != row.want {
			t.Errorf("it %s:\n%s\nwant\n%s", row.it, got, row.want)
		}
		if again := example.RemoveSamples(got, func(example.Text) bool { return false }); again != got {
			t.Errorf("it %s: without anything it changes to\n%s", row.it, again)
		}
	}
}

func FuzzWithout(f *testing.F) {
	f.Add("## Example\n\nInput:\n```\n1\n```\nOutput:\n```\n2\n```\na\n===\n| in | out |\n|-|-|\n")
	f.Fuzz(func(t *testing.T, markdown string) {
		kept := example.RemoveSamples(markdown, func(example.Text) bool { return false })
		if kept != markdown {
			t.Errorf("%q becomes %q, though nothing is a sample", markdown, kept)
		}
		for line := range strings.Lines(example.RemoveSamples(markdown, func(example.Text) bool { return true })) {
			if text := strings.TrimSpace(line); text != "" && !strings.Contains(markdown, text) {
				t.Errorf("%q is new", line)
			}
		}
	})
}
