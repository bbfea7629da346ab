package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"assay/judge/host/api"
	"assay/judge/host/clics"
	"assay/judge/host/client"
)

// TestMain checks that the tests of this package call every route successfully. Routes that no test has called are
// listed at the end, unless only some tests ran.
func TestMain(m *testing.M) {
	code := m.Run()
	only := false
	flag.Visit(func(f *flag.Flag) {
		only = only || slices.Contains([]string{"test.run", "test.skip", "test.list", "test.bench", "test.fuzz"}, f.Name)
	})
	if !only && described.doc != nil {
		if left := described.uncalled(); len(left) > 0 {
			fmt.Fprintf(os.Stderr, "no test calls, with success, what the description of the API names:\n  %s\n",
				strings.Join(left, "\n  "))
			code = 1
		}
	}
	os.Exit(code)
}

// description is the description of the API, with which the responses in all tests are compared.
type description struct {
	mu       sync.Mutex
	doc      map[string]any
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by JSON pointer
	called   map[string]bool               // operations with a successful response
}

var described description

const docName = "http://judge.example/api/openapi.json"

// read fetches the description from a handler of the API.
func (d *description) read(t testing.TB, h http.Handler) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.doc != nil {
		return
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", api.OpenAPIPath, nil))
	text, err := jsonschema.UnmarshalJSON(w.Body)
	if err != nil || w.Code != http.StatusOK {
		t.Fatalf("the description: %d, %v", w.Code, err)
	}
	doc := text.(map[string]any)
	close(doc)
	d.compiler, d.schemas, d.called = jsonschema.NewCompiler(), map[string]*jsonschema.Schema{}, map[string]bool{}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource(docName, doc); err != nil {
		t.Fatal(err)
	}
	d.doc = doc
}

// close adds `additionalProperties: false` to every object schema with properties. Clients must accept additional
// properties from later servers, but the description covers this server.
func close(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, has := v["properties"].(map[string]any); has && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, one := range v {
			close(one)
		}
	case []any:
		for _, one := range v {
			close(one)
		}
	}
}

// operation returns the name and the JSON pointer of the operation in the description that matches a request. If
// there is none, name is empty.
func (d *description) operation(method, path string) (name, at string) {
	if rest, is := strings.CutPrefix(path+"/", "/api/"); is && !strings.HasPrefix(rest, "2") && path != api.OpenAPIPath {
		path = strings.TrimSuffix("/api/"+string(clics.V2023)+"/"+rest, "/") // the default version
	}
	path = strings.TrimSuffix(path, "/")
	parts := strings.Split(path, "/")
	best := -1 // most literal parts in a matching template
	for template, of := range d.doc["paths"].(map[string]any) {
		want := strings.Split(template, "/")
		literal := 0
		fits := len(want) == len(parts)
		for i := 0; fits && i < len(want); i++ {
			if want[i] == parts[i] {
				literal++
			} else {
				fits = strings.HasPrefix(want[i], "{") && parts[i] != ""
			}
		}
		if _, has := of.(map[string]any)[strings.ToLower(method)]; fits && has && literal > best {
			best, name = literal, method+" "+template
			at = "/paths/" + pointer(template) + "/" + strings.ToLower(method)
		}
	}
	return name, at
}

// pointer escapes name for use in a JSON pointer in a URL.
func pointer(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}

