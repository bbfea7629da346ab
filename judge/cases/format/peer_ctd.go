package format

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Checktestdata returns a checktestdata script that accepts the same inputs as Check. If checktestdata cannot
// express the declaration simply, ok is false. (The method Python supports every declaration.) Integers in the
// script have unlimited size.
func (g *Grammar) Checktestdata() (script string, ok bool) {
	c := &ctdWriter{g: g, ok: true, names: map[*name]string{}}
	c.block(g.body, 0)
	return c.String(), c.ok
}

// ctdWriter writes statements as commands. It clears ok if a part has no equivalent.
type ctdWriter struct {
	strings.Builder
	g     *Grammar
	ok    bool
	names map[*name]string // names of values in the script
	texts int              // number of generated names for texts
}

func (c *ctdWriter) row(depth int, commands ...string) {
	fmt.Fprintf(c, "%s%s\n", strings.Repeat("    ", depth), strings.Join(commands, " "))
}

// unsupported records that a part has no equivalent.
func (c *ctdWriter) unsupported() string {
	c.ok = false
	return ""
}

func (c *ctdWriter) block(b block, depth int) {
	for _, s := range b {
		switch s := s.(type) {
		case *line:
			c.line(s, depth)
		case *repeat:
			if s.rounds != nil || s.index != nil {
				c.unsupported()
				return
			}
			c.row(depth, "REP("+c.number(s.count)+")")
			c.block(s.body, depth+1)
			c.row(depth, "END")
		case *grid:
			c.row(depth, "REP("+c.number(s.rows)+")")
			c.row(depth+1, c.word(s.typ), "NEWLINE")
			c.row(depth, "END")
		case *where:
			c.row(depth, "ASSERT("+c.truth(s.cond)+")")
		case *feature: // features do not restrict inputs
		default:
			c.unsupported()
		}
	}
}

func (c *ctdWriter) line(s *line, depth int) {
	var commands []string
	for i, it := range s.items {
		space := ""
		if i > 0 {
			space = "SPACE"
		}
		command := ""
		switch it := it.(type) {
		case *literal:
			if it.glue {
				c.unsupported()
			}
			command = "STRING(" + c.quote(it.text) + ")"
		case *field:
			if it.glue {
				c.unsupported()
			}
			command = c.field(it)
		case *array:
			command, space = c.array(it, space, i == len(s.items)-1), ""
		default:
			c.unsupported()
		}
		if space != "" {
			commands = append(commands, space)
		}
		commands = append(commands, command)
	}
	c.row(depth, append(commands, "NEWLINE")...)
}

func (c *ctdWriter) field(f *field) string {
	if f.typ.kind != intType {
		return c.word(f.typ)
	}
	lo, hi := c.number(f.typ.lo), c.number(f.typ.hi)
	c.names[f.name] = ctdName(f.name)
	return fmt.Sprintf("INT(%s, %s, %s)", lo, hi, c.names[f.name])
}

// array repeats the command that reads a value. If the array is not first on its line, a blank is read before each
// value, because the array may be empty.
func (c *ctdWriter) array(a *array, space string, last bool) string {
	if !last || a.glue || a.index != nil || a.separator != " " || a.order != anyOrder || a.distinct ||
		a.typ.kind != intType && a.typ.kind != wordType && a.typ.kind != enumType {
		return c.unsupported()
	}
	read := c.word
	if a.typ.kind == intType {
		read = func(t *typ) string { return fmt.Sprintf("INT(%s, %s)", c.number(t.lo), c.number(t.hi)) }
	}
	if space != "" {
		return fmt.Sprintf("REP(%s) %s %s END", c.number(a.count), space, read(a.typ))
	}
	return fmt.Sprintf("REP(%s, SPACE) %s END", c.number(a.count), read(a.typ))
}

// ctdName returns the name of a value in the script: a lowercase letter followed by letters and digits.
func ctdName(n *name) string {
	return "x" + strconv.Itoa(n.slot) + strings.Map(func(r rune) rune {
		if r == '_' {
			return -1
		}
		return r
	}, n.text)
}

// plainLetters lists the characters that need no escape in regular expressions, even in brackets.
const plainLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789#_@,:;=<>!%&~'"

func (c *ctdWriter) word(t *typ) string {
	switch t.kind {
	case enumType:
		words := slices.Clone(t.options)
		slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		if strings.Trim(strings.Join(words, ""), plainLetters) != "" || slices.Contains(words, "") {
			return c.unsupported()
		}
		return `REGEX("(` + strings.Join(words, "|") + `)")`
	case wordType:
		set, dot := "", ""
		for b, ok := range t.letters {
			switch {
			case ok && b == '.':
				dot = "."
			case ok && strings.IndexByte(plainLetters, byte(b)) < 0:
				return c.unsupported()
			case ok:
				set += string(byte(b))
			}
		}
		if t.lo.op == "constant" && t.hi.op == "constant" && t.hi.n <= 200 && t.lo.n > 0 && t.lo.n <= t.hi.n {
			return fmt.Sprintf(`REGEX("[%s]{%d,%d}")`, set+dot, t.lo.n, t.hi.n)
		}
		c.texts++
		text := fmt.Sprintf("text%d", c.texts)
		return fmt.Sprintf(
			`REGEX("[%s]*", %s) ASSERT(STRLEN(%s) >= %s && STRLEN(%s) <= %s)`, set+dot, text, text,
			c.number(t.lo), text, c.number(t.hi),
		)
	}
	return c.unsupported()
}

func (c *ctdWriter) quote(text string) string {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\' {
			return c.unsupported()
		}
	}
	return `"` + text + `"`
}

// number writes an integer expression. In checktestdata, a name has the value that was read last. An expression
// that does not use the whole list of a name also refers to that value.
func (c *ctdWriter) number(x *expr) string {
	if x.kind != integer {
		return c.unsupported()
	}
	switch x.op {
	case "constant":
		if x.n < 0 {
			return "(0" + strconv.FormatInt(x.n, 10) + ")"
		}
		return strconv.FormatInt(x.n, 10)
	case "name":
		if c.names[x.name] == "" {
			return c.unsupported()
		}
		return c.names[x.name]
	case "neg":
		return "(0-" + c.number(x.args[0]) + ")"
	case "+", "-", "*":
		return "(" + c.number(x.args[0]) + x.op + c.number(x.args[1]) + ")"
	}
	return c.unsupported() // division rounds differently in checktestdata
}

// truth writes a condition, with parentheses around each part. In checktestdata, && and || have the same
// precedence, and ! applies to more than the next operand.
func (c *ctdWriter) truth(x *expr) string {
	switch x.op {
	case "and":
		return "(" + c.truth(x.args[0]) + " && " + c.truth(x.args[1]) + ")"
	case "or":
		return "(" + c.truth(x.args[0]) + " || " + c.truth(x.args[1]) + ")"
	case "not":
		return "(!" + c.truth(x.args[0]) + ")"
	case "=", "!=", "<", "<=", ">", ">=":
		op := x.op
		if op == "=" {
			op = "=="
		}
		return "(" + c.number(x.args[0]) + " " + op + " " + c.number(x.args[1]) + ")"
	}
	return c.unsupported()
}
