// Package strictyaml reads YAML files that people write, and tells them where
// they went wrong: unknown keys, keys that stand twice and values of the wrong
// type become a *judge.Fault with file, line, column and a hint, as package strict
// does it for TOML.
//
// Parse makes a tree of Nodes, each with its place. Node.Decode fills a struct,
// whose `yaml:"name"` tags say what the file may hold; a type whose form in YAML
// is one of several, such as a name or a list of names, reads its Node itself (Reader).
//
// A file is foreign, so it is bounded: its size, its depth, and what its aliases
// come to. The package does not write YAML, and it does not check what a value
// means. It is the only one that imports the YAML library.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"assay/judge"
	"assay/judge/internal/mark"
)

const (
	maxBytes = 4 << 20 // of a file; generators.yaml of large packages have a few hundred kB
	maxNodes = 300_000 // with every alias written out
	maxDepth = 100
)

// Kind says what stands at a place.
type Kind string

const (
	Null   Kind = "nothing" // an empty value, or none at all
	Scalar Kind = "a value" // text, number, boolean or date
	List   Kind = "a list"  // of values
	Map    Kind = "a map"   // from keys to values
)

// Node is one value of a file. A nil Node reads as Null: a field of a struct stays
// nil where the file does not have its key.
type Node struct {
	Kind   Kind
	File   string
	Line   int // from 1; 0 for a Node that is not there
	Column int
	Path   string // how the value is called: "limits.time", "data[2]"; "" for the root

	Text   string // of a scalar, without its quotes
	Quoted bool   // whether a scalar stands in quotes or in a block, so that it is text for sure
	tag    string

	items  []*Node // of a list
	keys   []*Node // of a map, in the order of the file
	values []*Node
}

// Parse reads a file's data. The name is only for the faults. An empty file is
// Null. With a fault, the Node is what could be read.
func Parse(file string, data []byte) (*Node, judge.Faults) {
	n, twice, faults := ParseTwice(file, data)
	return n, append(twice, faults...)
}

// ParseTwice is Parse, but with the faults of keys that stand twice apart: some
// readers of YAML take the last of them without a word, as the Node has it.
func ParseTwice(file string, data []byte) (n *Node, twice, faults judge.Faults) {
	none := &Node{Kind: Null, File: file}
	if len(data) > maxBytes {
		return none, nil, judge.Faults{{File: file, Text: fmt.Sprintf("the file has %d bytes, more than %d", len(data), maxBytes)}}
	}
	if fault := notText(file, data); fault != nil {
		return none, nil, judge.Faults{fault}
	}
	var doc, second yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(withoutVersion(data)))
	if err := documents.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return none, nil, judge.Faults{syntaxFault(file, err)}
	}
	if doc.Kind == 0 || len(doc.Content) == 0 {
		return none, nil, nil
	}
	b := builder{file: file, within: map[*yaml.Node]bool{}}
	root := b.node(doc.Content[0], "", 0)
	if err := documents.Decode(&second); err == nil {
		b.fault(&second, "a second document begins here", "a line of --- parts documents, and the file is to have one")
	} else if !errors.Is(err, io.EOF) {
		b.faults = append(b.faults, syntaxFault(file, err))
	}
	return root, b.twice, b.faults
}

