package lang_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/lang"
)

// TestKit builds a setter's program that imports the kit, in a directory outside any module.
func TestKit(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go: apt-get install golang-go")
	}
	const validator = `package main

import "assay/judge/kit"

func main() {
	kit.Validate(func(in *kit.Reader) { in.Int(1, limit, "n"); in.EOLN() })
}
`
	tools, box := boxed(t)
	dir := t.TempDir()
	writeIn(t, dir, "validator.go", validator)
	writeIn(t, dir, "limit.go", "package main\n\nconst limit = 9\n")
	own := t.TempDir()
	writeIn(t, own, "go.mod", "module mine\n\ngo 1.22\n")
	writeIn(t, own, "limits/l.go", "package limits\n\nconst Limit = 9\n")
	writeIn(t, own, "v.go", strings.NewReplacer(
		"limit", "limits.Limit", `import "assay/judge/kit"`,
		"import (\n\t\"assay/judge/kit\"\n\t\"mine/limits\"\n)",
	).Replace(validator))
	for it, path := range map[string]string{
		"builds a directory": dir,
		"builds a file":      write(t, "validator.go", strings.Replace(validator, "limit", "9", 1)),
		"builds a directory with a go.mod of its own": own,
	} {
		l, err := tools.Detect(path, "")
		if err != nil {
			t.Fatal(err)
		}
		r, err := tools.Build(t.Context(), path, l, lang.BySetter)
		if err != nil || !r.OK {
			t.Fatalf("it %s: %+v, %v", it, r, err)
		}
		for input, exit := range map[string]int{"9\n": 0, "10\n": 3} {
			c := r.Program.Command(judge.Limits{Memory: 256 << 20, CPU: 10 * time.Second})
			c.Stdin = strings.NewReader(input)
			x, err := box.Run(t.Context(), c)
			if err != nil || x.Exit != exit {
				t.Errorf("it %s: the validator says %+v, %v to %q, want exit code %d", it, x, err, input, exit)
			}
		}
	}
	kitOfReferees(t, tools, box)
}

// kitOfReferees builds a referee, which imports a subpackage of the kit.
func kitOfReferees(t *testing.T, tools *lang.Toolbox, box judge.Runner) {
	built := func(text string) *lang.Result {
		path := write(t, "referee.go", text)
		l, err := tools.Detect(path, "")
		if err != nil {
			t.Fatal(err)
		}
		r, err := tools.Build(t.Context(), path, l, lang.BySetter)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := built("package main\n\nimport \"assay/judge/kit/referee\"\n\nfunc main() { referee.Main(referee.Rules{Play: func(g *referee.Game) " +
		"{ g.Draw(\"peace\") }}) }\n")
	if !r.OK {
		t.Fatalf("a referee does not build:\n%s", r.Log)
	}
	var said strings.Builder
	c := r.Program.Command(judge.Limits{Memory: 256 << 20, CPU: 10 * time.Second})
	c.Stderr = &said
	if x, err := box.Run(t.Context(), c); err != nil || x.Exit != 3 || !strings.Contains(said.String(), "the arena starts it") {
		t.Errorf("a referee by itself: %+v, %v, %q", x, err, said.String())
	}
}

// TestKitBeside checks that a program in a language other than Go finds an imported kit in its own directory. If
// the program contains a file with the kit's name, that file is used instead. A program that does not import the
// kit does not get it.
func TestKitBeside(t *testing.T) {
	for _, row := range []struct {
		tool, install, main, kit string
		validator, own, code     string // programs, and a file that replaces the kit
		none                     string // a program that does not import the kit
	}{
		{"python3", "python3", "main.py", "kit.py",
			"from kit import Validate\n\nValidate(lambda r: (r.Int(1, 9, 'n'), r.EOLN()))\n",
			"import kit\n\nexit(kit.Code)\n", "Code = 7\n", "kite = 1\nimport os\nexit(os.path.exists('/program/kit.py') and 9)\n"},
		{"g++", "g++", "main.cpp", "kit.hpp",
			"#include \"kit.hpp\"\nint main(int argc, char **argv) { kit::Validate(argc, argv, [](kit::Reader &r) { r.Int(1, 9, \"n\"); r.EOLN();" +
				" }); }\n",
			"# include <kit.hpp>\nint main() { return code; }\n", "const int code = 7;\n",
			"// kit.hpp\n#if __has_include(\"kit.hpp\")\nint main() { return 9; }\n#else\nint main() {}\n#endif\n"},
	} {
		t.Run(row.tool, func(t *testing.T) {
			if _, err := exec.LookPath(row.tool); err != nil {
				t.Skip("no " + row.tool + ": apt-get install " + row.install)
			}
			tools, box := boxed(t)
			exits := func(path, input string) int {
				l, err := tools.Detect(path, "")
				if err != nil {
					t.Fatal(err)
				}
				r, err := tools.Build(t.Context(), path, l, lang.BySetter)
				if err != nil || !r.OK {
					t.Fatalf("%s: %+v, %v", path, r, err)
				}
				c := r.Program.Command(judge.Limits{Memory: 256 << 20, CPU: 10 * time.Second})
				c.Stdin = strings.NewReader(input)
				x, err := box.Run(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				return x.Exit
			}
			for input, exit := range map[string]int{"9\n": 0, "10\n": 3} {
				if got := exits(write(t, "validator"+filepath.Ext(row.main), row.validator), input); got != exit {
					t.Errorf("the validator exits with %d for %q, want %d", got, input, exit)
				}
			}
			own := t.TempDir()
			writeIn(t, own, row.main, row.own)
			writeIn(t, own, row.kit, row.code)
			if got := exits(own, ""); got != 7 {
				t.Errorf("the program with a kit of its own exits with %d, want 7", got)
			}
			if got := exits(write(t, row.main, row.none), ""); got != 0 {
				t.Errorf("a program that does not import the kit gets it: exit code %d", got)
			}
		})
	}
}
