package exchange_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge"
	"assay/judge/packages"
	"assay/judge/packages/exchange"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
)

// unpack extracts an archive to a directory called "p".
func unpack(t *testing.T, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p")
	if err := txtar.Write(txtar.Parse([]byte(text)), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// open reads a problem. The test fails if there are faults.
func open(t *testing.T, dir string) *problem.Directory {
	t.Helper()
	f, faults := problem.Open(packages.Formats, dir, filepath.Join(dir, "testcases"), judge.Limits{
		CPU: time.Second, Memory: 256 << 20, Output: 8 << 20,
	})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return f
}

// tree reads all files below a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var kit = fstest.MapFS{
	"kit.go": {Data: []byte("package kit\n")}, "kit_test.go": {Data: []byte("package kit\n")},
	"kit.py": {Data: []byte("OK = 1\n")}, "kit.hpp": {Data: []byte("#define OK\n")},
}

const native = `
-- problem.toml --
title = "Sums: \"two\""
source = "a book"
[limits]
time = "1500ms"
memory = "64MiB"
[checker]
program = "checker"
args = ["--strict"]
[validator]
program = "input.ctd"
[scoring]
max_score = 100
[[group]]
name = "small"
max_score = 40
[[group]]
name = "large"
max_score = 60
score_aggregation = "sum"
require_pass = ["small"]
-- checker/main.go --
package main
-- checker/main_test.go --
package main
-- input.ctd --
INT(1,9) NEWLINE
-- statement.md --
Add. ![board](img/board.svg#width=50pc)
-- img/board.svg --
<svg/>
-- draft.svg --
<svg/>
-- cases/sample/a.in --
1
-- cases/sample/a.ans --
1
-- cases/small/b.in --
2
-- cases/small/b.ans --
2
-- cases/large/c.in --
3
-- cases/large/c.ans --
3
-- solutions/accepted/add.sh --
echo 1
-- solutions/output_limit_exceeded/much.sh --
yes
`

func TestExport(t *testing.T) {
	dir := unpack(t, native)
	to := filepath.Join(t.TempDir(), "out")
	notes, err := exchange.ICPC(open(t, dir), filepath.Join(dir, "solutions"), to, icpc.Format2025, exchange.ExportOptions{Kit: kit})
	if err != nil {
		t.Fatal(err)
	}
	got := tree(t, to)
	for name, want := range map[string]string{
		"data/sample/1-a.in":                  "1\n",
		"data/secret/1-small/1-b.ans":         "2\n",
		"data/secret/test_group.yaml":         `{"max_score":100,"output_validator_args":["--strict"],"score_aggregation":"sum"}` + "\n",
		"data/secret/1-small/test_group.yaml": `{"max_score":40,"output_validator_args":["--strict"],"score_aggregation":"pass-fail"}` + "\n",
		"data/secret/2-large/test_group.yaml": `{"max_score":60,"output_validator_args":["--strict"],"require_pass":["1-small"],` +
			`"score_aggregation":"sum"}` + "\n",
		"input_validators/input.ctd":        "INT(1,9) NEWLINE\n",
		"output_validator/main.go":          "package main\n",
		"output_validator/judge/kit/kit.go": "package kit\n",
		"output_validator/go.mod":           "module assay\n\ngo 1.26\n",
		"statement/problem.en.md":           "Add. ![board](img/board.svg#width=50pc)\n",
		"statement/img/board.svg":           "<svg/>\n",
		"submissions/accepted/add.sh":       "echo 1\n",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	for _, name := range []string{
		"output_validator/main_test.go", "output_validator/judge/kit/kit_test.go",
		"submissions/rejected/much.sh", "statement/draft.svg",
	} {
		if _, there := got[name]; there {
			t.Errorf("%s went along", name)
		}
	}
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "output_limit_exceeded/much.sh is left out") }) {
		t.Errorf("no note says what was left out: %q", notes)
	}
	back := open(t, to)
	if len(back.Package.Warnings) > 0 {
		t.Errorf("the package has flaws:\n%v", back.Package.Warnings)
	}
	if back.Title != `Sums: "two"` || back.Limits.CPU != 1500*time.Millisecond || back.Limits.Memory != 64<<20 || back.CaseCount() != 3 {
		t.Errorf("read back: title %q, limits %+v, %d cases", back.Title, back.Limits, back.CaseCount())
	}
	if _, err := exchange.ICPC(open(t, dir), dir, to, icpc.Format2025, exchange.ExportOptions{Kit: kit}); err == nil {
		t.Error("a second export overwrites the first")
	} else if _, ok := errors.AsType[*exchange.ExistsError](err); !ok {
		t.Error(err)
	}
}

