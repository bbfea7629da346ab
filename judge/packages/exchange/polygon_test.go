package exchange_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/packages"
	"assay/judge/packages/exchange"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
	"assay/judge/report"
)

// grouped is a problem with points, statements in two languages, pictures, and programs that use testlib.
const grouped = `
-- problem.toml --
title = "Sums <&> \"two\" 50%"
source = "A book https://example.org/a?b=1&c=2"
[limits]
time = "1500ms"
memory = "64MiB"
[reference]
program = "reference.py"
[checker]
program = "checker"
speaks = "testlib"
[validator]
program = "validator.cpp"
speaks = "testlib"
[scoring]
max_score = 100
[package]
keywords = ["greedy & dp"]
license = "cc0"
[package.names]
de = "Summen"
[[group]]
name = "small"
max_score = 40
require_pass = ["sample"]
validator_args = ["--testset", "tests", "--group", "small"]
[[group]]
name = "large"
max_score = 60
score_aggregation = "sum"
require_pass = ["sample", "small"]
-- reference.py --
print(1)
-- checker/main.cpp --
#include "testlib.h"
#include "rules.h"
-- checker/rules.h --
int most = 9;
-- validator.cpp --
#include "testlib.h"
-- statement.md --
# Sums <&> "two" 50%

Add [them][a]. ![board](img/board.png#width=50pc)

~~~
## Input
~~~

## Input

Two numbers $a_1 < 10^{18}$, 50% & more.

## Output

Their *sum*.

## Limits

At most one second.

## Input

Again.

## Sample 1

~~~
1
~~~

~~~
1
~~~

## Notes

Easy, see [here][a].

[a]: https://example.org/
-- statement.de.md --
Addiere.

## Eingabe

Zwei Zahlen.

## Bewertung

Alles.
-- cases/sample/a.in --
1
-- cases/sample/a.ans --
1
-- cases/small/b.in --
2
-- cases/small/b.ans --
2
-- cases/small/c.in --
2 3
-- cases/small/c.ans --
5
-- cases/large/d.in --
3
-- cases/large/d.ans --
3
-- cases/large/e.in --
4
-- cases/large/e.ans --
4
-- solutions/accepted/add.py --
print(2)
-- solutions/accepted/same.py --
print(1)
-- solutions/wrong_answer/add.py --
print(3)
-- solutions/run_time_error/crash.cpp --
int main() { return 1; }
-- solutions/time_limit_exceeded/Slow.java --
class Slow {}
-- solutions/idleness_limit_exceeded/idle.py --
input()
-- solutions/memory_limit_exceeded/much.go --
package main
-- solutions/output_limit_exceeded/endless.js --
for (;;) {}
-- solutions/compile_error/broken.cpp --
int
-- solutions/wrong_answer/words.awk --
{}
-- solutions/bots/tit.py --
print(0)
`

var withTeX = exchange.ExportOptions{
	Kit: kit, TeX: report.StatementTeX,
	Header: func(name string) ([]byte, bool) { return []byte("// testlib\n"), name == "testlib.h" },
}

// polygonOf exports a problem directory with its solutions.
func polygonOf(t *testing.T, f *problem.Directory, solutions string) (to string, notes exchange.Notes) {
	t.Helper()
	to = filepath.Join(t.TempDir(), "p")
	notes, err := exchange.Polygon(f, solutions, to, withTeX)
	if err != nil {
		t.Fatal(err)
	}
	return to, notes
}

// picture is the content of a picture. Exports do not decode it.
const picture = "\x89PNG\r\n\x1a\n"

