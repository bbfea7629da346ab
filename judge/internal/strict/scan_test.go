package strict

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzDecode checks that no input causes a panic and that every fault has a line. In a valid file, every key must
// have the position of its name.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/bad/*.toml")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("a.b.\"c\" = [ [1, {x=1}], \"]\", '''\n'''' ] # c\n[[t.u]]\n[t.u.v]\nw=1979-05-27 07:32:32Z\n[[t.u]]\n"))
	f.Add([]byte("\"\\u0041\" = 1\n\"\\\"\" = 2\n'\\' = 3\n\"\" = {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var into struct {
			Title string         `toml:"title"`
			Words map[string]int `toml:"words"`
			Group []struct {
				Name Duration `toml:"name"`
			} `toml:"group"`
		}
		doc, faults := Decode("f.toml", data, &into)
		for _, fault := range faults {
			if fault.Line < 1 || fault.Column < 1 {
				t.Errorf("a fault without a place: %v", fault)
			}
		}
		var tree map[string]any
		Decode("f.toml", data, &tree)
		places(t, doc, tree, "")
	})
}

func places(t *testing.T, doc *Doc, v any, key string) {
	t.Helper()
	if strings.Contains(key, `""`) {
		return // the library drops a nested list under an empty name
	}
	if key != "" && !doc.Has(key) {
		t.Fatalf("key %s of a valid file has no place:\n%q", key, doc.data)
	}
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			places(t, doc, inner, join(key, name))
		}
	case []any:
		for i, inner := range v {
			places(t, doc, inner, fmt.Sprintf("%s[%d]", key, i))
		}
	case []map[string]any:
		for i, inner := range v {
			places(t, doc, inner, fmt.Sprintf("%s[%d]", key, i))
		}
	}
}