// TestRoundTrip checks that a problem has the same cases, limits, scores, and checker after an export and an
// import.
func TestRoundTrip(t *testing.T) {
	text := strings.Replace(
		native, "program = \"checker\"\nargs = [\"--strict\"]",
		"name = \"floats\"\nargs = [\"abs\", \"1e-4\", \"case_sensitive\"]", 1,
	)
	dir := unpack(t, text)
	before := open(t, dir)
	away, home := filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "p")
	if _, err := exchange.ICPC(before, filepath.Join(dir, "solutions"), away, icpc.Format2025, exchange.ExportOptions{Kit: kit}); err != nil {
		t.Fatal(err)
	}
	if _, err := exchange.Native(open(t, away), home, filepath.Join(home+"-solutions")); err != nil {
		t.Fatal(err)
	}
	after := open(t, home)
	type seen struct {
		Title, Source string
		Limits        judge.Limits
		Checker       string
		Cases, Nodes  []string
	}
	look := func(f *problem.Directory) seen {
		s := seen{Title: f.Title, Source: f.Source, Limits: f.Limits}
		for _, g := range f.Groups {
			for _, c := range g.Cases {
				in, err := os.ReadFile(c.In)
				if err != nil {
					t.Fatal(err)
				}
				ans, err := os.ReadFile(c.Ans)
				if err != nil {
					t.Fatal(err)
				}
				s.Cases = append(s.Cases, fmt.Sprintf("%q %q", in, ans))
				s.Checker = fmt.Sprint(f.Checker.Name, f.Checker.Args, c.CheckerArgs)
			}
		}
		for _, n := range f.Grading.Root.Children[1].Children {
			s.Nodes = append(s.Nodes, fmt.Sprintf("%s %v %d", n.Aggregate, n.MaxScore, len(n.RequirePass)))
		}
		return s
	}
	want := look(before)
	want.Checker = "tokens[] [float_absolute_tolerance 1e-4 case_sensitive]" // the equivalent of floats in the ICPC format
	if diff := cmp.Diff(want, look(after)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	if got := tree(t, home+"-solutions"); got["accepted/add.sh"] != "echo 1\n" {
		t.Errorf("solutions: %v", got)
	}
}

