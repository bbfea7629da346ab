package format_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge/cases/format"
	"assay/judge/internal/golden"
)

// shape is an archive in testdata/shapes. It contains a declaration, texts that match it, and texts that do not.
// In a text, \t and \r are escapes, and a backslash at the end removes the last line feed.
type shape struct {
	name    string
	grammar *format.Grammar
	ok, bad []txtar.File
}

func unescape(data []byte) []byte {
	text := strings.NewReplacer(`\t`, "\t", `\r`, "\r").Replace(string(data))
	return []byte(strings.TrimSuffix(text, "\\\n"))
}

func shapes(t testing.TB) (all []shape) {
	t.Helper()
	for _, file := range golden.Files(t, "testdata/shapes/*.txtar") {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := shape{name: strings.TrimSuffix(filepath.Base(file), ".txtar")}
		for _, f := range archive.Files {
			text := unescape(f.Data)
			switch folder, _, _ := strings.Cut(f.Name, "/"); folder {
			case "format":
				g, faults := format.Parse(file, f.Data)
				if len(faults) > 0 {
					t.Fatal(faults)
				}
				s.grammar = g
			case "ok":
				s.ok = append(s.ok, txtar.File{Name: f.Name, Data: text})
			case "bad":
				s.bad = append(s.bad, txtar.File{Name: f.Name, Data: text})
			}
		}
		if s.grammar == nil || len(s.ok) == 0 || len(s.bad) == 0 {
			t.Fatalf("%s needs a format, ok/* and bad/*", file)
		}
		all = append(all, s)
	}
	return all
}

// TestCheck checks the rejected texts and the messages against testdata/refusals.golden.
func TestCheck(t *testing.T) {
	var said bytes.Buffer
	for _, s := range shapes(t) {
		fmt.Fprintf(&said, "%s\n", s.name)
		for _, f := range s.ok {
			if refusal := s.grammar.Check(f.Data); refusal != nil {
				t.Errorf("%s: Check(%s) = %v, want no refusal", s.name, f.Name, refusal)
			}
		}
		for _, f := range s.bad {
			refusal := s.grammar.Check(f.Data)
			if refusal == nil {
				t.Errorf("%s: Check(%s) takes %q", s.name, f.Name, f.Data)
				continue
			}
			fmt.Fprintf(&said, "    %s: %v\n", strings.TrimPrefix(f.Name, "bad/"), refusal)
		}
	}
	golden.Check(t, "testdata/refusals.golden", said.Bytes())
}

// TestFaults checks the messages for invalid declarations.
func TestFaults(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/bad/faults.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	for _, f := range archive.Files {
		g, faults := format.Parse("input.format", f.Data)
		if g != nil || len(faults) == 0 {
			t.Errorf("Parse takes %s", f.Name)
			continue
		}
		fmt.Fprintf(&said, "-- %s --\n%v\n", f.Name, faults)
		for _, fault := range faults {
			if fault.File != "input.format" {
				t.Errorf("%s: a fault without a file: %v", f.Name, fault)
			}
		}
	}
	golden.Check(t, "testdata/bad/faults.golden", said.Bytes())
}

// TestManual checks that each declaration in the setter's manual can be parsed and can generate inputs.
func TestManual(t *testing.T) {
	manual, err := os.ReadFile("../../../problems/README.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, part := range strings.Split(string(manual), "```format\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		g, faults := format.Parse("README.md", []byte(text))
		if len(faults) > 0 {
			t.Errorf("%v\nin\n%s", faults, text)
			continue
		}
		n++
		for seed := range uint64(20) {
			drawn(t, g, seed, format.Options{Size: 6})
		}
	}
	if n < 10 {
		t.Errorf("the manual shows %d declarations", n)
	}
}
