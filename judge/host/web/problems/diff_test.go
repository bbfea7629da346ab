package problems_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/judge/host/web/problems"
)

// TestTextDiff checks that a difference transforms one text into the other, is as short as possible, and reports
// whether it was cut off.
func TestTextDiff(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 7))
	text := func() []string {
		all := make([]string, chance.IntN(9))
		for i := range all {
			all[i] = string(rune('a' + chance.IntN(3)))
		}
		return all
	}
	for range 3000 {
		was, now := text(), text()
		lines, all := problems.TextDiff(joined(was), joined(now))
		var before, after []string
		changes := 0
		shown := 0 // number of lines of the old text so far
		for _, l := range lines {
			switch l.Kind {
			case "more":
				continue
			case "same":
				if l.OldLine-1 < shown {
					t.Fatalf("%q to %q: line %d stands twice in %v", was, now, l.OldLine, lines)
				}
			case "got":
				changes, before = changes+1, append(before, l.Text)
				if was[l.OldLine-1] != l.Text {
					t.Fatalf("%q to %q: %v", was, now, l)
				}
			case "want":
				changes, after = changes+1, append(after, l.Text)
				if now[l.NewLine-1] != l.Text {
					t.Fatalf("%q to %q: %v", was, now, l)
				}
			}
			shown = max(shown, l.OldLine)
		}
		if want := len(was) + len(now) - 2*common(was, now); changes != want || !all {
			t.Fatalf("%q to %q takes %d lines, want %d: %v", was, now, changes, want, lines)
		}
		if len(before)-len(after) != len(was)-len(now) {
			t.Fatalf("%q to %q: %v", was, now, lines)
		}
	}
	var long strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	changed := strings.Replace(strings.Replace(long.String(), "line 10\n", "line ten\n", 1), "line 4000\n", "", 1)
	lines, all := problems.TextDiff(long.String(), changed)
	if len(lines) != 16 || !all || lines[8].Kind != "more" {
		t.Errorf("two changes of 5,000 lines: %d lines, %v: %v", len(lines), all, lines)
	}
	if lines, all := problems.TextDiff(long.String(), strings.ReplaceAll(long.String(), "line", "row")); len(lines) != 400 || all {
		t.Errorf("5,000 changes: %d lines, %v", len(lines), all)
	}
}

func joined(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	return b.String()
}

// common returns the length of the longest common subsequence, by a slow method.
func common(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if a[0] == b[0] {
		return 1 + common(a[1:], b[1:])
	}
	return max(common(a[1:], b), common(a, b[1:]))
}
