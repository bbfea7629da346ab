package report

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAlign checks that an alignment contains both lists in order, that paired texts are equal, and that there are
// as many pairs as a slow search finds.
func TestAlign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", ""}), 0, 9)
		was, now := list.Draw(t, "was"), list.Draw(t, "now")
		if got, want := pairsOf(t, was, now), longest(was, now); got != want {
			t.Fatalf("Align pairs %d texts, want %d: %v", got, want, Align(was, now))
		}
	})
}

// TestAlignLarge checks that lists of thousands of texts are aligned around the changes if the lists have few
// texts in common between the first and the last change. If they have too many in common there, only the equal
// starts and ends of the lists are paired.
func TestAlignLarge(t *testing.T) {
	const size = 2 * 2048
	distinct := func() (all []string) {
		for i := range size {
			all = append(all, strings.Repeat("x", i%64)+strings.Repeat("y", i/64))
		}
		return all
	}
	changed := distinct()
	changed[10], changed[size-10] = "ten", "last"
	if got := pairsOf(t, distinct(), changed); got != size-2 {
		t.Errorf("two changes: %d texts are paired, want %d", got, size-2)
	}
	moved := slices.Concat([]string{"first"}, distinct()[2:size-1], distinct()[1:2], distinct()[size-1:])
	if got := pairsOf(t, moved, slices.Concat([]string{"first"}, distinct()[1:])); got != 2 {
		t.Errorf("a large rest: %d texts are paired, want the first and the last", got)
	}
	moved = slices.Concat(distinct()[2:2000], distinct()[1:2])
	if got := pairsOf(t, moved, distinct()[1:2000]); got != 1998 {
		t.Errorf("a moved text: %d texts are paired, want 1998", got)
	}
}

// pairsOf counts the pairs of an alignment, and checks that the alignment contains both lists.
func pairsOf(t interface{ Fatalf(string, ...any) }, was, now []string) (pairs int) {
	var at AlignedPair
	for i, s := range Align(was, now) {
		if s.Old >= 0 && s.Old != at.Old || s.New >= 0 && s.New != at.New || s == (AlignedPair{-1, -1}) {
			t.Fatalf("step %d is %v, after %v", i, s, at)
		}
		if s.Old >= 0 && s.New >= 0 {
			if pairs++; was[s.Old] != now[s.New] {
				t.Fatalf("step %d pairs %q with %q", i, was[s.Old], now[s.New])
			}
		}
		if s.Old >= 0 {
			at.Old++
		}
		if s.New >= 0 {
			at.New++
		}
	}
	if at != (AlignedPair{len(was), len(now)}) {
		t.Fatalf("the steps end at %v", at)
	}
	return pairs
}

// longest computes the length of the longest common subsequence in a slow, simple way.
func longest(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if a[0] == b[0] {
		return 1 + longest(a[1:], b[1:])
	}
	return max(longest(a[1:], b), longest(a, b[1:]))
}
