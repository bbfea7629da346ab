package format_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"assay/judge/cases/format"
	"assay/judge/packages/ctd"
)

// texts returns valid and invalid inputs for g.
func texts(t *testing.T, shapes []shape, g *format.Grammar) (all [][]byte) {
	t.Helper()
	for _, mode := range format.Modes() {
		for seed := range uint64(4) {
			all = append(all, drawn(t, g, seed, format.Options{Mode: mode, Size: int64(seed * 3), MaxSize: 1 << 12}))
		}
	}
	wrong, err := g.NearMisses(rand.New(rand.NewPCG(1, 2)), format.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrong {
		all = append(all, w.Text)
	}
	for _, s := range shapes {
		all = append(all, s.ok[0].Data) // most have another format
		if s.grammar.File == g.File {
			for _, f := range append(s.ok, s.bad...) {
				all = append(all, f.Data)
			}
		}
	}
	return append(all, nil, []byte("\n"), []byte("1 2\n"))
}

// inPython runs a Python validator on many texts in one process.
const inPython = `
import io, json, sys
source = compile(open(sys.argv[1]).read(), sys.argv[1], "exec")
for text in json.load(sys.stdin):
    names = {"__name__": "validator"}
    real, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(bytes(text)))
    sys.stderr = io.StringIO()
    exec(source, names)
    print(names["main"]())
    sys.stdin, sys.stderr = real, sys.__stderr__
`

func TestPythonTakesTheSame(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: apt-get install python3")
	}
	known := shapes(t)
	for _, g := range all(t) {
		all := texts(t, known, g)
		var asked [][]int
		for _, text := range all {
			row := []int{}
			for _, b := range text {
				row = append(row, int(b))
			}
			asked = append(asked, row)
		}
		input, err := json.Marshal(asked)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "validator.py")
		if err := os.WriteFile(file, []byte(g.Python()), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", inPython, file)
		cmd.Stdin = bytes.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", g.File, err, out)
		}
		lines := bytes.Fields(out)
		if len(lines) != len(all) {
			t.Fatalf("%s: %d answers for %d texts", g.File, len(lines), len(all))
		}
		for i, text := range all {
			want := map[bool]string{true: "42", false: "43"}[g.Check(text) == nil]
			if string(lines[i]) != want {
				t.Errorf("%s: Python says %s of %q, want %s: %v", g.File, lines[i], text, want, g.Check(text))
			}
		}
	}
}

func TestChecktestdataTakesTheSame(t *testing.T) {
	said, known := 0, shapes(t)
	for _, g := range all(t) {
		script, ok := g.Checktestdata()
		if !ok {
			continue
		}
		said++
		program, err := ctd.Parse("script", []byte(script))
		if err != nil {
			t.Errorf("%s: %v\n%s", g.File, err, script)
			continue
		}
		for _, text := range texts(t, known, g) {
			mismatch, err := program.Check(t.Context(), text, ctd.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if (mismatch == nil) != (g.Check(text) == nil) {
				t.Errorf("%s: checktestdata says %v of %q, want %v\n%s", g.File, mismatch, text, g.Check(text), script)
			}
		}
	}
	if said < 5 {
		t.Errorf("only %d forms were said in checktestdata", said)
	}
}

func ExampleGrammar_Checktestdata() {
	g, _ := format.Parse("input.format", []byte("line n: int 1..100  k: int 0..n\nline a[n]: int -9..9\nwhere k != 1\n"))
	script, ok := g.Checktestdata()
	fmt.Println(ok)
	fmt.Print(script)
	// Output:
	// true
	// INT(1, 100, x0n) SPACE INT(0, x0n, x1k) NEWLINE
	// REP(x0n, SPACE) INT((0-9), 9) END NEWLINE
	// ASSERT((x1k != 1))
}
