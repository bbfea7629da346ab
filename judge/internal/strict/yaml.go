package strict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"assay/judge"
	"assay/judge/internal/mark"
)

const (
	maxBytes = 4 << 20 // per file; generators.yaml in large packages has a few hundred kB
	maxNodes = 300_000 // with all aliases expanded
	maxDepth = 100
)

// ParseYAML parses a file's data. The name is only used in faults. An empty file gives a Null node. If there are
// faults, the Node contains what could be read.
func ParseYAML(file string, data []byte) (*Node, judge.ProblemErrors) {
	n, twice, faults := ParseYAMLDuplicates(file, data)
	return n, append(twice, faults...)
}

// ParseYAMLDuplicates is like ParseYAML, but returns the faults of duplicate keys separately. Of duplicate keys, the
// Node contains the last one. Some YAML readers also silently use the last one.
func ParseYAMLDuplicates(file string, data []byte) (n *Node, duplicates, faults judge.ProblemErrors) {
	none := &Node{Kind: Null, File: file}
	if len(data) > maxBytes {
		return none, nil, judge.ProblemErrors{{File: file, Text: fmt.Sprintf("the file has %d bytes, more than %d", len(data), maxBytes)}}
	}
	if fault := notText(file, data); fault != nil {
		return none, nil, judge.ProblemErrors{fault}
	}
	var doc, second yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(withoutVersion(data)))
	if err := documents.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return none, nil, judge.ProblemErrors{yamlSyntaxFault(file, err)}
	}
	if doc.Kind == 0 || len(doc.Content) == 0 {
		return none, nil, nil
	}
	b := builder{file: file, enclosing: map[*yaml.Node]bool{}}
	root := b.node(doc.Content[0], "", 0)
	if err := documents.Decode(&second); err == nil {
		b.fault(&second, "a second document begins here", "a line of --- parts documents, and the file is to have one")
	} else if !errors.Is(err, io.EOF) {
		b.faults = append(b.faults, yamlSyntaxFault(file, err))
	}
	return root, b.duplicates, b.faults
}

// notText finds bytes that are not text. The library does not report their position.
func notText(file string, data []byte) *judge.ProblemError {
	if mark.IsUTF16(data) {
		return &judge.ProblemError{File: file, Line: 1, Column: 1, Text: "the file is in UTF-16", Hint: "save the file as UTF-8"}
	}
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		broken, control := r == utf8.RuneError && size == 1, r < ' ' && !strings.ContainsRune("\t\n\r", r)
		if broken || control {
			fault := &judge.ProblemError{
				File: file, Line: 1 + bytes.Count(data[:at], []byte("\n")),
				Column: at - bytes.LastIndexByte(data[:at], '\n'),
			}
			fault.Text, fault.Hint = fmt.Sprintf("the byte 0x%02x, a control character", data[at]), "remove it"
			if broken {
				fault.Text, fault.Hint = fmt.Sprintf("the byte 0x%02x, which is not UTF-8", data[at]), "save the file as UTF-8"
			}
			return fault
		}
		at += size
	}
	return nil
}

// withoutVersion blanks out the %YAML directive. Most files with this directive name version 1.2, which the
// library rejects.
func withoutVersion(data []byte) []byte {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "%YAML") {
		text = strings.Repeat(" ", len(strings.TrimRight(first, "\r"))) + text[len(strings.TrimRight(first, "\r")):]
	}
	return []byte(text)
}

