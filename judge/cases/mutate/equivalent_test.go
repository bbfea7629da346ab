package mutate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/running/config"
)

// built builds a program with some mutants of a source, with a command as in judge.toml.
func built(t testing.TB, s *Source, mutants []*Mutant, command ...string) string {
	t.Helper()
	dir, log := tried(t, s, mutants, command)
	if dir == "" {
		t.Fatalf("%v:\n%s", command, log)
	}
	return dir
}

// tried is like built, but the program may fail to compile. In that case, it returns the compiler's output.
func tried(t testing.TB, s *Source, mutants []*Mutant, command []string) (dir, log string) {
	t.Helper()
	files, err := s.packedFiles(mutants)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, data := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), data)
	}
	for _, c := range append(s.family.Before, command) {
		if c[0] == command[0] {
			c = append(append([]string{c[0]}, s.family.Flags...), c[1:]...)
		}
		cmd := exec.Command(c[0], c[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", string(out)
		}
	}
	return dir, ""
}

// TestCompilers checks that each compiler generates the original code for a change without effect, and other code
// for a change with an effect.
func TestCompilers(t *testing.T) {
	for _, row := range []struct {
		language, file, text string
		nothing, something   string // replacements for the sign +
		command              []string
	}{
		{
			"cpp", "main.cpp",
			"#include <iostream>\nint f(int a) { return a + 3; }\nint main() { int a; std::cin >> a; std::cout << f(a) << \"x\\n\"; }\n",
			"+ 0 +", "-", []string{"g++", "-O2", "-o", "main", "assay_main.cpp"},
		},
		{
			"c", "main.c",
			"#include <stdio.h>\nstatic int f(int a) { return a + 3; }\nint main() { int a; scanf(\"%d\", &a); printf(\"%d\\n\", f(a)); }\n",
			"+ 0 +", "-", []string{"gcc", "-O2", "-o", "main"},
		},
		{"rust", "main.rs", "fn f(a: i32) -> i32 { a + 3 }\nfn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap();" +
			" println!(\"{}\", f(s.trim().parse().unwrap())); }\n", "+ 0 +", "-",
			[]string{"rustc", "--edition=2021", "-O", "-o", "main", "main.rs"}},
		{
			"java", "Main.java",
			"class Main { public static void main(String[] a) { int b = a.length; System.out.println(b + 3); } }\n",
			"+\n", "-", []string{"javac", "-d", "."},
		},
	} {
		t.Run(row.language, func(t *testing.T) {
			if err := exec.Command(row.command[0], "--version").Run(); err != nil { // rustup may be installed without a compiler
				t.Skipf("no %s that works (%v): see judge lang", row.command[0], err)
			}
			at := strings.Index(row.text, "+")
			f := family(t, row.language)
			s := &Source{
				Path: row.file, names: []string{row.file}, files: map[string][]byte{row.file: []byte(row.text)},
				family: f, language: &config.Language{ID: row.language},
			}
			mutants := []*Mutant{{ID: 1, start: at, end: at + 1, After: row.nothing}, {ID: 2, start: at, end: at + 1, After: row.something}, {
				ID: 3, start: at, end: at + 1, After: row.something + " ",
			}}
			command := row.command
			if row.language == "c" || row.language == "java" {
				files, err := s.packedFiles(mutants)
				if err != nil {
					t.Fatal(err)
				}
				for name := range files {
					if filepath.Ext(name) == filepath.Ext(row.file) {
						command = append(command[:len(command):len(command)], name)
					}
				}
			}
			prints, err := fingerprints(built(t, s, mutants, command...))
			if err != nil {
				t.Fatal(err)
			}
			own, nothing, something, again := prints[copyName(0)], prints[copyName(1)], prints[copyName(2)], prints[copyName(3)]
			if own == (fingerprint{}) || own != nothing || own == something || something != again {
				t.Errorf("fingerprints %x, nothing changed %x, something %x, and again %x", own, nothing, something, again)
			}
		})
	}
}
