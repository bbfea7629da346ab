package shrink

// Guess is the Shape for texts of unknown form. It treats them as lines of words, in which some numbers count what
// follows them (see Series).
type Guess struct{}

// Propose implements Shape. It returns when no pass makes the text smaller.
func (Guess) Propose(text []byte, try func(pass string, text []byte) bool, isOver func() bool) bool {
	s := &guessSearch{doc: Parse(text), offer: try, over: isOver}
	for s.round() {
	}
	return true
}

// A guessSearch is the state of Propose, with the smallest text so far.
type guessSearch struct {
	doc   *Doc
	offer func(pass string, text []byte) bool
	over  func() bool
	taken int
}

func (s *guessSearch) try(pass string, d *Doc) bool {
	if !s.offer(pass, d.Bytes()) {
		return false
	}
	s.doc = d
	s.taken++
	return true
}

// round runs every pass once, and reports whether another round may help. Passes that remove much come first,
// because smaller texts are evaluated faster.
func (s *guessSearch) round() bool {
	before := s.taken
	for again := true; again && !s.over(); {
		was := s.taken
		s.dropItems(coarse)
		s.dropLines(coarse)
		s.dropWords(coarse)
		s.lowerNumbers(coarse)
		again = s.taken > was
	}
	s.dropItems(fine)
	s.dropLines(fine)
	s.dropWords(fine)
	s.lowerNumbers(fine)
	s.shortenWords()
	s.lowerPairs()
	s.replaceWords()
	s.swapLines()
	return s.taken > before && !s.over()
}
