package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/internal/suggest"
)

// Reader is a type that reads its value itself, because it may be written in
// several ways.
type Reader interface {
	ReadYAML(n *Node) judge.Faults
}

// Decode fills what into points to: a struct with `yaml:"name"` tags, a map from
// string, a slice, a string, a boolean, a number, a Reader, a *Node (which takes
// anything), or a pointer to one of these. What the file does not set, or sets
// to null, keeps the value that it had. A string takes every scalar unchanged
// written; a slice takes a single value as a list of one.
func (n *Node) Decode(into any) judge.Faults {
	var f filler
	f.value(reflect.ValueOf(into).Elem(), n)
	return f.faults
}

// filler copies Nodes into Go values, and notes what does not fit.
type filler struct{ faults judge.Faults }

var nodeType = reflect.TypeFor[*Node]()

func (f *filler) value(into reflect.Value, n *Node) {
	if into.Type() == nodeType {
		into.Set(reflect.ValueOf(n))
		return
	}
	if !n.Here() {
		return
	}
	if into.Kind() == reflect.Pointer {
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		f.value(into.Elem(), n)
		return
	}
	if r, ok := into.Addr().Interface().(Reader); ok {
		f.faults = append(f.faults, r.ReadYAML(n)...)
		return
	}
	switch into.Kind() {
	case reflect.Struct:
		f.object(into, n)
	case reflect.Map:
		f.dictionary(into, n)
	case reflect.Slice:
		items := n.Items()
		list := reflect.MakeSlice(into.Type(), len(items), len(items))
		for i, item := range items {
			f.value(list.Index(i), item)
		}
		into.Set(list)
	default:
		f.scalar(into, n)
	}
}

func (f *filler) object(into reflect.Value, n *Node) {
	if n.Kind != Map {
		f.mismatch(n, "a map")
		return
	}
	fields := map[string]int{}
	var allowed []string
	for i := range into.NumField() {
		if name := into.Type().Field(i).Tag.Get("yaml"); name != "" {
			fields[name] = i
			allowed = append(allowed, name)
		}
	}
	for k, v := range n.Pairs() {
		field, ok := fields[k.Text]
		if !ok {
			f.faults = append(f.faults, Unknown(k, n.Path, allowed))
			continue
		}
		f.value(into.Field(field), v)
	}
}

// Unknown is the fault of a key that its map does not have.
func Unknown(key *Node, within string, allowed []string) *judge.Fault {
	text := fmt.Sprintf("unknown key %q", key.Text)
	if within != "" {
		text += " in " + within
	}
	return key.Fault(text, suggest.Hint(key.Text, allowed))
}

func (f *filler) dictionary(into reflect.Value, n *Node) {
	if n.Kind != Map {
		f.mismatch(n, "a map")
		return
	}
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for k, v := range n.Pairs() {
		item := reflect.New(into.Type().Elem()).Elem()
		f.value(item, v)
		into.SetMapIndex(reflect.ValueOf(k.Text).Convert(into.Type().Key()), item)
	}
}

func (f *filler) scalar(into reflect.Value, n *Node) {
	if n.Kind != Scalar {
		f.mismatch(n, want(into.Kind()))
		return
	}
	switch into.Kind() {
	case reflect.String:
		into.SetString(n.Text)
		return
	case reflect.Bool:
		if b, ok := n.Bool(); ok {
			into.SetBool(b)
			return
		}
	case reflect.Float32, reflect.Float64:
		if x, ok := n.Float(); ok {
			into.SetFloat(x)
			return
		}
	case reflect.Int, reflect.Int64:
		if x, ok := n.Float(); ok && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			into.SetInt(int64(x))
			return
		}
	}
	f.mismatch(n, want(into.Kind()))
}

// Bool reads a boolean: true, false, and YAML 1.1's yes, no, on and off.
func (n *Node) Bool() (value, ok bool) {
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

// Float reads a number, quoted or not: "1e-6" without a point is a number too,
// and .inf, +inf and -inf are.
func (n *Node) Float() (float64, bool) {
	if !n.Here() || n.Kind != Scalar {
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

func want(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// Mismatch is the fault of a value of the wrong type; want is "a list of texts".
func (n *Node) Mismatch(want string) *judge.Fault {
	got := string(n.Kind)
	if n.Kind == Scalar {
		got = strconv.Quote(n.Text)
		if len(n.Text) > 40 {
			got = strconv.Quote(n.Text[:30]) + "..."
		}
	}
	hint := ""
	if b, isBool := n.Bool(); isBool && want == "text" {
		hint = fmt.Sprintf("put it in quotes: %q", fmt.Sprint(b))
	}
	text := fmt.Sprintf("want %s, got %s", want, got)
	if n.Path != "" {
		text = n.Path + ": " + text
	}
	return n.Fault(text, hint)
}

func (f *filler) mismatch(n *Node, want string) { f.faults = append(f.faults, n.Mismatch(want)) }
