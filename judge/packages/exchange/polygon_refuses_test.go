package exchange_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/packages/exchange"
)

// small is a problem whose problem.toml, and other files, tests complete.
func small(toml, files string) string {
	return "-- problem.toml --\ntitle = \"x\"\n" + toml + "\n-- check.cpp --\nint main() {}\n-- check.py --\n-- check.sh --\n" +
		"-- many/a.cpp --\n-- many/b.cpp --\n-- cases/sample/a.in --\n1\n-- cases/sample/a.ans --\n1\n" + files
}

// answer is a case whose answer follows.
const answer = "-- cases/more/b.in --\n1\n-- cases/more/b.ans --\n"

// refusals lists what Polygon cannot express.
var refusals = []struct{ it, toml, files, want string }{
	{"has no such checker", "[checker]\nname = \"unordered\"", "", "the checker unordered compares in a way that no standard checker"},
	{"keeps upper and lower case", "", answer + "Word\n", "the checker tokens ignores upper and lower case"},
	{"keeps blanks", "[checker]\nname = \"case-sensitive\"\nargs = [\"space_change_sensitive\"]", "", "compares in a way that no standard"},
	{"has few tolerances", "[checker]\nname = \"floats\"\nargs = [\"abs\", \"1e-5\", \"rel\", \"1e-5\"]", "", "has a tolerance that"},
	{"has both errors", "[checker]\nname = \"floats\"\nargs = [\"abs\", \"1e-6\"]", "", "has a tolerance that no standard checker"},
	{"compares numbers only", "[checker]\nname = \"floats\"", answer + "1.5 yes\n", `compares words too, such as "yes"`},
	{"takes numbers in one form", "[checker]\nname = \"floats\"", answer + "1e5\n", `compares words too, such as "1e5"`},
	{"has no kit", "[checker]\nprogram = \"check.py\"", "", "the checker check.py speaks the kit's protocol"},
	{"has no protocol of Kattis", "[checker]\nprogram = \"check.cpp\"\nspeaks = \"kattis\"", "", "check.cpp speaks Kattis' protocol"},
	{"wants C++", "[checker]\nprogram = \"check.py\"\nspeaks = \"testlib\"", "", "the checker check.py is not written in C++"},
	{"wants one source", "[checker]\nprogram = \"many\"\nspeaks = \"testlib\"", "", "the checker many has several sources"},
	{
		"has no arguments", "[checker]\nprogram = \"check.cpp\"\nspeaks = \"testlib\"\nargs = [\"x\"]", "",
		"the checker check.cpp gets arguments",
	},
	{
		"has no arguments of cases",
		"[checker]\nprogram = \"check.cpp\"\nspeaks = \"testlib\"\n[[group]]\nname = \"sample\"\nchecker_args = [\"x\"]",
		"", "the checker gets arguments, and Polygon's programs get none",
	},
	{
		"has one checker for all cases", "[[group]]\nname = \"sample\"\nchecker_args = [\"case_sensitive\"]\n[[group]]\nname = \"more\"",
		answer + "1\n", "the checker gets other arguments for each case",
	},
	{
		"has no interactor but with testlib", "kind = \"interactive\"\n[interactor]\nprogram = \"check.cpp\"\nspeaks = \"kattis\"", "",
		"the interactor check.cpp speaks Kattis' protocol",
	},
	{
		"runs a program once", "kind = \"multi-pass\"\n[checker]\nprogram = \"check.py\"\nspeaks = \"kattis\"", "",
		"Polygon has no problems whose programs ask for another pass",
	},
	{"has no outputs", "kind = \"submit-answer\"", "", "Polygon has no problems whose submissions are outputs"},
	{"has no include", "", "-- include/cpp/grader.cpp --\n", "Polygon builds submissions without the files of include/"},
	{"has no arguments of submissions", "[[group]]\nname = \"sample\"\nargs = [\"x\"]", "", "case sample/a has arguments for submissions"},
	{"has no files of cases", "", "-- cases/sample/a.files/x --\n", "case sample/a has files beside its input"},
	{"adds points", "[scoring]\nmax_score = 1\nscore_aggregation = \"min\"", "", "Polygon adds the points of groups"},
	{"wants a maximum", "[scoring]\nmax_score = \"unbounded\"", "", "Polygon adds the points of groups"},
	{"wants points", "[scoring]\nmax_score = 0", "", "no group gives points"},
	{"knows languages", "[package]\nlanguage = \"../x\"", "", `"../x" cannot be the name of a language`},
	{
		"has no directories of pictures", "", "-- statement.md --\n![](a/p.png) ![](b/p.png)\n-- a/p.png --\n1\n-- b/p.png --\n2\n",
		"two pictures are called p.png",
	},
}

func TestPolygonRefuses(t *testing.T) {
	for _, row := range refusals {
		dir := unpack(t, small(row.toml, row.files))
		to := filepath.Join(t.TempDir(), "out")
		_, err := exchange.Polygon(open(t, dir), dir, to, withTeX)
		if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || !strings.Contains(fault.Text, row.want) || fault.Hint == "" {
			t.Errorf("it %s: %v, want %q and what to do", row.it, err, row.want)
		}
		if entries, _ := os.ReadDir(filepath.Dir(to)); len(entries) > 0 {
			t.Errorf("it %s: something was left behind: %v", row.it, entries)
		}
	}
	dir := unpack(t, small("", ""))
	away, _ := polygonOf(t, open(t, dir), dir)
	if _, err := exchange.Polygon(open(t, away), dir, filepath.Join(t.TempDir(), "p"), withTeX); err == nil ||
		!strings.Contains(err.Error(), "first: judge import") {
		t.Errorf("a package: %v", err)
	}
	if _, err := exchange.Polygon(open(t, dir), dir, away, withTeX); err == nil {
		t.Error("a second export overwrites the first")
	}
}

