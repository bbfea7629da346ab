package strict

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// position is a position in a file: line and column in bytes, both from 1. The zero value is an unknown position
// in the file.
type position struct{ line, column int }

// scanner finds the positions of all keys and list items, because the TOML library does not report them. The
// library has already validated the text, so the scanner only skips values and does not check them.
type scanner struct {
	text  string
	pos   int
	marks map[string]position
	count map[string]int // number of tables in each [[array]] so far
	line  int            // line number of the byte at seen
	from  int            // offset of the first byte of that line
	seen  int            // number of bytes already counted
}

// scan returns the position of each key. Keys are written as for Doc.Fault.
func scan(text string) map[string]position {
	s := &scanner{text: text, marks: map[string]position{}, count: map[string]int{}, line: 1}
	table := ""
	for s.skipBlank(); s.pos < len(s.text); s.skipBlank() {
		start := s.pos
		if s.text[s.pos] == '[' {
			table = s.header()
		} else {
			s.assignment(table)
		}
		if s.pos == start {
			break // the text is not valid after all
		}
	}
	return s.marks
}

// mark records the position of a key where it first occurs.
func (s *scanner) mark(key string, at int) {
	if _, known := s.marks[key]; known {
		return
	}
	for ; s.seen < at; s.seen++ {
		if s.text[s.seen] == '\n' {
			s.line++
			s.from = s.seen + 1
		}
	}
	s.marks[key] = position{s.line, at - s.from + 1}
}

// skipBlank skips white space, line ends and comments.
func (s *scanner) skipBlank() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\r', '\n':
			s.pos++
		case '#':
			s.skipTo("\n")
		default:
			return
		}
	}
}

// skipTo moves to the next byte that the string stops contains, or to the end of the text.
func (s *scanner) skipTo(stops string) {
	if i := strings.IndexAny(s.text[s.pos:], stops); i >= 0 {
		s.pos += i
	} else {
		s.pos = len(s.text)
	}
}

// hasPrefix reports whether text occurs at the current position of s.
func (s *scanner) hasPrefix(text string) bool { return strings.HasPrefix(s.text[s.pos:], text) }

// accept skips the byte c if it is next.
func (s *scanner) accept(c byte) bool {
	if s.pos < len(s.text) && s.text[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// header reads "[a.b]" or "[[a.b]]" and returns the path of its table.
func (s *scanner) header() string {
	s.pos++
	isList := s.accept('[')
	path := ""
	for {
		s.skipBlank()
		start := s.pos
		name, ok := s.name()
		if !ok {
			break
		}
		path = join(path, name)
		s.mark(path, start)
		s.skipBlank()
		more := s.accept('.')
		if isList && !more {
			s.count[path]++
		}
		if n := s.count[path]; n > 0 {
			path = item(path, n-1)
			s.mark(path, start)
		}
		if !more {
			break
		}
	}
	s.accept(']')
	if isList {
		s.accept(']')
	}
	return path
}

// assignment reads "a.b = value".
func (s *scanner) assignment(path string) {
	for {
		s.skipBlank()
		start := s.pos
		name, ok := s.name()
		if !ok {
			return
		}
		path = join(path, name)
		s.mark(path, start)
		s.skipBlank()
		if !s.accept('.') {
			break
		}
	}
	if s.accept('=') {
		s.skipBlank()
		s.value(path)
	}
}

// name reads one part of a key.
func (s *scanner) name() (string, bool) {
	start := s.pos
	switch {
	case s.hasPrefix(`"`):
		s.skipQuoted('"')
		return unquoted(s.text[start:s.pos]), true
	case s.hasPrefix(`'`):
		s.skipQuoted('\'')
		return strings.Trim(s.text[start:s.pos], `'`), true
	}
	for s.pos < len(s.text) && isBare(s.text[s.pos]) {
		s.pos++
	}
	return s.text[start:s.pos], s.pos > start
}

// unquoted decodes a name in double quotes. The library resolves escapes.
func unquoted(name string) string {
	var read struct{ Name string }
	if strings.Contains(name, `\`) {
		if _, err := toml.Decode("Name="+name, &read); err == nil {
			return read.Name
		}
	}
	return strings.Trim(name, `"`)
}

// skipQuoted skips a quoted text on one line.
func (s *scanner) skipQuoted(quote byte) {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == quote:
			s.pos++
			return
		case c == '\\' && quote == '"':
			s.pos++
		}
	}
	s.pos = len(s.text)
}

// skipBlock skips a text in triple quotes.
func (s *scanner) skipBlock(quote string) {
	for s.pos += 3; s.pos < len(s.text); s.pos++ {
		if quote[0] == '"' && s.text[s.pos] == '\\' {
			s.pos++
			continue
		}
		if s.hasPrefix(quote) {
			s.pos += 3
			for extra := 0; extra < 2 && s.accept(quote[0]); extra++ {
			} // up to two more quotes may belong to the text
			return
		}
	}
	s.pos = len(s.text)
}

// value skips a value and marks the keys and items inside.
func (s *scanner) value(path string) {
	switch {
	case s.hasPrefix(`"""`), s.hasPrefix(`'''`):
		s.skipBlock(s.text[s.pos : s.pos+3])
	case s.hasPrefix(`"`), s.hasPrefix(`'`):
		s.skipQuoted(s.text[s.pos])
	case s.hasPrefix("["):
		s.pos++
		s.items(']', func(i int) {
			at := item(path, i)
			s.mark(at, s.pos)
			s.value(at)
		})
	case s.hasPrefix("{"):
		s.pos++
		s.items('}', func(int) { s.assignment(path) })
	default:
		s.skipTo(",]}#\n")
	}
}

// items calls item to read each comma-separated item. It stops after the closing byte.
func (s *scanner) items(closing byte, item func(i int)) {
	for i := 0; ; i++ {
		s.skipBlank()
		if s.pos == len(s.text) || s.accept(closing) {
			return
		}
		start := s.pos
		item(i)
		s.skipBlank()
		if !s.accept(',') && s.pos == start {
			return
		}
	}
}

func isBare(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// maxPath is the maximum length of a path in bytes. A deeper value has the path of the last enclosing value within
// the limit. Without a limit, the paths for a file of nested brackets would take memory quadratic in its size.
const maxPath = 10_000

// item adds the index of an item to the path of its list.
func item(path string, i int) string {
	if len(path) > maxPath {
		return path
	}
	return fmt.Sprintf("%s[%d]", path, i)
}

// join adds a name to a path. It quotes the name if it would otherwise be ambiguous.
func join(path, name string) string {
	if len(path) > maxPath {
		return path
	}
	if path == "" {
		return quoted(name)
	}
	return path + "." + quoted(name)
}

func quoted(name string) string {
	for i := range len(name) {
		if !isBare(name[i]) {
			return strconv.Quote(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}