// node returns the part of the description at a JSON pointer.
func (d *description) node(at string) (v any) {
	v = d.doc
	for part := range strings.SplitSeq(strings.TrimPrefix(at, "/"), "/") {
		name, err := url.PathUnescape(part)
		if err != nil {
			return nil
		}
		of, _ := v.(map[string]any)
		v = of[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return v
}

// valid validates JSON data against the schema at a JSON pointer of the description.
func (d *description) valid(at string, data []byte) error {
	s := d.schemas[at]
	if s == nil {
		var err error
		if s, err = d.compiler.Compile(docName + "#" + at); err != nil {
			return err
		}
		d.schemas[at] = s
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%w in %.300q", err, data)
	}
	return s.Validate(v)
}

// answered checks that the description allows a response.
func (d *description) answered(method, path string, query url.Values, code int, h http.Header, body []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	name, at := d.operation(method, path)
	if name == "" {
		return nil
	}
	responses := at + "/responses/"
	at = responses + fmt.Sprint(code)
	if d.node(at) == nil {
		if code < 400 {
			return fmt.Errorf("%s answers %d, which is not described", name, code)
		}
		at = responses + "default"
	} else {
		d.called[name] = true
		var names []string
		parameters, _ := d.node(responses[:len(responses)-len("/responses/")] + "/parameters").([]any)
		for _, p := range parameters {
			names = append(names, p.(map[string]any)["name"].(string))
		}
		for q := range query {
			if !slices.Contains(names, q) && !strings.HasPrefix(path, "/api/") { // clients of that API may send more
				return fmt.Errorf("%s was asked with %s, which is not described", name, q)
			}
		}
	}
	content, _ := d.node(at + "/content").(map[string]any)
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	if content["*/*"] != nil {
		return nil
	}
	if content == nil || content[kind] == nil {
		if len(body) == 0 && content == nil {
			return nil
		}
		return fmt.Errorf("%s answers %d with %q, described are %v", name, code, kind, slices.Collect(maps.Keys(content)))
	}
	schema := at + "/content/" + pointer(kind) + "/schema"
	lines := [][]byte{body}
	switch kind {
	case "application/json":
	case "application/x-ndjson":
		lines = bytes.Split(body, []byte{'\n'})
		lines = lines[:len(lines)-1] // the last line may be incomplete
	default:
		return nil
	}
	for _, line := range lines {
		if kind == "application/x-ndjson" && len(line) == 0 {
			continue
		}
		if err := d.valid(schema, line); err != nil {
			return fmt.Errorf("the answer of %s, %d, is not as described: %w\n%.500s", name, code, err, line)
		}
	}
	return nil
}

// uncalled returns the operations of the API that no test has called successfully.
func (d *description) uncalled() (all []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for template, of := range d.doc["paths"].(map[string]any) {
		for method := range of.(map[string]any) {
			name := strings.ToUpper(method) + " " + template
			if method != "parameters" && !d.called[name] {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return all
}

// A copied is an http.ResponseWriter that keeps a copy of the response.
type copied struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

func (c *copied) WriteHeader(code int) {
	if c.code == 0 {
		c.code = code
	}
	c.ResponseWriter.WriteHeader(code)
}

func (c *copied) Write(p []byte) (int, error) {
	if c.code == 0 {
		c.code = http.StatusOK
	}
	c.body.Write(p)
	return c.ResponseWriter.Write(p)
}

// Unwrap returns the underlying writer for http.ResponseController.
func (c *copied) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// compared returns a handler that calls next and checks each response against the description.
func compared(t testing.TB, next http.Handler) http.Handler {
	described.read(t, next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method, path, query := r.Method, r.URL.Path, r.URL.Query()
		c := &copied{ResponseWriter: w}
		next.ServeHTTP(c, r)
		if method == http.MethodHead || c.code == 0 {
			return
		}
		if err := described.answered(method, path, query, c.code, w.Header(), c.body.Bytes()); err != nil {
			t.Errorf("%s %s: %v", method, r.URL, err)
		}
	})
}

// TestDescription checks that the description is an OpenAPI 3.1 document, that its references can be resolved, and
// that it lists each route once.
func TestDescription(t *testing.T) {
	h := newHarness(t)
	res, err := http.Get(h.URL + api.OpenAPIPath)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil || res.Header.Get("Content-Type") != "application/json" || res.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("%v, %v", res.Header, err)
	}
	var doc struct {
		OpenAPI    string
		Info       struct{ Title, Version string }
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Schemas         map[string]json.RawMessage
			SecuritySchemes map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &doc); err != nil || doc.OpenAPI != "3.1.0" || doc.Info.Title == "" || doc.Info.Version != "v1" {
		t.Fatalf("%+v, %v", doc.Info, err)
	}
	ids := map[string]bool{}
	for path, of := range doc.Paths {
		for method, text := range of {
			if method == "parameters" {
				continue
			}
			var o struct {
				OperationID string
				Security    []map[string][]string
			}
			if err := json.Unmarshal(text, &o); err != nil || o.OperationID == "" || ids[o.OperationID] {
				t.Errorf("%s %s has the id %q, %v", method, path, o.OperationID, err)
			}
			ids[o.OperationID] = true
			for _, ways := range o.Security {
				for way := range ways {
					if doc.Components.SecuritySchemes[way] == nil {
						t.Errorf("%s %s: the description lacks %s", method, path, way)
					}
				}
			}
		}
	}
	for _, pattern := range api.Patterns() {
		method, path, _ := strings.Cut(pattern, " ")
		if doc.Paths[path][strings.ToLower(method)] == nil {
			t.Errorf("%s is not described", pattern)
		}
	}
	for _, part := range strings.Split(string(data), `"$ref":"#/components/schemas/`)[1:] {
		if name, _, _ := strings.Cut(part, `"`); doc.Components.Schemas[name] == nil {
			t.Errorf("there is no schema %s", name)
		}
	}
	if len(ids) < 100 {
		t.Errorf("only %d operations are described", len(ids))
	}
}

// TestClientAsksWhatIsDescribed checks that the description covers every request of the client. It calls each
// client method with a server that accepts everything.
func TestClientAsksWhatIsDescribed(t *testing.T) {
	newHarness(t) // newHarness reads the description
	var mu sync.Mutex
	asked := 0
	names := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		described.mu.Lock()
		defer described.mu.Unlock()
		asked++
		name, at := described.operation(r.Method, r.URL.Path)
		if name == "" {
			t.Errorf("the client asks %s %s, which is not described", r.Method, r.URL)
			return
		}
		names[name] = true
		if schema := at + "/requestBody/content/application~1json/schema"; described.node(schema) != nil {
			if err := described.valid(schema, data); err != nil {
				t.Errorf("%s is sent %s: %v", name, data, err)
			}
		} else if described.node(at+"/requestBody") == nil && len(data) > 0 {
			t.Errorf("%s is sent %s, which is not described", name, data)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{}`)
	}))
	t.Cleanup(server.Close)
	c, err := client.New(client.Options{Address: client.Address{URL: server.URL}, Token: "token", RetryFor: -1})
	if err != nil {
		t.Fatal(err)
	}
	typ := reflect.TypeOf(c)
	// These methods send no request of their own, or upload a bundle and then send a request that another method
	// covers.
	silent := []string{"Upload", "Hasten", "AddFile", "UploadSnapshot", "Publish"}
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		before := asked
		in := []reflect.Value{reflect.ValueOf(c)}
		for j := 1; j < m.Type.NumIn(); j++ {
			in = append(in, sample(t, m.Type.In(j)))
		}
		if slices.Contains(silent, m.Name) {
			continue
		}
		call := m.Func.Call
		if m.Type.IsVariadic() {
			call = m.Func.CallSlice
		}
		call(in) // most methods cannot use the response
		if asked == before {
			t.Errorf("the client's %s asks nothing", m.Name)
		}
	}
	if len(names) < 30 {
		t.Errorf("the client asks only %d things: %v", len(names), names)
	}
}

// sample returns an argument of the given type.
func sample(t *testing.T, typ reflect.Type) reflect.Value {
	switch {
	case typ == reflect.TypeFor[context.Context]():
		return reflect.ValueOf(t.Context())
	case typ == reflect.TypeFor[client.Program]():
		file := filepath.Join(t.TempDir(), "sum.py")
		if err := os.WriteFile(file, []byte("print(1)"), 0o600); err != nil {
			t.Fatal(err)
		}
		return reflect.ValueOf(client.Program{Path: file})
	case typ.Kind() == reflect.String:
		return reflect.ValueOf("sum").Convert(typ)
	case typ.Kind() == reflect.Func:
		return reflect.MakeFunc(typ, func([]reflect.Value) (out []reflect.Value) {
			for i := range typ.NumOut() {
				out = append(out, reflect.Zero(typ.Out(i)))
			}
			return out
		})
	case typ == reflect.TypeFor[*client.GolfSubmission]():
		return reflect.ValueOf(&client.GolfSubmission{Hole: "sum", Number: 1, Workflow: "workflow"})
	case typ.Kind() == reflect.Pointer:
		return reflect.New(typ.Elem())
	}
	return reflect.Zero(typ)
}
