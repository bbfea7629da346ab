package strict

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/suggest"
)

// filler copies a decoded tree into a struct, and notes what does not fit.
type filler struct {
	doc    *Doc
	root   reflect.Type
	faults judge.Faults
}

// Wanter is a text type that says what it reads, for faults: `a duration such
// as "1s"`.
type Wanter interface{ Want() string }

func (f *filler) fault(key, text, hint string) {
	f.faults = append(f.faults, f.doc.Fault(key, text, hint))
}

// table fills a struct or a map.
func (f *filler) table(into reflect.Value, tree map[string]any, path string) {
	if into.Kind() == reflect.Map {
		if into.IsNil() {
			into.Set(reflect.MakeMap(into.Type()))
		}
		for name, v := range tree {
			item := reflect.New(into.Type().Elem()).Elem()
			f.value(item, v, join(path, name))
			into.SetMapIndex(reflect.ValueOf(name).Convert(into.Type().Key()), item)
		}
		return
	}
	fields := fieldsOf(into.Type())
	for name, v := range tree {
		field, ok := fields[name]
		if !ok {
			f.unknown(name, path, fields)
			continue
		}
		f.value(into.FieldByIndex(field.Index), v, join(path, name))
	}
}

// fieldsOf returns the fields of a struct type by their keys.
func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		if name != "" && name != "-" && field.IsExported() {
			fields[name] = field
		}
	}
	return fields
}

// unknown notes a key that the table does not have.
func (f *filler) unknown(name, path string, fields map[string]reflect.StructField) {
	allowed := make([]string, 0, len(fields))
	for known := range fields {
		allowed = append(allowed, known)
	}
	text := fmt.Sprintf("unknown key %q", name)
	if path != "" {
		text += " in " + path
	}
	hint := suggest.Hint(name, allowed)
	if _, ok := fieldsOf(f.root)[name]; ok {
		hint = fmt.Sprintf("%q belongs at the top of the file, before the first [table]", name)
	} else if home := homeOf(name, f.root, "", nil); home != "" {
		hint = fmt.Sprintf("%q belongs in the table %s", name, home)
	}
	f.fault(join(path, name), text, hint)
}

// homeOf finds the first table, in the order of the fields, that has such a key.
func homeOf(name string, t reflect.Type, path string, above []reflect.Type) string {
	for _, field := range reflect.VisibleFields(t) {
		key, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
		inner, open, closing := field.Type, "[", "]"
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			if inner.Kind() == reflect.Slice {
				open, closing = "[[", "]]"
			}
			inner = inner.Elem()
		}
		if key == "" || inner.Kind() != reflect.Struct || slices.Contains(above, inner) {
			continue
		}
		at := join(path, key)
		if _, ok := fieldsOf(inner)[name]; ok {
			return open + at + closing
		}
		if home := homeOf(name, inner, at, append(above, inner)); home != "" {
			return home
		}
	}
	return ""
}

// value fills one value of any kind.
func (f *filler) value(into reflect.Value, v any, key string) {
	if into.Kind() == reflect.Pointer {
		if into.IsNil() {
			into.Set(reflect.New(into.Type().Elem()))
		}
		f.value(into.Elem(), v, key)
		return
	}
	if text, ok := into.Addr().Interface().(encoding.TextUnmarshaler); ok {
		f.text(text, v, key)
		return
	}
	switch into.Kind() {
	case reflect.Struct, reflect.Map:
		if tree, ok := v.(map[string]any); ok {
			f.table(into, tree, key)
			return
		}
	case reflect.Slice:
		if f.list(into, v, key) {
			return
		}
	case reflect.Interface:
		into.Set(reflect.ValueOf(v))
		return
	default:
		if f.scalar(into, v, key) {
			return
		}
	}
	f.mismatch(into.Type(), v, key)
}

