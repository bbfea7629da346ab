package mutate

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"assay/judge/internal/pattern"
)

// tokenMutator finds the mutants of a program from its tokens, without types. Mutants that do not compile are dropped
// later.
type tokenMutator struct {
	*Family
	text      string
	toks      []tok
	head      []int // index of the first token of each token's statement
	enclosing []int // index of the bracket that encloses each token; -1 if there is none
	found     []*Mutant
}

// mutants lists the mutants of a program, in text order.
func (f *Family) mutants(file, program string) []*Mutant {
	s := &tokenMutator{Family: f, text: program, toks: f.Lexis.tokens(program)}
	s.findStatements()
	for i := range s.toks {
		if s.isFrozen(i) {
			continue
		}
		s.token(i)
		s.literal(i)
		s.condition(i)
		s.index(i)
		s.loop(i)
		s.call(i)
		s.variable(i)
	}
	s.deletions()
	slices.SortStableFunc(s.found, func(a, b *Mutant) int { return cmp.Compare(a.start, b.start) })
	return s.finish(file)
}

// finish numbers the mutants, and removes duplicates.
func (s *tokenMutator) finish(file string) (kept []*Mutant) {
	type change struct {
		start, end int
		after      string
	}
	seen := map[change]bool{}
	line, at := 1, 0
	for _, m := range s.found {
		c := change{m.start, m.end, m.After}
		if m.Before == m.After || seen[c] {
			continue
		}
		seen[c] = true
		line += strings.Count(s.text[at:m.start], "\n")
		at = m.start
		m.File, m.Line, m.Column = file, line, m.start-strings.LastIndexByte(s.text[:m.start], '\n')
		kept = append(kept, m)
	}
	if n := len(kept); n > s.MaxMutants {
		var some []*Mutant
		for i, m := range kept {
			if i*s.MaxMutants/n != (i+1)*s.MaxMutants/n {
				some = append(some, m)
			}
		}
		kept = some
	}
	for i, m := range kept {
		m.ID = i + 1
		at, _ := slices.BinarySearchFunc(s.toks, m.start, func(t tok, at int) int { return cmp.Compare(t.start, at) })
		m.outer = s.enclosing[min(at, len(s.enclosing)-1)] < 0
	}
	return kept
}

// add adds a mutant that replaces the text between the offsets start and end.
func (s *tokenMutator) add(op Operator, start, end int, after string) {
	s.found = append(s.found, &Mutant{Operator: op, Before: s.text[start:end], After: after, start: start, end: end})
}

// findStatements finds the first token of each token's statement, and the bracket that encloses the token.
func (s *tokenMutator) findStatements() {
	s.head, s.enclosing = make([]int, len(s.toks)), make([]int, len(s.toks))
	head, in := 0, -1
	var heads, ins []int
	for i, t := range s.toks {
		s.head[i], s.enclosing[i] = head, in
		switch {
		case t.match > i:
			heads, ins = append(heads, head), append(ins, in)
			in = i
			if t.text == "{" {
				head = i + 1
			}
		case t.match >= 0:
			head, in = heads[len(heads)-1], ins[len(ins)-1]
			heads, ins = heads[:len(heads)-1], ins[:len(ins)-1]
			s.head[i], s.enclosing[i] = head, in
			if t.text == "}" && !s.Lexis.Lines {
				head = i + 1
			}
		case t.kind == lineEnd || t.kind == directive || t.text == ";" && (in < 0 || s.toks[in].text == "{"):
			head = i + 1
		}
	}
}

// tokenIs reports whether token i exists and has one of the texts.
func (s *tokenMutator) tokenIs(i int, texts ...string) bool {
	return i >= 0 && i < len(s.toks) && s.toks[i].kind != quoted && slices.Contains(texts, s.toks[i].text)
}

// isFrozen reports whether token i must not change.
func (s *tokenMutator) isFrozen(i int) bool {
	if k := s.toks[i].kind; k == directive || k == lineEnd || s.toks[i].angle {
		return true
	}
	head := s.head[i]
	if head <= i && slices.Contains(s.Frozen, s.toks[head].text) && s.toks[head].kind != quoted {
		return true
	}
	for b := s.enclosing[i]; b > 0; b = s.enclosing[b] {
		if s.toks[b].text != "{" && slices.Contains(s.IgnoredCalls, s.toks[b-1].text) {
			return true
		}
	}
	return i+1 < len(s.toks) && slices.Contains(s.IgnoredCalls, s.toks[i].text)
}

