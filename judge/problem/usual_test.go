package problem_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/packages"
	"assay/judge/problem"
)

// TestUsualParts checks that programs are found by their names.
func TestUsualParts(t *testing.T) {
	for _, row := range []struct {
		it, toml, files                   string
		reference, validator, gen, others string // base names and protocols
	}{
		{"finds directories", "", "-- p/reference/main.go --\n-- p/validator/main.go --\n-- p/generator/main.go --\n-- p/checker/main.go --\n",
			"reference plain", "validator kit", "generator kit", ""},
		{
			"finds files", "", "-- p/reference.py --\n-- p/validator.ctd --\n-- p/generator.cpp --\n",
			"reference.py plain", "validator.ctd ctd", "generator.cpp kit", "",
		},
		{
			"takes no texts and no other names", "",
			"-- p/reference.md --\n-- p/validator.toml --\n-- p/generators/x.py --\n", "", "", "", "",
		},
		{"prefers what problem.toml says", "[reference]\nprogram = \"other.py\"\n[validator]\nspeaks = \"testlib\"\n[generator]\n" +
			"speaks = \"plain\"\n[checker]\nspeaks = \"kattis\"\n",
			"-- p/reference.py --\n-- p/other.py --\n-- p/validator/a.cpp --\n-- p/generator.py --\n-- p/checker.py --\n", "other.py plain",
			"validator testlib", "generator.py plain", "checker.py kattis"},
		{"leaves a checker that has a name", "[checker]\nname = \"tokens\"\n", "-- p/checker/main.go --\n", "", "", "", ""},
		{"takes the checker of a table without options", "[checker]\n", "-- p/checker/main.go --\n", "", "", "", "checker kit"},
		{"takes no interactor where none is wanted", "", "-- p/interactor.py --\n", "", "", "", ""},
		{
			"takes the interactor, and no checker beside it", "kind = \"interactive\"\n",
			"-- p/interactor.py --\n-- p/checker.py --\n", "", "", "", "interactor.py kit",
		},
		{
			"leaves the programs of a game alone", "[game]\nreferee = \"reference\"\n[game.rules]\n",
			"-- p/reference/main.go --\n-- p/validator/main.go --\n-- p/generator/main.go --\n", "", "", "", "",
		},
	} {
		t.Run(row.it, func(t *testing.T) {
			unpack(t, []byte("-- p/problem.toml --\ntitle = \"P\"\n"+row.toml+"-- p/statement.md --\n"+row.files))
			f, faults := problem.Open(packages.Formats, "p", "t", usual)
			if f == nil || f.Game == nil && len(faults) > 0 {
				t.Fatal(faults)
			}
			say := func(p *judge.SetterProgram) string {
				if p == nil {
					return ""
				}
				return filepath.Base(p.Path) + " " + p.Protocol
			}
			others := say(f.Checker.Program) + say(f.Interactor)
			if say(f.Reference) != row.reference || say(f.Validator) != row.validator || say(f.Generator) != row.gen || others != row.others {
				t.Errorf("reference %q, validator %q, generator %q, others %q", say(f.Reference), say(f.Validator), say(f.Generator), others)
			}
		})
	}
}