func TestPolygonCheckers(t *testing.T) {
	const nearly = "nearly alike"
	for _, row := range []struct{ checker, answer, want, note string }{
		{"", "1 -2", "wcmp", ""},
		{"", "Yes NO", "nyesno", ""},
		{`name = "tokens"` + "\n" + `args = ["case_sensitive"]`, "Word", "wcmp", ""},
		{`name = "case-sensitive"`, "Word", "wcmp", ""},
		{`name = "case-insensitive"`, "1", "wcmp", ""},
		{`name = "polygon"`, "1", "wcmp", ""},
		{`name = "polygon"` + "\n" + `args = ["lcmp"]`, "1", "lcmp", ""},
		{`name = "floats"`, "1.5", "rcmp6", nearly},
		{`name = "floats"` + "\n" + `args = ["rel", "1e-9", "abs", "1e-9"]`, "-1.5", "rcmp9", nearly},
		{`name = "tokens"` + "\n" + `args = ["float_tolerance", "1e-4"]`, "1", "rcmp4", nearly},
		{`name = "exact"`, "1", "fcmp", nearly},
		{`name = "lines"`, "1", "lcmp", nearly},
	} {
		toml := ""
		if row.checker != "" {
			toml = "[checker]\n" + row.checker
		}
		dir := unpack(t, small(toml, "-- cases/more/b.in --\n1\n-- cases/more/b.ans --\n"+row.answer+"\n"))
		if row.want == "nyesno" { // all answers must be yes or no
			if err := os.WriteFile(filepath.Join(dir, "cases/sample/a.ans"), []byte("no\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		to, notes := polygonOf(t, open(t, dir), dir)
		c := open(t, to).Checker
		told := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, nearly) })
		if c.Name != "polygon" || !slices.Equal(c.Args, []string{row.want}) || told != (row.note != "") {
			t.Errorf("%s of %s: %+v, want %s; notes %q", row.checker, row.answer, c, row.want, notes)
		}
	}
}

// TestPolygonNotes checks what is left out with a note.
func TestPolygonNotes(t *testing.T) {
	const checker = "[checker]\nprogram = \"check.cpp\"\nspeaks = \"testlib\"\n"
	for _, row := range []struct{ it, toml, files, want string }{
		{"misses a validator", "", "", "there is no validator in the package"},
		{"leaves a validator out", "[validator]\nprogram = \"check.py\"", "", "the validator check.py is left out: it speaks the kit's protocol"},
		{"leaves a grammar out", "[validator]\nprogram = \"x.ctd\"", "-- x.ctd --\n", `x.ctd is left out: it is for "ctd"`},
		{"leaves a format out", "", "-- input.format --\nline a: int 0..9\n", "input.format is left out"},
		{"misses testlib.h", "[checker]\nprogram = \"own.cpp\"\nspeaks = \"testlib\"\n", "-- own.cpp --\n#include <testlib.h>\n",
			"testlib.h is not in the package"},
		{"rounds the time", "[limits]\ntime = \"1500500us\"", "", "the time limit is rounded up"},
		{"has no wall limit", "[limits]\nwall = \"20s\"", "", "the wall limit of 20s is left out: Polygon has none, and judge takes 3s"},
		{"has no output limit", "", "", "the output limit of 8388608 bytes is left out"},
		{"has no code limit", "[limits]\ncode = \"1KiB\"", "", "the code limit of 1024 bytes is left out"},
		{"lets programs write files", "[limits]\nfile_writing = false", "", "submissions were not to write files"},
		{"wants Unix' line ends", "", "-- cases/more/b.in --\n1\r\n-- cases/more/b.ans --\n1\n", "case more/b has Windows line ends"},
		{"has no other arguments", "[[group]]\nname = \"sample\"\nvalidator_args = [\"-x\"]", "", "the validators' arguments"},
		{"has a main solution", "", "-- accepted/a.py --\n", "the main solution is the first accepted one, and not the reference: there is none"},
		{"wants a main solution", "", "", "there is no main solution in the package"},
		{"takes files", "", "-- accepted/a/a.py --\n-- accepted/a/b.py --\n", "solution accepted/a is left out: it has several files"},
		{"says why", "[reference]\nprogram = \"check.py\"\nargs = [\"x\"]", "-- accepted/a.py --\n1\n", "it has arguments"},
		{"knows no part of points", "[scoring]\nmax_score = 1\n[[group]]\nname = \"more\"\nmax_score = 1\n" + checker,
			"-- cases/more/b.in --\n1\n-- cases/more/b.ans --\n1\n", "a part of a case's points that the checker may give is lost"},
		{"wants a statement", "", "", "there is no statement"},
		{"wants a statement for a name", "[package.names]\nfr = \"y\"", "", "the name in the language fr is left out"},
		{"leaves a source out", "source = \"a book\"\n", "", "left out, because Polygon's packages do not have it: source"},
	} {
		dir := unpack(t, small(row.toml, row.files))
		with := withTeX
		with.Header = nil
		notes, err := exchange.Polygon(open(t, dir), dir, filepath.Join(t.TempDir(), "p"), with)
		if err != nil {
			t.Errorf("it %s: %v", row.it, err)
		} else if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, row.want) }) {
			t.Errorf("it %s: no note says %q: %q", row.it, row.want, notes)
		}
	}
}