// TestExportOfKits checks that an exported program in Python or C++ includes its kit, and scripts that build and
// run the program from any directory.
func TestExportOfKits(t *testing.T) {
	const rest = "-- cases/sample/a.in --\n1\n-- cases/sample/a.ans --\n1\n"
	for _, row := range []struct{ it, toml, files, kit, text, build, run string }{
		{"runs a file", "[checker]\nprogram = \"check.py\"", "-- check.py --\n", "kit.py", "OK = 1\n", "nothing to build", "check.py\" --kattis"},
		{
			"runs the main file of a directory", "[checker]\nprogram = \"check\"",
			"-- check/a.py --\n-- check/main.py --\n", "kit.py", "OK = 1\n", "nothing to build",
			"main.py\" --kattis",
		},
		{
			"runs an interactor as it is", "kind = \"interactive\"\n[interactor]\nprogram = \"talk.py\"",
			"-- talk.py --\n", "kit.py", "OK = 1\n", "nothing to build", "talk.py\" \"$@\"",
		},
		{
			"builds a file", "[checker]\nprogram = \"check.cpp\"", "-- check.cpp --\n", "kit.hpp",
			"#define OK\n", "-I. -o validator *.cpp", "validator\" --kattis",
		},
		{
			"builds a directory", "[checker]\nprogram = \"check\"", "-- check/a.cc --\n-- check/b.h --\n",
			"kit.hpp", "#define OK\n", "*.cc\n", "validator\" --kattis",
		},
		{
			"builds an interactor", "kind = \"interactive\"\n[interactor]\nprogram = \"talk.cpp\"",
			"-- talk.cpp --\n", "kit.hpp", "#define OK\n", "*.cpp\n", "validator\" \"$@\"",
		},
		{
			"leaves a kit of the program's own", "[checker]\nprogram = \"check\"",
			"-- check/a.cpp --\n-- check/kit.hpp --\nown\n", "kit.hpp", "own\n", "*.cpp\n",
			"validator\" --kattis",
		},
	} {
		dir := unpack(t, "-- problem.toml --\ntitle = \"x\"\n"+row.toml+"\n"+rest+row.files)
		to := filepath.Join(t.TempDir(), "out")
		if _, err := exchange.ICPC(open(t, dir), dir, to, icpc.Format2025, exchange.ExportOptions{Kit: kit}); err != nil {
			t.Errorf("it %s: %v", row.it, err)
			continue
		}
		got := tree(t, to)
		if run := got["output_validator/run"]; !strings.Contains(run, row.run) || got["output_validator/"+row.kit] != row.text {
			t.Errorf("it %s: the script is %q, the files are %q", row.it, run, got)
		}
		if build := got["output_validator/build"]; !strings.Contains(build, row.build) || (build == "") != (row.build == "") {
			t.Errorf("it %s: it is built by %q", row.it, build)
		}
		if _, there := got["output_validator/judge/kit/kit.go"]; there {
			t.Errorf("it %s: with the kit of Go", row.it)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	const rest = "-- cases/sample/a.in --\n1\n-- cases/sample/a.ans --\n1\n-- check.py --\n-- check.sh --\n-- check.cpp --\n" +
		"#include \"testlib.h\"\n"
	for _, row := range []struct {
		it, toml string
		format   icpc.Format
		want     string
	}{
		{
			"has no such checker", "[checker]\nname = \"unordered\"", icpc.Format2025,
			"the checker unordered compares in a way that the format's output validator does not",
		},
		{
			"has no kit but in Go, Python and C++", "[checker]\nprogram = \"check.sh\"\nspeaks = \"kit\"",
			icpc.Format2025,
			"an output validator that speaks the kit's protocol and is not written in Go, Python or C++",
		},
		{
			"has no testlib but in C++", "[checker]\nprogram = \"check.py\"\nspeaks = \"testlib\"",
			icpc.Format2025, "an output validator that speaks testlib's protocol and is not written in C++",
		},
		{
			"misses testlib.h", "[checker]\nprogram = \"check.cpp\"\nspeaks = \"testlib\"", icpc.Format2025,
			"testlib.h is neither beside the program nor where judge.toml says",
		},
		{
			"takes no least points of groups in the old format",
			"[scoring]\nmax_score = 1\nscore_aggregation = \"min\"", icpc.Legacy,
			"the legacy format adds the points of groups",
		},
		{
			"gives no points without a maximum in the old format", "[scoring]\nmax_score = \"unbounded\"",
			icpc.Legacy, "the legacy format adds the points of groups",
		},
		{
			"has one pass in the old format",
			"kind = \"multi-pass\"\n[checker]\nprogram = \"check.py\"\nspeaks = \"kattis\"", icpc.Legacy,
			"the legacy format has no problems of several passes",
		},
	} {
		dir := unpack(t, "-- problem.toml --\ntitle = \"x\"\n"+row.toml+"\n"+rest)
		to := filepath.Join(t.TempDir(), "out")
		_, err := exchange.ICPC(open(t, dir), dir, to, row.format, exchange.ExportOptions{Kit: kit})
		if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || !strings.Contains(fault.Text, row.want) {
			t.Errorf("it %s: %v, want %q", row.it, err, row.want)
		}
		if entries, _ := os.ReadDir(filepath.Dir(to)); len(entries) > 0 {
			t.Errorf("it %s: something was left behind: %v", row.it, entries)
		}
	}
}

func TestImportLegacyPoints(t *testing.T) {
	const head = "-- problem.yaml --\nname: X\ntype: scoring\nlimits: {memory: 64}\n-- .timelimit --\n1\n-- data/sample/testdata.yaml --\n" +
		"accept_score: 0\n-- data/sample/1.in --\n0\n-- data/sample/1.ans --\n0\n"
	cases := func(group string, n int) (text string) {
		for i := range n {
			text += fmt.Sprintf("-- data/secret/%s/%d.in --\n%d\n-- data/secret/%s/%d.ans --\n1\n", group, i, i, group, i)
		}
		return text
	}
	min := func(points string) string {
		return "grader_flags: min\naccept_score: " + points + "\n"
	}
	for _, row := range []struct{ it, files, want string }{
		{"makes groups that give all or nothing", cases("a", 2) + "-- data/secret/a/testdata.yaml --\n" + min("30") + cases("b", 1) +
			"-- data/secret/b/testdata.yaml --\n" + min("70") + "-- data/secret/testdata.yaml --\non_reject: continue\n",
			"sum 100: a pass-fail 30 [], b pass-fail 70 []"},
		{"has groups wait for those before, where the first that fails ends it",
			cases("a", 2) + "-- data/secret/a/testdata.yaml --\n" + min("30") + cases("b", 1) + "-- data/secret/b/testdata.yaml --\n" + min("70"),
			"sum 100: a pass-fail 30 [], b pass-fail 70 [a]"},
		{
			"adds the points of cases",
			cases("a", 4) + "-- data/secret/testdata.yaml --\non_reject: continue\naccept_score: 5\n",
			"sum 20: a sum 20 []",
		},
		{
			"refuses points up to the first case that fails", cases("a", 4),
			"cannot be imported: group secret/a adds points up to the first case that fails, or takes the most or the average",
		},
		{
			"refuses points for what is not accepted",
			cases("a", 1) + "-- data/secret/testdata.yaml --\nreject_score: -1\n",
			"cannot be imported: group secret/a gives points for what is not accepted, or takes some",
		},
	} {
		to := filepath.Join(t.TempDir(), "out")
		_, err := exchange.Native(open(t, unpack(t, head+row.files)), to, to+"-solutions")
		got := ""
		if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
			got = fault.Text
		} else if err != nil {
			t.Fatal(err)
		} else {
			secret := open(t, to).Grading.Root.Children[1]
			got = fmt.Sprintf("%s %v:", secret.Aggregate, secret.MaxScore)
			for i, n := range secret.Children {
				if i > 0 {
					got += ","
				}
				got += fmt.Sprintf(" %s %s %v %v", n.Name, n.Aggregate, n.MaxScore, n.RequirePass)
			}
		}
		if got != row.want {
			t.Errorf("it %s: %s, want %s", row.it, got, row.want)
		}
	}
}

func TestReadTask(t *testing.T) {
	for _, row := range []struct{ it, json, want string }{
		{"wants JSON", "{\n]", "t.json:2: is not what Competitive Companion sends: invalid character ']'"},
		{"wants tests", `{"name": "A"}`, "t.json: is not what Competitive Companion sends: it has no name, or no tests"},
		{
			"takes no dialogues", `{"name": "A", "interactive": true, "tests": [{}]}`,
			"t.json: the problem is interactive, and its samples are dialogues",
		},
	} {
		if _, err := exchange.ReadTask("t.json", []byte(row.json)); err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("it %s: %v, want %s", row.it, err, row.want)
		}
	}
	for name, want := range map[string]string{"A. Two Sums!": "a.-two-sums", "Сумма": "unnamed", "..": "unnamed"} {
		task := &exchange.Task{Name: name}
		if got := task.ID(); got != want {
			t.Errorf("ID of %q = %q, want %q", name, got, want)
		}
	}
}

