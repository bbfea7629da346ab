package strict

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/suggest"
)

// A Reader decodes itself from a Node, because its value may be written in several ways.
type Reader interface {
	ReadNode(n *Node) judge.ProblemErrors
}

// A Wanter is a text type that describes its format in faults, such as `a duration such as "1s"`.
type Wanter interface{ Want() string }

// Decode decodes n into the value that the pointer into refers to, as the package comment describes. Values that
// the file does not set, or sets to null, stay unchanged. In YAML, a string accepts every scalar unchanged, and a
// slice accepts a single value as a list of one item.
func (n *Node) Decode(into any) judge.ProblemErrors {
	f := decoder{root: reflect.TypeOf(into).Elem()}
	f.value(reflect.ValueOf(into).Elem(), n)
	return f.faults
}

// decoder copies Nodes into Go values, and collects faults.
type decoder struct {
	root   reflect.Type
	faults judge.ProblemErrors
}

func (f *decoder) fault(n *Node, text, hint string) { f.faults = append(f.faults, n.Fault(text, hint)) }

var nodeType = reflect.TypeFor[*Node]()

func (f *decoder) value(into reflect.Value, n *Node) {
	if into.Type() == nodeType {
		into.Set(reflect.ValueOf(n))
		return
	}
	if !n.IsSet() {
		return
	}
	if into.Kind() == reflect.Pointer {
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		f.value(into.Elem(), n)
		return
	}
	switch self := into.Addr().Interface().(type) {
	case Reader:
		f.faults = append(f.faults, self.ReadNode(n)...)
		return
	case encoding.TextUnmarshaler:
		f.text(self, n)
		return
	}
	fits := false
	switch into.Kind() {
	case reflect.Struct:
		if fits = n.Kind == Map; fits {
			f.object(into, n)
		}
	case reflect.Map:
		if fits = n.Kind == Map; fits {
			f.dictionary(into, n)
		}
	case reflect.Slice:
		if fits = n.Kind == List || n.value == nil; fits {
			f.list(into, n)
		}
	case reflect.Interface:
		if fits = n.value != nil; fits {
			into.Set(reflect.ValueOf(n.value))
		}
	default:
		fits = n.Kind == Scalar && f.scalar(into, n)
	}
	if !fits {
		f.mismatch(into.Type(), n)
	}
}

func (f *decoder) object(into reflect.Value, n *Node) {
	fields := fieldsOf(into.Type(), n.tag())
	for k, v := range n.Pairs() {
		if field, ok := fields[k.Text]; ok {
			f.value(into.FieldByIndex(field.Index), v)
			continue
		}
		unknown := Unknown(k, n.Path, slices.Collect(maps.Keys(fields)))
		if _, ok := fieldsOf(f.root, "toml")[k.Text]; ok {
			unknown.Hint = fmt.Sprintf("%q belongs at the top of the file, before the first [table]", k.Text)
		} else if home := tableOf(k.Text, f.root, "", nil); home != "" {
			unknown.Hint = fmt.Sprintf("%q belongs in the table %s", k.Text, home)
		}
		f.faults = append(f.faults, unknown)
	}
}

// Unknown returns the fault for an unknown key of a map.
func Unknown(key *Node, within string, allowed []string) *judge.ProblemError {
	text := fmt.Sprintf("unknown key %q", key.Text)
	if within != "" {
		text += " in " + within
	}
	return key.Fault(text, suggest.Hint(key.Text, allowed))
}

// tag returns the key of the struct tags for the node's format.
func (n *Node) tag() string {
	if n.value != nil {
		return "toml"
	}
	return "yaml"
}

// fieldsOf maps keys to the fields of a struct type.
func fieldsOf(t reflect.Type, tag string) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(t) {
		if name := keyOf(&field, tag); name != "" && name != "-" && field.IsExported() {
			fields[name] = field
		}
	}
	return fields
}

func keyOf(field *reflect.StructField, tag string) string {
	name, _, _ := strings.Cut(field.Tag.Get(tag), ",")
	return name
}

// tableOf returns the header of the first table below t, in field order, in which the key name is valid. It returns
// an empty string if there is none. It does not search the enclosing types in the list above again, because a type
// may contain itself.
func tableOf(name string, t reflect.Type, path string, enclosing []reflect.Type) string {
	for _, field := range reflect.VisibleFields(t) {
		key := keyOf(&field, "toml")
		inner, open, closing := field.Type, "[", "]"
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			if inner.Kind() == reflect.Slice {
				open, closing = "[[", "]]"
			}
			inner = inner.Elem()
		}
		if key == "" || inner.Kind() != reflect.Struct || slices.Contains(enclosing, inner) {
			continue
		}
		at := join(path, key)
		if _, ok := fieldsOf(inner, "toml")[name]; ok {
			return open + at + closing
		}
		if home := tableOf(name, inner, at, append(enclosing, inner)); home != "" {
			return home
		}
	}
	return ""
}

func (f *decoder) dictionary(into reflect.Value, n *Node) {
	if into.IsNil() {
		into.Set(reflect.MakeMap(into.Type()))
	}
	for k, v := range n.Pairs() {
		item := reflect.New(into.Type().Elem()).Elem()
		f.value(item, v)
		into.SetMapIndex(reflect.ValueOf(k.Text).Convert(into.Type().Key()), item)
	}
}

