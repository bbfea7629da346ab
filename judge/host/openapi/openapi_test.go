package openapi

import (
	"encoding/json"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// The following types have fields of all kinds.
type (
	Embedded  struct{ A string }
	Pointed   struct{ B *int }
	marshaled struct{}
	node      struct {
		Next *node `json:"next"`
	}
	// Reader has the name of a type of package strings.
	Reader struct{ C bool }
	all    struct {
		Embedded
		*Pointed
		Named     Embedded `json:"named"`
		Embedded2 `json:"tagged"`
		Lazy      string  `json:"lazy,omitempty"`
		Zero      float32 `json:"zero,omitzero"`
		Secret    string  `json:"-"`
		hidden    chan int
		Upper     uint8
	}
	Embedded2 struct{}
)

func (marshaled) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

// TestSchemas checks the schemas of types as JSON, and those that they refer to.
func TestSchemas(t *testing.T) {
	_ = all{}.hidden
	const node1 = `{"properties":{"next":{"anyOf":[{"$ref":"#/components/schemas/node"},{"type":"null"}]}},"required":[],"type":"object"}`
	const embedded = `{"properties":{"A":{"type":"string"}},"required":["A"],"type":"object"}`
	for name, tt := range map[string]struct {
		value   any
		want    string
		schemas string // separated by spaces, in the order of their names
	}{
		"schema":  {Schema{"type": "x"}, `{"type":"x"}`, ""},
		"text":    {"", `{"type":"string"}`, ""},
		"boolean": {true, `{"type":"boolean"}`, ""},
		"integer": {uint8(1), `{"type":"integer"}`, ""},
		"number":  {1.5, `{"type":"number"}`, ""},
		"small":   {float32(1), `{"type":"number"}`, ""},
		"time":    {time.Time{}, `{"format":"date-time","type":"string"}`, ""},
		"raw":     {json.RawMessage{}, `{}`, ""},
		"marshal": {marshaled{}, `{}`, ""},
		"address": {netip.Addr{}, `{"type":"string"}`, ""},
		"bytes":   {[]byte{}, `{"contentEncoding":"base64","type":["string","null"]}`, ""},
		"array":   {[2]byte{}, `{"items":{"type":"integer"},"type":["array","null"]}`, ""},
		"list":    {[]bool{}, `{"items":{"type":"boolean"},"type":["array","null"]}`, ""},
		"map":     {map[string]int{}, `{"additionalProperties":{"type":"integer"},"type":["object","null"]}`, ""},
		"any":     {[]any{}, `{"items":{},"type":["array","null"]}`, ""},
		"pointer": {new(int), `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, ""},
		"unnamed": {struct{ A int }{}, `{"properties":{"A":{"type":"integer"}},"required":["A"],"type":"object"}`, ""},
		"itself":  {node{}, `{"$ref":"#/components/schemas/node"}`, node1},
		"sorted": {struct {
			B int `json:"b"`
			A int `json:"a"`
		}{}, `{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"type":"object"}`, ""},
		"twice": {struct{ A, B Embedded }{}, `{"properties":{"A":{"$ref":"#/components/schemas/Embedded"},` +
			`"B":{"$ref":"#/components/schemas/Embedded"}},"required":["A","B"],"type":"object"}`, embedded},
		"one name": {struct {
			A Reader
			B strings.Reader
		}{}, `{"properties":{"A":{"$ref":"#/components/schemas/Reader"},"B":{"$ref":"#/components/schemas/strings-Reader"}},` +
			`"required":["A","B"],"type":"object"}`,
			`{"properties":{"C":{"type":"boolean"}},"required":["C"],"type":"object"} {"properties":{},"required":[],"type":"object"}`},
		"fields": {all{}, `{"$ref":"#/components/schemas/all"}`, embedded + ` {"properties":{},"required":[],"type":"object"} ` +
			`{"properties":{"A":{"type":"string"},"B":{"anyOf":[{"type":"integer"},{"type":"null"}]},"Upper":{"type":"integer"},` +
			`"lazy":{"type":"string"},"named":{"$ref":"#/components/schemas/Embedded"},"tagged":{"$ref":"#/components/schemas/Embedded2"},` +
			`"zero":{"type":"number"}},"required":["A","Upper","named","tagged"],"type":"object"}`},
	} {
		doc, err := Describe(Info{}, []Operation{{Method: "GET", Path: "/x", Out: tt.value, Error: Schema{}}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var o struct {
			Responses map[string]struct {
				Content map[string]struct{ Schema json.RawMessage }
			}
		}
		parse(t, doc["paths"].(map[string]any)["/x"].(map[string]any)["get"], &o)
		if got := string(o.Responses["200"].Content["application/json"].Schema); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
		var schemas []string
		described := doc["components"].(map[string]any)["schemas"].(map[string]any)
		for _, n := range slices.Sorted(maps.Keys(described)) {
			schemas = append(schemas, text(t, described[n]))
		}
		if got := strings.Join(schemas, " "); got != tt.schemas {
			t.Errorf("%s refers to %s, want %s", name, got, tt.schemas)
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parse(t *testing.T, v, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text(t, v)), into); err != nil {
		t.Fatal(err)
	}
}

// TestOperations checks the descriptions of operations as JSON.
func TestOperations(t *testing.T) {
	const failure = `"default":{"content":{"application/json":{"schema":{"type":"boolean"}}},` +
		`"description":"What was asked for could not be done."}`
	for _, tt := range []struct {
		o    Operation
		want string
	}{
		{Operation{Method: "GET", Path: "/v1/{id}/file0", Tag: "a", Cached: true}, `{"get":{"operationId":"get-v1-id-file0",` +
			`"responses":{"200":{"description":"Success."},"304":{"description":"The client has it already."},` + failure + `},"tags":["a"]},` +
			`"parameters":[{"in":"path","name":"id","required":true,"schema":{"type":"string"}}]}`},
		{Operation{Method: "PUT", Path: "/x", Tag: "b", In: 1, InMedia: "text/in", Out: "", Media: "text/out", Empty: true, Code: 201,
			Query: []string{"q", "r"}, Security: []string{"", "token"}}, `{"put":{"operationId":"put-x",` +
			`"parameters":[{"in":"query","name":"q","schema":{"type":"string"}},{"in":"query","name":"r","schema":{"type":"string"}}],` +
			`"requestBody":{"content":{"text/in":{"schema":{"type":"integer"}}},"required":true},` +
			`"responses":{"201":{"content":{"text/out":{"schema":{"type":"string"}}},"description":"Success."},` +
			`"204":{"description":"Success, with nothing to answer."},` + failure + `},"security":[{},{"token":[]}],"tags":["b"]}}`},
	} {
		tt.o.Error = true
		doc, err := Describe(Info{}, []Operation{tt.o})
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, doc["paths"].(map[string]any)[tt.o.Path]); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// TestWhatCannotBeDescribed checks that a route that is listed twice is an error, as is a type that has no JSON.
func TestWhatCannotBeDescribed(t *testing.T) {
	of := func(v any) Operation { return Operation{Method: "GET", Path: "/x", Error: Schema{}, Out: v} }
	in, failure := of(nil), of(nil)
	in.In, failure.Error = make(chan int), make(chan int)
	for want, operations := range map[string][]Operation{
		"GET /x is there twice":     {of(nil), of(nil)},
		"type chan int has no JSON": {of(make(chan int))},
		"field: F: the type func()": {of(struct {
			Embedded struct{ F func() } `json:"field"`
		}{})},
		"type func() has no JSON":              {of([]func(){})},
		"describe GET /x: the type complex128": {of(map[string]complex128{})},
		"the type chan int":                    {in},
		"the type chan int has":                {failure},
	} {
		if _, err := Describe(Info{}, operations); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got the error %v, want %q", err, want)
		}
	}
	if _, err := Describe(Info{}, []Operation{of(struct{ io.Reader }{})}); err != nil {
		t.Errorf("an interface: %v", err)
	}
}