func unpackGrouped(t *testing.T) string {
	dir := unpack(t, grouped)
	if err := os.MkdirAll(filepath.Join(dir, "img"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "img", "board.png"), []byte(picture), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestPolygon(t *testing.T) {
	dir := unpackGrouped(t)
	to, notes := polygonOf(t, open(t, dir), filepath.Join(dir, "solutions"))
	got := tree(t, to)
	golden.Check(t, "testdata/polygon/problem.xml", []byte(got["problem.xml"]))
	golden.Check(t, "testdata/polygon/problem.tex", []byte(got["statements/english/problem.tex"]))
	golden.Check(t, "testdata/polygon/problem-properties.json", []byte(got["statements/english/problem-properties.json"]))
	golden.Check(t, "testdata/polygon/notes.txt", []byte(strings.Join(notes, "\n")+"\n"))
	var files []string
	for name := range got {
		files = append(files, name)
	}
	slices.Sort(files)
	golden.Check(t, "testdata/polygon/files.txt", []byte(strings.Join(files, "\n")+"\n"))
	const sections = "statement-sections/english/"
	for name, want := range map[string]string{
		"tests/01": "1\n", "tests/05.a": "4\n", "files/rules.h": "int most = 9;\n", "files/testlib.h": "// testlib\n",
		sections + "example.01": "1\n", sections + "example.01.a": "1\n",
		sections + "board.png": picture, "statements/english/board.png": picture,
		sections + "name.tex": `Sums \textless{}\&\textgreater{} "two" 50\%` + "\n", "statement-sections/german/name.tex": "Summen\n",
		"statement-sections/german/input.tex": "Zwei Zahlen.\n", "statement-sections/german/scoring.tex": "Alles.\n",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if err := xml.Unmarshal([]byte(got["problem.xml"]), new(struct{})); err != nil {
		t.Errorf("problem.xml is not well formed: %v", err)
	}
	again, _ := polygonOf(t, open(t, dir), filepath.Join(dir, "solutions"))
	if diff := cmp.Diff(got, tree(t, again)); diff != "" {
		t.Errorf("a second export differs (-first +second):\n%s", diff)
	}
}

// imported exports a problem to Polygon, and imports the package. It returns the package too.
func imported(t *testing.T, f *problem.Directory, solutions string) (pkg, back *problem.Directory) {
	t.Helper()
	away, _ := polygonOf(t, f, solutions)
	pkg = open(t, away)
	home := filepath.Join(t.TempDir(), "p")
	if _, err := exchange.Native(pkg, home, home+"-solutions"); err != nil {
		t.Fatal(err)
	}
	return pkg, open(t, home)
}

// texts returns the inputs and answers in judging order, and the number of samples.
func texts(t *testing.T, f *problem.Directory) (all []string, samples int) {
	t.Helper()
	for _, g := range f.Groups {
		for _, c := range g.Cases {
			in, err := os.ReadFile(c.In)
			ans, err2 := os.ReadFile(c.Ans)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%q %q", in, ans))
		}
		if g.Name == problem.Sample {
			samples = len(g.Cases)
		}
	}
	return all, samples
}

// sameProblem compares a problem with the one that comes back: its cases, samples and limits.
func sameProblem(t *testing.T, before, after *problem.Directory) {
	t.Helper()
	want, samples := texts(t, before)
	got, back := texts(t, after)
	if diff := cmp.Diff(want, got); diff != "" || back != samples || samples == 0 {
		t.Errorf("%d samples, want %d; cases (-before +after):\n%s", back, samples, diff)
	}
	if before.Limits.CPU != after.Limits.CPU || before.Limits.Memory != after.Limits.Memory || before.Title != after.Title {
		t.Errorf("%q with %+v came back as %q with %+v", before.Title, before.Limits, after.Title, after.Limits)
	}
}

// TestPolygonRoundTrip checks the points, the statements, the programs and the expected verdicts of a problem that
// comes back.
func TestPolygonRoundTrip(t *testing.T) {
	dir := unpackGrouped(t)
	before := open(t, dir)
	pkg, after := imported(t, before, filepath.Join(dir, "solutions"))
	sameProblem(t, before, after)
	var nodes, submissions []string
	for _, n := range after.Grading.Root.Children[1].Children {
		nodes = append(nodes, fmt.Sprintf("%s %s %v %v", n.Name, n.Aggregate, n.MaxScore, n.RequirePass))
	}
	if diff := cmp.Diff([]string{
		"small pass-fail 40 [sample]", "large-04 pass-fail 30 [sample small]", "large-05 pass-fail 30 [sample small]",
	}, nodes); diff != "" {
		t.Errorf("points (-want +got):\n%s", diff)
	}
	p := pkg.Package.Form.(*icpc.Package)
	for _, s := range p.Submissions {
		_, words := s.Promised()
		submissions = append(submissions, fmt.Sprintf("%s %v %s", s.Name, s.Model, words))
	}
	if diff := cmp.Diff([]string{
		"accepted/add.py false AC", "main/same.py true AC", "time-limit-exceeded/idle.py false TLE", "memory-limit-exceeded/much.go false MLE",
		"rejected/endless.js false WA or TLE or RTE or MLE", "runtime-error/crash.cpp false RTE", "time-limit-exceeded/Slow.java false TLE",
		"wrong-answer/add-2.py false WA",
	}, submissions); diff != "" {
		t.Errorf("submissions (-want +got):\n%s", diff)
	}
	told := pkg.Package.InputArgs(pkg.Package.Inputs[0], &pkg.Groups[1].Cases[0])
	if want := []string{"--testset", "tests", "--group", "small"}; !slices.Equal(told, want) {
		t.Errorf("the validator is told %q, want %q", told, want)
	}
	if base := filepath.Base(pkg.Checker.Program.Path); base != "main.cpp" || pkg.Checker.Program.Protocol != "testlib" {
		t.Errorf("the checker is %+v", pkg.Checker.Program)
	}
	if pkg.Source != "https://example.org/a?b=1&c=2" || p.Names["de"] != "Summen" || p.Names["en"] != before.Title {
		t.Errorf("source %q, names %q", pkg.Source, p.Names)
	}
	for _, w := range pkg.Package.Warnings {
		t.Errorf("the package has a flaw: %v", w)
	}
	statement, _ := os.ReadFile(after.Statement())
	golden.Check(t, "testdata/polygon/statement.md", statement)
	german, _ := os.ReadFile(after.Statements()["de"])
	golden.Check(t, "testdata/polygon/statement.de.md", german)
	if data, err := os.ReadFile(filepath.Join(after.Dir, "board.png")); err != nil || string(data) != picture {
		t.Errorf("the picture came back as %q, %v", data, err)
	}
}

// TestPolygonOfBundled checks that bundled problems come back. Their generated cases have other texts here, because
// the test does not run generators.
func TestPolygonOfBundled(t *testing.T) {
	for _, id := range []string{"pd-duel", "sylver", "wythoff"} {
		t.Run(id, func(t *testing.T) {
			tests := t.TempDir()
			f, faults := problem.Open(packages.Formats, filepath.Join("../../../problems", id), tests, judge.Limits{Memory: 1 << 28})
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			n := 0
			for _, g := range f.Groups {
				for _, c := range g.Cases {
					if n++; c.Line == "" {
						continue
					}
					for _, file := range []string{c.In, c.Ans} {
						if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
							t.Fatal(err)
						}
						if err := os.WriteFile(file, fmt.Appendf(nil, "%d %s\n", n, c.ID()), 0o644); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			solutions := filepath.Join("../../../solutions", id)
			if id == "wythoff" { // its checker uses the kit
				_, err := exchange.Polygon(f, solutions, filepath.Join(t.TempDir(), "p"), withTeX)
				const want = "cannot be exported: the checker checker speaks the kit's protocol, and Polygon's programs speak testlib's"
				if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || fault.Text != want || fault.Line == 0 {
					t.Fatalf("%v, want %s", err, want)
				}
				f.Checker = judge.CheckerSpec{Name: "polygon"}
			}
			pkg, after := imported(t, f, solutions)
			sameProblem(t, f, after)
			if c := pkg.Checker; c.Name != "polygon" || !slices.Equal(c.Args, []string{"wcmp"}) {
				t.Errorf("the checker is %+v", c)
			}
			sameStatement(t, f.Statement(), after.Statement())
			sameSolutions(t, f.Reference, solutions, after.Dir+"-solutions")
		})
	}
}

// sameStatement compares the letters and digits of statements, except for samples, titles and commands of formulas.
func sameStatement(t *testing.T, before, after string) {
	t.Helper()
	letters := func(file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		sample := false
		for line := range strings.Lines(string(data)) {
			switch {
			case strings.HasPrefix(line, "## "):
				sample = strings.HasPrefix(line, "## Sample") || strings.HasPrefix(line, "## Example")
			case strings.HasPrefix(line, "# "):
				continue
			}
			if !sample && !strings.Contains(line, "{{") {
				b.WriteString(line)
			}
		}
		text := regexp.MustCompile(`\\(le|ge|cdot|times)\b`).ReplaceAllString(b.String(), " ")
		return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
	}
	if diff := cmp.Diff(strings.Fields(letters(before)), strings.Fields(letters(after))); diff != "" {
		t.Errorf("statement (-before +after):\n%s", diff)
	}
}

// sameSolutions compares the solutions by verdict. Polygon has no verdicts for idle programs and endless output, and
// knows no awk and no Lua.
func sameSolutions(t *testing.T, reference *judge.SetterProgram, before, after string) {
	t.Helper()
	list := func(dir string) (all []string) {
		for name, text := range tree(t, dir) {
			verdict, base, _ := strings.Cut(name, "/")
			if verdict == "idleness_limit_exceeded" {
				verdict = "time_limit_exceeded"
			}
			switch {
			case verdict == "bots", verdict == "compile_error", verdict == "output_limit_exceeded", strings.Contains(base, "/"):
			case strings.HasSuffix(base, ".awk"), strings.HasSuffix(base, ".lua"):
			default:
				all = append(all, verdict+" "+text)
			}
		}
		slices.Sort(all)
		return all
	}
	want := list(before)
	files := tree(t, reference.Path)
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, "_test.go") })
	if len(files) == 1 { // the reference becomes the main solution
		for _, text := range files {
			if text = "accepted " + text; !slices.Contains(want, text) {
				want = append(want, text)
			}
		}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, list(after)); diff != "" || len(want) < 20 {
		t.Errorf("%d solutions (-before +after):\n%s", len(want), diff)
	}
}

// TestPolygonInteractive checks that an interactor and its checker stay, and that a case needs no answer.
func TestPolygonInteractive(t *testing.T) {
	dir := unpack(t, "-- problem.toml --\ntitle = \"x\"\nkind = \"interactive\"\n"+
		"[interactor]\nprogram = \"talk/main.cpp\"\nspeaks = \"testlib\"\n[checker]\nprogram = \"check/main.cpp\"\nspeaks = \"testlib\"\n"+
		"-- talk/main.cpp --\n// talk\n-- check/main.cpp --\n// check\n"+
		"-- statement.md --\nTalk.\n## Interaction\nAsk.\n-- cases/sample/a.in --\n1\n-- cases/sample/b.in --\n2\n-- cases/sample/b.ans --\n3\n")
	to, _ := polygonOf(t, open(t, dir), dir)
	got := tree(t, to)
	for name, want := range map[string]string{
		"tests/01.a": "", "tests/02.a": "3\n", "files/main.cpp": "// talk\n", "files/checker.cpp": "// check\n",
		"statement-sections/english/interaction.tex": "Ask.\n",
	} {
		if text, ok := got[name]; !ok || text != want {
			t.Errorf("%s is %q, want %q; the files are %q", name, text, want, slices.Sorted(maps.Keys(got)))
		}
	}
	if _, there := got["statement-sections/english/example.01"]; there {
		t.Error("the statement shows the answer of a dialogue")
	}
	back := open(t, to)
	if back.Interactor == nil || back.Checker.Program == nil || back.Limits.CPU != time.Second {
		t.Errorf("read back: interactor %+v, checker %+v, limits %+v", back.Interactor, back.Checker, back.Limits)
	}
}

// TestPolygonManyTests checks that names of tests have as many digits as their number needs.
func TestPolygonManyTests(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "-- cases/more/%03d.in --\n%d\n-- cases/more/%03d.ans --\n%d\n", i, i, i, i)
	}
	dir := unpack(t, small("", b.String()))
	f := open(t, dir)
	_, after := imported(t, f, dir)
	sameProblem(t, f, after)
	to, _ := polygonOf(t, f, dir)
	if got := tree(t, to); got["tests/101"] != "99\n" || got["tests/001.a"] != "1\n" {
		t.Errorf("tests/101 is %q, tests/001.a is %q", got["tests/101"], got["tests/001.a"])
	}
}