// yamlSyntaxFault converts the library's error to a fault.
func yamlSyntaxFault(file string, err error) *judge.ProblemError {
	f := &judge.ProblemError{File: file, Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if load, ok := errors.AsType[*yaml.LoadError](err); ok {
		f.Line, f.Column, f.Text = load.Mark.Line, load.Mark.Column, load.Message
	}
	f.Hint = advice(f.Text, yamlAdvice)
	return f
}

// yamlAdvice maps the library's most frequent messages to hints.
var yamlAdvice = [][2]string{
	{"cannot start any token", "YAML is indented with blanks, not with tabs; a value that starts with @, ` or % stands in quotes"},
	{"tab character", "YAML is indented with blanks, not with tabs"},
	{"mapping values are not allowed", "a value with a colon in it stands in quotes"},
	{"did not find expected key", "the line is not indented as the one above, or a quote is not closed"},
	{"did not find expected ',' or ']'", "a bracket is not closed"},
	{"did not find expected ',' or '}'", "a brace is not closed"},
	{"unknown anchor", "a value that starts with * stands in quotes"},
	{"UTF-8", "save the file as UTF-8"},
	{"exceeded max depth", "no file needs as many brackets"},
}

// builder makes Nodes of the library's.
type builder struct {
	file       string
	count      int
	full       bool
	enclosing  map[*yaml.Node]bool // the anchors around the present place
	faults     judge.ProblemErrors
	duplicates judge.ProblemErrors // of keys
}

func (b *builder) fault(y *yaml.Node, text, hint string) {
	b.faults = append(b.faults, &judge.ProblemError{File: b.file, Line: y.Line, Column: y.Column, Text: text, Hint: hint})
}

func (b *builder) node(y *yaml.Node, path string, depth int) *Node {
	n := &Node{Kind: Null, File: b.file, Line: y.Line, Column: y.Column, Path: path}
	b.count++
	switch {
	case b.full:
		return n
	case b.count > maxNodes:
		b.full = true
		b.fault(y, fmt.Sprintf("more than %d values, with every alias written out", maxNodes), "write fewer aliases")
		return n
	case depth > maxDepth:
		b.full = true
		b.fault(y, fmt.Sprintf("more than %d values inside one another", maxDepth), "")
		return n
	}
	switch y.Kind {
	case yaml.AliasNode:
		if b.enclosing[y.Alias] {
			b.fault(y, fmt.Sprintf("the alias *%s stands inside of itself", y.Value), "")
			return n
		}
		made := b.node(y.Alias, path, depth+1)
		made.Line, made.Column = y.Line, y.Column
		return made
	case yaml.ScalarNode:
		b.scalar(n, y)
	case yaml.SequenceNode:
		b.enclosing[y] = true
		n.Kind = List
		for i, value := range y.Content {
			n.items = append(n.items, b.node(value, item(path, i), depth+1))
		}
		delete(b.enclosing, y)
	case yaml.MappingNode:
		b.enclosing[y] = true
		n.Kind = Map
		b.mapping(n, y, depth)
		delete(b.enclosing, y)
	}
	return n
}

func (b *builder) scalar(n *Node, y *yaml.Node) {
	if y.ShortTag() == "!!null" {
		return
	}
	n.Kind, n.Text = Scalar, y.Value
	n.Quoted = y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
}

// mapping reads the keys of a map, each at most once, and then what
// it takes from others with "<<".
func (b *builder) mapping(n *Node, y *yaml.Node, depth int) {
	var merged []*Node
	first := map[string]int{} // the line of each key
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := y.Content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			b.fault(key, "a key that is not text", "")
			continue
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, b.node(y.Content[i+1], n.Path, depth+1))
			continue
		}
		if line, twice := first[key.Value]; twice {
			b.duplicates = append(b.duplicates, &judge.ProblemError{
				File: b.file, Line: key.Line, Column: key.Column,
				Text: fmt.Sprintf("the key %q stands twice", key.Value),
				Hint: fmt.Sprintf("first on line %d", line),
			})
			at := slices.IndexFunc(n.keys, func(k *Node) bool { return k.Text == key.Value })
			n.values[at] = b.node(y.Content[i+1], join(n.Path, key.Value), depth+1)
			continue
		}
		first[key.Value] = key.Line
		n.keys = append(
			n.keys,
			&Node{
				Kind: Scalar, File: b.file, Line: key.Line, Column: key.Column, Path: join(n.Path, key.Value),
				Text: key.Value, Quoted: true,
			},
		)
		n.values = append(n.values, b.node(y.Content[i+1], join(n.Path, key.Value), depth+1))
	}
	for _, m := range merged {
		from := []*Node{m}
		if m.Kind == List {
			from = m.items
		}
		for _, other := range from {
			for i, key := range other.keys {
				if _, twice := first[key.Text]; !twice {
					first[key.Text] = key.Line
					n.keys, n.values = append(n.keys, key), append(n.values, other.values[i])
				}
			}
		}
	}
}