// TestSeveralUsualParts checks that several programs with the name of a part are a fault that names them.
func TestSeveralUsualParts(t *testing.T) {
	const several = "several files are called "
	for _, row := range []struct{ it, toml, files, want, part string }{
		{"are two references", "", "-- p/reference.cpp --\n-- p/reference.py --\n", "p/problem.toml: " + several + "reference: reference.cpp, " +
			"reference.py\n    remove all but one, or choose one: [reference] program = \"reference.cpp\"", "reference"},
		{"are two references with a name that fits both", "[reference]\nprogram = \"reference\"\n",
			"-- p/reference.cpp --\n-- p/reference.py --\n", "p/problem.toml:3:1: " + several + "reference: reference.cpp, reference.py\n" +
				"    remove all but one, or choose one: [reference] program = \"reference.cpp\"", ""},
		{"is one that is named in full", "[reference]\nprogram = \"reference\"\n", "-- p/reference --\n-- p/reference.cpp --\n", "", ""},
		{"are a validator and what was built of it", "", "-- p/validator --\n-- p/validator.cpp --\n",
			several + "validator: validator, validator.cpp", "validator"},
		{"are two validators of a table", "[validator]\nspeaks = \"testlib\"\n", "-- p/validator.cpp --\n-- p/validator.py --\n",
			several + "validator: validator.cpp, validator.py", ""},
		{"are two generators", "", "-- p/generator.go --\n-- p/generator.py --\n", several + "generator", "generator"},
		{"are two checkers", "[checker]\n", "-- p/checker.cpp --\n-- p/checker.py --\n", several + "checker", ""},
		{"are two checkers without a table", "", "-- p/checker.cpp --\n-- p/checker.py --\n", "", ""},
		{"is one that is named", "[reference]\nprogram = \"reference.py\"\n", "-- p/reference.cpp --\n-- p/reference.py --\n", "", ""},
		{"are files beside a directory", "", "-- p/reference/a.py --\n-- p/reference.cpp --\n-- p/reference.py --\n", "", ""},
		{"is a program and what was built of it", "", "-- p/reference.java --\n-- p/reference.class --\n-- p/reference.exe --\n", "", ""},
	} {
		t.Run(row.it, func(t *testing.T) {
			unpack(t, []byte("-- p/problem.toml --\ntitle = \"P\"\n"+row.toml+"-- p/statement.md --\n"+row.files))
			f, faults := problem.Open(packages.Formats, "p", "t", usual)
			if fails := strings.Contains(faults.Error(), several); fails != (row.want != "" && row.part == "") {
				t.Errorf("Open returns\n%s", faults.Error())
			}
			if row.part != "" && (f.Reference != nil || f.Validator != nil || f.Generator != nil) {
				t.Error("one of them is taken")
			}
			faults = slices.DeleteFunc(append(faults, f.Lint()...), func(p *judge.ProblemError) bool {
				return !strings.Contains(p.Text, several)
			})
			if got := faults.Error(); len(faults) > 1 || !strings.Contains(got, row.want) || (len(faults) == 0) != (row.want == "") {
				t.Errorf("faults\n%s\nwant %q", got, row.want)
			}
			if lint := f.Lint().Error(); row.part != "" && strings.Contains(lint, "the problem has no "+row.part) {
				t.Errorf("it is also said to be missing:\n%s", lint)
			}
		})
	}
}

// TestStatementsAreUTF8 checks that a statement in another encoding is a fault with its line, in each language.
func TestStatementsAreUTF8(t *testing.T) {
	for _, row := range []struct{ file, text, want string }{
		{"statement.md", "Größe\n", ""},
		{"statement.md", "\xef\xbb\xbfGröße\n", ""},
		{"statement.md", "One\nGr\xf6\xdfe\n", "p/statement.md:2: the statement is not UTF-8"},
		{"statement.md", "\ufffd\nGr\xf6\xdfe\n", "p/statement.md:2: the statement is not UTF-8"},
		{"statement.de.md", "Gr\xf6\xdfe", "p/statement.de.md:1: the statement is not UTF-8"},
		{"statement.md", "\xff\xfeA\x00\n\x00", "p/statement.md: the statement is UTF-16"},
		{"statement.md", "A\x00B\x00\n\x00", "p/statement.md: the statement is UTF-16"},
		{"statement.md", " \n", "p/statement.md: the statement is empty"},
		{"statement.de.md", "", ""},
	} {
		unpack(t, []byte("-- p/problem.toml --\ntitle = \"P\"\n-- p/statement.md --\nA\n"))
		if err := os.WriteFile("p/"+row.file, []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, _ := problem.Open(packages.Formats, "p", "t", usual)
		faults := slices.DeleteFunc(f.Lint(), func(p *judge.ProblemError) bool { return !strings.Contains(p.Text, "statement") })
		if got := faults.Error(); !strings.HasPrefix(got, row.want) || (len(faults) == 0) != (row.want == "") {
			t.Errorf("%s with %q: %s, want %q", row.file, row.text, got, row.want)
		}
	}
}