func FuzzReadTask(f *testing.F) {
	f.Add(`{"name": "A", "tests": [{"input": "1\n", "output": "2\n"}], "timeLimit": 1000}`)
	f.Fuzz(func(t *testing.T, text string) {
		task, err := exchange.ReadTask("t.json", []byte(text))
		if err == nil && (!problem.GoodName(task.ID()) || strings.ContainsRune(task.ID(), filepath.Separator)) {
			t.Fatalf("ID = %q of %q", task.ID(), text)
		}
	})
}

func ExampleReadTask() {
	task, err := exchange.ReadTask(
		"task.json",
		[]byte(`{"name": "A. Two sums", "timeLimit": 1000, "tests": [{"input": "1 2\n", "output": "3\n"}]}`),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(task.ID(), len(task.Tests))
	// Output: a.-two-sums 1
}

// TestExportOfGenerators checks that generators.yaml contains the generator, seed, and arguments of each generated
// case, and that manually written cases are copied.
func TestExportOfGenerators(t *testing.T) {
	dir := unpack(t, "-- problem.toml --\ntitle = \"x\"\n[reference]\nprogram = \"ref.py\"\n[generator]\nprogram = \"make.py\"\n"+
		"speaks = \"plain\"\n[[group]]\nname = \"all\"\ncases = [\"random 3 {seed}\", \"it's\"]\n"+
		"-- ref.py --\nprint(1)\n-- make.py --\nprint(1)\n-- cases/sample/a.in --\n1\n-- cases/sample/a.ans --\n1\n"+
		"-- testcases/all/random-3-seed.in --\n2\n-- testcases/all/random-3-seed.ans --\n1\n-- testcases/all/it-s.in --\n3\n"+
		"-- testcases/all/it-s.ans --\n1\n")
	from := open(t, dir)
	for _, c := range from.Groups[1].Cases { // independent of the cases' names
		for file, text := range map[string]string{c.In: "2\n", c.Ans: "1\n"} {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	to := filepath.Join(t.TempDir(), "out")
	with := exchange.ExportOptions{Kit: kit, Seed: func(group string, c *judge.Case) string { return "00000010" }}
	if _, err := exchange.ICPC(from, dir, to, icpc.Format2025, with); err != nil {
		t.Fatal(err)
	}
	got := tree(t, to)
	for _, want := range []string{
		"solution: /submissions/accepted/reference.py\n", ": {generate: \"generator 8 random 3 8\"}\n",
		": {generate: \"generator 8 'it'\\\\''s'\"}\n", "\"1-a\": {copy: \"cases/sample/1-a\"}\n",
	} {
		if !strings.Contains(got["generators/generators.yaml"], want) {
			t.Errorf("generators.yaml lacks %q:\n%s", want, got["generators/generators.yaml"])
		}
	}
	if !strings.Contains(got["generators/generator/make"], "make.py\"") ||
		!strings.Contains(got["generators/generator/run"], "ASSAY_SEED=$1") || got["generators/cases/sample/1-a.in"] != "1\n" {
		t.Errorf("the generator and copied cases are %q", got)
	}
}

// TestExportOfOutputs checks that an export keeps the names of cases, because the files of submissions are named
// after the cases. It does not keep the names of groups.
func TestExportOfOutputs(t *testing.T) {
	const problem = "-- problem.toml --\ntitle = \"x\"\nkind = \"submit-answer\"\n-- cases/sample/a.in --\n1\n-- cases/sample/a.ans --\n1\n" +
		"-- cases/more/b.in --\n2\n-- cases/more/b.ans --\n2\n"
	dir := unpack(
		t,
		problem+"-- solutions/accepted/hand/more/b.out --\n2\n-- solutions/accepted/hand/a.out --\n1\n-- solutions/wrong_answer/one.out --\n3\n",
	)
	to := filepath.Join(t.TempDir(), "out")
	if _, err := exchange.ICPC(open(t, dir), filepath.Join(dir, "solutions"), to, icpc.Format2025,
		exchange.ExportOptions{Kit: kit}); err != nil {
		t.Fatal(err)
	}
	got := tree(t, to)
	for name, want := range map[string]string{
		"data/sample/a.in": "1\n", "data/secret/b.in": "2\n", "submissions/accepted/hand/a.out": "1\n",
		"submissions/accepted/hand/b.out": "2\n", "submissions/wrong_answer/one.out": "3\n",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	var names []string
	for _, s := range open(t, to).Package.Submissions {
		names = append(names, s.Name)
	}
	if want := []string{"accepted/hand", "wrong_answer/one.out"}; !slices.Equal(names, want) {
		t.Errorf("submissions are %q, want %q", names, want)
	}
	dir = unpack(t, problem+"-- cases/even/b.in --\n2\n-- cases/even/b.ans --\n2\n")
	if _, err := exchange.ICPC(open(t, dir), dir, to+"2", icpc.Format2025, exchange.ExportOptions{Kit: kit}); err == nil ||
		!strings.Contains(err.Error(), "two cases are called b") {
		t.Errorf("two cases of one name: %v", err)
	}
}