// token adds the mutants that the tables define for token i.
func (s *tokenMutator) token(i int) {
	for _, row := range s.mutations {
		if first, rest, several := strings.Cut(row.token, " "); first != s.toks[i].text ||
			s.toks[i].kind == quoted || several && !s.tokenIs(i+1, rest) {
			continue
		}
		for _, form := range row.becomes {
			s.addMutation(i, row, form)
		}
	}
}

// addMutation adds one mutant for token i.
func (s *tokenMutator) addMutation(i int, row mutation, form string) {
	t := s.toks[i]
	if strings.Contains(form, "{args}") || row.operator == Call {
		if s.tokenIs(i+1, "(") && s.toks[i+1].match > i+2 {
			s.callee(i, row.operator, form)
		}
		return
	}
	last := i + strings.Count(row.token, " ")
	if t.kind == word && row.operator != Logic && row.token != "in" {
		switch {
		case row.operator == Width && s.endsOperand(i) && !slices.Contains(s.Types, t.text), s.tokenIs(i-1, "."):
			return
		case row.token == "not" && (s.tokenIs(i+1, "in") || s.tokenIs(i-1, "is")):
			return
		}
		s.add(row.operator, t.start, s.toks[last].end, form)
		return
	}
	if row.token == "!" {
		if !s.endsOperand(i-1) && s.beginsOperand(i+1) {
			s.add(row.operator, t.start, t.end, form)
		}
		return
	}
	if row.token == "in" && (s.tokenIs(i-1, "not") || s.tokenIs(s.head[i], "for") || !s.isMembershipIn(i)) {
		return
	}
	if t.text == "++" || t.text == "--" || t.text == ".." || t.text == "..=" {
		if t.text[0] != '.' || s.tokenIs(s.head[i], "for") && s.beginsOperand(i+1) {
			s.add(row.operator, t.start, t.end, form)
		}
		return
	}
	if !s.endsOperand(i-1) || !s.beginsOperand(i+1) || (t.text == "*" || t.text == "&") && s.isTypeMark(i) ||
		t.text == "|" && s.tokenIs(i-2, "|") {
		return
	}
	if !strings.Contains(form, "{") {
		s.add(row.operator, t.start, t.end, form)
		return
	}
	left, right := s.operandStart(i), s.operandEnd(i)
	op := row.operator
	if op == Relation || op == Logic {
		left, right = s.clauseEnd(i, -1), s.clauseEnd(i, 1)
	}
	if left < 0 || right < 0 {
		return
	}
	if form == "{true}" || form == "{false}" {
		op = Condition
	}
	after := strings.NewReplacer(
		"{left}", s.textBetween(left, i-1), "{right}", s.textBetween(i+1, right), "{true}", s.True, "{false}", s.False,
	).Replace(form)
	s.add(op, s.toks[left].start, s.toks[right].end, after)
}

// isMembershipIn reports whether the token `in` tests membership in a collection, rather than belonging to a loop.
func (s *tokenMutator) isMembershipIn(i int) bool {
	for j := i - 1; j >= 0 && j > s.enclosing[i]; j-- {
		if s.tokenIs(j, "for") {
			return false
		}
		if s.toks[j].kind == lineEnd {
			break
		}
	}
	return true
}

// isTypeMark reports whether * or & is part of a type, as in int *p, auto &x and Point& p.
func (s *tokenMutator) isTypeMark(i int) bool {
	t := s.toks[i]
	before := i > 0 && s.toks[i-1].end == t.start
	after := i+1 < len(s.toks) && s.toks[i+1].start == t.end
	return before != after || s.tokenIs(i-1, s.Types...)
}

// callee adds mutants that call another function, or replace a call by its only argument.
func (s *tokenMutator) callee(i int, op Operator, form string) {
	open, end := i+1, s.toks[i+1].match
	if !strings.Contains(form, "{args}") {
		s.add(op, s.toks[i].start, s.toks[i].end, form)
		return
	}
	if len(s.arguments(open)) == 1 {
		s.add(op, s.toks[i].start, s.toks[end].end, strings.ReplaceAll(form, "{args}", "("+s.text[s.toks[open].end:s.toks[end].start]+")"))
	}
}

