// Package strict reads TOML files that people write, and tells them where they
// went wrong: every unknown key, every value of the wrong type and every syntax
// error becomes a *judge.Fault with file, line, column and a hint. It goes on
// after a fault, so that one run tells them all; only a syntax error stands alone.
//
// A struct says what a file may hold, by `toml:"name"` tags. Its fields may be
// strings, booleans, integers, floats, structs, maps from string, slices, `any`,
// pointers to these, and types that read themselves from text
// (encoding.TextUnmarshaler), such as Duration and Size. Fields without the tag
// are not keys. What the file does not set keeps the value that it had.
//
// The package does not write TOML, and it does not check what a value means: the
// caller does, and makes its faults with Doc.Fault. It is the only one that
// imports the TOML library.
package strict

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"assay/judge"

	"github.com/BurntSushi/toml"
)

// Doc is a file that was decoded.
type Doc struct {
	file  string
	data  string
	tree  map[string]any
	marks func() map[string]position // made when the first fault needs it
}

// Decode reads a file's data into the struct that into points to. The file's
// name is only for the faults. The document is never nil, and into holds what
// could be read, faults or not.
func Decode(file string, data []byte, into any) (*Doc, judge.Faults) {
	text := strings.TrimLeft(string(data), "\ufeff") // the library takes one more off than it is given
	d := &Doc{file: file, data: text}
	d.marks = sync.OnceValue(func() map[string]position { return scan(text) })
	if line := tooDeep(text); line > 0 {
		return d, judge.Faults{{File: file, Line: line, Text: "brackets inside brackets, too deep to read"}}
	}
	if _, err := toml.Decode(text, &d.tree); err != nil {
		d.tree = nil
		return d, judge.Faults{d.syntaxFault(err)}
	}
	f := filler{doc: d, root: reflect.TypeOf(into).Elem()}
	f.table(reflect.ValueOf(into).Elem(), d.tree, "")
	slices.SortFunc(f.faults, func(a, b *judge.Fault) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Text, b.Text))
	})
	return d, f.faults
}

// tooDeep returns the line on which the brackets stand deeper than any file of a
// person's has them, or 0. The library would overflow its stack, which nothing
// can catch. Brackets in texts count too, which does not matter at this depth.
func tooDeep(text string) int {
	const most = 100_000
	depth, line := 0, 1
	for i := range len(text) {
		switch text[i] {
		case '\n':
			line++
		case '[', '{':
			if depth++; depth > most {
				return line
			}
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return 0
}

// Fault makes a fault at the place of a key, such as "limits.time" or
// "group[2].cases[0]" (lists count from 0). A key that the file does not set
// stands where the nearest table or list around it does.
func (d *Doc) Fault(key, text, hint string) *judge.Fault {
	p := d.place(key)
	return &judge.Fault{File: d.file, Line: p.line, Column: p.column, Text: text, Hint: hint}
}

// place finds a key, or the nearest table or list around it.
func (d *Doc) place(key string) position {
	if d.tree == nil {
		return position{}
	}
	for key != "" {
		if p, ok := d.marks()[key]; ok {
			return p
		}
		steps := split(key)
		key = strings.Join(steps[:len(steps)-1], "")
		key = strings.TrimPrefix(key, ".")
	}
	return position{}
}

// Has says whether the file sets a key, which is written as for Fault.
func (d *Doc) Has(key string) bool {
	var value any = d.tree
	if d.tree == nil {
		return false
	}
	for _, step := range split(key) {
		var ok bool
		if value, ok = child(value, step); !ok {
			return false
		}
	}
	return key != ""
}

// child takes one step down, ".name" or "[index]".
func child(value any, step string) (any, bool) {
	if name, isName := strings.CutPrefix(step, "."); isName {
		table, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		for k, v := range table {
			if quoted(k) == name {
				return v, true
			}
		}
		return nil, false
	}
	var index int
	if _, err := fmt.Sscanf(step, "[%d]", &index); err != nil || index < 0 {
		return nil, false
	}
	switch list := value.(type) {
	case []any:
		if index < len(list) {
			return list[index], true
		}
	case []map[string]any:
		if index < len(list) {
			return list[index], true
		}
	}
	return nil, false
}

// split cuts a key into steps, each with its dot or brackets: "a.b[2]" into
// ".a", ".b" and "[2]". Dots in quotes do not cut.
func split(key string) []string {
	if key == "" {
		return nil
	}
	var steps []string
	rest := key
	if rest[0] != '[' {
		rest = "." + rest
	}
	start, inQuotes := 0, false
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case inQuotes && c == '\\':
			i++
		case c == '"':
			inQuotes = !inQuotes
		case !inQuotes && i > start && (c == '.' || c == '['):
			steps = append(steps, rest[start:i])
			start = i
		}
	}
	return append(steps, rest[start:])
}

// syntaxFault makes a fault of the library's error. Its hint shows the line.
func (d *Doc) syntaxFault(err error) *judge.Fault {
	fault := &judge.Fault{File: d.file, Text: err.Error()}
	parse, ok := errors.AsType[toml.ParseError](err)
	if !ok {
		return fault
	}
	// The library counts lines in several ways; the offset is always right.
	at := min(max(parse.Position.Start, 0), len(d.data))
	if at > 0 && at == len(d.data) && d.data[at-1] == '\n' {
		at-- // the end of the last line, not a line behind it
	}
	before, after := d.data[:at], d.data[at:]
	start := strings.LastIndexByte(before, '\n') + 1
	rest, _, _ := strings.Cut(after, "\n")
	line := strings.TrimSuffix(before[start:]+rest, "\r")
	fault.Line, fault.Column = 1+strings.Count(before, "\n"), at-start+1
	fault.Text = strings.TrimSuffix(parse.Message, ".")
	if len(line) <= 200 && strings.TrimSpace(line) != "" {
		pad := strings.Map(func(r rune) rune {
			if r == '\t' {
				return r
			}
			return ' '
		}, before[start:])
		fault.Hint = strings.ToValidUTF8(line, "?") + "\n" + pad + "^"
	}
	for _, row := range advice {
		if strings.Contains(parse.Message, row.message) {
			fault.Hint = strings.TrimPrefix(fault.Hint+"\n"+row.hint, "\n")
			break
		}
	}
	return fault
}

// advice says what to do about the library's most frequent messages.
var advice = []struct{ message, hint string }{
	{"expected value but found", `text stands in quotes: name = "text"`},
	{"strings cannot contain newlines", `the closing quote is missing; text of several lines stands in """`},
	{"invalid escape", `write \\ for a backslash, or use single quotes`},
	{"already been defined", "a key can be set once; several tables of one name are written [[name]]"},
	{"already defined", "a key can be set once; several tables of one name are written [[name]]"},
	{"unexpected EOF", "a bracket, brace or quote is not closed"},
}
