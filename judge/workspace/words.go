package workspace

import "assay/judge/internal/suggest"

// Hint says what somebody meant who wrote an unknown word: `did you mean "x"?`, or the
// list of the known ones.
func Hint(word string, known []string) string { return suggest.Hint(word, known) }

// Closest returns the known word that an unknown one is most likely a slip of.
func Closest(word string, known []string) (string, bool) { return suggest.Closest(word, known) }
