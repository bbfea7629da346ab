package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/running/config"

	"github.com/google/go-cmp/cmp"
)

// ours returns the judge.toml that is included with the judge.
func ours(t testing.TB) *config.Config {
	t.Helper()
	data, err := os.ReadFile("../../../judge.toml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Load("judge.toml", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOurs(t *testing.T) {
	c := ours(t)
	if len(c.Languages) < 19 {
		t.Errorf("judge.toml has %d languages", len(c.Languages))
	}
	for name, l := range map[string]judge.Limits{"solution": c.Solution, "build": c.Build, "setter": c.Setter} {
		if l.CPU <= 0 || l.Memory <= 0 || l.Output <= 0 || l.Processes <= 0 || l.Files <= 0 || l.Scratch <= 0 {
			t.Errorf("limits.%s leaves something unlimited: %+v", name, l)
		}
	}
	if c.Source.Size <= 0 || c.Source.Files <= 0 || c.Hello.Output == "" {
		t.Errorf("source limits %+v, hello %+v: want them set", c.Source, c.Hello)
	}
}

// TestTheManualNamesEveryKey checks that the comment at the top of judge.toml is complete.
func TestTheManualNamesEveryKey(t *testing.T) {
	data, err := os.ReadFile("../../../judge.toml")
	if err != nil {
		t.Fatal(err)
	}
	manual, _, _ := strings.Cut(string(data), "\n\n[limits.solution]")
	keys := strings.Fields("time wall memory output processes files scratch size require visible")
	for _, table := range []any{config.Language{}, config.Find{}, config.Kit{}, config.Hello{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(table)) {
			keys = append(keys, field.Tag.Get("toml"))
		}
	}
	for _, key := range keys {
		if !regexp.MustCompile(`\b` + key + `\b`).MatchString(manual) {
			t.Errorf("the manual at the head of judge.toml does not name %q", key)
		}
	}
}

func TestLoadOver(t *testing.T) {
	base := ours(t)
	c, err := config.Load("mine.toml", []byte(`
[limits.solution]
time = "3s"
[sandbox]
require = "isolated"
[env]
LANG = "de_DE.UTF-8"
[[language]]
id = "befunge"
name = "Befunge"
extensions = ["fs", "js"]
file = "main.fs"
tools = ["gforth"]
package = "gforth"
run = ["gforth", "/program/{entry}"]
hello = "x"
[[language]]
id = "c"
aliases = ["clang"]
`), base)
	if err != nil {
		t.Fatal(err)
	}
	if c.Solution.CPU != 3*time.Second || c.Solution.Memory != base.Solution.Memory || c.Build != base.Build {
		t.Errorf("limits = %+v", c.Solution)
	}
	if c.Isolation != "isolated" || len(c.Visible) != len(base.Visible) ||
		c.Env["LANG"] != "de_DE.UTF-8" || c.Env["PATH"] != base.Env["PATH"] {
		t.Errorf("isolation %q, visible %q, env %q", c.Isolation, c.Visible, c.Env)
	}
	if got, want := c.IDs(), append([]string{"befunge"}, base.IDs()...); !cmp.Equal(got, want) {
		t.Errorf("languages %q, want the new one before the others %q", got, want)
	}
	changed, _ := c.Language("CLANG")
	was, _ := base.Language("c")
	if changed == nil || changed.ID != "c" || !cmp.Equal(changed.Build, was.Build) || changed.Hello != was.Hello {
		t.Errorf("Language(CLANG) = %+v, want C with what the file does not set", changed)
	}
	if _, ok := c.Language("gcc"); ok {
		t.Error("gcc is still an alias of C, though the file sets the aliases")
	}
	if was.Aliases[0] != "gcc" {
		t.Error("loading a file over the base changed the base")
	}
	empty, err := config.Load("empty.toml", nil, base)
	if err != nil {
		t.Fatal(err)
	}
	empty.File = base.File
	if diff := cmp.Diff(base, empty); diff != "" {
		t.Errorf("an empty file changes something (-want +got):\n%s", diff)
	}
}

func TestBadFiles(t *testing.T) {
	base := ours(t)
	for _, file := range golden.Files(t, "testdata/bad/*.toml") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".toml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = config.Load("judge.toml", data, base)
			faults, ok := errors.AsType[judge.ProblemErrors](err)
			if !ok {
				t.Fatalf("Load = %v, want faults", err)
			}
			for _, f := range faults {
				if f.Line == 0 {
					t.Errorf("a fault without a line: %v", f)
				}
			}
			golden.Check(t, strings.TrimSuffix(file, ".toml")+".txt", []byte(faults.Error()+"\n"))
		})
	}
}

