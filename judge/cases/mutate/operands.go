package mutate

import "slices"

// endsOperand reports whether an operand may end with token i.
func (s *tokenMutator) endsOperand(i int) bool {
	if i < 0 || i >= len(s.toks) {
		return false
	}
	t := s.toks[i]
	switch t.kind {
	case word:
		return !slices.Contains(s.Keywords, t.text) && !slices.Contains(s.Types, t.text)
	case number, quoted:
		return true
	}
	return t.kind == sign && (t.text == ")" || t.text == "]" || s.tokenIs(i, "++", "--"))
}

// beginsOperand reports whether an operand may begin with token i.
func (s *tokenMutator) beginsOperand(i int) bool {
	if i >= len(s.toks) {
		return false
	}
	t := s.toks[i]
	return t.kind != sign && t.kind != lineEnd && t.kind != directive ||
		s.tokenIs(i, "(", "[", "!", "-", "~", "&", "*", "|", "++", "--", "{")
}

// operandStart returns the first token of the operand that ends just before token i, or -1 if there is none.
func (s *tokenMutator) operandStart(i int) int {
	j := i - 1
	for s.endsOperand(j) || s.tokenIs(j, ")", "]") {
		if m := s.toks[j].match; m >= 0 && m < j {
			j = m
			if j > 0 && s.endsOperand(j-1) {
				j--
				continue
			}
		} else if s.tokenIs(j, "++", "--", ")", "]") {
			return -1
		}
		if s.isTupleField(j) {
			j--
			continue
		}
		if !s.tokenIs(j-1, ".", "->", "::", "?.") {
			return j
		}
		j -= 2
	}
	return -1
}

// operandEnd returns the last token of the operand that begins just after token i, or -1 if there is none.
func (s *tokenMutator) operandEnd(i int) int {
	j := i + 1
	for s.tokenIs(j, "!", "-", "~", "&", "*", "not", "+") {
		j++
	}
	if !s.beginsOperand(j) {
		return -1
	}
	if m := s.toks[j].match; m > j {
		j = m
	}
	for {
		switch {
		case s.tokenIs(j+1, "(", "[") && s.toks[j+1].match > 0:
			j = s.toks[j+1].match
		case j+1 < len(s.toks) && s.isTupleField(j+1):
			j++
		case s.tokenIs(j+1, ".", "->", "::", "?.") && j+2 < len(s.toks) || s.tokenIs(j+1, "as") && s.Lexis.Lifetimes:
			j += 2
		default:
			return min(j, len(s.toks)-1)
		}
	}
}

// isTupleField reports whether a token is a tuple field, such as .0 after a name.
func (s *tokenMutator) isTupleField(i int) bool {
	t := s.toks[i]
	return t.kind == number && t.text[0] == '.' && i > 0 && s.toks[i-1].end == t.start && s.endsOperand(i-1)
}

// stops lists the tokens that end a comparison, in addition to logical operators.
var stops = []string{
	"&&", "||", "and", "or", "not", ",", ";", "?", ":", "=>", "->", "=", "+=", "-=", "*=", "/=", "%=", "&=",
	"|=", "^=", ":=", "return", "if", "elif", "else", "while", "for", "in", "let", "lambda", "{", "}", "(", "[",
	")", "]", "<<", ">>", "!", "yield", "assert", "case", "..",
}

// clauseEnd returns the end of the comparison or the operand of a logical operator that contains token i. The
// parameter step is the direction: 1 or -1. The clause ends at enclosing brackets and at operators with lower
// precedence.
func (s *tokenMutator) clauseEnd(i, step int) int {
	j := i + step
	for j >= 0 && j < len(s.toks) {
		t := s.toks[j]
		if m := t.match; m >= 0 && (m-j)*step > 0 && t.text != "{" && t.text != "}" {
			j = m + step
			continue
		}
		if t.kind == lineEnd || t.kind == directive || t.kind != quoted && slices.Contains(stops, t.text) {
			break
		}
		j += step
	}
	if j -= step; j == i {
		return -1
	}
	return j
}

// textBetween returns the text from token from to token to.
func (s *tokenMutator) textBetween(from, to int) string {
	return s.text[s.toks[from].start:s.toks[to].end]
}
