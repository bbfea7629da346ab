package ctd

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// pattern is a POSIX extended regular expression over bytes. It matches the longest alternative.
type pattern struct{ re *regexp.Regexp }

// patternError describes an error in a pattern.
type patternError struct{ text, hint string }

// compile translates a POSIX extended regular expression into an expression of package regexp. Each byte becomes
// the character with the same number. The two syntaxes differ in the meaning of a backslash and in bracket
// expressions. Also, {n} may exceed 1000, unlike in package regexp.
func compile(ere string) (*pattern, *patternError) {
	t := &translator{ere: ere}
	out, err := t.alternatives(0)
	if err == nil && t.at < len(t.ere) {
		err = &patternError{"a ) without its (", `write \\) for the bracket itself`}
	}
	if err != nil {
		return nil, err
	}
	re, failed := regexp.Compile(`\A(?s:` + out.re + `)`)
	if failed != nil {
		return nil, &patternError{"the pattern is not usable: " + failed.Error(), ""}
	}
	re.Longest()
	return &pattern{re}, nil
}

// match returns the length of the longest match at the start of text.
func (p *pattern) match(text []byte) (int, bool) {
	at := p.re.FindReaderIndex(&bytewise{text: text})
	if at == nil {
		return 0, false
	}
	return at[1], true
}

// bytewise is a reader that returns each byte as a character.
type bytewise struct {
	text []byte
	at   int
}

func (b *bytewise) ReadRune() (rune, int, error) {
	if b.at == len(b.text) {
		return 0, 0, io.EOF
	}
	b.at++
	return rune(b.text[b.at-1]), 1, nil
}

type translator struct {
	ere string
	at  int
}

// part is a translated piece of a pattern.
type part struct {
	re    string
	times int // the product of nested repeat counts, which package regexp limits
}

const (
	maxGroups = 50      // how deep groups may nest
	maxRepeat = 100_000 // maximum repeat count in braces
	maxTimes  = 1000    // maximum repeat count of package regexp
	maxBlocks = 400     // how deep the groups written for one pair of braces may nest
	maxSize   = 1 << 20 // maximum size of a translated pattern, in bytes
)

func (t *translator) alternatives(depth int) (part, *patternError) {
	if depth > maxGroups {
		return part{}, &patternError{fmt.Sprintf("groups nested more than %d deep", maxGroups), ""}
	}
	var b strings.Builder
	times := 1
	for {
		for t.at < len(t.ere) && t.ere[t.at] != '|' && t.ere[t.at] != ')' {
			piece, err := t.piece(depth)
			if err != nil {
				return part{}, err
			}
			b.WriteString(piece.re)
			times = max(times, piece.times)
		}
		if t.at == len(t.ere) || t.ere[t.at] == ')' {
			return part{b.String(), times}, nil
		}
		b.WriteByte('|')
		t.at++
	}
}

// piece translates an atom with its repeat operators.
func (t *translator) piece(depth int) (part, *patternError) {
	atom, err := t.atom(depth)
	for err == nil && t.at < len(t.ere) && strings.IndexByte("*+?{", t.ere[t.at]) >= 0 {
		c := t.ere[t.at]
		if c != '{' {
			t.at++
			atom.re = "(?:" + atom.re + string(c) + ")"
			continue
		}
		var lo, hi int
		if lo, hi, err = t.braces(); err == nil {
			atom, err = atom.repeat(lo, hi)
		}
	}
	return atom, err
}

