// Package suggest finds the most likely intended word for an unknown one, such as a key, a language, a problem or
// a command. It does not report the error, but only makes the hint that follows it.
package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// Closest returns the candidate that is most similar to a misspelled word. It returns false if none is similar. Of
// equally similar candidates, it returns the first in alphabetical order. A misspelling is an extra, missing,
// wrong or swapped letter, about one per three letters, or different case. The word may also be the beginning of
// exactly one candidate.
func Closest(word string, candidates []string) (string, bool) {
	word = strings.ToLower(word)
	runes := []rune(word)
	if len(runes) == 0 || len(runes) > longest {
		return "", false
	}
	best, bestSlips := "", 0
	for _, c := range candidates {
		other := []rune(strings.ToLower(c))
		if len(other) > longest {
			continue
		}
		n := editDistance(runes, other)
		if n > (max(len(runes), len(other))+1)/3 {
			continue
		}
		if best == "" || n < bestSlips || n == bestSlips && c < best {
			best, bestSlips = c, n
		}
	}
	if best != "" {
		return best, true
	}
	for _, c := range candidates {
		if !strings.HasPrefix(strings.ToLower(c), word) {
			continue
		}
		if best != "" {
			return "", false
		}
		best = c
	}
	return best, best != ""
}

// longest is the maximum length of a word in letters. Longer words are not compared.
const longest = 64

// maxListed is the maximum number of candidates in a list.
const maxListed = 24

// Hint returns `did you mean "x"?`, or the list of candidates if none is similar. It returns an empty string if
// there are no candidates.
func Hint(word string, candidates []string) string {
	if c, ok := Closest(word, candidates); ok {
		return fmt.Sprintf("did you mean %q?", c)
	}
	return List(candidates)
}

// List returns `one of: a, b, c` in alphabetical order, and cuts a long list. It returns an empty string if there
// are no candidates.
func List(candidates []string) string {
	sorted := slices.Compact(slices.Sorted(slices.Values(candidates)))
	switch n := len(sorted); {
	case n == 0:
		return ""
	case n == 1:
		return "there is only: " + sorted[0]
	case n > maxListed:
		return fmt.Sprintf("one of: %s and %d more", strings.Join(sorted[:maxListed], ", "), n-maxListed)
	}
	return "one of: " + strings.Join(sorted, ", ")
}

// editDistance returns the number of insertions, deletions, replacements and swaps of neighbors that change a to b, if no
// letter is changed twice.
func editDistance(a, b []rune) int {
	var before []int // the row before last
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			wrong := 1
			if a[i] == b[j] {
				wrong = 0
			}
			row[j+1] = min(last[j]+wrong, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
