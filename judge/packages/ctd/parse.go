package ctd

import (
	"math/big"
	"slices"
	"strings"
)

// command is one command of a script. If it opens a block, it includes the block.
type command struct {
	op       string // the word
	args     []*node
	to       *node     // variable that receives the value read, or counts the loop
	option   string    // FIXED, SCIENTIFIC or ""
	sets     []*node   // variables that SET sets to args, or UNSET clears
	between  *command  // separator of a loop
	body     []command // body of a loop or of IF
	elseBody []command

	start, end int // offsets in the script
	line       int
	source     string // the command as written in the script
}

// node is an expression or a test.
type node struct {
	op   string // "value", "var", an operator, "neg", or a word such as MATCH
	test bool   // whether it is a test, which is true or false, and not a value
	val  value  // of "value"
	slot int    // slot of a "var", or of a variable of UNIQUE or INARRAY
	kids []*node
}

// Bounds that no script written by a person reaches.
const (
	maxDepth    = 200
	maxCommands = 1 << 20
)

type parser struct {
	scanner
	tok   token
	last  int // offset after the last token that was consumed
	depth int
	count int
	slots map[string]int
	names []string
}

// program parses the whole script. The script ends with an EOF command, even if none is written.
func (p *parser) program() ([]command, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	commands, err := p.block()
	if err != nil {
		return nil, err
	}
	switch {
	case p.tok.kind == word && (p.tok.text == "END" || p.tok.text == "ELSE"):
		return nil, p.faultHere(
			"every END ends a REP, WHILE or IF, and ELSE stands between IF and END", "%s without a beginning",
			p.tok.text,
		)
	case p.tok.kind != atEnd:
		return nil, p.faultHere("a command is such as INT(1,10) or NEWLINE", "want a command, got %s", p.tok)
	}
	return append(commands, command{op: "EOF", source: "EOF", line: p.line}), nil
}

// faultHere returns a fault at the next token.
func (p *parser) faultHere(hint, format string, args ...any) error {
	return fault(p.file, p.tok.line, p.tok.column, hint, format, args...)
}

func (p *parser) advance() (err error) {
	p.last = p.tok.end
	p.tok, err = p.next()
	return err
}

// is reports whether the next token is the word or symbol s.
func (p *parser) is(s string) bool {
	return (p.tok.kind == word || p.tok.kind == symbol) && p.tok.text == s
}

// accept consumes the next token if it is the word or symbol s.
func (p *parser) accept(s string) (bool, error) {
	if !p.is(s) {
		return false, nil
	}
	return true, p.advance()
}

// expect consumes the symbol s. If the next token is not s, it returns a fault.
func (p *parser) expect(s string) error {
	ok, err := p.accept(s)
	if err == nil && !ok {
		return p.faultHere("", "want %q, got %s", s, p.tok)
	}
	return err
}

// enterNested counts the parser's depth in brackets and blocks.
func (p *parser) enterNested() error {
	if p.depth++; p.depth > maxDepth {
		return p.faultHere("", "nested more than %d deep", maxDepth)
	}
	return nil
}

