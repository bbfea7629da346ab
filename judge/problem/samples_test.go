package problem_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/judge/problem"
)

func TestMisspelledMarks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "statement.md")
	text := "{{sample}} {{ samples }} {{n}}\n{{sampel}}\n$x_{{n}}$ {{nextsample}} {{next_sample}}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range problem.MisspelledMarks(file) {
		got = append(got, fmt.Sprintf("%d: %s %s", w.Line, w.Text, w.Hint))
	}
	want := []string{
		`2: no samples are placed at {{sampel}}, which is no mark did you mean {{sample}}?`,
		`3: no samples are placed at {{next_sample}}, which is no mark did you mean {{nextsample}}?`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if w := problem.MisspelledMarks(file + ".none"); w != nil {
		t.Errorf("of no file: %v", w)
	}
}

func TestPlaceSamples(t *testing.T) {
	for _, row := range []struct {
		it, text, want string
		marked         bool
	}{
		{"leaves a statement without a mark", "text\n", "text\n", false},
		{"places all of them", "a\n\n{{sample}}\n\nb\n", "a\n\nONE\n\nTWO\n\n\n\nb\n", true},
		{"takes the plural, and blanks", "{{ samples }}\n", "ONE\n\nTWO\n\n\n", true},
		{"places them one by one", "{{nextsample}}\nb\n{{nextsample}}\n{{nextsample}}\n", "ONE\n\n\nb\nTWO\n\n\n\n", true},
		{"places the rest", "{{nextsample}}\nb\n{{remainingsamples}}\n", "ONE\n\n\nb\nTWO\n\n\n", true},
		{"forgets none", "{{nextsample}}\nb\n", "ONE\n\n\nb\n\n\nTWO\n\n", true},
		{"takes a line of text apart", "see {{sample}} here\n", "see \n\nONE\n\nTWO\n\n here\n", true},
		{
			"leaves code", "`{{sample}}`\n\n```\n{{sample}}\n```\n~~~~\n~~~\n{{sample}}\n~~~~\n",
			"`{{sample}}`\n\n```\n{{sample}}\n```\n~~~~\n~~~\n{{sample}}\n~~~~\n", false,
		},
		{"sees behind code", "`a`\n```\nb\n```\n{{sample}} `c`\n", "`a`\n```\nb\n```\nONE\n\nTWO\n\n `c`\n", true},
		{"leaves other marks", "{{example}} {{n}}\n", "{{example}} {{n}}\n", false},
	} {
		got, marked := problem.PlaceSamples(row.text, []string{"ONE\n\n", "TWO\n\n"})
		if got != row.want || marked != row.marked {
			t.Errorf("it %s: %q, %v; want %q, %v", row.it, got, marked, row.want, row.marked)
		}
		if problem.Marked(row.text) != row.marked {
			t.Errorf("it %s: Marked disagrees", row.it)
		}
	}
}
