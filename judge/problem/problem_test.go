package problem_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/packages"
	"assay/judge/problem"
)

// unpack extracts a txtar archive to a new directory and makes it the current directory.
func unpack(t *testing.T, archive []byte) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := txtar.Write(txtar.Parse(archive), "."); err != nil {
		t.Fatal(err)
	}
}

// TestFaults opens and lints the broken directories of testdata/bad. The expected faults are in a file beside each
// directory.
func TestFaults(t *testing.T) {
	archives, _ := filepath.Glob("testdata/bad/*.txtar")
	if len(archives) == 0 {
		t.Fatal("testdata/bad is empty")
	}
	for _, archive := range archives {
		want, err := filepath.Abs(strings.TrimSuffix(archive, ".txtar") + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(archive), func(t *testing.T) {
			data, err := os.ReadFile(archive)
			if err != nil {
				t.Fatal(err)
			}
			unpack(t, data)
			f, faults := problem.Open(packages.Formats, "p", "t", usual)
			if f != nil && len(faults) == 0 {
				faults = append(faults, f.Lint()...)
			}
			for _, fault := range faults {
				if fault.Hint == "" {
					t.Errorf("no hint: %v", fault)
				}
			}
			golden.Check(t, want, []byte(faults.Error()+"\n"))
		})
	}
}

// usual contains the limits of a judge.toml.
var usual = judge.Limits{CPU: time.Second, Memory: 256 << 20, Output: 8 << 20, Processes: 64}

const good = `
-- p/problem.toml --
title = "P"
source = "a book"
[limits]
time = "2s"
memory = "64MiB"
[reference]
program = "reference"
args = ["-v"]
[validator]
program = "check_input"
speaks = "testlib"
[checker]
name = "tokens"
args = ["case_sensitive"]
[generator]
program = "generator"
salt = "s"
[[group]]
name = "small"
description = "small ones"
cases = ["max  7", "random --n {1..2} --seed {8..9}"]
[[group]]
name = "sample"
-- p/statement.md --
Add two numbers.
-- p/reference/main.go --
-- p/check_input.py --
-- p/generator/main.go --
-- p/cases/sample/two.in --
-- p/cases/sample/two.ans --
-- p/cases/sample/one.in --
-- p/cases/sample/one.ans --
-- p/cases/extra/hand.in --
-- p/cases/extra/hand.ans --
-- p/cases/small/by-hand.in --
-- p/cases/small/by-hand.ans --
-- t/small/max-7.in --
-- t/small/max-7.ans --
`

func TestOpen(t *testing.T) {
	unpack(t, []byte(good))
	f, faults := problem.Open(packages.Formats, "p", "t", usual)
	if err := append(faults, f.Lint()...).AsError(); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, g := range f.Groups {
		for _, c := range g.Cases {
			ids = append(ids, c.ID())
		}
	}
	want := "sample/one sample/two small/by-hand small/max-7 " +
		"small/random-n-1-seed-8 small/random-n-1-seed-9 small/random-n-2-seed-8 small/random-n-2-seed-9 extra/hand"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("cases\n got %s\nwant %s", got, want)
	}
	if got := len(f.Ungenerated()); got != 4 {
		t.Errorf("%d cases have not been generated, want 4", got)
	}
	if f.Validator.Path != filepath.Join("p", "check_input.py") || f.Validator.Protocol != "testlib" {
		t.Errorf("validator %+v", f.Validator)
	}
	if f.Limits.Wall.String() != "5s" || f.Limits.Memory != 64<<20 ||
		f.Limits.Output != usual.Output || f.Limits.Processes != usual.Processes {
		t.Errorf("limits %+v", f.Limits)
	}
	fault := f.CaseFault(&f.Groups[1].Cases[4], "text", "")
	if got := fault.Error(); got != "p/problem.toml:21:20: text" {
		t.Errorf("the fault of a generated case stands at %q", got)
	}
}

