// Package strict reads TOML and YAML files and reports their errors. Every unknown key, every value of the wrong
// type and every syntax error becomes a *judge.ProblemError with file, line, column and a hint. Decoding continues after
// a fault, so that one run reports all of them. Only a syntax error stops it and is reported alone.
//
// Decode reads TOML into a struct. ParseYAML reads YAML into a tree of Nodes, each with its position, and
// Node.Decode decodes it into a struct. The `toml:"name"` or `yaml:"name"` tags of a struct define the keys of a
// file. Its fields may be strings, booleans, integers, floats, structs, maps from string, slices, *Node, and
// pointers to these. They may also be types that decode themselves: a Reader decodes a Node, and an
// encoding.TextUnmarshaler, such as Duration and Size, decodes text. In TOML, a field may also be an any. Fields
// without a tag are not keys. Fields that the file does not set stay unchanged.
//
// YAML files come from outside, so their size, their depth, and the expansion of their aliases are limited.
//
// The package does not write YAML, and it does not check what a value means: the caller does. It is the only
// package that imports the TOML and YAML libraries.
package strict

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"assay/judge"

	"github.com/BurntSushi/toml"
)

// A Doc is a decoded TOML file.
type Doc struct {
	file  string
	data  string
	marks map[string]position // nil after a syntax error
}

// Decode decodes a file's data into the struct that the pointer into refers to. The file's name is only used in
// faults. Decode never returns a nil document. Even with faults, it sets all fields that could be read.
func Decode(file string, data []byte, into any) (*Doc, judge.ProblemErrors) {
	text := strings.TrimLeft(string(data), "\ufeff") // the library would remove only one byte order mark
	d := &Doc{file: file, data: text}
	if line := tooDeep(text); line > 0 {
		return d, judge.ProblemErrors{{File: file, Line: line, Text: "brackets or parts of a key inside one another, too deep to read"}}
	}
	tree := map[string]any{}
	if _, err := toml.Decode(text, &tree); err != nil {
		return d, judge.ProblemErrors{d.syntaxFault(err)}
	}
	d.marks = scan(text)
	faults := d.node(tree, "", position{}).Decode(into)
	slices.SortFunc(faults, func(a, b *judge.ProblemError) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Text, b.Text))
	})
	return d, faults
}

// node returns the Node of a value that the library has decoded. If the position of the value is unknown, the Node
// has the position around, which is that of the enclosing value.
func (d *Doc) node(v any, path string, around position) *Node {
	at, known := d.marks[path]
	if !known {
		at = around
	}
	n := &Node{Kind: Scalar, File: d.file, Line: at.line, Column: at.column, Path: path, value: v}
	switch v := v.(type) {
	case string:
		n.Text, n.Quoted = v, true
	case map[string]any:
		n.Kind = Map
		for _, name := range slices.Sorted(maps.Keys(v)) {
			value := d.node(v[name], join(path, name), at)
			n.keys = append(
				n.keys,
				&Node{Kind: Scalar, File: d.file, Line: value.Line, Column: value.Column, Path: value.Path, Text: name, Quoted: true},
			)
			n.values = append(n.values, value)
		}
	case []any, []map[string]any:
		n.Kind = List
		items := reflect.ValueOf(v)
		for i := range items.Len() {
			n.items = append(n.items, d.node(items.Index(i).Interface(), item(path, i), at))
		}
	default:
		n.Text = fmt.Sprint(v)
	}
	return n
}

// tooDeep returns the line on which brackets, or the parts of a key, are nested deeper than in any real file. It
// returns 0 if there is none. On such a line, the library would overflow its stack, which cannot be recovered, or
// take time quadratic in a key's length. Brackets and names in texts also count, but no real file has that many.
func tooDeep(text string) int {
	const mostBrackets, mostParts = 100_000, 1000
	depth, parts, line, last := 0, 0, 1, byte(0)
	for i := range len(text) {
		c := text[i]
		switch {
		case c == ' ' || c == '\t':
			continue
		case c == '\n':
			line++
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth = max(depth-1, 0)
		}
		switch {
		case c == '.' && last != '.':
			parts++
		case c != '"' && c != '\'' && !isBare(c), last != '.' && i > 0 && (text[i-1] == ' ' || text[i-1] == '\t'):
			parts = 0
		}
		last = c
		if depth > mostBrackets || parts > mostParts {
			return line
		}
	}
	return 0
}

// Fault returns a fault at the position of a key, such as "limits.time" or "group[2].cases[0]" (lists count from
// 0). If the file does not set the key, the position is that of the nearest enclosing table or list.
func (d *Doc) Fault(key, text, hint string) *judge.ProblemError {
	for key != "" && !d.Has(key) {
		key = key[:max(strings.LastIndexAny(key, ".["), 0)]
	}
	p := d.marks[key]
	return &judge.ProblemError{File: d.file, Line: p.line, Column: p.column, Text: text, Hint: hint}
}

// Has reports whether the file sets a key, written as for Fault.
func (d *Doc) Has(key string) bool {
	_, has := d.marks[key]
	return has
}

// syntaxFault converts the library's error to a fault. The hint shows the line that contains the error.
func (d *Doc) syntaxFault(err error) *judge.ProblemError {
	fault := &judge.ProblemError{File: d.file, Text: err.Error()}
	parse, ok := errors.AsType[toml.ParseError](err)
	if !ok {
		return fault
	}
	// The library counts lines inconsistently, but the offset is always right.
	at := min(max(parse.Position.Start, 0), len(d.data))
	if at > 0 && at == len(d.data) && d.data[at-1] == '\n' {
		at-- // report the end of the last line rather than a line after it
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
	if hint := advice(parse.Message, tomlAdvice); hint != "" {
		fault.Hint = strings.TrimPrefix(fault.Hint+"\n"+hint, "\n")
	}
	return fault
}

// advice returns the second text of the first row whose first text occurs in message. It returns an empty string
// if there is no such row.
func advice(message string, rows [][2]string) string {
	for _, row := range rows {
		if strings.Contains(message, row[0]) {
			return row[1]
		}
	}
	return ""
}

// tomlAdvice maps the library's most frequent messages to hints.
var tomlAdvice = [][2]string{
	{"expected value but found", `text stands in quotes: name = "text"`},
	{"strings cannot contain newlines", `the closing quote is missing; text of several lines stands in """`},
	{"invalid escape", `write \\ for a backslash, or use single quotes`},
	{"already been defined", "a key can be set once; several tables of one name are written [[name]]"},
	{"already defined", "a key can be set once; several tables of one name are written [[name]]"},
	{"unexpected EOF", "a bracket, brace or quote is not closed"},
}
