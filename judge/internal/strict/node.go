package strict

import (
	"iter"
	"math"
	"strconv"
	"strings"

	"assay/judge"
)

// Kind is the kind of a value.
type Kind string

const (
	Null   Kind = "nothing" // an empty or missing value
	Scalar Kind = "a value" // text, number, boolean or date
	List   Kind = "a list"  // of values
	Map    Kind = "a map"   // maps keys to values
)

// A Node is one value in a file. A nil Node is treated as Null, because a *Node field of a struct stays nil if the
// file does not contain its key.
type Node struct {
	Kind   Kind
	File   string
	Line   int // from 1; zero for a Node that does not exist
	Column int
	Path   string // name of the value, such as "limits.time" or "data[2]"; empty for the root

	Text   string // of a scalar, without its quotes
	Quoted bool   // a scalar is in quotes or in a block, so it must be text
	value  any    // decoded TOML value; nil in YAML, whose scalars are decoded by target type

	items  []*Node // of a list
	keys   []*Node // of a map: in file order for YAML, sorted by name for TOML
	values []*Node
}

// Fault returns a fault at the node's position.
func (n *Node) Fault(text, hint string) *judge.ProblemError {
	return &judge.ProblemError{File: n.File, Line: n.Line, Column: n.Column, Text: text, Hint: hint}
}

// IsSet reports whether the value exists and is not null.
func (n *Node) IsSet() bool { return n != nil && n.Kind != Null }

// Items returns the items of a list. A scalar or a map counts as a list of one item.
func (n *Node) Items() []*Node {
	switch {
	case !n.IsSet():
		return nil
	case n.Kind == List:
		return n.items
	}
	return []*Node{n}
}

// Pairs yields the keys of a map and their values, in the order of keys.
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

// Get returns the value of a key. It returns a Null node if the key does not exist.
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

// Key returns the node of a key itself, for faults that concern the key.
func (n *Node) Key(key string) *Node {
	for k := range n.Pairs() {
		if k.Text == key {
			return k
		}
	}
	return n
}

// Has reports whether a map contains the key, even if its value is null.
func (n *Node) Has(key string) bool {
	for k := range n.Pairs() {
		if k.Text == key {
			return true
		}
	}
	return false
}

// Bool decodes a boolean: true or false, and in YAML also yes, no, on and off.
func (n *Node) Bool() (value, ok bool) {
	if n != nil && n.value != nil {
		value, ok = n.value.(bool)
		return value, ok
	}
	if !n.IsSet() || n.Kind != Scalar || n.Quoted {
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

// Float decodes a number. In YAML, the number may be quoted, may lack a decimal point as in "1e-6", and may be
// .inf, +inf or -inf.
func (n *Node) Float() (float64, bool) {
	if !n.IsSet() || n.Kind != Scalar {
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

// integer decodes an integer. In YAML, it may be written as 1e3.
func (n *Node) integer() (int64, bool) {
	if n.value != nil {
		x, ok := n.value.(int64)
		return x, ok
	}
	x, ok := n.Float()
	return int64(x), ok && x == math.Trunc(x) && math.Abs(x) < 1<<53
}