func TestFind(t *testing.T) {
	unpack(
		t,
		[]byte("-- problems/alpha/problem.toml --\n-- problems/beta/problem.toml --\n-- problems/empty/x --\n-- else/gamma/problem.toml --\n"),
	)
	tests := []struct {
		name            string
		dir, tests, err string
	}{
		{"alpha", "problems/alpha", "testcases/alpha", ""},
		{"./problems/beta", "./problems/beta", "testcases/beta", ""},
		{"else/gamma", "else/gamma", "testcases", ""},
		{"alhpa", "", "", `did you mean "alpha"?`},
		{"empty", "", "", "no problem"},
		{"else/none", "", "", "there is no such directory"},
		{"./problems/empty", "", "", "problem.toml"},
		{"", "", "", "no problem"},
	}
	for _, test := range tests {
		dir, tests, err := problem.Find(packages.Formats, ".", test.name)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("Find(%q) = %v, want an error with %q", test.name, err, test.err)
			}
			continue
		}
		if err != nil || dir != test.dir || !strings.HasSuffix(tests, test.tests) {
			t.Errorf("Find(%q) = %q, %q, %v, want %q, %q", test.name, dir, tests, err, test.dir, test.tests)
		}
	}
	if ids, err := problem.List(packages.Formats, "."); err != nil || !slices.Equal(ids, []string{"alpha", "beta"}) {
		t.Errorf("List = %q, %v", ids, err)
	}
}

func TestExpand(t *testing.T) {
	tests := []struct{ line, want string }{
		{"corner 0 0", "corner 0 0"},
		{"  corner\t0   0 ", "corner 0 0"},
		{"r {1..3}", "r 1|r 2|r 3"},
		{"r {1..2} {seed}", "r 1 {seed}|r 2 {seed}"},
		{"r {-1..1}", "r -1|r 0|r 1"},
		{"r {1..2} x{8..9}", "r 1 x8|r 1 x9|r 2 x8|r 2 x9"},
	}
	for _, test := range tests {
		got, err := problem.Expand(test.line)
		if err != nil || strings.Join(got, "|") != test.want {
			t.Errorf("Expand(%q) = %q, %v, want %q", test.line, got, err, test.want)
		}
	}
}

// TestExpandIsBounded checks that a line makes at most 10,000 cases, with one range or several.
func TestExpandIsBounded(t *testing.T) {
	for _, row := range []struct {
		line string
		want int // 0: too many
	}{
		{"r {1..10000}", 10_000},
		{"r {1..10001}", 0},
		{"r {-5000..4999}", 10_000},
		{"r {-5000..5000}", 0},
		{"r {0..0}", 1},
		{"r {1..100} {1..100}", 10_000},
		{"r {1..100} {1..101}", 0},
		{"r {1..2} {1..5001}", 0},
		{"r {1..1} {1..10000}", 10_000},
		{"r {1..10} {1..10} {1..10} {1..10}", 10_000},
		{"r {1..10} {1..10} {1..10} {1..11}", 0},
		{"r {-999999999999999999..999999999999999999}", 0},
	} {
		got, err := problem.Expand(row.line)
		switch {
		case row.want == 0 && (err == nil || !strings.Contains(err.Error(), "more than 10000 cases")):
			t.Errorf("Expand(%q) makes %d lines, %v; want it refused", row.line, len(got), err)
		case row.want == 0 && strings.Count(row.line, "{") == 1 && !strings.HasPrefix(err.Error(), "the range {"):
			t.Errorf("Expand(%q): %v; want the range named before it is made", row.line, err)
		case row.want > 0 && (err != nil || len(got) != row.want):
			t.Errorf("Expand(%q) makes %d lines, %v; want %d", row.line, len(got), err, row.want)
		}
	}
}

func TestCaseName(t *testing.T) {
	tests := []struct{ line, want string }{
		{"corner 0 0", "corner-0-0"},
		{"random --max 99 --seed 1", "random-max-99-seed-1"},
		{"a.b_c", "a.b_c"},
		{"x 1", "x-1"},
		{"any {seed}", "any-seed"},
		{"x -1 --by -25", "x-neg1-by-neg25"},
		{"words a,b", "words-a-b-#"},
		{strings.Repeat("long ", 30), strings.Repeat("long-", 14) + "l-#"},
	}
	hash := regexp.MustCompile(`-[0-9a-f]{8}$`)
	for _, test := range tests {
		got := problem.CaseName(test.line)
		if strings.HasSuffix(test.want, "#") {
			got = hash.ReplaceAllString(got, "-#")
		}
		if got != test.want {
			t.Errorf("CaseName(%q) = %q, want %q", test.line, got, test.want)
		}
	}
}

func TestCaseNamesAreGoodFileNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.String().Draw(t, "line")
		name := problem.CaseName(line)
		if name == "" || len(name) > 100 || strings.ContainsAny(name, "/\\ \x00") || !filepath.IsLocal(name) || name[0] == '.' {
			t.Errorf("CaseName(%q) = %q", line, name)
		}
	})
}

// TestDifferentLinesHaveDifferentNames checks that case names differ unless the lines differ only in blanks and
// dashes.
func TestDifferentLinesHaveDifferentNames(t *testing.T) {
	words := rapid.SliceOfN(rapid.StringMatching(`-?[a-z0-9,]{1,3}`), 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		a := strings.Join(words.Draw(t, "a"), " ")
		b := strings.Join(words.Draw(t, "b"), " ")
		if bare(a) != bare(b) && problem.CaseName(a) == problem.CaseName(b) {
			t.Errorf("the lines %q and %q both make %q", a, b, problem.CaseName(a))
		}
	})
}

func bare(line string) string {
	return strings.Join(strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '-' }), " ")
}

func FuzzExpand(f *testing.F) {
	f.Add("random --max 99 --seed {1..20}")
	f.Add("x {1..} {")
	f.Fuzz(func(t *testing.T, line string) {
		lines, err := problem.Expand(line)
		if err == nil && len(lines) == 0 {
			t.Errorf("Expand(%q) made nothing", line)
		}
		for _, l := range lines {
			if again, err := problem.Expand(l); err != nil || len(again) != 1 || again[0] != l {
				t.Errorf("Expand(%q) made %q, which is not a plain line", line, l)
			}
		}
	})
}

func FuzzOpen(f *testing.F) {
	files, _ := filepath.Glob("testdata/bad/*.txtar")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(txtar.Parse(data).Files[0].Data)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, problem.File), data, 0o644); err != nil {
			t.Fatal(err)
		}
		folder, faults := problem.Open(packages.Formats, dir, dir, usual)
		if folder == nil && len(faults) == 0 {
			t.Error("neither a directory nor a fault")
		}
	})
}

// TestManual opens the problem.toml shown in problems/README.md.
func TestManual(t *testing.T) {
	text, err := os.ReadFile("../../problems/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```toml\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !closed {
		t.Fatal("problems/README.md shows no problem.toml")
	}
	unpack(t, []byte("-- p/problem.toml --\n"+block+"-- p/statement.md --\nAdd.\n-- p/reference/main.go --\n-- p/validator/main.go --\n"+
		"-- p/generator/main.go --\n-- p/cases/sample/one.in --\n-- p/cases/sample/one.ans --\n"))
	f, faults := problem.Open(packages.Formats, "p", "t", judge.Limits{})
	if err := append(faults, f.Lint()...).AsError(); err != nil {
		t.Fatal(err)
	}
	if got := len(f.Groups[1].Cases); got != 21 {
		t.Errorf("the manual's lines make %d cases, want 21", got)
	}
}

// TestAnEmptyFolderIsNoGroup checks that empty directories do not change the problem, because git and bundles do
// not keep them.
func TestAnEmptyFolderIsNoGroup(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"cases/sample", "cases/later", "cases/some"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"problem.toml", "cases/some/one.in", "cases/some/one.ans"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, _ := problem.Open(packages.Formats, dir, dir, judge.Limits{})
	var names []string
	for _, g := range f.Groups {
		names = append(names, g.Name)
	}
	if want := []string{judge.SampleGroup, "some"}; !slices.Equal(names, want) {
		t.Errorf("the groups are %q, want %q", names, want)
	}
}