func (f *decoder) list(into reflect.Value, n *Node) {
	items := n.Items()
	list := reflect.MakeSlice(into.Type(), len(items), len(items))
	for i, item := range items {
		f.value(list.Index(i), item)
	}
	into.Set(list)
}

// scalar sets a string, boolean or number. It returns false if the value has another type. If a number is out of
// range, scalar adds a fault.
func (f *decoder) scalar(into reflect.Value, n *Node) (ok bool) {
	switch {
	case into.Kind() == reflect.String:
		if ok = n.isText(); ok {
			into.SetString(n.Text)
		}
	case into.Kind() == reflect.Bool:
		var b bool
		if b, ok = n.Bool(); ok {
			into.SetBool(b)
		}
	case into.CanFloat():
		var x float64
		if x, ok = n.Float(); ok {
			into.SetFloat(x)
		}
	case into.CanInt(), into.CanUint():
		var x int64
		switch x, ok = n.integer(); {
		case !ok:
		case into.CanInt() && into.OverflowInt(x), into.CanUint() && (x < 0 || into.OverflowUint(uint64(x))):
			f.fault(n, fmt.Sprintf("%s: %d is out of range", n.Path, x), "")
		case into.CanInt():
			into.SetInt(x)
		default:
			into.SetUint(uint64(x))
		}
	}
	return ok
}

// isText reports whether n is a scalar that may be read as text. In TOML, it must be a string. In YAML, every
// scalar may be read as text.
func (n *Node) isText() bool {
	_, ok := n.value.(string)
	return n.Kind == Scalar && (ok || n.value == nil)
}

// text passes a string to a type that decodes itself.
func (f *decoder) text(into encoding.TextUnmarshaler, n *Node) {
	if !n.isText() {
		f.mismatch(reflect.TypeOf(into).Elem(), n)
		return
	}
	err := into.UnmarshalText([]byte(n.Text))
	if err == nil {
		return
	}
	text, hint := err.Error(), ""
	if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
		text, hint = fault.Text, fault.Hint
	}
	f.fault(n, n.Path+": "+text, hint)
}

func (f *decoder) mismatch(t reflect.Type, n *Node) {
	f.faults = append(f.faults, n.mismatch(want(t, n), mismatchHint(t, n)))
}

// Mismatch returns the fault for a value of the wrong type. Want describes the right type, such as "a list of
// texts".
func (n *Node) Mismatch(want string) *judge.ProblemError {
	hint := ""
	if b, isBool := n.Bool(); isBool && want == "text" {
		hint = fmt.Sprintf("put it in quotes: %q", fmt.Sprint(b))
	}
	return n.mismatch(want, hint)
}

func (n *Node) mismatch(want, hint string) *judge.ProblemError {
	text := fmt.Sprintf("want %s, got %s", want, n.shortValue())
	if n.Path != "" {
		text = n.Path + ": " + text
	}
	return n.Fault(text, hint)
}

// want describes the values that a type accepts, in terms that users know.
func want(t reflect.Type, n *Node) string {
	if w, ok := reflect.New(t).Interface().(Wanter); ok {
		return w.Want()
	}
	text, table := "text", string(Map)
	if n.value != nil {
		text, table = "text in quotes", "a table"
	}
	switch t.Kind() {
	case reflect.String:
		return text
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Struct, reflect.Map:
		return table
	case reflect.Pointer:
		return want(t.Elem(), n)
	case reflect.Slice:
		item := t.Elem()
		if item.Kind() == reflect.Pointer {
			item = item.Elem()
		}
		switch item.Kind() {
		case reflect.Struct, reflect.Map:
			return "a list of tables"
		case reflect.String:
			return "a list of texts"
		}
		return "a list"
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return text
	}
	return "a whole number"
}

// shortValue returns a short value, or a description of its type.
func (n *Node) shortValue() string {
	switch n.value.(type) {
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	case time.Time:
		return "a date"
	}
	switch {
	case n.Kind != Scalar:
		return string(n.Kind)
	case !n.isText():
		return n.Text
	case len(n.Text) > 40:
		return strconv.Quote(n.Text[:30]) + "..."
	}
	return strconv.Quote(n.Text)
}

// mismatchHint returns the hint for a type mismatch.
func mismatchHint(t reflect.Type, n *Node) string {
	switch v := n.value.(type) {
	case []map[string]any:
		if k := t.Kind(); k == reflect.Struct || k == reflect.Map {
			return fmt.Sprintf("write [%s], not [[%[1]s]]", n.Path)
		}
	case map[string]any:
		if t.Kind() == reflect.Slice && want(t, n) == "a list of tables" {
			return fmt.Sprintf("write [[%s]], not [%[1]s]", n.Path)
		}
	case string:
		switch k := t.Kind(); {
		case k == reflect.Slice && t.Elem().Kind() == reflect.String:
			return fmt.Sprintf("put it in brackets: [%s]", n.shortValue())
		case strings.ContainsAny(v, "0123456789") || v == "true" || v == "false":
			return "write it without quotes"
		}
	case int64, float64, bool:
		if t.Kind() == reflect.String {
			return fmt.Sprintf("put it in quotes: %q", n.Text)
		}
	}
	return ""
}
