package lang_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/lang"
)

// TestFolders builds programs of several files and runs them in the sandbox. Each prints 42.
func TestFolders(t *testing.T) {
	tools, box := boxed(t)
	for _, row := range []struct {
		it    string
		files map[string]string
	}{
		{"compiles all C++ sources together", map[string]string{
			"a.cpp":     "#include \"lib/b.h\"\n#include <cstdio>\nint main() { std::printf(\"%d\\n\", f()); }\n",
			"lib/b.cpp": "#include \"lib/b.h\"\nint f() { return 42; }\n",
			"lib/b.h":   "int f();\n",
		}},
		{"imports a Python module", map[string]string{
			"main.py":        "from part.answer import f\nprint(f())\n",
			"part/answer.py": "def f(): return 42\n",
		}},
		{"imports a Go package", map[string]string{
			"x.go":      "package main\n\nimport (\n\t\"fmt\"\n\t\"mine/b\"\n)\n\nfunc main() { fmt.Println(b.F()) }\n",
			"b/b.go":    "package b\n\nfunc F() int { return 42 }\n",
			"go.mod":    "module mine\n\ngo 1.21\n",
			"x_test.go": "package main\n",
		}},
		{"finds the Java class with main", map[string]string{
			"Answer.java": "class Answer { static int f() { return 42; } }\n",
			"Solve.java":  "public class Solve {\n  public static void main(String[] a) { System.out.println(Answer.f()); }\n}\n",
		}},
		{"finds the Java package of the class with main", map[string]string{
			"Answer.java": "package deep.answer;\npublic class Answer { public static int f() { return 42; } }\n",
			"Solve.java": "package solve;\nimport deep.answer.Answer;\npublic class Solve {\n" +
				"  public static void main(String[] a) { System.out.println(Answer.f()); }\n}\n",
		}},
		{"compiles C whose names look like options", map[string]string{
			"-a.c": "int f(void) { return 42; }\n",
			"@b.c": "#include <stdio.h>\nint f(void);\nint main(void) { printf(\"%d\\n\", f()); }\n",
		}},
		{"runs Python whose name looks like an option", map[string]string{"-c.py": "print(42)\n"}},
		{"includes a Rust module", map[string]string{
			"main.rs": "mod b;\nfn main() { println!(\"{}\", b::f()); }\n",
			"b.rs":    "pub fn f() -> i32 { 42 }\n",
		}},
		{"reads data of the program's own directory", map[string]string{
			"main.pl":  "open(my $f, '<', '/program/data.txt') or die; print <$f>;\n",
			"data.txt": "42\n",
		}},
	} {
		t.Run(row.it, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range row.files {
				writeIn(t, dir, name, text)
			}
			l, err := tools.Detect(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := tools.Build(t.Context(), dir, l)
			if missing, ok := errors.AsType[*lang.MissingError](err); ok {
				t.Skip(missing)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !r.OK {
				t.Fatalf("compile error:\n%s", r.Log)
			}
			prints42(t, box, r.Program)
		})
	}
}

// TestPascal checks that contestants' programs are compiled as in Polygon, whether or not this machine has the
// compiler.
func TestPascal(t *testing.T) {
	l, err := lang.New(ours(t), new(plain), t.TempDir(), nil).Detect(write(t, "a.pas", "begin end."), "")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(lang.Commands(l, "main.pas", "main.pas")[0], " ")
	if want := "fpc -l- -v0 -Mdelphi -O2 -Sgic -XS -dONLINE_JUDGE -Cs67107839 -omain main.pas"; got != want {
		t.Errorf("Pascal is compiled by %q, want %q", got, want)
	}
}

// TestNamesAreNoOptions checks that file names are passed to tools in a form that is neither an option nor a file
// of options.
func TestNamesAreNoOptions(t *testing.T) {
	for _, l := range ours(t).Languages {
		for _, command := range lang.Commands(l, "@a.x", "-b.x", "@a.x") {
			for _, arg := range command {
				if strings.HasSuffix(arg, ".x") && !strings.HasPrefix(arg, "./") && !strings.HasPrefix(arg, "/") {
					t.Errorf("%s: %q has %q, which may be an option", l.ID, command, arg)
				}
			}
		}
	}
}

// prints42 runs a program that must print 42.
func prints42(t *testing.T, box judge.Runner, p *judge.Program) {
	t.Helper()
	var out, stderr bytes.Buffer
	c := p.Command(judge.Limits{Memory: 256 << 20, CPU: 20 * time.Second})
	c.Stdout, c.Stderr = &out, &stderr
	x, err := box.Run(t.Context(), c)
	if err != nil || x.Exit != 0 || out.String() != "42\n" {
		t.Errorf("it prints %q, %q (%s, %v), want 42", &out, &stderr, x.Termination(), err)
	}
}

// TestSources builds and runs programs with unusual entry points. Each prints 42.
func TestSources(t *testing.T) {
	tools, box := boxed(t)
	for _, row := range []struct{ it, name, text string }{
		{
			"passes over a byte order mark, which javac refuses", "Sol.java",
			"\ufeffpublic class Sol { public static void main(String[] a) { System.out.println(42); } }\n",
		},
		{"finds the main of a Kotlin object", "a.kt",
			"package a.b\n\nclass Node(val n: Int)\n\nobject Solver {\n    class Pair\n    @JvmStatic\n    fun main(args: Array<String>) {\n" +
				"        println(Node(42).n)\n    }\n}\n"},
		{
			"finds the main of a Haskell module with another name", "Sol.hs",
			"module Sol (main) where\n\nmain :: IO ()\nmain = print (42 :: Int)\n",
		},
	} {
		t.Run(row.it, func(t *testing.T) {
			path := write(t, row.name, row.text)
			l, err := tools.Detect(path, "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := tools.Build(t.Context(), path, l)
			if missing, ok := errors.AsType[*lang.MissingError](err); ok {
				t.Skip(missing)
			}
			if err != nil || !r.OK {
				t.Fatal(r, err)
			}
			prints42(t, box, r.Program)
		})
	}
}

// TestHostileBuilds checks that hostile builds leave no traces.
func TestHostileBuilds(t *testing.T) {
	_, box := boxed(t)
	cfg := ours(t)
	cfg.Build.Memory = 160 << 20 // so that the build that allocates memory fails soon
	tools := lang.New(cfg, box, sharedCache, kit)
	for _, row := range []struct{ it, name, text, want string }{
		{"cannot read files of the host at build time", "a.c", "#include \"/etc/shadow\"\nint main() { return 0; }\n", "No such file"},
		{
			"is stopped when the program grows while it is built", "b.c",
			"#define A(x) x,x,x,x,x,x,x,x\nint a[] = { A(A(A(A(A(A(A(A(A(A(1)))))))))) };\nint main() { return a[0]; }\n",
			"needs more than 160 MiB of memory",
		},
		{"runs BEGIN blocks in the sandbox", "c.pl", "BEGIN { open(F, '<', '/etc/shadow') or die \"no\\n\"; }\n", "BEGIN failed"},
	} {
		t.Run(row.it, func(t *testing.T) {
			l, err := tools.Detect(write(t, row.name, row.text), "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := tools.Build(t.Context(), write(t, row.name, row.text), l)
			if missing, ok := errors.AsType[*lang.MissingError](err); ok {
				t.Skip(missing)
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.OK || !strings.Contains(r.Log, row.want) {
				t.Errorf("Build = %+v, want a compile error with %q", r, row.want)
			}
		})
	}
}

// TestSharedCache checks that data that one build writes into its language's cache is not counted against a
// concurrent build.
func TestSharedCache(t *testing.T) {
	_, box := boxed(t)
	cfg, l := toy(t)
	cfg.Build.Wall = time.Minute // one build may have to wait for the other
	// A source is a line that writes. If the cache is shared, each build waits until the other one has written as
	// well.
	l.Cache, l.Build = "/cache", [][]string{{"/bin/sh", "-c", `
. ./main.toy || exit 1
if test -e /cache/shared; then
	: >/cache/$me.done
	until test -e /cache/a.done && test -e /cache/b.done; do sleep 0.01; done
fi
cp main.toy main`}}
	cache := t.TempDir()
	shared := filepath.Join(cache, "keep", "toy-contestant")
	if err := errors.Join(os.MkdirAll(shared, 0o777), os.WriteFile(filepath.Join(shared, "shared"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	tools := lang.New(cfg, box, cache, nil)
	tools.BoundKept(24 << 20)
	source := func(me string, mebibytes int) string {
		return fmt.Sprintf("me=%s; dd if=/dev/zero of=/cache/%s bs=1048576 count=%d 2>/dev/null", me, me, mebibytes)
	}
	var both sync.WaitGroup
	build := func(me string, mebibytes int, ok bool) {
		r, err := tools.Build(t.Context(), write(t, "main.toy", source(me, mebibytes)), l)
		if err != nil || r.OK != ok || !ok && !strings.Contains(r.Log, "writes more than a build may") {
			t.Errorf("a build that writes %d MiB of 24 MiB: %+v, %v, want it good: %v", mebibytes, r, err, ok)
		}
	}
	both.Go(func() { build("a", 14, true) })
	both.Go(func() { build("b", 15, true) })
	both.Wait()
	build("c", 40, false)
	if left, err := os.ReadDir(filepath.Join(cache, "programs", ".tmp")); err != nil || len(left) > 0 {
		t.Errorf("what is left of the builds: %v, %v", left, err)
	}
}
