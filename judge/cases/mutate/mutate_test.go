package mutate

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/internal/unboxed"
)

// program extracts a program in testdata into a directory, and returns its inputs.
func program(t testing.TB, file string) (dir string, inputs [][]byte) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "program")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.mod"), []byte("module program\n\ngo 1.26\n"))
	for _, f := range archive.Files {
		if f.Name == "input" {
			inputs = append(inputs, f.Data)
		} else {
			write(t, filepath.Join(dir, f.Name), f.Data)
		}
	}
	return dir, inputs
}

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// compiled builds the Go program in a directory.
func compiled(t testing.TB, dir string) string {
	t.Helper()
	cmd := exec.Command("go", "build", "-o", "program.exe", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "program.exe")
}

func tools(t testing.TB) Toolchain {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go: apt-get install golang-go")
	}
	return Toolchain{Goroot: strings.TrimSpace(string(out)), Kit: os.DirFS("../../kit")}
}

// started writes and builds a program with the mutants of a source, and returns a worker for it.
func started(t testing.TB, s *Source) *worker {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("mutants run on Linux only")
	}
	dir := t.TempDir()
	for name, data := range s.Schemata() {
		write(t, filepath.Join(dir, name), data)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		write(t, filepath.Join(dir, "go.mod"), []byte("module program\n\ngo 1.26\n"))
	}
	w := newWorker(t.Context(), unboxed.Runner{}, &judge.Program{Name: s.Path, Argv: []string{compiled(t, dir)}}, s.blocks, judge.Limits{})
	w.stack = smallStack
	t.Cleanup(w.close)
	return w
}

// TestTheProgramAsItWas checks that a rewritten program in which no mutant is selected prints the same as the
// original, even when run repeatedly.
func TestTheProgramAsItWas(t *testing.T) {
	tools := tools(t)
	files, _ := filepath.Glob("testdata/programs/*.txtar")
	if len(files) == 0 {
		t.Fatal("no programs")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			dir, inputs := program(t, file)
			s, err := Read(dir, tools)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Mutants) < 10 {
				t.Errorf("%d mutants", len(s.Mutants))
			}
			native := compiled(t, dir)
			w := started(t, s)
			var want [][]byte
			for slot, input := range inputs {
				cmd := exec.Command(native)
				cmd.Stdin = bytes.NewReader(input)
				out, err := cmd.Output()
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, out)
				w.set(uint32(slot), input)
			}
			for range 3 {
				for slot := range inputs {
					got, err := w.load(uint32(slot))
					if err != nil {
						t.Fatal(err)
					}
					if got.end != otherOutput || !bytes.Equal(got.out, want[slot]) {
						t.Errorf("input %d: %s, got\n%s\nwant\n%s", slot, got.description(), got.out, want[slot])
					}
				}
			}
			if w.started > 1+3*len(inputs) {
				t.Errorf("%d processes for %d runs", w.started, 3*len(inputs))
			}
			killed := 0
			var slots []uint32
			for slot := range inputs {
				slots = append(slots, uint32(slot))
			}
			first, err := w.load(0)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range s.Mutants { // this also runs the changed copies of functions and loops
				if first.cover[m.block] || i%5 != 0 {
					continue
				}
				if _, r, err := w.findKill(m, slots[:1]); err != nil || r.end != sameOutput {
					t.Errorf("%s is not reached, and yet: %s, %v", s.Diff(m), r.description(), err)
				}
			}
			for i, m := range s.Mutants {
				if i%7 != 0 {
					continue // running all takes long if goroutines are left behind
				}
				at, r, err := w.findKill(m, slots)
				if err != nil {
					t.Fatalf("%s: %v", s.Diff(m), err)
				}
				if at < len(slots) && r.end != sameOutput {
					killed++
				}
			}
			if killed < len(s.Mutants)/7/4 {
				t.Errorf("%d of %d mutants print something else", killed, len(s.Mutants)/7)
			}
		})
	}
}

// TestMutants compares the mutants of a program, which has one line for each operator, with a reviewed golden
// file.
func TestMutants(t *testing.T) {
	dir, _ := program(t, "testdata/operators.txtar")
	s, err := Read(dir, tools(t))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	seen := map[Operator]bool{}
	for _, m := range s.Mutants {
		seen[m.Operator] = true
		b.WriteString(m.File + " " + string(m.Operator) + "\n" + s.Diff(m))
	}
	for _, op := range Operators() {
		if !seen[op] {
			t.Errorf("no mutant of the operator %s", op)
		}
	}
	golden.Check(t, "testdata/operators.golden", []byte(b.String()))
}

// TestFates checks how the runs of mutants end.
func TestFates(t *testing.T) {
	dir, inputs := program(t, "testdata/fates.txtar")
	s, err := Read(dir, tools(t))
	if err != nil {
		t.Fatal(err)
	}
	w := started(t, s)
	w.set(0, inputs[0])
	if got, err := w.load(0); err != nil || string(got.out) != "10 6\n" {
		t.Fatalf("as it was: %q %v", got.out, err)
	}
	for _, row := range []struct {
		name          string
		before, after string
		want          runEnd
	}{
		{"one that prints something else", "sum += x", "sum -= x", otherOutput},
		{"one that changes nothing", "i < len(list)", "i != len(list)", sameOutput},
		{"one that panics", "i", "i-1", crashed},
		{"one that never ends", "i++", "", tooManySteps},
		{"one that calls itself for ever", "n == 0", "false", workerExited},
	} {
		t.Run(row.name, func(t *testing.T) {
			found := false
			for _, m := range s.Mutants {
				if m.Before != row.before || m.After != row.after {
					continue
				}
				found = true
				if _, r, err := w.findKill(m, []uint32{0}); err != nil || r.end != row.want {
					t.Errorf("%s ends as %q (%v), want %q", s.Diff(m), r.end, err, row.want)
				}
				break
			}
			if !found {
				t.Error("there is no such mutant")
			}
		})
	}
}

func TestUnmutable(t *testing.T) {
	tools := tools(t)
	for _, row := range []struct{ name, file, text, want string }{
		{"another language", "main.py", "print(1)\n", "not written in Go"},
		{"what cannot be parsed", "main.go", "package main\nfunc main( {}\n", "cannot be parsed"},
		{"what does not compile", "main.go", "package main\nfunc main() { x := 1 }\n", "types cannot be worked out"},
		{"a library", "main.go", "package lib\n", "not a command"},
		{
			"embedded files", "main.go",
			"package main\nimport _ \"embed\"\n\n//go:embed main.go\nvar s string\nfunc main() { println(s) }\n",
			"embeds files",
		},
		{
			"a package that is not there", "main.go",
			"package main\nimport \"example.com/nosuch/x\"\nfunc main() { x.F() }\n",
			"types cannot be worked out",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), row.file)
			write(t, path, []byte(row.text))
			_, err := Read(path, tools)
			unmutable, ok := errors.AsType[*UnmutableError](err)
			if !ok || !strings.Contains(unmutable.Reason, row.want) {
				t.Errorf("Read = %v, want %q", err, row.want)
			}
		})
	}
}
