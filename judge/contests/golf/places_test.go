package golf

import (
	"strings"
	"testing"

	"assay/judge/contests/golf/drivers"
	"assay/judge/running/config"
)

// TestPlaces checks that compiler messages about a driver are shown with positions in the submission, and without
// the driver's text.
func TestPlaces(t *testing.T) {
	const (
		code   = "import a;\nint f(i){\n\treturn é+nix;\n}\n"
		driver = "{hoisted}\nclass Driver {\n  call = {call};\n  {definition}\n}\n"
	)
	last := "a.java:4:2: error: the code ends too early or too late: check its brackets\n  }\n   ^"
	const nowhere = "the answer compiles in none of the ways to call it (docs/golf.md lists them)"
	for _, row := range []struct{ it, log, want string }{
		{"reads javac", "Main.java:6: error: cannot find symbol\n\treturn é+nix;\n\t         ^\n  symbol:   variable nix\n" +
			"  location: class Driver\n1 error",
			"a.java:3:11: error: cannot find symbol\n  symbol:   variable nix\n   return é+nix;\n            ^"},
		{"reads gcc", "./Main.java: In function 'f':\nMain.java:6:11: error: 'nix' undeclared\n    6 |  return é+nix;\n      |           ^~~\n" +
			"Main.java:6:11: note: each is reported once",
			"a.java:3:11: error: 'nix' undeclared\n   return é+nix;\n            ^"},
		{"reads rustc", "error[E0425]: cannot find value `nix`\n --> Main.java:6:11\n  |\n6 |  return é+nix;\n  |  ^^^ not found\n\n" +
			"error: aborting due to 1 previous error",
			"a.java:3:11: error[E0425]: cannot find value `nix`\n   return é+nix;\n            ^"},
		{"reads go", "# program\n./Main.java:6:11: undefined: nix", "a.java:3:11: undefined: nix\n   return é+nix;\n            ^"},
		{"reads mcs", "Main.java(6,11): error CS0103: no nix\nMain.java(1,1): warning CS1: old\nCompilation failed: 1 error(s)",
			"a.java:3:11: error CS0103: no nix\n   return é+nix;\n            ^"},
		{"reads ghc", "Main.java:6:11-13: error: [GHC-88464]\n    Variable not in scope: nix\n  |\n6 |  return é+nix;\n  |           ^^^",
			"a.java:3:11: error: [GHC-88464]\n    Variable not in scope: nix\n   return é+nix;\n            ^"},
		{"reads a range of ghc", "Main.java:(6,2)-(7,1): error: no", "a.java:3:2: error: no\n   return é+nix;\n   ^"},
		{"reads a place without a column", "Main.java:6: error: no", "a.java:3: error: no\n   return é+nix;"},
		{"finds what is hoisted", "/program/Main.java:1:8: error: no a", "a.java:1:8: error: no a\n  import a;\n         ^"},
		{"takes the nearest place of a line", "Main.java:5:1: error: no int", "a.java:2:1: error: no int\n  int f(i){\n  ^"},
		{"says a thing once", "Main.java:5:3: error: no\nMain.java:5:3: error: no", "a.java:2:1: error: no\n  int f(i){\n  ^"},
		{"leaves out the driver", "Main.java:4:3: error: bad call\n  call = f(golf);\n  ^\nMain.java:5:3: error: no",
			"a.java:2:1: error: no\n  int f(i){\n  ^"},
		{"finds an open bracket", "Main.java:9: error: reached end of file while parsing\n}\n ^", last},
		{"finds it before a header", "/usr/include/array:3:1: error: 'namespace' definition is not allowed here", last},
		{"says that no call fits", "Main.java:4:3: error: f takes 3 arguments", nowhere + "\nerror: f takes 3 arguments"},
		{"hides names of the driver", "Main.java:4:3: error: golfCall takes 3 arguments", nowhere},
		{"says something in any case", "Killed", nowhere},
	} {
		seam := newMarker(code)
		g := &drivers.Driver{Driver: driver, Hoist: `\Aimport[\s\w.*]+;\s*`, Calls: map[string]string{"args": "{name}(golf)"}}
		text, _ := fillDriver(g, candidate{function: true, name: "f", form: "args"}, code, 1, seam)
		text, pieces := seam.remove(text)
		p := &checkRun{a: &Submission{File: "x/a.java", Language: &config.Language{Extensions: []string{"java"}}, Counted: code, Code: code}}
		got, own := p.inSubmission(row.log, []*builtFile{{"Main.java", text, pieces}})
		if got != row.want || len(own) > 0 != !strings.HasPrefix(row.want, nowhere) {
			t.Errorf("it %s: %v\n%s\nwant\n%s", row.it, own, got, row.want)
		}
	}
}

// TestPlacesOfParts checks that positions are correct for all parts of a submission, wherever the driver inserts
// them.
func TestPlacesOfParts(t *testing.T) {
	p := &checkRun{a: &Submission{File: "post.md", Language: &config.Language{Extensions: []string{"kt"}}, Counted: "a\n b -> c;\n"}}
	p.a.Wrap("header\n", "footer")
	seam := newMarker(p.a.Code)
	g := &drivers.Driver{Driver: "go {call} {call}", Calls: map[string]string{"args": "({function})"}, Around: "above\n{code}\nbelow"}
	driver, answer := fillDriver(g, candidate{function: true, form: "args", last: true}, p.a.Code, 1, seam)
	driver, inDriver := seam.remove(driver)
	answer, inAnswer := seam.remove(answer)
	if driver != "go ((footer)) ((footer))" || answer != "above\nheader\na\n b -> c;\n\nfooter\nbelow" {
		t.Errorf("driver %q, answer %q", driver, answer)
	}
	files := []*builtFile{{"d.kt", driver, inDriver}, {"answer.kt", answer, inAnswer}}
	for log, want := range map[string]string{
		"d.kt:1:6: error: no":      "footer:1:1: error: no\n  footer\n  ^",
		"d.kt:1:20: error: no":     "footer:1:4: error: no\n  footer\n     ^",
		"answer.kt:2:2: error: no": "header:1:2: error: no\n  header\n   ^",
		"answer.kt:4:4: error: no": "answer.kt:2:4: error: no\n   b -> c;\n     ^",
	} {
		if got, _ := p.inSubmission(log, files); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", log, got, want)
		}
	}
	long := &Submission{File: "a.c", Language: &config.Language{}, Counted: strings.Repeat("x", 300) + "!" + strings.Repeat("y", 300)}
	got := strings.Split(long.formatError(300, true, []string{"error"}), "\n")
	if len(got) != 3 || got[0] != "a.c:1:301: error" || len([]rune(got[1])) > maxCodeRunes+4 ||
		strings.IndexByte(got[2], '^') != len([]rune(got[1][:strings.IndexByte(got[1], '!')])) {
		t.Errorf("of a long line: %q", got)
	}
}
