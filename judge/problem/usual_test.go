package problem_test

import (
	"path/filepath"
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
			"takes no texts, no empty directories, and nothing of two", "",
			"-- p/reference.md --\n-- p/validator.py --\n-- p/validator.cpp --\n-- p/generators/x.py --\n", "",
			"", "", "",
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
