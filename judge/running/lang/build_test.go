package lang_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/judge"
	"assay/judge/running/config"
	"assay/judge/running/lang"

	"github.com/google/go-cmp/cmp"
)

// toy returns a language without tools. The test's runner acts as its compiler.
func toy(t testing.TB) (*config.Config, *config.Language) {
	t.Helper()
	cfg, err := config.Load("toy.toml", []byte(`
[limits.build]
time = "7s"
[limits.source]
size = "1KiB"
files = 10
[[language]]
id = "toy"
name = "Toy"
extensions = ["toy"]
file = "main.toy"
entry = ["main.toy"]
build = [["/usr/bin/toyc", "{sources}"]]
result = ["main", "*.lib"]
run = ["/program/main"]
hello = "x"
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	l, _ := cfg.Language("toy")
	return cfg, l
}

// compiler returns a runner that handles build commands by calling f with the build directory.
func compiler(f func(build string, c *judge.Command) judge.Exec) *plain {
	return &plain{fail: func(c *judge.Command) (judge.Exec, error, bool) {
		return f(c.Mounts[0].Host, c), nil, true
	}}
}

// copies acts as a compiler that copies the sources to main.
func copies(build string, c *judge.Command) judge.Exec {
	var all []byte
	for _, name := range c.Argv[1:] {
		data, err := os.ReadFile(filepath.Join(build, name))
		if err != nil {
			return judge.Exec{Exit: 1}
		}
		all = append(all, data...)
	}
	if err := os.WriteFile(filepath.Join(build, "main"), all, 0o755); err != nil {
		return judge.Exec{Exit: 1}
	}
	return judge.Exec{}
}

func TestBuildOnce(t *testing.T) {
	cfg, l := toy(t)
	runner, cache := compiler(copies), t.TempDir()
	build := func(path string, origin ...lang.Origin) *lang.Result {
		t.Helper()
		// Use a new toolbox for each build, as each start of the judge does.
		r, err := lang.New(cfg, runner, cache, nil).Build(t.Context(), path, l, origin...)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	runs := func(it string, want int64) {
		t.Helper()
		if got := runner.runs.Swap(0); got != want {
			t.Errorf("it %s: %d commands were run, want %d", it, got, want)
		}
	}
	path := write(t, "a.toy", "one")
	first := build(path)
	runs("builds what it has not seen", 1)
	want := &judge.Program{
		Name: path, Language: "toy", Key: first.Program.Key, Dir: first.Program.Dir,
		Argv: []string{"/program/main"}, Env: []string{},
	}
	if diff := cmp.Diff(want, first.Program); diff != "" || !first.OK || first.Cached {
		t.Errorf("Build = %+v; program (-want +got):\n%s", first, diff)
	}
	main := filepath.Join(first.Program.Dir, "main")
	if data, err := os.ReadFile(main); string(data) != "one" || err != nil {
		t.Errorf("the program is %q, %v, want what the compiler made", data, err)
	}

	again := build(path)
	runs("finds what it has built", 0)
	if !again.Cached || again.Program.Key != first.Program.Key || again.Program.Dir != first.Program.Dir {
		t.Errorf("the second Build = %+v, want the first one's program from the cache", again)
	}
	build(write(t, "other name.toy", "one"))
	runs("does not mind the file's name", 0)

	if other := build(write(t, "a.toy", "two")); other.Program.Key == first.Program.Key {
		t.Error("another program has the same key")
	}
	runs("builds another text", 1)
	build(path, lang.BySetter)
	runs("builds a setter's program apart", 1)

	for _, broken := range []struct {
		it    string
		spoil func() error
	}{
		{"rebuilds a program that was changed", func() error { return os.WriteFile(main, []byte("bad"), 0o755) }},
		{"rebuilds a program that was cut", func() error { return os.Truncate(main, 0) }},
		{"rebuilds a program that is gone", func() error { return os.Remove(main) }},
		{"rebuilds a program that is a link now", func() error {
			return errors.Join(os.Remove(main), os.Symlink("/bin/sh", main))
		}},
		{"rebuilds a program whose entry is not JSON", func() error {
			return os.WriteFile(filepath.Join(first.Program.Dir, "../entry.json"), []byte("{"), 0o644)
		}},
	} {
		if err := broken.spoil(); err != nil {
			t.Fatal(err)
		}
		r := build(path)
		runs(broken.it, 1)
		if data, err := os.ReadFile(main); string(data) != "one" || err != nil || r.Cached {
			t.Errorf("it %s: the program is %q, %v (%+v)", broken.it, data, err, r)
		}
	}
	l.Result = append(slices.Clone(l.Result), "more")
	build(path)
	runs("rebuilds when the language changes", 1)
	if left, err := os.ReadDir(filepath.Join(cache, "programs", ".tmp")); len(left) > 0 || err != nil {
		t.Errorf("%d build directories are left, %v", len(left), err)
	}
}

// TestManyBuildOne checks that many judges can build the same programs at the same time.
func TestManyBuildOne(t *testing.T) {
	cfg, l := toy(t)
	runner, cache := compiler(copies), t.TempDir()
	var paths []string
	for i := range 3 {
		paths = append(paths, write(t, "a.toy", fmt.Sprint("program ", i)))
	}
	shared := lang.New(cfg, runner, cache, nil)
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			box := shared
			if i%2 == 0 {
				box = lang.New(cfg, runner, cache, nil)
			}
			r, err := box.Build(t.Context(), paths[i%3], l)
			if err != nil {
				t.Error(err)
				return
			}
			if data, err := os.ReadFile(filepath.Join(r.Program.Dir, "main")); string(data) != fmt.Sprint("program ", i%3) || err != nil {
				t.Errorf("program %d is %q, %v", i%3, data, err)
			}
		})
	}
	wg.Wait()
	if n := runner.runs.Load(); n != 3 {
		t.Errorf("%d builds of 3 programs, want each once", n)
	}
}

func TestCompileErrors(t *testing.T) {
	cfg, l := toy(t)
	for _, row := range []struct {
		it   string
		exec judge.Exec
		make func(build string) error
		says string
		want string
	}{
		{
			"shows the contestant's name of the file", judge.Exec{Exit: 1}, nil,
			"/build/main.toy:1:5: oh\nmain.toy: also here\ndomain.toy",
			"my $1 sol.toy:1:5: oh\nmy $1 sol.toy: also here\ndomain.toy",
		},
		{"cuts long texts", judge.Exec{Exit: 1}, nil, strings.Repeat("line\n", 5000), strings.Repeat("line\n", 30) + "..."},
		{"cuts long lines", judge.Exec{Exit: 1}, nil, strings.Repeat("é", 1000), strings.Repeat("é", 120) + "..."},
		{"takes colors and other controls out", judge.Exec{Exit: 1}, nil, "\x1b[1;31merror\x1b[0m\x07 bad \xff\r\n", "error bad ?"},
		{
			"says that the time was up", judge.Exec{Killed: judge.CPUTime}, nil, "working",
			"working\nthe compiler was stopped after 7s of CPU time",
		},
		{"says how the compiler crashed", judge.Exec{Signal: "SIGSEGV"}, nil, "", "the compiler was stopped: signal SIGSEGV"},
		{"says that there is no program", judge.Exec{}, nil, "a warning", "a warning\nthe build produces no main or *.lib"},
		{"takes no link for a program", judge.Exec{}, func(build string) error {
			return os.Symlink(
				"/etc/passwd", build+"/main",
			)
		}, "", "the build produces no main or *.lib"},
		{
			"takes no directory for a program", judge.Exec{},
			func(build string) error { return os.Mkdir(build+"/main", 0o755) }, "",
			"the build produces no main or *.lib",
		},
		{
			"does not follow a linked directory", judge.Exec{},
			func(build string) error { return os.Symlink("/usr", build+"/x") }, "",
			"the build produces no main or *.lib",
		},
	} {
		t.Run(row.it, func(t *testing.T) {
			runner := &plain{}
			runner.fail = func(c *judge.Command) (judge.Exec, error, bool) {
				if _, err := c.Stderr.Write([]byte(row.says)); err != nil {
					return judge.Exec{}, err, true
				}
				if row.make != nil {
					return row.exec, row.make(c.Mounts[0].Host), true
				}
				return row.exec, nil, true
			}
			r, err := lang.New(cfg, runner, t.TempDir(), nil).Build(t.Context(), write(t, "my $1 sol.toy", "x"), l)
			if err != nil {
				t.Fatal(err)
			}
			if row.exec != (judge.Exec{}) && r.Command != "toyc 'my $1 sol.toy'" {
				t.Errorf("the command that failed is %q", r.Command)
			}
			if r.OK || r.Program != nil || r.Log != row.want {
				t.Errorf("Build = %+v, want a compile error with the log %q", r, row.want)
			}
		})
	}
}

// TestSourceInUTF16 checks that the log for a UTF-16 source tells the contestant to save the source as UTF-8. The
// compiler's own messages only complain about null bytes.
func TestSourceInUTF16(t *testing.T) {
	cfg, l := toy(t)
	checked := *l
	checked.Build = nil
	for name, tt := range map[string]struct {
		source   string
		language *config.Language
		exit     int
		want     string // the log; empty if the program compiles
	}{
		"little end first":     {"\xff\xfex\x00\n\x00", l, 1, "sol.toy is UTF-16: save it as UTF-8\nnull byte"},
		"big end first":        {"\xfe\xff\x00x\x00\n", l, 1, "sol.toy is UTF-16: save it as UTF-8\nnull byte"},
		"without a mark":       {"x\x00\n\x00", l, 1, "sol.toy is UTF-16: save it as UTF-8\nnull byte"},
		"not compiled":         {"x\x00\n\x00", &checked, 0, "sol.toy is UTF-16: save it as UTF-8"},
		"a compiler that does": {"x\x00\n\x00", l, 0, ""},
		"UTF-8":                {"x\n", l, 1, "null byte"},
	} {
		t.Run(name, func(t *testing.T) {
			runner := &plain{}
			runner.fail = func(c *judge.Command) (judge.Exec, error, bool) {
				if tt.exit == 0 {
					return judge.Exec{}, os.WriteFile(c.Mounts[0].Host+"/main", []byte("it"), 0o755), true
				}
				_, err := c.Stderr.Write([]byte("null byte"))
				return judge.Exec{Exit: tt.exit}, err, true
			}
			r, err := lang.New(cfg, runner, t.TempDir(), nil).Build(t.Context(), write(t, "sol.toy", tt.source), tt.language)
			if err != nil || r.OK != (tt.want == "") || r.Log != tt.want {
				t.Errorf("%+v, %v; want the log %q", r, err, tt.want)
			}
		})
	}
}

func TestBuildFails(t *testing.T) {
	cfg, l := toy(t)
	path := write(t, "a.toy", "x")
	runner := &plain{fail: func(c *judge.Command) (judge.Exec, error, bool) {
		return judge.Exec{}, &judge.ExecError{Argv0: c.Argv[0], Reason: "no such file"}, true
	}}
	_, err := lang.New(cfg, runner, t.TempDir(), nil).Build(t.Context(), path, l)
	if _, ok := errors.AsType[*judge.ExecError](err); !ok || !strings.Contains(err.Error(), "visible") {
		t.Errorf("Build without the tool in the sandbox = %v, want an *ExecError that says what to do", err)
	}
	l.Tools, l.Package = []string{"there-is-no-such-tool|nor-this", "sh"}, "toy-tools"
	_, err = lang.New(cfg, runner, t.TempDir(), nil).Build(t.Context(), path, l)
	missing, ok := errors.AsType[*lang.MissingError](err)
	if !ok ||
		!strings.HasSuffix(err.Error(), "Toy needs there-is-no-such-tool, which is not installed\n    apt-get install toy-tools") {
		t.Errorf("Build without the tool = %v (%+v)", err, missing)
	}
	s, err := lang.New(cfg, runner, t.TempDir(), nil).Ready(t.Context(), l)
	if s.Ready || !slices.Equal(s.Missing, []string{"there-is-no-such-tool"}) || s.Package != "toy-tools" || err != nil {
		t.Errorf("Ready = %+v, %v", s, err)
	}
}

// TestClasses checks that a program for the Java virtual machine starts in the same class as with Java's own
// tools. Package jvm tests how sources and class files are read.
func TestClasses(t *testing.T) {
	const body = "{ public static void main(String[] a) { System.out.println(42); } }"
	tools, box := boxed(t)
	for _, row := range []struct {
		it, name, text string
		class          string // empty if it does not compile
	}{
		{
			"takes the public class with an annotation on its line", "a.java",
			"import java.util.*;\n@SuppressWarnings(\"}\") final public class Sum " + body, "Sum",
		},
		{
			"takes no class of a comment", "a.java",
			"/*\npublic class Old { void main() {} }\n*/\npublic class Sum { static class Main {} " + body[1:],
			"Sum",
		},
		{
			"takes the class whose main the machine starts", "a.java",
			"class A { void main(int x) { System.out.println(x); } }\nclass B { public static void main(String... a) { new A().main(42); } }",
			"B",
		},
		{
			"takes a main with an array behind its name", "a.java",
			"enum E { X; public static void main(final String a[]) { System.out.println(42); } }", "E",
		},
		{"takes an inherited main", "a.java", "class Base " + body + " public class Sum extends Base {}", "Sum"},
		{"names the file after the public class, and runs the one with main", "a.java", "public class A {}\nclass C " + body, "C"},
		{"keeps the package", "a.java", "package a.b;\rpublic class Sol " + body, "a.b.Sol"},
		{"takes an inner class where only it has a main", "a.java", "public class A { public static class B " + body + " }", "A$B"},
		{"says that nothing starts a program", "a.java", "public class A { static void main(String[] a) {} }", ""},
		{"says it of a name that no file can have", "a.java", "public class A" + strings.Repeat("a", 300) + body, ""},
		{"takes the main of a Kotlin file", "a.kt", "@file:JvmName(\"Other\")\npackage a.b\nfun main() = println(42)", "a.b.Other"},
		{
			"takes the main of a Kotlin companion", "a.kt",
			"package a\nclass Node\nclass Solver {\n  companion object {\n    @JvmStatic fun main(args: Array<String>) { println(42) }\n  }\n}",
			"a.Solver",
		},
		{"says that nothing starts a program in Kotlin", "a.kt", "object A { fun main() {} }", ""},
	} {
		t.Run(row.it, func(t *testing.T) {
			if filepath.Ext(row.name) == ".kt" && !strings.HasSuffix(row.it, "file") && os.Getenv("ASSAY_SLOW") == "" {
				t.Skip("Kotlin's compiler takes 20 s: one of its programs is built, all with ASSAY_SLOW=1")
			}
			path := write(t, row.name, row.text)
			l, err := tools.Detect(path, "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := tools.Build(t.Context(), path, l)
			if missing, ok := errors.AsType[*lang.MissingError](err); ok {
				t.Skip(missing)
			}
			if err != nil || r.OK != (row.class != "") {
				t.Fatalf("Build = %+v, %v", r, err)
			}
			if !r.OK {
				return
			}
			if class := r.Program.Argv[len(r.Program.Argv)-1]; class != row.class {
				t.Errorf("it starts %s, want %s", class, row.class)
			}
			prints42(t, box, r.Program)
		})
	}
}

func TestCompileErrorOfARealCompiler(t *testing.T) {
	for _, row := range []struct{ tool, name, text, want string }{
		{"python3", "my sol.py", "x = (1,\n", "my sol.py"},
		{"gcc", "sum.c", "int main() { return x; }\n", "sum.c:1:21: error: 'x' undeclared"},
		{"go", "a b.go", "package main\n\nfunc main() { x }\n", "a b.go:3:15: undefined: x"},
		{"perl", "x.pl", "my $x = ;\n", "syntax error at x.pl line 1"},
	} {
		t.Run(row.tool, func(t *testing.T) {
			if _, err := exec.LookPath(row.tool); err != nil {
				t.Skipf("no %s: install it", row.tool)
			}
			tools, _ := boxed(t)
			path := write(t, row.name, row.text)
			l, err := tools.Detect(path, "")
			if err != nil {
				t.Fatal(err)
			}
			r, err := tools.Build(t.Context(), path, l)
			if err != nil {
				t.Fatal(err)
			}
			if r.OK || !strings.Contains(strings.NewReplacer("‘", "'", "’", "'").Replace(r.Log), row.want) || strings.Contains(r.Log, "/build") {
				t.Errorf("Build = OK %v, log:\n%s\nwant a compile error with %q", r.OK, r.Log, row.want)
			}
		})
	}
}

// BenchmarkHit measures the work of this package for submitting an unchanged solution again, with a new toolbox as
// in a new run of the judge.
func BenchmarkHit(b *testing.B) {
	cfg, cache := ours(b), b.TempDir()
	runner := new(plain)
	path := write(b, "a.py", strings.Repeat("print(1)\n", 1000))
	if _, err := exec.LookPath("python3"); err != nil {
		b.Skip("no python3: apt-get install python3")
	}
	hit := func() *lang.Result {
		if _, err := lang.Locate(cfg, cache); err != nil {
			b.Fatal(err)
		}
		box := lang.New(cfg, runner, cache, kit)
		l, err := box.Detect(path, "")
		if err != nil {
			b.Fatal(err)
		}
		r, err := box.Build(b.Context(), path, l)
		if err != nil || !r.OK {
			b.Fatal(r, err)
		}
		return r
	}
	hit()
	runner.runs.Store(0)
	for b.Loop() {
		if !hit().Cached {
			b.Fatal("the program was built again")
		}
	}
	if n := runner.runs.Load(); n != 0 {
		b.Fatalf("%d commands were run", n)
	}
}

// TestFilesStayInTheBuildFolder checks that an untrusted configuration cannot name a file outside the build
// directory.
func TestFilesStayInTheBuildFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"../out", "a/../../out", "/out"} {
		if err := lang.WriteUnder(filepath.Join(dir, "build"), name, nil, 0o644); err == nil ||
			!strings.Contains(err.Error(), "outside of the build directory") {
			t.Errorf("a file %q: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("it is there")
	}
}

// TestVersion checks that tools print their version in the same environment as during a build, and that the
// version is cached until the tools change.
func TestVersion(t *testing.T) {
	cfg, l := toy(t)
	l.Tools, l.Version = []string{"sh"}, []string{"sh", "-c", "echo toy 1.2"}
	asked := 0
	runner := &plain{fail: func(c *judge.Command) (judge.Exec, error, bool) {
		if asked++; !c.Locks {
			t.Errorf("%q may not lock files, as it may when it builds", c.Argv)
		}
		return judge.Exec{}, nil, false
	}}
	cache := t.TempDir()
	if s, err := lang.New(cfg, runner, cache, nil).Ready(t.Context(), l); err != nil || s.Version != "toy 1.2" {
		t.Errorf("Ready = %+v, %v", s, err)
	}
	for range 2 {
		if identity, err := lang.New(cfg, runner, cache, nil).Identity(t.Context(), l); err != nil || identity != "toy 1.2" {
			t.Errorf("Identity = %q, %v", identity, err)
		}
	}
	if asked != 2 {
		t.Errorf("asked %d times, want once for each of Ready and Identity", asked)
	}
	l.Version = nil
	if identity, err := lang.New(cfg, runner, cache, nil).Identity(t.Context(), l); err != nil || identity != l.Name {
		t.Errorf("Identity without a command = %q, %v", identity, err)
	}
	l.Tools = []string{"there-is-no-such-tool"}
	_, err := lang.New(cfg, runner, cache, nil).Identity(t.Context(), l)
	if _, missing := errors.AsType[*lang.MissingError](err); !missing {
		t.Errorf("Identity without the tool: %v", err)
	}
}
