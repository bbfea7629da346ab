// Package openapi describes an HTTP API as an OpenAPI 3.1 document: operations, with the JSON of their bodies as
// schemas of Go types. It is pure, and does not know which API it describes.
package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// An Operation is what an API does at an address.
type Operation struct {
	Method string
	Path   string // with variables such as {id}
	Tag    string // the group in which people find it
	Query  []string
	// In and Out are values of the types of the JSON that is sent and answered. If nil, there is no body.
	// A Schema stands for itself.
	In, Out any
	// Media is the type of the answer. If empty, it is application/json. Lines of JSON are application/x-ndjson, and
	// Out is that of a line.
	Media string
	// InMedia is the type of what is sent. If empty, it is application/json.
	InMedia string
	// Code is the status of an answer that has no error. Zero means 200.
	Code int
	// Empty reports whether there may be nothing to answer, with the status 204.
	Empty bool
	// Cached reports whether a client that has the answer already may get the status 304.
	Cached bool
	// Security names the ways by which a caller can prove who it is. If empty, no account is needed. An empty one
	// among them means that it may also be left out.
	Security []string
	// Error is a value of the type of an answer with an error.
	Error any
}

// A Schema is a JSON schema.
type Schema map[string]any

// Info is what a document says of an API.
type Info struct {
	Title, Version, Description string
	// Security are the ways by which a caller can prove who it is, as the specification writes them.
	Security map[string]any
}

// Describe returns the document.
func Describe(info Info, all []Operation) (map[string]any, error) {
	d := &describer{schemas: map[string]any{}, named: map[string]reflect.Type{}}
	paths := map[string]any{}
	for i := range all {
		o := &all[i]
		at, _ := paths[o.Path].(map[string]any)
		if at == nil {
			at = map[string]any{}
			if parameters := pathParameters(o.Path); parameters != nil {
				at["parameters"] = parameters
			}
			paths[o.Path] = at
		}
		method := strings.ToLower(o.Method)
		if at[method] != nil {
			return nil, fmt.Errorf("describe an API: %s %s is there twice", o.Method, o.Path)
		}
		described, err := d.operation(o)
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", o.Method, o.Path, err)
		}
		at[method] = described
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": info.Title, "version": info.Version, "description": info.Description},
		"servers": []any{map[string]any{"url": ".."}}, // the document is one level below
		"paths":   paths, "components": map[string]any{"schemas": d.schemas, "securitySchemes": info.Security},
	}, nil
}

func pathParameters(path string) (all []any) {
	for part := range strings.SplitSeq(path, "/") {
		if name, is := strings.CutPrefix(part, "{"); is {
			all = append(all, map[string]any{
				"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": Schema{"type": "string"},
			})
		}
	}
	return all
}

type describer struct {
	schemas map[string]any
	named   map[string]reflect.Type // whose schemas these are
}

func (d *describer) operation(o *Operation) (map[string]any, error) {
	content := func(v any, media string) (map[string]any, error) {
		if media == "" {
			media = "application/json"
		}
		s, err := d.of(v)
		return map[string]any{media: map[string]any{"schema": s}}, err
	}
	code, success := fmt.Sprint(o.Code), map[string]any{"description": "Success."}
	if o.Code == 0 {
		code = "200"
	}
	if o.Out != nil {
		body, err := content(o.Out, o.Media)
		if err != nil {
			return nil, err
		}
		success["content"] = body
	}
	failure, err := content(o.Error, "")
	if err != nil {
		return nil, err
	}
	described := map[string]any{
		"operationId": operationID(o), "tags": []string{o.Tag},
		"responses": map[string]any{
			code: success, "default": map[string]any{"description": "What was asked for could not be done.", "content": failure},
		},
	}
	if o.Cached {
		described["responses"].(map[string]any)["304"] = map[string]any{"description": "The client has it already."}
	}
	if o.Empty {
		described["responses"].(map[string]any)["204"] = map[string]any{"description": "Success, with nothing to answer."}
	}
	if o.In != nil {
		body, err := content(o.In, o.InMedia)
		if err != nil {
			return nil, err
		}
		described["requestBody"] = map[string]any{"required": true, "content": body}
	}
	var query []any
	for _, name := range o.Query {
		query = append(query, map[string]any{"name": name, "in": "query", "schema": Schema{"type": "string"}})
	}
	if query != nil {
		described["parameters"] = query
	}
	var security []any
	for _, way := range o.Security {
		one := map[string]any{}
		if way != "" {
			one[way] = []string{}
		}
		security = append(security, one)
	}
	if security != nil {
		described["security"] = security
	}
	return described, nil
}

