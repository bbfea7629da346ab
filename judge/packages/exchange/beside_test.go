package exchange_test

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/packages/exchange"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
)

const beside = `
-- problem.yaml --
problem_format_version: 2025-09
name: X
uuid: 5c7d0d3e-6a0e-4f0a-9a3f-1f6c1c1b7e02
type: scoring
limits: {time_limit: 1}
constants: {most: 9}
-- input_validators/input.ctd --
INT(1,9) NEWLINE
-- output_validator/check.py --
-- static_validator/look.py --
print({{most}})
-- include/default/words.txt --
at most {{most}}
-- include/cpp/grader.cpp --
int most = {{most}};
-- data/sample/1.in --
1
-- data/sample/1.ans --
1
-- data/sample/test_group.yaml --
static_validation_score: pass-fail
-- data/secret/test_group.yaml --
max_score: 60
input_validator_args: ["--wide"]
-- data/secret/a/test_group.yaml --
max_score: 20
output_validator_args: [strict, "{{most}}"]
-- data/secret/a/1.in --
2
-- data/secret/a/1.ans --
2
-- data/secret/a/1.yaml --
args: ["a b", c]
-- data/secret/a/1.files/deep/x.dat --
x
-- data/secret/a/2.in --
3
-- data/secret/a/2.ans --
3
-- data/secret/a/2.yaml --
output_validator_args: [loose]
-- data/secret/b/test_group.yaml --
max_score: 40
score_aggregation: sum
static_validation_score: 10
static_validator_args: ["{{most}}"]
-- data/secret/b/1.in --
4
-- data/secret/b/1.ans --
4
-- submissions/accepted/x.py --
`

// seen describes what the judge reads from a problem in addition to its cases.
func seen(t *testing.T, f *problem.Directory) (all []string) {
	t.Helper()
	for _, g := range f.Groups {
		for _, c := range g.Cases {
			told := slices.Concat(c.ValidatorArgs, c.Args)
			if f.Package != nil {
				told = f.Package.InputArgs(f.Package.Inputs[0], &c)
			}
			var files []string
			for _, file := range c.Files {
				files = append(files, file.Name)
			}
			slices.Sort(files)
			all = append(
				all,
				fmt.Sprintf("%q checker %q validator %q %v", c.Args, append(slices.Clone(f.Checker.Program.Args), c.CheckerArgs...), told, files),
			)
		}
	}
	var walk func(n *judge.Node)
	walk = func(n *judge.Node) {
		if n.Static != nil {
			all = append(all, fmt.Sprintf("static pass-fail %v, %v points, args %q", n.Static.PassFail, n.Static.Score, n.Static.Args))
		}
		for _, child := range n.Children {
			walk(child)
		}
	}
	walk(f.Grading.Root)
	return all
}

// TestBeside imports a package with arguments, files, include/, and a static validator, exports it, and imports it
// again.
func TestBeside(t *testing.T) {
	dir := unpack(t, beside)
	home, away, again := filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "p")
	before := open(t, dir)
	if len(before.Package.Warnings) > 1 { // a warning that there is no statement is allowed
		t.Fatal(before.Package.Warnings)
	}
	if _, err := exchange.Native(before, home, home+"-solutions"); err != nil {
		t.Fatal(err)
	}
	want := seen(t, before)
	if want[1] != `["a b" "c"] checker ["strict" "9"] validator ["--wide" "a b" "c"] [deep/x.dat words.txt]` || len(want) != 6 {
		t.Fatalf("the package is %q", want)
	}
	if diff := cmp.Diff(want, seen(t, open(t, home))); diff != "" {
		t.Errorf("the problem directory (-before +after):\n%s", diff)
	}
	got := tree(t, home)
	for name, want := range map[string]string{
		"include/cpp/grader.cpp":     "int most = 9;\n",
		"include/default/words.txt":  "at most 9\n",
		"static/look.py":             "print(9)\n",
		"cases/a/1.toml":             "args = [\"a b\", \"c\"]\nchecker_args = [\"strict\", \"9\"]\n",
		"cases/a/1.files/deep/x.dat": "x\n",
		"cases/a/2.toml":             "checker_args = [\"loose\"]\n",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if _, err := exchange.ICPC(open(t, home), home+"-solutions", away, icpc.Format2025, exchange.ExportOptions{Kit: kit}); err != nil {
		t.Fatal(err)
	}
	back := open(t, away)
	if diff := cmp.Diff(want, seen(t, back)); diff != "" {
		t.Errorf("the new package (-before +after):\n%s", diff)
	}
	if _, err := exchange.Native(back, again, again+"-solutions"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, seen(t, open(t, again))); diff != "" {
		t.Errorf("the problem directory again (-before +after):\n%s", diff)
	}
}

