// Package openapi describes an HTTP API as an OpenAPI 3.1 document. The document contains operations whose JSON
// bodies are described by schemas of Go types. The package is pure, and does not know which API it describes.
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

// An Operation is an operation of an API.
type Operation struct {
	Method string
	Path   string // with variables such as {id}
	Tag    string // group of operations in the documentation
	Query  []string
	// In and Out are values of the types of the JSON request and response. If nil, there is no body. A Schema is
	// used unchanged.
	In, Out any
	// Media is the media type of the response. If empty, it is application/json. For lines of JSON it is
	// application/x-ndjson, and Out is the type of a line.
	Media string
	// InMedia is the media type of the request. If empty, it is application/json.
	InMedia string
	// Code is the status of a successful response. Zero means 200.
	Code int
	// Empty reports whether the response may be empty, with status 204.
	Empty bool
	// Cached reports whether a client that already has the response may get status 304.
	Cached bool
	// Security lists alternative ways to authenticate. If empty, no account is needed. An empty element means that
	// authentication is optional.
	Security []string
	// Error is a value of the type of an error response.
	Error any
}

// A Schema is a JSON schema.
type Schema map[string]any

// Info describes an API.
type Info struct {
	Title, Version, Description string
	// Security contains the ways to authenticate, in the format of the specification.
	Security map[string]any
}

// Describe returns the document as a JSON object.
func Describe(info Info, operations []Operation) (map[string]any, error) {
	d := &describer{schemas: map[string]any{}, named: map[string]reflect.Type{}}
	paths := map[string]any{}
	for i := range operations {
		o := &operations[i]
		operationsAt, _ := paths[o.Path].(map[string]any)
		if operationsAt == nil {
			operationsAt = map[string]any{}
			if parameters := pathParameters(o.Path); parameters != nil {
				operationsAt["parameters"] = parameters
			}
			paths[o.Path] = operationsAt
		}
		method := strings.ToLower(o.Method)
		if operationsAt[method] != nil {
			return nil, fmt.Errorf("describe an API: %s %s is there twice", o.Method, o.Path)
		}
		described, err := d.operation(o)
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", o.Method, o.Path, err)
		}
		operationsAt[method] = described
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": info.Title, "version": info.Version, "description": info.Description},
		"servers": []any{map[string]any{"url": ".."}}, // relative to the document, which is one level below
		"paths":   paths, "components": map[string]any{"schemas": d.schemas, "securitySchemes": info.Security},
	}, nil
}

func pathParameters(path string) (parameters []any) {
	for part := range strings.SplitSeq(path, "/") {
		if name, is := strings.CutPrefix(part, "{"); is {
			parameters = append(parameters, map[string]any{
				"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": Schema{"type": "string"},
			})
		}
	}
	return parameters
}

type describer struct {
	schemas map[string]any
	named   map[string]reflect.Type // types of the schemas
}

func (d *describer) operation(o *Operation) (map[string]any, error) {
	content := func(v any, media string) (map[string]any, error) {
		if media == "" {
			media = "application/json"
		}
		s, err := d.schemaOf(v)
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

// operationID derives an id from a method and a path: GET /v1/tokens/{id} becomes get-v1-tokens-id.
func operationID(o *Operation) string {
	words := strings.FieldsFunc(o.Path, func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') })
	return strings.ToLower(o.Method) + "-" + strings.Join(words, "-")
}

// schemaOf returns the schema of a value.
func (d *describer) schemaOf(v any) (any, error) {
	if s, is := v.(Schema); is {
		return s, nil
	}
	return d.typ(reflect.TypeOf(v))
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
)

// typ returns the JSON schema of a type, or a reference to it.
func (d *describer) typ(t reflect.Type) (any, error) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return Schema{"type": "string", "format": "date-time"}, nil
	case t.Kind() == reflect.Pointer:
		s, err := d.typ(t.Elem())
		return nullable(s), err
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
		kinds := []string{"array", "null"} // null for a nil slice
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

func nullable(s any) any {
	return Schema{"anyOf": []any{s, Schema{"type": "null"}}}
}

// structure returns the schema of a struct type. If the type has a name, it returns a reference to the schema.
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
		d.named[name] = t // set before its fields, which may refer to t
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
		if fieldType := f.Type; f.Anonymous && tag == "" {
			if fieldType.Kind() == reflect.Pointer {
				fieldType = fieldType.Elem()
			}
			if fieldType.Kind() == reflect.Struct {
				if err := d.fields(fieldType, properties, required); err != nil {
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