// list fills a slice, and says false where the value is not a list.
func (f *filler) list(into reflect.Value, v any, key string) bool {
	items := reflect.ValueOf(v)
	if items.Kind() != reflect.Slice {
		return false
	}
	list := reflect.MakeSlice(into.Type(), items.Len(), items.Len())
	for i := range items.Len() {
		f.value(list.Index(i), items.Index(i).Interface(), fmt.Sprintf("%s[%d]", key, i))
	}
	into.Set(list)
	return true
}

// scalar fills a string, boolean or number, and says false where the value is
// of another type. A number that does not fit is noted here.
func (f *filler) scalar(into reflect.Value, v any, key string) bool {
	switch v := v.(type) {
	case string:
		if into.Kind() == reflect.String {
			into.SetString(v)
			return true
		}
	case bool:
		if into.Kind() == reflect.Bool {
			into.SetBool(v)
			return true
		}
	case float64:
		if into.CanFloat() {
			into.SetFloat(v)
			return true
		}
	case int64:
		switch {
		case into.CanFloat():
			into.SetFloat(float64(v))
		case into.CanInt() && into.OverflowInt(v), into.CanUint() && (v < 0 || into.OverflowUint(uint64(v))):
			f.fault(key, fmt.Sprintf("%s: %d is out of range", key, v), "")
		case into.CanInt():
			into.SetInt(v)
		case into.CanUint():
			into.SetUint(uint64(v))
		default:
			return false
		}
		return true
	}
	return false
}

// text hands a string to a type that reads itself.
func (f *filler) text(into encoding.TextUnmarshaler, v any, key string) {
	s, ok := v.(string)
	if !ok {
		f.mismatch(reflect.TypeOf(into).Elem(), v, key)
		return
	}
	err := into.UnmarshalText([]byte(s))
	if err == nil {
		return
	}
	text, hint := err.Error(), ""
	if fault, ok := errors.AsType[*judge.Fault](err); ok {
		text, hint = fault.Text, fault.Hint
	}
	f.fault(key, key+": "+text, hint)
}

// mismatch notes a value of the wrong type.
func (f *filler) mismatch(t reflect.Type, v any, key string) {
	f.fault(key, fmt.Sprintf("%s: want %s, got %s", key, want(t), got(v)), wayOut(t, v, key))
}

// want says in users' words what a type reads.
func want(t reflect.Type) string {
	if w, ok := reflect.New(t).Interface().(Wanter); ok {
		return w.Want()
	}
	switch t.Kind() {
	case reflect.String:
		return "text in quotes"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Struct, reflect.Map:
		return "a table"
	case reflect.Pointer:
		return want(t.Elem())
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
		return "text in quotes"
	}
	return "a whole number"
}

// got shows a value, or what kind of value it is.
func got(v any) string {
	switch v := v.(type) {
	case string:
		if len(v) > 40 {
			return strconv.Quote(v[:30]) + "..."
		}
		return strconv.Quote(v)
	case map[string]any:
		return "a table"
	case []any:
		return "a list"
	case []map[string]any:
		return "a list of tables"
	case time.Time:
		return "a date"
	}
	return fmt.Sprint(v)
}

// wayOut is the hint of a mismatch.
func wayOut(t reflect.Type, v any, key string) string {
	switch v := v.(type) {
	case []map[string]any:
		if k := t.Kind(); k == reflect.Struct || k == reflect.Map {
			return fmt.Sprintf("write [%s], not [[%[1]s]]", key)
		}
	case map[string]any:
		if t.Kind() == reflect.Slice && want(t) == "a list of tables" {
			return fmt.Sprintf("write [[%s]], not [%[1]s]", key)
		}
	case string:
		switch k := t.Kind(); {
		case k == reflect.Slice && t.Elem().Kind() == reflect.String:
			return fmt.Sprintf("put it in brackets: [%s]", got(v))
		case strings.ContainsAny(v, "0123456789") || v == "true" || v == "false":
			return "write it without quotes"
		}
	case int64, float64, bool:
		if t.Kind() == reflect.String {
			return fmt.Sprintf("put it in quotes: %q", fmt.Sprint(v))
		}
	}
	return ""
}