// arguments returns the first and last token of each argument between the bracket open and its partner.
func (s *tokenMutator) arguments(open int) (list [][2]int) {
	end := s.toks[open].match
	from := open + 1
	for j := open + 1; j <= end; j++ {
		if s.enclosing[j] != open && j != end || j != end && !s.tokenIs(j, ",") {
			continue
		}
		if j > from {
			list = append(list, [2]int{from, j - 1})
		}
		from = j + 1
	}
	return list
}

var integer = pattern.New(`^([0-9][0-9_']*?)(n|_?[uif](?:8|16|32|64|128|size)|[uUlL]*)$`)

// literal adds mutants that change a number or empty a string.
func (s *tokenMutator) literal(i int) {
	t := s.toks[i]
	switch t.kind {
	case quoted:
		first, last := strings.IndexAny(t.text, "\"'`"), t.text[len(t.text)-1:]
		if first < 0 || strings.ContainsAny(t.text[:first], "#") || s.tokenIs(s.head[i], "case") {
			return
		}
		quote := t.text[first : first+1]
		if quote != last || len(t.text)-first <= 2 || quote == "'" &&
			(s.Lexis.Directives || s.Lexis.Lifetimes || slices.Contains(s.Types, "boolean")) {
			return
		}
		if s.head[i] == i && (i+1 == len(s.toks) || s.toks[i+1].kind == lineEnd || s.tokenIs(i+1, ";")) {
			return // it is only a statement
		}
		s.add(Constant, t.start, t.end, strings.Trim(t.text[:first], "fF")+quote+quote)
	case number:
		if t.text[0] == '.' {
			return
		}
		m := integer().FindStringSubmatch(t.text)
		if m == nil || len(m[1]) > 1 && m[1][0] == '0' {
			if strings.ContainsAny(t.text, ".") || strings.Contains(t.text, "e") && !strings.HasPrefix(t.text, "0") {
				s.add(Constant, t.start, t.end, "("+t.text+" * 0.999999)")
			}
			s.add(Constant, t.start, t.end, "("+t.text+" + 1)")
			return
		}
		n, _ := new(big.Int).SetString(strings.NewReplacer("_", "", "'", "").Replace(m[1]), 10)
		put := func(n *big.Int) { s.add(Constant, t.start, t.end, n.String()+m[2]) }
		one := big.NewInt(1)
		put(new(big.Int).Add(n, one))
		if n.Sign() > 0 {
			put(new(big.Int).Sub(n, one))
		}
		if n.Cmp(one) > 0 {
			put(new(big.Int))
		}
		if n.Cmp(big.NewInt(100)) >= 0 {
			put(new(big.Int).Quo(n, big.NewInt(10)))
		}
	}
}

// condition negates the condition after if and while.
func (s *tokenMutator) condition(i int) {
	if !slices.Contains(s.Heads, s.toks[i].text) || s.toks[i].kind != word || s.tokenIs(i+1, "let") {
		return
	}
	first, last := i+1, -1
	if s.tokenIs(i+1, "(") && s.Empty == "" && !s.Lexis.Lifetimes {
		first, last = i+2, s.toks[i+1].match-1
	} else {
		for j := i + 1; j < len(s.toks) && s.enclosing[j] >= s.enclosing[i]; j++ {
			if s.enclosing[j] == s.enclosing[i] && (s.tokenIs(j, "{", ":", "else") || s.toks[j].kind == lineEnd) {
				last = j - 1
				break
			}
		}
	}
	if last < first || s.Lexis.Lines && s.head[i] != i {
		return
	}
	from, to := s.toks[first].start, s.toks[last].end
	s.add(Condition, from, to, strings.ReplaceAll(s.Not, "{}", s.text[from:to]))
}

// addOffByOne replaces an expression by one more and one less.
func (s *tokenMutator) addOffByOne(op Operator, first, last int) {
	from, to := s.toks[first].start, s.toks[last].end
	expr := s.text[from:to]
	if s.toks[first].kind == quoted || first == last && s.toks[first].kind == number || expr == "" {
		return // the first is not a number, the second another kind of mutation
	}
	if first != last {
		expr = "(" + expr + ")"
	}
	s.add(op, from, to, expr+" + 1")
	s.add(op, from, to, expr+" - 1")
}

