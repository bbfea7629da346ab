package ctd

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// eval computes a value.
func (r *run) eval(n *node) (value, error) {
	switch n.op {
	case "value":
		return n.val, nil
	case "var":
		return r.get(n)
	case "STRLEN":
		s, err := r.evalString(n.kids[0])
		return intValue(int64(len(s))), err
	}
	a, err := r.eval(n.kids[0])
	if err != nil {
		return value{}, err
	}
	op, b := n.op, value{}
	if op == "neg" {
		op, a, b = "-", intValue(0), a
	} else if b, err = r.eval(n.kids[1]); err != nil {
		return value{}, err
	}
	v, err := arithmetic(op, a, b)
	if err != nil {
		return value{}, mistakef("%s", err)
	}
	return v, nil
}

func (r *run) evalString(n *node) (string, error) {
	v, err := r.eval(n)
	if err == nil && v.kind != isString {
		err = mistakef("%s is not a string", v)
	}
	return v.str, err
}

// evalInt evaluates n as an integer.
func (r *run) evalInt(n *node) (value, error) {
	v, err := r.eval(n)
	if err == nil && v.kind != isInt {
		err = mistakef("%s is not a whole number", v)
	}
	return v, err
}

// evalNumber evaluates n as a number.
func (r *run) evalNumber(n *node) (value, error) {
	v, err := r.eval(n)
	if err == nil && !v.number() {
		err = mistakef("%s is not a number", v)
	}
	return v, err
}

// test computes a test.
func (r *run) test(n *node) (bool, error) {
	switch n.op {
	case "!":
		yes, err := r.test(n.kids[0])
		return !yes, err
	case "&&", "||":
		yes, err := r.test(n.kids[0])
		if err != nil || yes == (n.op == "||") {
			return yes, err
		}
		return r.test(n.kids[1])
	case "ISEOF":
		return r.at >= len(r.text), nil
	case "MATCH":
		s, err := r.evalString(n.kids[0])
		return err == nil && r.at < len(r.text) && strings.IndexByte(s, r.text[r.at]) >= 0, err
	case "UNIQUE":
		return r.unique(n)
	case "INARRAY":
		return r.inArray(n)
	}
	return r.compare(n)
}

// comparisonResults maps each comparison operator to its results for the return values -1, 0 and 1 of compare.
var comparisonResults = map[string][3]bool{
	"<": {true, false, false}, "<=": {true, true, false}, "==": {false, true, false},
	">=": {false, true, true}, ">": {false, false, true}, "!=": {true, false, true},
}

func (r *run) compare(n *node) (bool, error) {
	a, err := r.eval(n.kids[0])
	if err != nil {
		return false, err
	}
	b, err := r.eval(n.kids[1])
	if err != nil {
		return false, err
	}
	c, err := compare(a, b)
	if err != nil {
		return false, mistakef("%s", err)
	}
	return comparisonResults[n.op][c+1], nil
}

// unique reports whether all indexes have different tuples of values in the given variables. If the variables have
// different indexes, it returns false.
func (r *run) unique(n *node) (bool, error) {
	first := &r.vars[n.kids[0].slot]
	for _, kid := range n.kids {
		v := &r.vars[kid.slot]
		if v.size() == 0 {
			return false, mistakef("variable %s has no value", r.program.names[kid.slot])
		}
		if v.size() != first.size() {
			r.uniqueFailure = "variables " + r.program.names[n.kids[0].slot] + " and " + r.program.names[kid.slot] + " have different indexes"
			return false, nil
		}
	}
	var keys []string
	first.each(func(key string, _ value) { keys = append(keys, key) })
	slices.SortFunc(keys, byIndex)
	seen := map[string]string{} // tuple -> index
	for _, key := range keys {
		var tuple, shown []string
		for _, kid := range n.kids {
			v, ok := r.vars[kid.slot].at(key)
			if !ok {
				r.uniqueFailure = "variable " + r.program.names[kid.slot] + " has nothing at index " + key
				return false, nil
			}
			tuple, shown = append(tuple, strconv.Quote(v.key())), append(shown, v.String())
		}
		joined := strings.Join(tuple, ",")
		if before, twice := seen[joined]; twice {
			r.uniqueFailure = "the indexes " + before + " and " + key + " have the same: " + strings.Join(shown, ", ")
			return false, nil
		}
		seen[joined] = key
	}
	return true, nil
}

