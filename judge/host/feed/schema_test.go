package feed_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/job"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// A schemas contains the JSON schemas of a version by file name.
type schemas struct {
	files  map[string]map[string]any
	strict bool
}

// readSchemas reads the schemas of ccs-specs with the overlay of this package.
func readSchemas(t *testing.T, dir string, v clics.Version, strict bool) *schemas {
	s := &schemas{files: map[string]map[string]any{}, strict: strict}
	names, _ := filepath.Glob(filepath.Join(dir, string(v), "json-schema", "*.json"))
	if len(names) < 30 {
		t.Fatalf("%s has %d schemas of %s", dir, len(names), v)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var file map[string]any
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s.files[filepath.Base(name)] = file
	}
	for _, a := range overlay {
		if a.Version != v {
			continue
		}
		at := s.files[a.File]
		for _, step := range a.Path {
			at = at[step].(map[string]any)
		}
		if !a.apply(at) {
			t.Errorf("%s of %s does not need its amendment %q any more: remove it from the overlay", a.File, v, a.Text)
		}
	}
	return s
}

// apply applies the amendment to a schema, and reports whether that changes the schema.
func (a *amendment) apply(at map[string]any) bool {
	switch {
	case a.Add != "":
		properties := at["properties"].(map[string]any)
		if properties[a.Add] != nil {
			return false
		}
		var schema any
		if err := json.Unmarshal([]byte(a.Schema), &schema); err != nil {
			panic(err)
		}
		properties[a.Add] = schema
	case a.Drop != "":
		if at[a.Drop] == nil {
			return false
		}
		delete(at, a.Drop)
	default:
		return optional(at, a.Optional)
	}
	return true
}

// optional makes a property of a schema optional, and reports whether it was required.
func optional(at map[string]any, name string) bool {
	required, _ := at["required"].([]any)
	i := slices.Index(required, any(name))
	if i >= 0 {
		at["required"] = slices.Delete(slices.Clone(required), i, i+1)
	}
	return i >= 0
}

// check returns what is wrong with a value according to a schema. It returns an empty string if the value is
// valid.
func (s *schemas) check(file string, schema, value any) string {
	rules, ok := schema.(map[string]any)
	if !ok {
		return ""
	}
	if ref, is := rules["$ref"].(string); is {
		name, fragment, _ := strings.Cut(ref, "#")
		if name == "" {
			name = file
		}
		var to any = s.files[name]
		for step := range strings.SplitSeq(strings.TrimPrefix(fragment, "/"), "/") {
			if step != "" {
				to = to.(map[string]any)[step]
			}
		}
		if to == nil {
			return "there is no " + ref
		}
		if wrong := s.check(name, to, value); wrong != "" {
			return wrong
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		if wrong := s.rule(file, rules, rule, value); wrong != "" {
			return fmt.Sprintf("%s: %s", rule, wrong)
		}
	}
	return ""
}

func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	}
	return "object"
}

func (s *schemas) rule(file string, rules map[string]any, rule string, value any) string {
	of := rules[rule]
	valid := func(schema any) bool { return s.check(file, schema, value) == "" }
	count := func() (n int) {
		for _, one := range of.([]any) {
			if valid(one) {
				n++
			}
		}
		return n
	}
	wrong := fmt.Sprintf("%.200v", value)
	switch rule {
	case "type":
		is := typeOf(value)
		list, many := of.([]any)
		if !many {
			list = []any{of}
		}
		if !slices.Contains(list, any(is)) && (is != "integer" || !slices.Contains(list, any("number"))) {
			return wrong
		}
	case "enum":
		if !slices.ContainsFunc(of.([]any), func(v any) bool { return reflect.DeepEqual(v, value) }) {
			return wrong
		}
	case "const":
		if !reflect.DeepEqual(of, value) {
			return wrong
		}
	case "pattern":
		if text, is := value.(string); is && !regexp.MustCompile(of.(string)).MatchString(text) {
			return wrong
		}
	case "minimum":
		if n, is := value.(float64); is && n < of.(float64) {
			return wrong
		}
	case "maximum":
		if n, is := value.(float64); is && n > of.(float64) {
			return wrong
		}
	case "multipleOf":
		if n, is := value.(float64); is && math.Abs(n/of.(float64)-math.Round(n/of.(float64))) > 1e-6 {
			return wrong
		}
	case "allOf":
		if count() != len(of.([]any)) {
			return wrong
		}
	case "anyOf":
		if count() == 0 {
			return wrong
		}
	case "oneOf":
		if count() != 1 {
			return wrong
		}
	case "not":
		if valid(of) {
			return wrong
		}
	case "if":
		branch := "else"
		if valid(of) {
			branch = "then"
		}
		if rules[branch] != nil {
			return s.check(file, rules[branch], value)
		}
	default:
		return s.parts(file, rules, rule, value)
	}
	return ""
}

