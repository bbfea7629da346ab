package suggest_test

import (
	"fmt"
	"strings"
	"testing"

	"assay/judge/internal/suggest"

	"pgregory.net/rapid"
)

func ExampleHint() {
	keys := []string{"title", "kind", "limits"}
	fmt.Println(suggest.Hint("tilte", keys))
	fmt.Println(suggest.Hint("colour", keys))
	// Output:
	// did you mean "title"?
	// one of: kind, limits, title
}

func TestClosest(t *testing.T) {
	for _, row := range []struct {
		it, word   string
		candidates string
		want       string
	}{
		{"finds a letter left out", "wythof", "sylver wythoff pd-duel", "wythoff"},
		{"finds a letter too many", "limmits", "limits title", "limits"},
		{"finds neighbors that are swapped", "memroy", "memory time", "memory"},
		{"does not mind the case", "PYTHON3", "python2 python3", "python3"},
		{"finds the beginning of one candidate", "wyt", "sylver wythoff", "wythoff"},
		{"refuses the beginning of several", "pyt", "python2 python3", ""},
		{"prefers the nearest", "rubi", "rust ruby", "ruby"},
		{"takes the first in the alphabet of equally near ones", "cat", "rat bat hat", "bat"},
		{"refuses what is far from all", "colour", "limits title", ""},
		{"allows one slip in two letters", "ab", "cb x", "cb"},
		{"refuses a word of one other letter", "a", "b c", ""},
		{"refuses the empty word", "", "a b", ""},
		{"has nothing where there are no candidates", "word", "", ""},
	} {
		got, ok := suggest.Closest(row.word, strings.Fields(row.candidates))
		if got != row.want || ok != (row.want != "") {
			t.Errorf("it %s: Closest(%q, %q) = %q, %v, want %q", row.it, row.word, row.candidates, got, ok, row.want)
		}
	}
}

func TestListIsCut(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("word-%02d", i))
	}
	got := suggest.Hint("nothing like them", many)
	if !strings.HasPrefix(got, "one of: word-00, word-01,") || !strings.HasSuffix(got, "and 76 more") {
		t.Errorf("Hint of 100 words = %q", got)
	}
	if got := suggest.List([]string{"a"}); got != "there is only: a" {
		t.Errorf("List of one = %q", got)
	}
	if got := suggest.List(nil); got != "" {
		t.Errorf("List of none = %q", got)
	}
}

// TestOneSlipIsFound checks that one misspelled letter in a word of five letters or more is always found.
func TestOneSlipIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-m]{5,12}`).Draw(t, "word")
		at := rapid.IntRange(0, len(word)-2).Draw(t, "at")
		var slip string
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			slip = word[:at] + word[at+1:]
		case 1:
			slip = word[:at] + "x" + word[at:]
		case 2:
			slip = word[:at] + "x" + word[at+1:]
		default:
			slip = word[:at] + word[at+1:at+2] + word[at:at+1] + word[at+2:]
		}
		other := rapid.StringMatching(`[n-z]{5,12}`).Draw(t, "other")
		if got, ok := suggest.Closest(slip, []string{other, word}); !ok || got != word {
			t.Fatalf("Closest(%q) = %q, %v, want %q", slip, got, ok, word)
		}
	})
}