// index moves an index in brackets after an operand.
func (s *tokenMutator) index(i int) {
	if !s.tokenIs(i, "[") || s.toks[i].match <= i+1 || !s.endsOperand(i-1) {
		return
	}
	head := s.head[i]
	if head < i && slices.Contains(s.Types, s.toks[head].text) &&
		!slices.ContainsFunc(s.toks[head:i], func(t tok) bool { return t.text == "=" || t.text == "(" }) {
		return // the size in a declaration
	}
	from := i + 1
	for j := i + 1; j <= s.toks[i].match; j++ {
		if s.enclosing[j] != i && j != s.toks[i].match {
			continue
		}
		if s.tokenIs(j, ",") {
			return
		}
		if s.tokenIs(j, ":", "..", "..=") || j == s.toks[i].match {
			if j > from {
				s.addOffByOne(Index, from, j-1)
			}
			from = j + 1
		}
	}
}

// loop moves the bounds of loops.
func (s *tokenMutator) loop(i int) {
	switch {
	case s.tokenIs(i, "<", "<=", ">", ">=", "!=", "!=="):
		if s.inLoopCondition(i) {
			if last := s.clauseEnd(i, 1); last > i {
				s.addOffByOne(Bound, i+1, last)
			}
		}
	case s.tokenIs(i, "..", "..="):
		if !s.tokenIs(s.head[i], "for") {
			return
		}
		if first := s.clauseEnd(i, -1); first >= 0 {
			s.addOffByOne(Bound, first, i-1)
		}
		if last := s.clauseEnd(i, 1); last > i {
			s.addOffByOne(Bound, i+1, last)
		}
	case s.tokenIs(i, "range") && s.tokenIs(i+1, "(") && s.toks[i+1].match > i+2:
		args := s.arguments(i + 1)
		for _, arg := range args {
			s.addOffByOne(Bound, arg[0], arg[1])
		}
		if len(args) == 1 { // the first is omitted
			from, to := s.toks[args[0][0]].start, s.toks[args[0][1]].end
			s.add(Bound, from, to, "1, "+s.text[from:to])
		}
	case s.tokenIs(i, "in") && s.Lexis.Lines && s.tokenIs(s.head[i], "for"):
		last := i
		for last+1 < len(s.toks) && !s.tokenIs(last+1, ":") && (s.toks[last+1].kind == word || s.tokenIs(last+1, ".")) {
			last++
		}
		if last > i && s.tokenIs(last+1, ":") {
			s.add(Bound, s.toks[i+1].start, s.toks[last].end, s.textBetween(i+1, last)+"[1:]")
			s.add(Bound, s.toks[i+1].start, s.toks[last].end, s.textBetween(i+1, last)+"[:-1]")
		}
	}
}

// inLoopCondition reports whether a token is in the condition of a loop.
func (s *tokenMutator) inLoopCondition(i int) bool {
	for b := s.enclosing[i]; b > 0 && s.toks[b].text == "("; b = s.enclosing[b] {
		if slices.Contains(s.Loops, s.toks[b-1].text) {
			return true
		}
	}
	return s.tokenIs(s.head[i], s.Loops...) && s.head[i] < i && s.toks[s.head[i]].kind == word
}

// call swaps neighboring arguments.
func (s *tokenMutator) call(i int) {
	const most = 4
	if s.toks[i].kind != word || !s.tokenIs(i+1, "(") || s.toks[i+1].match < 0 || !s.endsOperand(i) ||
		s.tokenIs(i, "range") || s.tokenIs(i-1, "fn", "def", "function") {
		return
	}
	args := s.arguments(i + 1)
	if len(args) < 2 || len(args) > most || s.tokenIs(s.toks[i+1].match+1, "{") {
		return
	}
	for _, a := range args {
		for j := a[0]; j <= a[1]; j++ {
			t := s.toks[j]
			if t.kind == quoted || s.tokenIs(j, "=", "=>", "->", "lambda", "for") || s.tokenIs(j, s.Types...) || j > a[0] &&
				t.kind == word && s.toks[j-1].kind == word && s.endsOperand(j-1) && s.endsOperand(j) {
				return // a text, or parameters
			}
		}
	}
	for k := 1; k < len(args); k++ {
		a, b := s.textBetween(args[k-1][0], args[k-1][1]), s.textBetween(args[k][0], args[k][1])
		if a != b {
			s.add(Call, s.toks[args[k-1][0]].start, s.toks[args[k][1]].end, b+", "+a)
		}
	}
}

