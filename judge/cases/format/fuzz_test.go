package format_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge/cases/format"
	"assay/judge/internal/golden"
)

// FuzzParse checks that any declaration is either parsed or rejected with a position. A parsed declaration must
// accept the inputs that it generates.
func FuzzParse(f *testing.F) {
	for _, file := range append(golden.Files(f, "testdata/shapes/*.txtar"), golden.Files(f, "testdata/bad/*.txtar")...) {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range archive.Files {
			f.Add(string(part.Data))
		}
	}
	for _, file := range golden.Files(f, "../../../problems/*/input.format") {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 500 {
			return
		}
		g, faults := format.Parse("input.format", []byte(text))
		if (g == nil) == (len(faults) == 0) {
			t.Fatalf("Parse(%q) = %v, %v", text, g, faults)
		}
		if g == nil {
			return
		}
		input, err := g.Draw(rand.New(rand.NewPCG(1, 1)), format.Options{Size: 4, MaxSize: 2000})
		if err != nil {
			return
		}
		if refusal := g.Check(input); refusal != nil {
			t.Fatalf("%s\nmakes %q, and refuses it: %v", text, input, refusal)
		}
		n := 0
		g.Propose(input, func(_ string, text []byte) bool { n++; return n%2 == 0 }, func() bool { return n > 50 })
		if !g.Propose(input, func(string, []byte) bool { return false }, func() bool { return true }) {
			t.Fatalf("%s\nmakes %q, and does not know it", text, input)
		}
	})
}

// FuzzCheck checks that any text is either accepted or rejected with a position.
func FuzzCheck(f *testing.F) {
	grammars := all(f)
	for i, g := range grammars {
		input, err := g.Draw(rand.New(rand.NewPCG(1, 1)), format.Options{Size: 4})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(input, i)
	}
	f.Fuzz(func(t *testing.T, text []byte, i int) {
		g := grammars[(i%len(grammars)+len(grammars))%len(grammars)]
		if refusal := g.Check(text); refusal != nil && (refusal.Line < 1 || refusal.Column < 1 || refusal.Text == "") {
			t.Fatalf("%s: Check(%q) = %+v", g.File, text, refusal)
		}
	})
}