const special = `^.[$()|*+?{\`

func (t *translator) atom(depth int) (part, *patternError) {
	c := t.ere[t.at]
	t.at++
	switch c {
	case '(':
		inner, err := t.alternatives(depth + 1)
		if err != nil {
			return part{}, err
		}
		if t.at == len(t.ere) {
			return part{}, &patternError{"a ( without its )", `write \\( for the bracket itself`}
		}
		t.at++
		return part{"(?:" + inner.re + ")", inner.times}, nil
	case '[':
		class, err := t.class()
		return part{class, 1}, err
	case '*', '+', '?', '{':
		return part{}, &patternError{fmt.Sprintf("nothing stands before %q that could be repeated", c), fmt.Sprintf(
			`write \\%c for the character itself`, c,
		)}
	case '.', '$', '^':
		return part{string(c), 1}, nil
	case '\\':
		if t.at == len(t.ere) {
			return part{}, &patternError{"a backslash at the end", `write \\\\ for the backslash itself`}
		}
		c = t.ere[t.at]
		t.at++
		if strings.IndexByte(special+"]}", c) < 0 {
			return part{}, &patternError{
				fmt.Sprintf(`\%c means nothing in an extended regular expression`, c),
				`write [0-9] for a digit, [a-z] for a letter`,
			}
		}
	}
	return part{literal(c), 1}, nil
}

// literal returns a pattern for the character whose number is c.
func literal(c byte) string { return fmt.Sprintf(`\x{%x}`, c) }

// braces reads {n}, {n,} or {n,m}. Without an upper bound, hi is -1.
func (t *translator) braces() (lo, hi int, err *patternError) {
	bad := &patternError{"a { that is not such as {3}, {3,} or {3,5}", `write \\{ for the brace itself`}
	end := strings.IndexByte(t.ere[t.at:], '}')
	if end < 0 {
		return 0, 0, bad
	}
	inner := t.ere[t.at+1 : t.at+end]
	t.at += end + 1
	from, to, comma := strings.Cut(inner, ",")
	if lo, hi = count(from), count(to); lo < 0 || comma && to != "" && hi < 0 {
		return 0, 0, bad
	}
	switch {
	case !comma:
		hi = lo
	case to == "":
		hi = -1
	case hi < lo:
		return 0, 0, &patternError{fmt.Sprintf("{%s} runs downwards", inner), ""}
	}
	if max(lo, hi) > maxRepeat {
		return 0, 0, &patternError{fmt.Sprintf("{%s} repeats more than %d times", inner, maxRepeat), "match with + and ASSERT the STRLEN"}
	}
	return lo, hi, nil
}

// count parses digits. It returns -1 for anything else.
func count(s string) int {
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) || n > maxRepeat {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	if s == "" {
		return -1
	}
	return n
}

// repeat repeats the atom lo to hi times. If hi is -1, there is no upper bound. Package regexp allows at most
// maxTimes, so larger counts are composed: x{0,2500} is (x{1000}(x{1000}x{0,500}|x{0,999})|x{0,999}). With this
// form, the matcher follows only a few alternatives at any time.
func (p part) repeat(lo, hi int) (part, *patternError) {
	atom, most := "(?:"+p.re+")", max(maxTimes/p.times, 1)
	made := part{times: p.times * min(max(lo, hi, 1), most)}
	if size := len(atom) * (2 + max(lo, hi)/most*2); size > maxSize || (hi-lo)/most > maxBlocks {
		return part{}, &patternError{"the pattern is too large", "match with + and ASSERT the STRLEN"}
	}
	var b strings.Builder
	for ; lo > most; lo -= most {
		fmt.Fprintf(&b, "%s{%d}", atom, most)
		if hi >= 0 {
			hi -= most
		}
	}
	switch {
	case hi < 0:
		fmt.Fprintf(&b, "%s{%d,}", atom, lo)
	case hi <= most:
		fmt.Fprintf(&b, "%s{%d,%d}", atom, lo, hi)
	default:
		fmt.Fprintf(&b, "%s{%d}", atom, lo)
		blocks, rest := (hi-lo)/most, (hi-lo)%most
		for range blocks {
			fmt.Fprintf(&b, "(?:%s{%d}", atom, most)
		}
		fmt.Fprintf(&b, "%s{0,%d}", atom, rest)
		for range blocks {
			fmt.Fprintf(&b, "|%s{0,%d})", atom, most-1)
		}
	}
	made.re = "(?:" + b.String() + ")"
	return made, nil
}

// classes lists the character classes allowed in bracket expressions.
var classes = []string{"alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit"}

// class translates a bracket expression after its [, which was already consumed. A backslash is literal there, and
// so is ] at the beginning.
func (t *translator) class() (string, *patternError) {
	open := &patternError{"a [ without its ]", `write \\[ for the bracket itself`}
	var b strings.Builder
	b.WriteByte('[')
	if t.at < len(t.ere) && t.ere[t.at] == '^' {
		b.WriteByte('^')
		t.at++
	}
	for first := true; ; first = false {
		if t.at >= len(t.ere) {
			return "", open
		}
		rest := t.ere[t.at:]
		switch {
		case rest[0] == ']' && !first:
			t.at++
			b.WriteByte(']')
			return b.String(), nil
		case strings.HasPrefix(rest, "[:"):
			name, err := t.namedClass()
			if err != nil {
				return "", err
			}
			b.WriteString(name)
			continue
		}
		lo, err := t.member()
		if err != nil {
			return "", err
		}
		hi := lo
		if rest := t.ere[t.at:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			t.at++
			if hi, err = t.member(); err != nil {
				return "", err
			}
		}
		if hi < lo {
			return "", &patternError{fmt.Sprintf("the range %c-%c runs downwards", lo, hi), ""}
		}
		b.WriteString(literal(lo) + "-" + literal(hi))
	}
}

// member reads one character of a bracket expression, which may be written [.x.] or [=x=].
func (t *translator) member() (byte, *patternError) {
	rest := t.ere[t.at:]
	for _, mark := range []string{".", "="} {
		if strings.HasPrefix(rest, "["+mark) {
			if len(rest) < 5 || rest[3:5] != mark+"]" {
				return 0, &patternError{"[" + mark + " that is not such as [" + mark + "x" + mark + "]", ""}
			}
			t.at += 5
			return rest[2], nil
		}
	}
	t.at++
	return rest[0], nil
}

func (t *translator) namedClass() (string, *patternError) {
	rest := t.ere[t.at:]
	for _, name := range classes {
		if full := "[:" + name + ":]"; strings.HasPrefix(rest, full) {
			t.at += len(full)
			return full, nil
		}
	}
	return "", &patternError{"an unknown class of characters", "one of " + strings.Join(classes, ", ")}
}
