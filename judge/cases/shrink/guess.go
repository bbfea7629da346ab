package shrink

// Guess is the Shape of texts of an unknown form: lines of words. Some numbers may count what follows
// them (see Series).
type Guess struct{}

// Propose offers smaller texts until nothing that it knows makes one smaller.
func (Guess) Propose(text []byte, try func(pass string, text []byte) bool, over func() bool) bool {
	s := &guess{doc: Parse(text), offer: try, over: over}
	for s.round() {
	}
	return true
}

// guess holds the smallest text so far.
type guess struct {
	doc   *Doc
	offer func(pass string, text []byte) bool
	over  func() bool
	taken int
}

func (s *guess) try(pass string, d *Doc) bool {
	if !s.offer(pass, d.Bytes()) {
		return false
	}
	s.doc = d
	s.taken++
	return true
}

// round makes every pass once, and reports whether another round may bring more. The
// passes that take away much go first: what is left is quicker to judge.
func (s *guess) round() bool {
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
	s.likenWords()
	s.swapLines()
	return s.taken > before && !s.over()
}