// operationID makes a name of a method and a path: GET /v1/tokens/{id} is get-v1-tokens-id.
func operationID(o *Operation) string {
	words := strings.FieldsFunc(o.Path, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') })
	return strings.ToLower(o.Method) + "-" + strings.Join(words, "-")
}

// of returns the schema of a value.
func (d *describer) of(v any) (any, error) {
	if s, is := v.(Schema); is {
		return s, nil
	}
	return d.typ(reflect.TypeOf(v))
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

// typ returns the schema of the JSON of a type, or a reference to it.
func (d *describer) typ(t reflect.Type) (any, error) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return Schema{"type": "string", "format": "date-time"}, nil
	case t == reflect.TypeFor[json.RawMessage]():
		return Schema{}, nil
	case t.Kind() == reflect.Pointer:
		s, err := d.typ(t.Elem())
		return orNull(s), err
	case t.Implements(textMarshaler):
		return Schema{"type": "string"}, nil
	case t.Implements(jsonMarshaler):
		return Schema{}, nil
	}
	switch t.Kind() {
	case reflect.String:
		return Schema{"type": "string"}, nil
	case reflect.Bool:
		return Schema{"type": "boolean"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return Schema{"type": "integer"}, nil
	case reflect.Float32, reflect.Float64:
		return Schema{"type": "number"}, nil
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return Schema{"type": []string{"string", "null"}, "contentEncoding": "base64"}, nil
		}
		items, err := d.typ(t.Elem())
		kinds := []string{"array", "null"} // of a nil slice
		return Schema{"type": kinds, "items": items}, err
	case reflect.Map:
		values, err := d.typ(t.Elem())
		return Schema{"type": []string{"object", "null"}, "additionalProperties": values}, err
	case reflect.Struct:
		return d.structure(t)
	case reflect.Interface:
		return Schema{}, nil
	}
	return nil, fmt.Errorf("the type %s has no JSON that is known", t)
}

func orNull(s any) any {
	return Schema{"anyOf": []any{s, Schema{"type": "null"}}}
}

// structure returns a reference to the schema of a struct, which has a name unless its type has none.
func (d *describer) structure(t reflect.Type) (any, error) {
	name := t.Name()
	if other := d.named[name]; other != nil && other != t {
		name = strings.ReplaceAll(t.String(), ".", "-") // two packages have a type of this name
	}
	ref := Schema{"$ref": "#/components/schemas/" + name}
	if name != "" {
		if d.named[name] == t {
			return ref, nil
		}
		d.named[name] = t // before its fields, which may be of this type
	}
	properties, required := map[string]any{}, []string{}
	if err := d.fields(t, properties, &required); err != nil {
		return nil, err
	}
	slices.Sort(required)
	s := Schema{"type": "object", "properties": properties, "required": required}
	if name == "" {
		return s, nil
	}
	d.schemas[name] = s
	return ref, nil
}

func (d *describer) fields(t reflect.Type, properties map[string]any, required *[]string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if of := f.Type; f.Anonymous && tag == "" {
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			if of.Kind() == reflect.Struct {
				if err := d.fields(of, properties, required); err != nil {
					return err
				}
				continue
			}
		}
		if tag == "" {
			tag = f.Name
		}
		s, err := d.typ(f.Type)
		if err != nil {
			return fmt.Errorf("%s: %w", tag, err)
		}
		properties[tag] = s
		if f.Type.Kind() != reflect.Pointer && !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, tag)
		}
	}
	return nil
}
