package mutate

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"assay/judge/internal/pattern"
)

// slips finds the mutants of a program from its tokens, without types. Mutants that do not compile are dropped
// later.
type slips struct {
	*Family
	text string
	toks []tok
	head []int // index of the first token of each token's statement
	in   []int // index of the bracket that encloses each token; -1 if there is none
	all  []*Mutant
}

// mutants lists the mutants of a program, in text order.
func (f *Family) mutants(file, program string) []*Mutant {
	s := &slips{Family: f, text: program, toks: f.Lexis.tokens(program)}
	s.statements()
	for i := range s.toks {
		if s.frozen(i) {
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
	slices.SortStableFunc(s.all, func(a, b *Mutant) int { return cmp.Compare(a.start, b.start) })
	return s.finish(file)
}

// finish numbers the mutants, and removes duplicates.
func (s *slips) finish(file string) (kept []*Mutant) {
	type change struct {
		start, end int
		after      string
	}
	seen := map[change]bool{}
	line, at := 1, 0
	for _, m := range s.all {
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
	if n := len(kept); n > s.Most {
		var some []*Mutant
		for i, m := range kept {
			if i*s.Most/n != (i+1)*s.Most/n {
				some = append(some, m)
			}
		}
		kept = some
	}
	for i, m := range kept {
		m.ID = i + 1
		at, _ := slices.BinarySearchFunc(s.toks, m.start, func(t tok, at int) int { return cmp.Compare(t.start, at) })
		m.outer = s.in[min(at, len(s.in)-1)] < 0
	}
	return kept
}

// add adds a mutant that replaces the text between the offsets start and end.
func (s *slips) add(op Operator, start, end int, after string) {
	s.all = append(s.all, &Mutant{Operator: op, Before: s.text[start:end], After: after, start: start, end: end})
}

// statements finds the first token of each token's statement, and the bracket that encloses the token.
func (s *slips) statements() {
	s.head, s.in = make([]int, len(s.toks)), make([]int, len(s.toks))
	head, in := 0, -1
	var heads, ins []int
	for i, t := range s.toks {
		s.head[i], s.in[i] = head, in
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
			s.head[i], s.in[i] = head, in
			if t.text == "}" && !s.Lexis.Lines {
				head = i + 1
			}
		case t.kind == lineEnd || t.kind == directive || t.text == ";" && (in < 0 || s.toks[in].text == "{"):
			head = i + 1
		}
	}
}

// is reports whether token i exists and has one of the texts.
func (s *slips) is(i int, texts ...string) bool {
	return i >= 0 && i < len(s.toks) && s.toks[i].kind != quoted && slices.Contains(texts, s.toks[i].text)
}

// frozen reports whether token i must not change.
func (s *slips) frozen(i int) bool {
	if k := s.toks[i].kind; k == directive || k == lineEnd || s.toks[i].angle {
		return true
	}
	head := s.head[i]
	if head <= i && slices.Contains(s.Frozen, s.toks[head].text) && s.toks[head].kind != quoted {
		return true
	}
	for b := s.in[i]; b > 0; b = s.in[b] {
		if s.toks[b].text != "{" && slices.Contains(s.Aside, s.toks[b-1].text) {
			return true
		}
	}
	return i+1 < len(s.toks) && slices.Contains(s.Aside, s.toks[i].text)
}

// token adds the mutants that the tables define for token i.
func (s *slips) token(i int) {
	for _, row := range s.slips {
		if first, rest, several := strings.Cut(row.token, " "); first != s.toks[i].text ||
			s.toks[i].kind == quoted || several && !s.is(i+1, rest) {
			continue
		}
		for _, form := range row.becomes {
			s.becomes(i, row, form)
		}
	}
}

// becomes adds one mutant for token i.
func (s *slips) becomes(i int, row slip, form string) {
	t := s.toks[i]
	if strings.Contains(form, "{args}") || row.operator == Call {
		if s.is(i+1, "(") && s.toks[i+1].match > i+2 {
			s.callee(i, row.operator, form)
		}
		return
	}
	last := i + strings.Count(row.token, " ")
	if t.kind == word && row.operator != Logic && row.token != "in" {
		switch {
		case row.operator == Width && s.ends(i) && !slices.Contains(s.Types, t.text), s.is(i-1, "."):
			return
		case row.token == "not" && (s.is(i+1, "in") || s.is(i-1, "is")):
			return
		}
		s.add(row.operator, t.start, s.toks[last].end, form)
		return
	}
	if row.token == "!" {
		if !s.ends(i-1) && s.begins(i+1) {
			s.add(row.operator, t.start, t.end, form)
		}
		return
	}
	if row.token == "in" && (s.is(i-1, "not") || s.is(s.head[i], "for") || !s.plainIn(i)) {
		return
	}
	if t.text == "++" || t.text == "--" || t.text == ".." || t.text == "..=" {
		if t.text[0] != '.' || s.is(s.head[i], "for") && s.begins(i+1) {
			s.add(row.operator, t.start, t.end, form)
		}
		return
	}
	if !s.ends(i-1) || !s.begins(i+1) || (t.text == "*" || t.text == "&") && s.declares(i) || t.text == "|" && s.is(i-2, "|") {
		return
	}
	if !strings.Contains(form, "{") {
		s.add(row.operator, t.start, t.end, form)
		return
	}
	left, right := s.ahead(i), s.behind(i)
	op := row.operator
	if op == Relation || op == Logic {
		left, right = s.clause(i, -1), s.clause(i, 1)
	}
	if left < 0 || right < 0 {
		return
	}
	if form == "{true}" || form == "{false}" {
		op = Condition
	}
	after := strings.NewReplacer(
		"{left}", s.span(left, i-1), "{right}", s.span(i+1, right), "{true}", s.True, "{false}", s.False,
	).Replace(form)
	s.add(op, s.toks[left].start, s.toks[right].end, after)
}

// plainIn reports whether the token `in` tests membership in a collection, rather than belonging to a loop.
func (s *slips) plainIn(i int) bool {
	for j := i - 1; j >= 0 && j > s.in[i]; j-- {
		if s.is(j, "for") {
			return false
		}
		if s.toks[j].kind == lineEnd {
			break
		}
	}
	return true
}

// declares reports whether * or & is part of a type, as in int *p, auto &x and Point& p.
func (s *slips) declares(i int) bool {
	t := s.toks[i]
	before := i > 0 && s.toks[i-1].end == t.start
	after := i+1 < len(s.toks) && s.toks[i+1].start == t.end
	return before != after || s.is(i-1, s.Types...)
}

// callee adds mutants that call another function, or replace a call by its only argument.
func (s *slips) callee(i int, op Operator, form string) {
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
func (s *slips) arguments(open int) (list [][2]int) {
	end := s.toks[open].match
	from := open + 1
	for j := open + 1; j <= end; j++ {
		if s.in[j] != open && j != end || j != end && !s.is(j, ",") {
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
func (s *slips) literal(i int) {
	t := s.toks[i]
	switch t.kind {
	case quoted:
		first, last := strings.IndexAny(t.text, "\"'`"), t.text[len(t.text)-1:]
		if first < 0 || strings.ContainsAny(t.text[:first], "#") || s.is(s.head[i], "case") {
			return
		}
		quote := t.text[first : first+1]
		if quote != last || len(t.text)-first <= 2 || quote == "'" &&
			(s.Lexis.Directives || s.Lexis.Lifetimes || slices.Contains(s.Types, "boolean")) {
			return
		}
		if s.head[i] == i && (i+1 == len(s.toks) || s.toks[i+1].kind == lineEnd || s.is(i+1, ";")) {
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
func (s *slips) condition(i int) {
	if !slices.Contains(s.Heads, s.toks[i].text) || s.toks[i].kind != word || s.is(i+1, "let") {
		return
	}
	first, last := i+1, -1
	if s.is(i+1, "(") && s.Empty == "" && !s.Lexis.Lifetimes {
		first, last = i+2, s.toks[i+1].match-1
	} else {
		for j := i + 1; j < len(s.toks) && s.in[j] >= s.in[i]; j++ {
			if s.in[j] == s.in[i] && (s.is(j, "{", ":", "else") || s.toks[j].kind == lineEnd) {
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

// beside replaces an expression by one more and one less.
func (s *slips) beside(op Operator, first, last int) {
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
func (s *slips) index(i int) {
	if !s.is(i, "[") || s.toks[i].match <= i+1 || !s.ends(i-1) {
		return
	}
	head := s.head[i]
	if head < i && slices.Contains(s.Types, s.toks[head].text) &&
		!slices.ContainsFunc(s.toks[head:i], func(t tok) bool { return t.text == "=" || t.text == "(" }) {
		return // the size in a declaration
	}
	from := i + 1
	for j := i + 1; j <= s.toks[i].match; j++ {
		if s.in[j] != i && j != s.toks[i].match {
			continue
		}
		if s.is(j, ",") {
			return
		}
		if s.is(j, ":", "..", "..=") || j == s.toks[i].match {
			if j > from {
				s.beside(Index, from, j-1)
			}
			from = j + 1
		}
	}
}

// loop moves the bounds of loops.
func (s *slips) loop(i int) {
	switch {
	case s.is(i, "<", "<=", ">", ">=", "!=", "!=="):
		if s.looping(i) {
			if last := s.clause(i, 1); last > i {
				s.beside(Bound, i+1, last)
			}
		}
	case s.is(i, "..", "..="):
		if !s.is(s.head[i], "for") {
			return
		}
		if first := s.clause(i, -1); first >= 0 {
			s.beside(Bound, first, i-1)
		}
		if last := s.clause(i, 1); last > i {
			s.beside(Bound, i+1, last)
		}
	case s.is(i, "range") && s.is(i+1, "(") && s.toks[i+1].match > i+2:
		args := s.arguments(i + 1)
		for _, arg := range args {
			s.beside(Bound, arg[0], arg[1])
		}
		if len(args) == 1 { // the first is omitted
			from, to := s.toks[args[0][0]].start, s.toks[args[0][1]].end
			s.add(Bound, from, to, "1, "+s.text[from:to])
		}
	case s.is(i, "in") && s.Lexis.Lines && s.is(s.head[i], "for"):
		last := i
		for last+1 < len(s.toks) && !s.is(last+1, ":") && (s.toks[last+1].kind == word || s.is(last+1, ".")) {
			last++
		}
		if last > i && s.is(last+1, ":") {
			s.add(Bound, s.toks[i+1].start, s.toks[last].end, s.span(i+1, last)+"[1:]")
			s.add(Bound, s.toks[i+1].start, s.toks[last].end, s.span(i+1, last)+"[:-1]")
		}
	}
}

// looping reports whether a token is in the condition of a loop.
func (s *slips) looping(i int) bool {
	for b := s.in[i]; b > 0 && s.toks[b].text == "("; b = s.in[b] {
		if slices.Contains(s.Loops, s.toks[b-1].text) {
			return true
		}
	}
	return s.is(s.head[i], s.Loops...) && s.head[i] < i && s.toks[s.head[i]].kind == word
}

// call swaps neighboring arguments.
func (s *slips) call(i int) {
	const most = 4
	if s.toks[i].kind != word || !s.is(i+1, "(") || s.toks[i+1].match < 0 || !s.ends(i) ||
		s.is(i, "range") || s.is(i-1, "fn", "def", "function") {
		return
	}
	args := s.arguments(i + 1)
	if len(args) < 2 || len(args) > most || s.is(s.toks[i+1].match+1, "{") {
		return
	}
	for _, a := range args {
		for j := a[0]; j <= a[1]; j++ {
			t := s.toks[j]
			if t.kind == quoted || s.is(j, "=", "=>", "->", "lambda", "for") || s.is(j, s.Types...) || j > a[0] &&
				t.kind == word && s.toks[j-1].kind == word && s.ends(j-1) && s.ends(j) {
				return // a text, or parameters
			}
		}
	}
	for k := 1; k < len(args); k++ {
		a, b := s.span(args[k-1][0], args[k-1][1]), s.span(args[k][0], args[k][1])
		if a != b {
			s.add(Call, s.toks[args[k-1][0]].start, s.toks[args[k][1]].end, b+", "+a)
		}
	}
}

// variable replaces a variable by the operand before it. A returned variable is replaced by three of them,
// because the nearest ones are often undeclared there.
func (s *slips) variable(i int) {
	returned := s.is(i-1, "return") && s.variableAt(i) && (i+1 == len(s.toks) || s.is(i+1, ";") || s.toks[i+1].kind == lineEnd)
	if !returned && !s.operand(i) {
		return
	}
	const far = 120
	most, others := 1, []string{s.toks[i].text}
	if returned {
		most = 3
	}
	for j := i - 1; j >= 0 && j > i-far && len(others) <= most; j-- {
		if s.operand(j) && !slices.Contains(others, s.toks[j].text) {
			others = append(others, s.toks[j].text)
			s.add(Variable, s.toks[i].start, s.toks[i].end, s.toks[j].text)
		}
	}
}

// variableAt reports whether a token is the name of a variable, and not a part of another expression.
func (s *slips) variableAt(i int) bool {
	return s.toks[i].kind == word && s.ends(i) && !s.is(i, s.True, s.False, "null", "None", "nullptr") &&
		!s.is(i+1, "(", ".", "::", "[", "->", "!") &&
		!s.is(i-1, ".", "::", "->") && s.toks[i].text[0] != '\''
}

// operand reports whether a token is a variable in a calculation or comparison.
func (s *slips) operand(i int) bool {
	if !s.variableAt(i) {
		return false
	}
	reckons := func(j int) bool {
		return s.is(j, "+", "-", "/", "%", "//", "<", "<=", ">", ">=", "==", "!=", "===", "!==") &&
			!s.toks[j].angle || s.is(j, "*", "&") && !s.declares(j)
	}
	return reckons(i-1) && s.ends(i-2) || reckons(i+1) && s.begins(i+2)
}

// deletions removes statements.
func (s *slips) deletions() {
	for i := range s.toks {
		end := s.toks[i]
		first := s.head[i]
		if s.Lexis.Lines {
			if end.kind == lineEnd && first < i {
				s.deletion(first, i-1)
			}
			continue
		}
		if end.text != ";" || end.kind != sign || s.in[i] < 0 || s.toks[s.in[i]].text != "{" {
			continue
		}
		for { // the statement after if (...) or else
			switch {
			case first < i && s.is(first, "else", "do"):
				first++
				continue
			case first+1 < i && s.is(first, "if", "for", "while", "switch") && s.is(first+1, "(") && s.toks[first+1].match > 0 && !s.Lexis.Lifetimes:
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
func (s *slips) deletion(first, last int) {
	t := s.toks[first]
	declared := first < last && t.kind == word && !slices.Contains(s.Keywords, t.text) &&
		(s.toks[first+1].kind == word && s.ends(first+1) || s.toks[first+1].angle ||
			s.is(first+1, "*", "&") && s.declares(first+1))
	closes := slices.ContainsFunc(s.toks[first:last+1], func(t tok) bool { return t.text == "{" || t.kind == directive })
	called := slices.IndexFunc(s.toks[first:last+1], func(t tok) bool { return t.text == "(" })
	if called > 0 && s.is(first+called-1, s.Aside...) {
		return
	}
	if s.frozen(first) || s.is(first, s.Types...) || declared || closes || s.is(first, "return", "pass") ||
		s.toks[last].text == ":" || s.toks[first].kind == quoted {
		return
	}
	if s.Lexis.Lines {
		if s.is(first, s.Heads...) || s.is(first, "for", "else", "with", "match", "case", "try", "finally", "async", "lambda") {
			return
		}
	}
	s.add(Statement, t.start, s.toks[last].end, s.Empty)
}
