package mutate

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/judge"
)

// TestCover checks that each element is in want picked sets, or in all sets that contain it. If want is 1, no
// picked set may be redundant.
func TestCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := rapid.SliceOfN(rapid.SliceOfDistinct(rapid.IntRange(0, 9), func(x int) int { return x }), 0, 8).Draw(t, "sets")
		want := rapid.IntRange(1, 3).Draw(t, "want")
		must := make([]bool, len(sets))
		for i := range must {
			must[i] = rapid.IntRange(0, 5).Draw(t, "must") == 0
		}
		picked := Cover(sets, want, must)
		for x := range 10 {
			all, got := 0, 0
			for i, set := range sets {
				if slices.Contains(set, x) {
					all++
					if slices.Contains(picked, i) {
						got++
					}
				}
			}
			if got < min(want, all) {
				t.Fatalf("Cover(%v, %d, %v) = %v finds %d %d times, want %d", sets, want, must, picked, x, got, min(want, all))
			}
		}
		for i := range must {
			if must[i] && !slices.Contains(picked, i) {
				t.Fatalf("Cover(%v, %d, %v) = %v lacks %d", sets, want, must, picked, i)
			}
		}
	})
}

func TestScore(t *testing.T) {
	for _, row := range []struct {
		name string
		c    judge.MutantCounts
		want float64
	}{
		{"nothing to kill is all", judge.MutantCounts{Unseparated: 3}, 100},
		{"all", judge.MutantCounts{Killed: 7, Unreached: 2, Equivalent: 1}, 100},
		{"one of many is not rounded away", judge.MutantCounts{Killed: 99999, Survived: 1}, 99.9},
		{"half", judge.MutantCounts{Killed: 2, Survived: 2}, 50},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.c.Score(); got != row.want {
				t.Errorf("%+v.Score() = %v, want %v", row.c, got, row.want)
			}
		})
	}
}

func TestMarks(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a good one", "[[equivalent]]\nprogram='reference'\nline='x'\nreason='r'\n", ""},
		{"one without a reason", "[[equivalent]]\nprogram='reference'\nline='x'\n", "needs a reason"},
		{"one without a line", "[[equivalent]]\nprogram='reference'\nreason='x'\n", "needs a line"},
		{"an unknown key", "[[equivalent]]\nprogramm='reference'\n", `unknown key "programm"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, faults := parseMarks("mutants.toml", []byte(row.text))
			if got := faults.Error(); (row.want == "") != (len(faults) == 0) || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func FuzzMarks(f *testing.F) {
	f.Add("[[equivalent]]\nprogram='reference'\nline='x'\nreason='r'\n")
	f.Add("equivalent = 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, faults := parseMarks("mutants.toml", []byte(text))
		if m == nil && len(faults) == 0 {
			t.Error("neither marks nor faults")
		}
	})
}

// TestForm checks that the output of FormatMark is a valid mark, apart from the empty reason.
func TestForm(t *testing.T) {
	for _, text := range []string{`a < b`, `s == "it's"`, "x = 'a'", `"\n" + "\\"`} {
		form := "[[equivalent]]\nprogram = 'p'\nline = " + literal(text) + "\nreason = 'r'\n"
		m, faults := parseMarks("mutants.toml", []byte(form))
		if len(faults) > 0 || m.list[0].Line != text {
			t.Errorf("literal(%q) is read as %+v %v", text, m, faults)
		}
	}
}
