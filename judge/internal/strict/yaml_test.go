package strict_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/internal/strict"
)

type limits struct {
	Time   float64 `yaml:"time"`
	Memory int     `yaml:"memory"`
}

// either is a name, or a map of names.
type either struct{ names map[string]string }

func (e *either) ReadNode(n *strict.Node) judge.ProblemErrors {
	if n.Kind == strict.Scalar {
		e.names = map[string]string{"en": n.Text}
		return nil
	}
	return n.Decode(&e.names)
}

type file struct {
	Name    either         `yaml:"name"`
	Limits  limits         `yaml:"limits"`
	Flags   []string       `yaml:"flags"`
	Writing bool           `yaml:"writing"`
	Extra   map[string]int `yaml:"extra"`
	Limits2 *limits        `yaml:"limits2"`
}

func read(text string) (file, judge.ProblemErrors) {
	var f file
	n, faults := strict.ParseYAML("p.yaml", []byte(text))
	return f, append(faults, n.Decode(&f)...)
}

func TestDecodeYAML(t *testing.T) {
	for _, row := range []struct{ it, text, want string }{
		{"reads a type in either form", "name: Sum", "{map[en:Sum]} {0 0} [] false map[]"},
		{"reads a map in the other form", "name: {en: Sum, de: Summe}", "{map[de:Summe en:Sum]} {0 0} [] false map[]"},
		{"takes one value for a list", "flags: a b", "{map[]} {0 0} [a b] false map[]"},
		{"takes a number for a text", "name: 2048", "{map[en:2048]} {0 0} [] false map[]"},
		{"reads numbers that YAML 1.1 takes for text", "limits: {time: 1e-1, memory: 1e3}", "{map[]} {0.1 1000} [] false map[]"},
		{"reads the booleans of YAML 1.1", "writing: yes", "{map[]} {0 0} [] true map[]"},
		{"reads a file that says it is YAML 1.2", "%YAML 1.2\n---\nname: x\n", "{map[en:x]} {0 0} [] false map[]"},
		{"reads a file with a byte order mark and CRLF", "\ufeffname: x\r\nwriting: true\r\n", "{map[en:x]} {0 0} [] true map[]"},
		{"takes null for a key that is not set", "limits:\nname: ~", "{map[]} {0 0} [] false map[]"},
		{"follows aliases and merges", "extra: &e {a: 1}\nlimits: {<<: {time: 2}, memory: 5}\n", "{map[]} {2 5} [] false map[a:1]"},
		{"reads an empty file", "# nothing\n", "{map[]} {0 0} [] false map[]"},
	} {
		f, faults := read(row.text)
		if got := fmt.Sprint(f.Name, f.Limits, f.Flags, f.Writing, f.Extra); got != row.want || len(faults) > 0 {
			t.Errorf("it %s: got %s, want %s; faults: %v", row.it, got, row.want, faults)
		}
	}
}

func TestYAMLFaults(t *testing.T) {
	for _, row := range []struct{ it, text, want string }{
		{"names an unknown key and the one that was meant", "nmae: x", "p.yaml:1:1: unknown key \"nmae\"\n    did you mean \"name\"?"},
		{"says where an unknown key stands", "limits:\n  tiem: 1", "p.yaml:2:3: unknown key \"tiem\" in limits\n    did you mean \"time\"?"},
		{"refuses a key that stands twice", "writing: true\nwriting: false", "p.yaml:2:1: the key \"writing\" stands twice\n    first on line 1"},
		{"says what it wants", "writing: maybe", "p.yaml:1:10: writing: want true or false, got \"maybe\""},
		{"says what it wants in a list", "extra: {a: [1]}", "p.yaml:1:12: extra.a: want a whole number, got a list"},
		{"refuses half a megabyte", "limits: {memory: 0.5}", "p.yaml:1:18: limits.memory: want a whole number, got \"0.5\""},
		{"refuses a number that is not exact", "limits: {memory: 1e16}", "p.yaml:1:18: limits.memory: want a whole number, got \"1e16\""},
		{"refuses a list for a map", "limits: [1]", "p.yaml:1:9: limits: want a map, got a list"},
		{"refuses an alias inside of itself", "flags: &a [*a]", "p.yaml:1:12: the alias *a stands inside of itself"},
		{
			"points at a syntax error", "name: a: b",
			"p.yaml:1:8: mapping values are not allowed in this context\n    a value with a colon in it stands in quotes",
		},
		{"points at a tab", "\tname: x", "p.yaml:1:1: found character that cannot start any token\n" +
			"    YAML is indented with blanks, not with tabs; a value that starts with @, ` or % stands in quotes"},
		{
			"points at a second document", "name: x\n---\nname: y\n",
			"p.yaml:2:1: a second document begins here\n    a line of --- parts documents, and the file is to have one",
		},
		{
			"points at what is broken in a second document", "name: x\n---\n\t- a: b: c",
			"p.yaml:3:1: found a tab character where an indentation space is expected\n    YAML is indented with blanks, not with tabs",
		},
		{
			"points at a byte of another encoding", "a: b\nname: sm\xf6rg\n",
			"p.yaml:2:9: the byte 0xf6, which is not UTF-8\n    save the file as UTF-8",
		},
		{"points at a control character", "a: b\x00\n", "p.yaml:1:5: the byte 0x00, a control character\n    remove it"},
		{"knows UTF-16", "\xff\xfen\x00a\x00", "p.yaml:1:1: the file is in UTF-16\n    save the file as UTF-8"},
	} {
		_, faults := read(row.text)
		if diff := cmp.Diff(row.want, faults.Error()); diff != "" {
			t.Errorf("it %s (-want +got):\n%s", row.it, diff)
		}
	}
}

// TestMismatch: only a text that was read as a boolean belongs in quotes.
func TestMismatch(t *testing.T) {
	n, _ := strict.ParseYAML("p.yaml", []byte("yes"))
	if got := n.Mismatch("text").Hint; got != `put it in quotes: "true"` {
		t.Errorf("the hint of a boolean for a text is %q", got)
	}
	if got := n.Mismatch("a number").Hint; got != "" {
		t.Errorf("the hint of a boolean for a number is %q", got)
	}
}

func TestYAMLBombs(t *testing.T) {
	laughs := "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 9; i++ {
		laughs += fmt.Sprintf("a%d: &a%[1]d [%s]\n", i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for _, row := range []struct{ it, text, want string }{
		{"refuses a billion laughs", laughs, "with every alias written out"},
		{"refuses a deep hole", strings.Repeat("[", 500) + strings.Repeat("]", 500), "inside one another"},
		{"refuses a deeper hole", strings.Repeat("[", 50_000), "max depth"},
		{"refuses a huge file", "a: " + strings.Repeat("x", 5<<20), "more than"},
	} {
		_, faults := strict.ParseYAML("p.yaml", []byte(row.text))
		if len(faults) == 0 || !strings.Contains(faults.Error(), row.want) {
			t.Errorf("it %s: got %.200v, want %q", row.it, faults, row.want)
		}
	}
}

func FuzzParseYAML(f *testing.F) {
	for _, seed := range []string{
		"a: 1", "a: &x [*x]", "- {a: b, <<: *c}", "%YAML 1.2\n---\n? [a]\n: b", "a: |\n  text\n",
		"\"a\": 'b'\n...\n---\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, faults := strict.ParseYAML("f", data)
		if n == nil {
			t.Fatal("Parse returned no node")
		}
		var into file
		n.Decode(&into)
		for _, fault := range faults {
			if fault.Text == "" {
				t.Errorf("a fault without a text: %+v", fault)
			}
		}
	})
}