// TestLegacyFolders checks that cases whose validators have different arguments are exported to separate
// directories.
func TestLegacyFolders(t *testing.T) {
	dir := unpack(t, `
-- problem.toml --
title = "x"
[validator]
program = "v.py"
speaks = "kattis"
args = ["--all"]
[[group]]
name = "small"
validator_args = ["--small"]
[[group]]
name = "large"
checker_args = ["case_sensitive"]
-- v.py --
-- include/cpp/x.h --
-- cases/sample/1.in --
-- cases/sample/1.ans --
-- cases/small/2.in --
-- cases/small/2.ans --
-- cases/large/3.in --
-- cases/large/3.ans --
-- cases/large/4.in --
-- cases/large/4.ans --
-- cases/large/4.toml --
checker_args = []
`)
	to := filepath.Join(t.TempDir(), "out")
	if _, err := exchange.ICPC(open(t, dir), dir, to, icpc.Legacy, exchange.ExportOptions{Kit: kit}); err != nil {
		t.Fatal(err)
	}
	got := tree(t, to)
	maps.DeleteFunc(got, func(name, _ string) bool {
		return !strings.HasPrefix(name, "data/") && !strings.HasPrefix(name, "include/")
	})
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(got)) {
		lines = append(lines, strings.TrimSpace(name+" "+got[name]))
	}
	want := []string{
		"data/sample/1-sample/1-1.ans", "data/sample/1-sample/1-1.in", `data/sample/1-sample/testdata.yaml {"input_validator_flags":"--all"}`,
		"data/secret/2-small/1-small-2.ans", "data/secret/2-small/1-small-2.in",
		`data/secret/2-small/testdata.yaml {"input_validator_flags":"--all --small"}`,
		"data/secret/3-large/2-large-3.ans", "data/secret/3-large/2-large-3.in",
		`data/secret/3-large/testdata.yaml {"input_validator_flags":"--all","output_validator_flags":"case_sensitive"}`,
		"data/secret/4-large/3-large-4.ans", "data/secret/4-large/3-large-4.in",
		`data/secret/4-large/testdata.yaml {"input_validator_flags":"--all"}`,
		"include/cpp/x.h",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLegacyRefuses(t *testing.T) {
	const cases = "-- problem.toml --\ntitle = \"x\"\n%s\n-- cases/sample/a.in --\n-- cases/sample/a.ans --\n-- s.py --\n"
	for _, row := range []struct{ it, toml, files, want string }{
		{"has no static validators", "[static]\nprogram = \"s.py\"", "", "the legacy format has no static validators"},
		{"has no arguments for submissions", "", "-- cases/sample/a.toml --\nargs = [\"x\"]\n", "case sample/a has arguments for submissions"},
		{"has no files of cases", "", "-- cases/sample/a.files/x --\n", "case sample/a has files beside its input"},
		{"has no include/default", "", "-- include/default/x --\n", "include/<language>/ only"},
		{
			"cuts arguments at blanks", "", "-- cases/sample/a.toml --\nvalidator_args = [\"x y\"]\n",
			"case sample/a has an argument with a blank in it",
		},
	} {
		to := filepath.Join(t.TempDir(), "out")
		_, err := exchange.ICPC(open(t, unpack(t, fmt.Sprintf(cases, row.toml)+row.files)), "", to, icpc.Legacy, exchange.ExportOptions{Kit: kit})
		if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || !strings.Contains(fault.Text, row.want) {
			t.Errorf("it %s: %v, want %q", row.it, err, row.want)
		}
	}
}

// TestLegacyPoints checks that points survive an export to the legacy format and an import.
func TestLegacyPoints(t *testing.T) {
	dir := unpack(t, strings.Replace(native, "require_pass = [\"small\"]\n", "", 1)+"-- cases/large/d.in --\n4\n-- cases/large/d.ans --\n4\n")
	away, home := filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "p")
	if _, err := exchange.ICPC(open(t, dir), filepath.Join(dir, "solutions"), away, icpc.Legacy,
		exchange.ExportOptions{Kit: kit}); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, away)["data/secret/2-large/testdata.yaml"]; got != `{"accept_score":30}`+"\n" {
		t.Errorf("the group large says %q", got)
	}
	if _, err := exchange.Native(open(t, away), home, home+"-solutions"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range open(t, home).Grading.Root.Children[1].Children {
		got = append(got, fmt.Sprintf("%s %v", n.Aggregate, n.MaxScore))
	}
	if want := []string{"pass-fail 40", "sum 60"}; !slices.Equal(got, want) {
		t.Errorf("points of groups: %q, want %q", got, want)
	}
}

// TestExportPolygon checks that features of Polygon that the format lacks become output validators.
func TestExportPolygon(t *testing.T) {
	const cases = "\n-- cases/sample/a.in --\n1\n-- cases/sample/a.ans --\n1\n"
	for _, row := range []struct {
		it, files string
		want      map[string]string // text that the file contains
	}{
		{"takes the format's validator for a checker that is nearly like it", "[checker]\nname = \"polygon\"\nargs = [\"rcmp6\"]" + cases,
			map[string]string{"data/sample/test_group.yaml": `["float_tolerance","1e-6"]`}},
		{"joins an interactor and a checker", "kind = \"interactive\"\n[interactor]\nprogram = \"talk.cpp\"\nspeaks = \"testlib\"\n[checker]\n" +
			"program = \"look.py\"\nspeaks = \"testlib\"\nargs = [\"it's\"]" + cases + "-- talk.cpp --\nint main;\n-- look.py --\nexit(0)\n",
			map[string]string{"output_validator/interactor/talk.cpp": "int main;", "output_validator/checker/look.py": "exit(0)",
				"output_validator/run": `checker/program" 'it'\''s' "$in" "$out" "$ans"`, "output_validator/build": "g++"}},
	} {
		to := filepath.Join(t.TempDir(), "out")
		if _, err := exchange.ICPC(
			open(t, unpack(t, "-- problem.toml --\ntitle = \"x\"\n"+row.files)), "", to, icpc.Format2025,
			exchange.ExportOptions{Kit: kit},
		); err != nil {
			t.Errorf("it %s: %v", row.it, err)
			continue
		}
		got := tree(t, to)
		for name, want := range row.want {
			if !strings.Contains(got[name], want) {
				t.Errorf("it %s: %s is %q, want %q in it", row.it, name, got[name], want)
			}
		}
	}
}