// block parses commands up to END, ELSE, or another token that begins no command.
func (p *parser) block() (commands []command, err error) {
	if err := p.enterNested(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	for p.tok.kind == word && p.tok.text != "END" && p.tok.text != "ELSE" {
		c, err := p.command()
		if err != nil {
			return nil, err
		}
		if p.count++; p.count > maxCommands {
			return nil, p.faultHere("", "more than %d commands", maxCommands)
		}
		commands = append(commands, *c)
	}
	return commands, nil
}

// command parses a command and its block.
func (p *parser) command() (*command, error) {
	c, err := p.head()
	if err != nil || !opensBlock(c.op) {
		return c, err
	}
	if c.body, err = p.block(); err != nil {
		return nil, err
	}
	if c.op == "IF" {
		if ok, err := p.accept("ELSE"); err != nil {
			return nil, err
		} else if ok {
			if c.elseBody, err = p.block(); err != nil {
				return nil, err
			}
		}
	}
	if !p.is("END") {
		return nil, p.faultHere("", "want END of the %s in line %d, got %s", c.op, c.line, p.tok)
	}
	return c, p.advance()
}

func opensBlock(op string) bool {
	return slices.Contains([]string{"REP", "REPI", "WHILE", "WHILEI", "IF"}, op)
}

// forms maps each command to its arguments: v a value, t a test, n a variable that is set, N a name, = an
// assignment, o an option, c a command. Arguments after ? may be omitted, and * lets the last one repeat.
var forms = map[string]string{
	"SPACE": "", "NEWLINE": "", "EOF": "",
	"INT": "vv?n", "FLOAT": "vv?n?o", "FLOATP": "vvvv?n?o",
	"STRING": "v", "REGEX": "v?n", "ASSERT": "t", "SET": "=*", "UNSET": "N*",
	"REP": "v?c", "REPI": "nv?c", "WHILE": "t?c", "WHILEI": "nt?c", "IF": "t",
}

// head parses a command except for its block.
func (p *parser) head() (*command, error) {
	if p.tok.kind != word {
		return nil, p.faultHere("", "want a command, got %s", p.tok)
	}
	form, ok := forms[p.tok.text]
	if !ok {
		return nil, p.faultHere("it stands within the brackets of another command", "%s is not a command", p.tok.text)
	}
	c := &command{op: p.tok.text, start: p.tok.start, line: p.tok.line}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if form != "" {
		if err := p.arguments(c, form); err != nil {
			return nil, err
		}
	}
	c.end = p.last
	c.source = oneLine(p.src[c.start:c.end])
	return c, p.checkPattern(c)
}

// arguments parses the arguments in the brackets of a command.
func (p *parser) arguments(c *command, form string) error {
	open := "("
	for i := 0; i < len(form); i++ {
		optional := form[i] == '?'
		if optional {
			i++
		}
		if optional && p.is(")") {
			break
		}
		if err := p.expect(open); err != nil {
			return err
		}
		open = ","
		if err := p.argument(c, form[i]); err != nil {
			return err
		}
		if strings.HasPrefix(form[i+1:], "*") {
			if p.is(",") {
				i--
			} else {
				i++
			}
		}
	}
	return p.expect(")")
}

func (p *parser) argument(c *command, form byte) error {
	switch form {
	case 'v', 't':
		n, err := p.typed(form == 't')
		c.args = append(c.args, n)
		return err
	case 'n':
		n, err := p.variable()
		c.to = n
		return err
	case 'N':
		n, err := p.bareName()
		c.sets = append(c.sets, n)
		return err
	case '=':
		return p.assignment(c)
	case 'o':
		if !p.is("FIXED") && !p.is("SCIENTIFIC") {
			return p.faultHere("FIXED or SCIENTIFIC", "want an option, got %s", p.tok)
		}
		c.option = p.tok.text
		return p.advance()
	}
	between, err := p.head()
	if err == nil && (opensBlock(between.op) || between.op == "EOF") {
		return p.faultHere("such as SPACE or NEWLINE", "%s cannot stand between the rounds of a loop", between.op)
	}
	c.between = between
	return err
}

func (p *parser) assignment(c *command) error {
	to, err := p.variable()
	if err != nil {
		return err
	}
	if err := p.expect("="); err != nil {
		return err
	}
	n, err := p.typed(false)
	c.sets, c.args = append(c.sets, to), append(c.args, n)
	return err
}

// typed parses a test or, if test is false, a value.
func (p *parser) typed(test bool) (*node, error) {
	at := p.tok
	n, err := p.expression()
	if err != nil || n.test == test {
		return n, err
	}
	p.tok = at
	if test {
		return nil, p.faultHere("compare it with something, such as x < 5", "want a test, got a value")
	}
	return nil, p.faultHere("", "want a value, got a test")
}

// expression parses a test or a value. In brackets, only the content shows which one it is. && and || have equal
// precedence and are left-associative.
func (p *parser) expression() (*node, error) {
	if err := p.enterNested(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	return p.chain(p.compare, true, true, "&&", "||")
}

// compare parses a comparison, or ! with everything that follows.
func (p *parser) compare() (*node, error) {
	if ok, err := p.accept("!"); err != nil {
		return nil, err
	} else if ok {
		n, err := p.typed(true)
		return &node{op: "!", test: true, kids: []*node{n}}, err
	}
	left, err := p.sum()
	if err != nil || !slices.Contains([]string{"<", ">", "<=", ">=", "==", "!="}, p.tok.text) || p.tok.kind != symbol {
		return left, err
	}
	op := p.tok.text
	if left.test {
		return nil, p.faultHere("", "a test cannot be compared")
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	right, err := p.sum()
	if err == nil && right.test {
		return nil, p.faultHere("", "a test cannot be compared")
	}
	return &node{op: op, test: true, kids: []*node{left, right}}, err
}

func (p *parser) sum() (*node, error) { return p.chain(p.term, false, false, "+", "-") }

func (p *parser) term() (*node, error) {
	return p.chain(func() (*node, error) { return p.power(true) }, false, false, "*", "/", "%")
}

// chain parses operands with left-associative operators of equal precedence between them. The function operand
// parses an operand. The parameters takes and gives report whether the operands and the result are tests.
func (p *parser) chain(operand func() (*node, error), testOperands, testResult bool, ops ...string) (*node, error) {
	left, err := operand()
	for err == nil && p.tok.kind == symbol && slices.Contains(ops, p.tok.text) {
		op := p.tok.text
		if left.test != testOperands {
			return nil, p.faultHere("", "%q does not go with %s", op, kindOf(left))
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := operand()
		if err != nil {
			return nil, err
		}
		if right.test != testOperands {
			return nil, p.faultHere("", "%q does not go with %s", op, kindOf(right))
		}
		left = &node{op: op, test: testResult, kids: []*node{left, right}}
	}
	return left, err
}

func kindOf(n *node) string {
	if n.test {
		return "a test"
	}
	return "a value"
}

// power parses powers, or a minus and its operand: -2^2 is -(2^2), 2^3^2 is (2^3)^2. An exponent contains no
// further power unless it begins with a minus.
func (p *parser) power(base bool) (*node, error) {
	if p.is("-") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if err := p.enterNested(); err != nil {
			return nil, err
		}
		defer func() { p.depth-- }()
		n, err := p.power(true)
		if err == nil && n.test {
			return nil, p.faultHere("", "a test has no minus")
		}
		return &node{op: "neg", kids: []*node{n}}, err
	}
	if !base {
		return p.primary()
	}
	return p.chain(func() (*node, error) { return p.power(false) }, false, false, "^")
}

// primary parses an operand that contains no operator outside brackets.
func (p *parser) primary() (*node, error) {
	t := p.tok
	switch {
	case p.is("("):
		if err := p.advance(); err != nil {
			return nil, err
		}
		n, err := p.expression()
		if err != nil {
			return nil, err
		}
		return n, p.expect(")")
	case t.kind == name:
		return p.variable()
	case t.kind == text:
		return &node{op: "value", val: stringValue(t.text)}, p.advance()
	case t.kind == integer:
		n, ok := new(big.Int).SetString(t.text, 0) // 010 is octal, as in C
		if !ok {
			n, _ = new(big.Int).SetString(t.text, 10)
		}
		return &node{op: "value", val: bigValue(n)}, p.advance()
	case t.kind == decimal:
		return &node{op: "value", val: decimalValue(t.text)}, p.advance()
	case t.kind == word:
		return p.function()
	}
	return nil, p.faultHere("", "want a value or a test, got %s", t)
}

// function parses a word that returns a value or a test, with its arguments.
func (p *parser) function() (*node, error) {
	n := &node{op: p.tok.text, test: p.tok.text != "STRLEN"}
	if !slices.Contains([]string{"ISEOF", "MATCH", "UNIQUE", "INARRAY", "STRLEN"}, n.op) {
		return nil, p.faultHere("", "want a value or a test, got the command %s", n.op)
	}
	if err := p.advance(); err != nil || n.op == "ISEOF" {
		return n, err
	}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	for {
		kid, err := p.functionArgument(n)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
		more := n.op == "UNIQUE" && p.is(",") || n.op == "INARRAY" && len(n.kids) == 1
		if !more {
			return n, p.expect(")")
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}

func (p *parser) functionArgument(n *node) (*node, error) {
	switch {
	case n.op == "UNIQUE":
		return p.bareName()
	case n.op == "INARRAY" && len(n.kids) == 1:
		return p.variable() // an index is allowed but ignored
	}
	return p.typed(false)
}

// bareName parses the name of a variable without an index. It denotes the values at all indexes.
func (p *parser) bareName() (*node, error) {
	if p.tok.kind != name {
		return nil, p.faultHere("the name of a variable without an index", "want a variable, got %s", p.tok)
	}
	n := &node{op: "var", slot: p.slot(p.tok.text)}
	return n, p.advance()
}

// variable parses a variable with its indexes.
func (p *parser) variable() (*node, error) {
	n, err := p.bareName()
	if err != nil || !p.is("[") {
		return n, err
	}
	for open := "["; ; open = "," {
		if err := p.expect(open); err != nil {
			return nil, err
		}
		index, err := p.typed(false)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, index)
		if !p.is(",") {
			return n, p.expect("]")
		}
	}
}

func (p *parser) slot(name string) int {
	slot, ok := p.slots[name]
	if !ok {
		slot = len(p.names)
		p.slots[name] = slot
		p.names = append(p.names, name)
	}
	return slot
}

// checkPattern compiles a pattern given as a literal, so that its errors are found before any text is read.
func (p *parser) checkPattern(c *command) error {
	if c.op != "REGEX" || c.args[0].op != "value" {
		return nil
	}
	if c.args[0].val.kind != isString {
		return fault(p.file, c.line, 0, `write it as a string: REGEX("[0-9]+")`, "%s has no pattern", c.source)
	}
	if _, err := compile(c.args[0].val.str); err != nil {
		return fault(p.file, c.line, 0, err.hint, "%s: %s", c.source, err.text)
	}
	return nil
}

// oneLine shortens a command's source to one line for a message.
func oneLine(source string) string {
	source = strings.Join(strings.Fields(source), " ")
	if len(source) > 80 {
		source = strings.ToValidUTF8(source[:77], "") + "..."
	}
	return source
}