// notText finds bytes that are in no text, for which the library knows no place.
func notText(file string, data []byte) *judge.Fault {
	if mark.UTF16(data) {
		return &judge.Fault{File: file, Line: 1, Column: 1, Text: "the file is in UTF-16", Hint: "save the file as UTF-8"}
	}
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		broken, control := r == utf8.RuneError && size == 1, r < ' ' && !strings.ContainsRune("\t\n\r", r)
		if broken || control {
			fault := &judge.Fault{File: file, Line: 1 + bytes.Count(data[:at], []byte("\n")), Column: at - bytes.LastIndexByte(data[:at], '\n')}
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

// withoutVersion blanks out the directive that says which YAML the file is: the
// library refuses 1.2, which is what most files mean who say so.
func withoutVersion(data []byte) []byte {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "%YAML") {
		text = strings.Repeat(" ", len(strings.TrimRight(first, "\r"))) + text[len(strings.TrimRight(first, "\r")):]
	}
	return []byte(text)
}

// syntaxFault makes a fault of the library's error.
func syntaxFault(file string, err error) *judge.Fault {
	f := &judge.Fault{File: file, Text: strings.TrimPrefix(err.Error(), "yaml: ")}
	if load, ok := errors.AsType[*yaml.LoadError](err); ok {
		f.Line, f.Column, f.Text = load.Mark.Line, load.Mark.Column, load.Message
	}
	for _, row := range advice {
		if strings.Contains(f.Text, row.message) {
			f.Hint = row.hint
			break
		}
	}
	return f
}

// advice says what to do about the library's most frequent messages.
var advice = []struct{ message, hint string }{
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
	file   string
	count  int
	full   bool
	within map[*yaml.Node]bool // the anchors around the present place
	faults judge.Faults
	twice  judge.Faults // of keys
}

func (b *builder) fault(y *yaml.Node, text, hint string) {
	b.faults = append(b.faults, &judge.Fault{File: b.file, Line: y.Line, Column: y.Column, Text: text, Hint: hint})
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
		if b.within[y.Alias] {
			b.fault(y, fmt.Sprintf("the alias *%s stands inside of itself", y.Value), "")
			return n
		}
		made := b.node(y.Alias, path, depth+1)
		made.Line, made.Column = y.Line, y.Column
		return made
	case yaml.ScalarNode:
		b.scalar(n, y)
	case yaml.SequenceNode:
		b.within[y] = true
		n.Kind = List
		for i, item := range y.Content {
			n.items = append(n.items, b.node(item, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
		delete(b.within, y)
	case yaml.MappingNode:
		b.within[y] = true
		n.Kind = Map
		b.mapping(n, y, depth)
		delete(b.within, y)
	}
	return n
}

func (b *builder) scalar(n *Node, y *yaml.Node) {
	n.tag = y.ShortTag()
	if n.tag == "!!null" {
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
			b.twice = append(b.twice, &judge.Fault{File: b.file, Line: key.Line, Column: key.Column, Text: fmt.Sprintf("the key %q stands twice", key.Value), Hint: fmt.Sprintf("first on line %d", line)})
			at := slices.IndexFunc(n.keys, func(k *Node) bool { return k.Text == key.Value })
			n.values[at] = b.node(y.Content[i+1], join(n.Path, key.Value), depth+1)
			continue
		}
		first[key.Value] = key.Line
		n.keys = append(n.keys, &Node{Kind: Scalar, File: b.file, Line: key.Line, Column: key.Column, Path: join(n.Path, key.Value), Text: key.Value, Quoted: true})
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

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Fault makes a fault at the place of the node.
func (n *Node) Fault(text, hint string) *judge.Fault {
	return &judge.Fault{File: n.File, Line: n.Line, Column: n.Column, Text: text, Hint: hint}
}

// Here says whether the value is there, and is not null.
func (n *Node) Here() bool { return n != nil && n.Kind != Null }

// Items yields the items of a list; a scalar or a map is a list of itself.
func (n *Node) Items() []*Node {
	switch {
	case !n.Here():
		return nil
	case n.Kind == List:
		return n.items
	}
	return []*Node{n}
}

// Pairs yields the keys of a map with their values, in the order of the file.
func (n *Node) Pairs() iter.Seq2[*Node, *Node] {
	return func(yield func(k, v *Node) bool) {
		if n == nil {
			return
		}
		for i, k := range n.keys {
			if !yield(k, n.values[i]) {
				return
			}
		}
	}
}

// Get returns the value of a key, Null where there is none.
func (n *Node) Get(key string) *Node {
	for k, v := range n.Pairs() {
		if k.Text == key {
			return v
		}
	}
	if n == nil {
		return &Node{Kind: Null, Path: key}
	}
	return &Node{Kind: Null, File: n.File, Path: join(n.Path, key)}
}

// Key returns the node of a key itself, for faults that are about the key.
func (n *Node) Key(key string) *Node {
	for k := range n.Pairs() {
		if k.Text == key {
			return k
		}
	}
	return n
}

// Has says whether a map has the key, be its value null or not.
func (n *Node) Has(key string) bool {
	for k := range n.Pairs() {
		if k.Text == key {
			return true
		}
	}
	return false
}