// byIndex orders index keys, numbers by value.
func byIndex(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX != nil || errY != nil {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}
	return cmp.Compare(x, y)
}

// inArray reports whether a variable has the value at any index.
func (r *run) inArray(n *node) (bool, error) {
	want, err := r.eval(n.kids[0])
	if err != nil {
		return false, err
	}
	v := &r.vars[n.kids[1].slot]
	if v.size() == 0 {
		return false, mistakef("variable %s has no value", r.program.names[n.kids[1].slot])
	}
	if v.count == nil {
		v.count = map[string]int{}
		v.each(func(_ string, x value) { v.count[x.key()]++ })
	}
	return v.count[want.key()] > 0, nil
}

// read executes a command that reads from the text, and returns the value read.
func (r *run) read(c *command) (value, error) {
	switch c.op {
	case "SPACE":
		return value{}, r.space()
	case "NEWLINE":
		return value{}, r.newline()
	case "EOF":
		if r.at < len(r.text) {
			return value{}, mistakef("want the end of the file, got %s", r.describeNext())
		}
		return value{}, nil
	case "INT":
		return r.integer(c)
	case "FLOAT", "FLOATP":
		return r.float(c)
	case "STRING":
		want, err := r.evalString(c.args[0])
		if err != nil {
			return value{}, err
		}
		for i := range len(want) { // up to the first byte that differs
			if r.at == len(r.text) || r.text[r.at] != want[i] {
				return value{}, mistakef("want %s, got %s", quote(want[i:]), r.describeNext())
			}
			r.at++
		}
		return value{}, nil
	}
	return r.regex(c)
}

func (r *run) regex(c *command) (value, error) {
	ere, err := r.evalString(c.args[0])
	if err != nil {
		return value{}, err
	}
	p := r.patterns[ere]
	if p == nil {
		made, bad := compile(ere)
		if bad != nil {
			return value{}, mistakef("%s", bad.text)
		}
		p = made
		r.patterns[ere] = p
	}
	n, ok := p.match(r.text[r.at:])
	if !ok {
		return value{}, mistakef("want what matches %s, got %s", quote(ere), r.describeNext())
	}
	matched := string(r.text[r.at : r.at+n])
	r.at += n
	return stringValue(matched), nil
}

// describeNext describes the text at the current position, for a message.
func (r *run) describeNext() string {
	rest := r.text[r.at:]
	if len(rest) == 0 {
		return "the end of the file"
	}
	switch rest[0] {
	case '\n':
		return "the end of the line"
	case ' ':
		return "a space"
	}
	end := bytes.IndexAny(rest[:min(len(rest), 100)], " \n\t\r")
	if end <= 0 {
		end = min(len(rest), 100)
		if !isSpace(rest[0]) {
			return quote(string(rest[:end]))
		}
		end = 1
	}
	return quote(string(rest[:end]))
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// skipBlanks skips white space within a line.
func (r *run) skipBlanks() {
	for r.at < len(r.text) && isSpace(r.text[r.at]) && r.text[r.at] != '\n' {
		r.at++
	}
}

func (r *run) space() error {
	if r.lenient {
		before := r.at
		if r.skipBlanks(); r.at > before {
			return nil
		}
	} else if r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
		return nil
	}
	return mistakef("want a space, got %s", r.describeNext())
}

func (r *run) newline() error {
	if r.lenient {
		r.skipBlanks()
	}
	if r.at == len(r.text) || r.text[r.at] != '\n' {
		return mistakef("want the end of the line, got %s", r.describeNext())
	}
	r.at++
	if r.lenient {
		r.skipBlanks()
	}
	return nil
}
