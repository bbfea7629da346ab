package workspace

import "assay/judge/internal/suggest"

// Hint returns a hint for an unknown word: `did you mean "x"?`, or a list of the known words.
func Hint(word string, known []string) string { return suggest.Hint(word, known) }

// Closest returns the known word that is most similar to an unknown one.
func Closest(word string, known []string) (string, bool) { return suggest.Closest(word, known) }