func TestFindRoot(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(filepath.Join(deep, "judge.toml"), 0o777); err != nil { // a directory with that name does not mark a root
		t.Fatal(err)
	}
	if got, err := config.FindRoot(deep); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("FindRoot without a judge.toml = %q, %v, want fs.ErrNotExist", got, err)
	}
	if err := os.WriteFile(filepath.Join(root, "judge.toml"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := config.FindRoot(deep); got != root || err != nil {
		t.Errorf("FindRoot = %q, %v, want %q", got, err, root)
	}
}

func FuzzLoad(f *testing.F) {
	base := ours(f)
	for _, file := range append(golden.Files(f, "testdata/bad/*.toml"), "../../../judge.toml") {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Load("judge.toml", data, base)
		if _, isFault := errors.AsType[judge.ProblemErrors](err); err != nil && !isFault {
			t.Errorf("Load = %v, which is not a fault", err)
		}
		if err == nil {
			for _, id := range c.IDs() {
				if l, ok := c.Language(id); !ok || len(l.Run) == 0 {
					t.Errorf("language %q is not found, or cannot run", id)
				}
			}
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	data, err := os.ReadFile("../../../judge.toml")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := config.Load("judge.toml", data, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// TestHeapsStartFull checks that Java programs start with a heap that is as large as the memory limit allows. A
// smaller heap would be garbage-collected each time that it grows.
func TestHeapsStartFull(t *testing.T) {
	machines := 0
	for _, l := range ours(t).Languages {
		if l.Run[0] != "java" {
			continue
		}
		machines++
		for _, flag := range []string{"-XX:+UseSerialGC", "-Xms{heap_mib}m", "-Xmx{memory_mib}m"} {
			if !slices.Contains(l.Run, flag) {
				t.Errorf("%s starts by %q, without %s", l.ID, l.Run, flag)
			}
		}
	}
	if machines < 4 {
		t.Errorf("judge.toml has %d languages of the Java virtual machine", machines)
	}
}

// TestLanguagesPage checks that docs/languages.md lists every language of judge.toml with its commands.
func TestLanguagesPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(languagesHead, `"`, "`"))
	code := func(text string) string { return "`" + strings.ReplaceAll(text, "|", "\\|") + "`" }
	for _, l := range ours(t).Languages {
		var names []string
		for _, id := range append([]string{l.ID}, l.Aliases...) {
			names = append(names, code(id))
		}
		var files []string
		for _, e := range l.Extensions {
			files = append(files, code("."+e))
		}
		if l.Executable {
			files = []string{"executables of this machine"}
		}
		var build []string
		for _, words := range l.Build {
			build = append(build, code(strings.Join(words, " ")))
		}
		from := l.Obtain
		if l.Package != "" {
			from = code(l.Package)
		}
		version := ""
		if len(l.Version) > 0 {
			version = code(strings.Join(l.Version, " "))
		}
		b.WriteString("| " + strings.Join([]string{
			l.Name, strings.Join(names, ", "), strings.Join(files, " "), strings.Join(build, "<br>"),
			code(strings.Join(l.Run, " ")), version, from,
		}, " | ") + " |\n")
	}
	golden.Check(t, "../../../docs/languages.md", []byte(b.String()))
}

const languagesHead = `# Languages

The languages of the bundled "judge.toml", in its order. A "judge.toml" of your own can change them and add others: the
comment at the top of the bundled file describes all keys. "judge lang" says which are installed here, and
"judge lang cpp" prints the version of one and tries it in the sandbox.

In the commands, "{sources}" are all source files, "{entry}" is the file in which the program starts, "{main}" its class,
and "{heap_mib}" the heap that fits the memory limit. Programs are compiled in "/build" and run in "/program". A language
without a build command runs its sources.

| language | names for "--lang" | files | build | run | version | Debian package, or source |
| --- | --- | --- | --- | --- | --- | --- |
`
