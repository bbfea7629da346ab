package contestpackage

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"assay/judge/internal/strict"
)

func checkJSON(t *testing.T, data []byte) {
	var want any
	out, fault := yamlOfJSON("x.json", data)
	if err := json.Unmarshal(data, &want); (err == nil) != (fault == nil) {
		t.Fatalf("%q: %v, %v", data, err, fault)
	}
	if fault != nil || !utf8.Valid(data) {
		return
	}
	root, faults := strict.ParseYAML("x.json", out)
	if len(faults) > 0 {
		// YAML rejects duplicate keys, very deep nesting, and control characters.
		return
	}
	same(t, data, want, root)
}

func same(t *testing.T, data []byte, want any, n *strict.Node) {
	switch want := want.(type) {
	case map[string]any:
		for k, v := range want {
			if !n.Has(k) && v != nil {
				t.Errorf("%q: no key %q", data, k)
				continue
			}
			same(t, data, v, n.Get(k))
		}
	case []any:
		if items := n.Items(); n.Kind != strict.List || len(items) != len(want) {
			t.Errorf("%q: %d items", data, len(items))
		} else {
			for i := range want {
				same(t, data, want[i], items[i])
			}
		}
	case string:
		odd := func(c rune) bool { return c == unicode.ReplacementChar || unicode.IsControl(c) }
		if n.Text != want && !strings.ContainsFunc(want, odd) {
			t.Errorf("%q: %q, want %q", data, n.Text, want)
		}
	}
}