// variable replaces a variable by the operand before it. A returned variable is replaced by three of them,
// because the nearest ones are often undeclared there.
func (s *tokenMutator) variable(i int) {
	returned := s.tokenIs(i-1, "return") && s.isVariable(i) && (i+1 == len(s.toks) || s.tokenIs(i+1, ";") || s.toks[i+1].kind == lineEnd)
	if !returned && !s.isOperand(i) {
		return
	}
	const far = 120
	most, others := 1, []string{s.toks[i].text}
	if returned {
		most = 3
	}
	for j := i - 1; j >= 0 && j > i-far && len(others) <= most; j-- {
		if s.isOperand(j) && !slices.Contains(others, s.toks[j].text) {
			others = append(others, s.toks[j].text)
			s.add(Variable, s.toks[i].start, s.toks[i].end, s.toks[j].text)
		}
	}
}

// isVariable reports whether a token is the name of a variable, and not a part of another expression.
func (s *tokenMutator) isVariable(i int) bool {
	return s.toks[i].kind == word && s.endsOperand(i) && !s.tokenIs(i, s.True, s.False, "null", "None", "nullptr") &&
		!s.tokenIs(i+1, "(", ".", "::", "[", "->", "!") &&
		!s.tokenIs(i-1, ".", "::", "->") && s.toks[i].text[0] != '\''
}

// isOperand reports whether a token is a variable in a calculation or comparison.
func (s *tokenMutator) isOperand(i int) bool {
	if !s.isVariable(i) {
		return false
	}
	reckons := func(j int) bool {
		return s.tokenIs(j, "+", "-", "/", "%", "//", "<", "<=", ">", ">=", "==", "!=", "===", "!==") &&
			!s.toks[j].angle || s.tokenIs(j, "*", "&") && !s.isTypeMark(j)
	}
	return reckons(i-1) && s.endsOperand(i-2) || reckons(i+1) && s.beginsOperand(i+2)
}

// deletions removes statements.
func (s *tokenMutator) deletions() {
	for i := range s.toks {
		end := s.toks[i]
		first := s.head[i]
		if s.Lexis.Lines {
			if end.kind == lineEnd && first < i {
				s.deletion(first, i-1)
			}
			continue
		}
		if end.text != ";" || end.kind != sign || s.enclosing[i] < 0 || s.toks[s.enclosing[i]].text != "{" {
			continue
		}
		for { // the statement after if (...) or else
			switch {
			case first < i && s.tokenIs(first, "else", "do"):
				first++
				continue
			case first+1 < i && s.tokenIs(first, "if", "for", "while", "switch") && s.tokenIs(first+1, "(") &&
				s.toks[first+1].match > 0 && !s.Lexis.Lifetimes:
				first = s.toks[first+1].match + 1
				continue
			}
			break
		}
		if first < i {
			s.deletion(first, i-1)
		}
	}
}

// deletion removes a statement, unless it declares or ends something.
func (s *tokenMutator) deletion(first, last int) {
	t := s.toks[first]
	declared := first < last && t.kind == word && !slices.Contains(s.Keywords, t.text) &&
		(s.toks[first+1].kind == word && s.endsOperand(first+1) || s.toks[first+1].angle ||
			s.tokenIs(first+1, "*", "&") && s.isTypeMark(first+1))
	closes := slices.ContainsFunc(s.toks[first:last+1], func(t tok) bool { return t.text == "{" || t.kind == directive })
	called := slices.IndexFunc(s.toks[first:last+1], func(t tok) bool { return t.text == "(" })
	if called > 0 && s.tokenIs(first+called-1, s.IgnoredCalls...) {
		return
	}
	if s.isFrozen(first) || s.tokenIs(first, s.Types...) || declared || closes || s.tokenIs(first, "return", "pass") ||
		s.toks[last].text == ":" || s.toks[first].kind == quoted {
		return
	}
	if s.Lexis.Lines {
		if s.tokenIs(first, s.Heads...) || s.tokenIs(first, "for", "else", "with", "match", "case", "try", "finally", "async", "lambda") {
			return
		}
	}
	s.add(Statement, t.start, s.toks[last].end, s.Empty)
}
