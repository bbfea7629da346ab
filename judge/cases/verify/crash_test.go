package verify

import (
	"testing"

	"assay/judge"
)

// TestCrashesAtOnePosition checks which failures of a setter's program are reported as one error. Failures without a
// line are one error only if their texts are equal.
func TestCrashesAtOnePosition(t *testing.T) {
	var c crashes
	for _, one := range []struct {
		line         int
		text, caseID string
	}{
		{0, "ends with 1", "a"}, {0, "ends with 2", "b"}, {0, "ends with 1", "c"},
		{7, "KeyError: 1", "d"}, {7, "KeyError: 2", "e"}, {7, "KeyError: 3", "f"}, {8, "KeyError: 1", "g"},
	} {
		c.add(&judge.ProblemError{File: "check.py", Line: one.line, Text: one.text, Hint: "words"}, one.caseID)
	}
	want := []string{
		"it fails on case a, and on 1 more case\nwords", "it fails on case b\nwords", "it fails on case d, and on 2 more cases\nwords",
		"it fails on case g\nwords",
	}
	got := c.faults()
	if len(got) != len(want) || c.cases != 7 {
		t.Fatalf("%d errors on %d cases: %v", len(got), c.cases, got)
	}
	for i, f := range got {
		if f.Hint != want[i] {
			t.Errorf("error %d has the hint %q, want %q", i, f.Hint, want[i])
		}
	}
}
