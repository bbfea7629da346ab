package strict

import (
	"iter"
	"math"
	"strconv"
	"strings"

	"assay/judge"
)

// Kind says what is at a place.
type Kind string

const (
	Null   Kind = "nothing" // an empty value, or none at all
	Scalar Kind = "a value" // text, number, boolean or date
	List   Kind = "a list"  // of values
	Map    Kind = "a map"   // from keys to values
)

// A Node is one value of a file. A nil Node reads as Null: a field of a struct stays nil if the file does
// not have its key.
type Node struct {
	Kind   Kind
	File   string
	Line   int // from 1; 0 for a Node that does not exist
	Column int
	Path   string // how the value is called: "limits.time", "data[2]"; "" for the root

	Text   string // of a scalar, without its quotes
	Quoted bool   // whether a scalar is in quotes or in a block, so that it is text for sure
	value  any    // of TOML, as its library has read it; nil in YAML, whose scalars are read as what is wanted

	items  []*Node // of a list
	keys   []*Node // of a map: of YAML in the order of the file, of TOML in that of their names
	values []*Node
}

// Fault makes a fault at the place of the node.
func (n *Node) Fault(text, hint string) *judge.Fault {
	return &judge.Fault{File: n.File, Line: n.Line, Column: n.Column, Text: text, Hint: hint}
}

// Here reports whether the value is there, and is not null.
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

// Pairs yields the keys of a map with their values, in the order of keys.
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

// Get returns the value of a key, Null if there is none.
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

// Has reports whether a map has the key, be its value null or not.
func (n *Node) Has(key string) bool {
	for k := range n.Pairs() {
		if k.Text == key {
			return true
		}
	}
	return false
}

// Bool reads a boolean: true, false, and in YAML also yes, no, on and off.
func (n *Node) Bool() (value, ok bool) {
	if n != nil && n.value != nil {
		value, ok = n.value.(bool)
		return value, ok
	}
	if !n.Here() || n.Kind != Scalar || n.Quoted {
		return false, false
	}
	switch strings.ToLower(n.Text) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}

// Float reads a number. In YAML it may be quoted: "1e-6" without a point is a number too,
// and .inf, +inf and -inf are.
func (n *Node) Float() (float64, bool) {
	if !n.Here() || n.Kind != Scalar {
		return 0, false
	}
	switch v := n.value.(type) {
	case nil:
	case float64:
		return v, true
	case int64:
		return float64(v), true
	default:
		return 0, false
	}
	text := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(n.Text)), "_", "")
	if strings.HasPrefix(strings.TrimLeft(text, "+-"), ".inf") {
		text = strings.Replace(text, ".", "", 1)
	}
	if strings.HasPrefix(text, "0x") {
		x, err := strconv.ParseInt(text[2:], 16, 64)
		return float64(x), err == nil
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsNaN(x)
}

// whole reads a whole number. In YAML it may be written 1e3.
func (n *Node) whole() (int64, bool) {
	if n.value != nil {
		x, ok := n.value.(int64)
		return x, ok
	}
	x, ok := n.Float()
	return int64(x), ok && x == math.Trunc(x) && math.Abs(x) < 1<<53
}