// parts checks the elements of an object or a list.
func (s *schemas) parts(file string, rules map[string]any, rule string, value any) string {
	object, isObject := value.(map[string]any)
	list, isList := value.([]any)
	switch {
	case rule == "required" && isObject:
		for _, name := range rules[rule].([]any) {
			if _, has := object[name.(string)]; !has {
				return "it lacks " + name.(string)
			}
		}
	case rule == "properties" && isObject:
		for name, schema := range rules[rule].(map[string]any) {
			if part, has := object[name]; has {
				if wrong := s.check(file, schema, part); wrong != "" {
					return name + ": " + wrong
				}
			}
		}
	case rule == "$comment" && isObject && s.strict && strings.Contains(rules[rule].(string), "STRICT_PROPERTIES"):
		properties, _ := rules["properties"].(map[string]any)
		for name := range object {
			if properties[name] == nil {
				return "it may not have " + name
			}
		}
	case rule == "items" && isList:
		for i, part := range list {
			if wrong := s.check(file, rules[rule], part); wrong != "" {
				return fmt.Sprintf("%d: %s", i, wrong)
			}
		}
	case rule == "uniqueItems" && isList:
		for i := range list {
			if slices.ContainsFunc(list[:i], func(v any) bool { return reflect.DeepEqual(v, list[i]) }) {
				return "two are equal"
			}
		}
	}
	return ""
}

// singular returns the schema file for an object of a type.
func singular(t clics.Type) string { return strings.TrimSuffix(string(t), "s") + ".json" }

// TestSchemas validates all objects, feeds and scoreboards of a contest against the schemas of ccs-specs, for each
// role and each state of the contest. The schemas have no license, so they are not included here. CCS_SPECS is a
// directory with checkouts of the branches 2026-01 and 2023-06, named after the branches.
func TestSchemas(t *testing.T) {
	dir := os.Getenv("CCS_SPECS")
	if dir == "" {
		t.Skip("NOT CHECKED by the schemas of ccs-specs: set CCS_SPECS to a directory with its branches 2026-01 and 2023-06")
	}
	w := newWorld(t)
	drawing := []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="80" height="10"/>`)
	logo, err := media.New(media.Place{Type: media.Organizations, Object: "u", Property: media.Logo, Filename: "logo.80x10.light.svg"},
		drawing)
	w.must(err)
	_, _, err = w.store.ImportContest(t.Context(), &store.ContestImport{ID: w.contest, Media: []media.File{logo}})
	w.must(err)
	registry := &feed.Registry{Intake: w.intake}
	n := 0
	look := func(state string) {
		c, err := registry.Contest(t.Context(), w.contest)
		w.must(err)
		for _, to := range w.readers() {
			for _, strict := range []bool{false, true} {
				to.Strict = strict
				s := readSchemas(t, dir, to.Version, to.Strict)
				check := func(file string, data []byte) {
					t.Helper()
					var value any
					if err := json.Unmarshal(data, &value); err != nil {
						t.Fatal(err)
					}
					if wrong := s.check(file, s.files[file], value); wrong != "" {
						t.Errorf("%s, %s in %s: %s: %s\n%s", state, to.Role, to.Version, file, wrong, data)
					}
					n++
				}
				for _, typ := range clics.Types {
					if typ == clics.Scoreboard {
						o, _ := c.Scoreboard(to, "")
						data, err := clics.Encode(clics.Reader{Version: to.Version, Role: to.Role}, typ, o)
						w.must(err)
						check("scoreboard.json", data)
						continue
					}
					file := singular(typ)
					required, _ := s.files[file]["required"].([]any)
					for _, name := range slices.Clone(required) {
						if !clics.CanSee(to.Role, to.Version, typ, name.(string), false) {
							optional(s.files[file], name.(string))
						}
					}
					lines, err := c.List(to, typ)
					w.must(err)
					for _, l := range lines {
						check(file, l.Data)
					}
				}
				access, err := json.Marshal(map[string]any{"capabilities": clics.Capabilities(to.Role, to.Version), "endpoints": endpoints(to)})
				w.must(err)
				check("access.json", access)
			}
		}
	}
	look("before")
	w.now = start.Add(time.Minute)
	for i, v := range []judge.Verdict{judge.Accepted, judge.WrongAnswer, judge.JudgeError, judge.MemoryLimit} {
		w.submit(i%3-1, "p0")
		w.judge(job.ContestPriority, v)
	}
	w.submit(1, "p1")
	clarify := func(n store.NewClarification) {
		n.Contest, n.Account, n.Team = w.contest, w.people[0].ID, w.teams[0].ID
		_, err := w.store.Clarify(t.Context(), n)
		w.must(err)
	}
	clarify(store.NewClarification{Text: "why", Problem: "p1"})
	clarify(store.NewClarification{Jury: true, Text: "so", ReplyTo: 1})
	look("running")
	w.now = start.Add(4*time.Hour + time.Minute)
	w.submit(2, "p2")
	w.judge(job.ContestPriority, judge.Accepted)
	look("frozen")
	w.now = start.Add(6 * time.Hour)
	w.judge(job.ContestPriority, judge.Accepted)
	look("ended")
	w.set(func(c *store.Contest) { c.Finalized, c.MainGroup = w.now, "east" })
	look("final")
	w.now = w.now.Add(time.Minute)
	w.set(func(c *store.Contest) { c.Thaw = w.now })
	look("thawed")
	if n < 5000 {
		t.Errorf("%d objects were checked", n)
	}
}

func endpoints(to feed.Reader) (all []map[string]any) {
	for _, e := range clics.Access(to.Role, to.Version, to.Strict) {
		all = append(all, map[string]any{"type": e.Type, "properties": e.Properties})
	}
	return all
}
