package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/cases/mutate"
	"assay/judge/workspace"
)

// even is a problem with several correct answers, a checker that may keep state, and two programs to mutate.
const even = `
-- judge.toml --
-- problems/even/problem.toml --
title = "An even number that is not less"
[reference]
program = "reference"
[checker]
program = "checker"
speaks = "kit"
-- problems/even/cases/sample/one.in --
2
-- problems/even/cases/sample/one.ans --
2
-- problems/even/cases/some/two.in --
7
-- problems/even/cases/some/two.ans --
8
-- problems/even/reference/main.go --
package main

import "fmt"

func main() {
	n := 0
	fmt.Scan(&n)
	if n%2 == 1 {
		n += 1
	}
	fmt.Println(n)
}
-- solutions/even/accepted/twice.go --
package main

import "fmt"

func main() {
	var n int
	fmt.Scan(&n)
	fmt.Println(2 * n)
}
-- problems/even/checker/main.go --
package main

import "assay/judge/kit"

func main() {
	kit.Check(func(t *kit.Test) {
		n := t.In.Int(0, 100, "n")
		if m := t.Out.Int(0, 1000, "m"); m < n || m%2 != 0 {
			t.Quit(kit.WA, "%d will not do", m)
		}
		t.Quit(kit.OK, "fine")
	})
}
`

// TestMutantsInParts checks that judging mutants in parts, in any order, gives the same journal lines as judging
// all mutants at once. Some of the tested outputs are correct although they differ from the answer file.
func TestMutantsInParts(t *testing.T) {
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(even)).Files {
		path := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	contest, err := cli.FindContest()
	if err != nil {
		t.Fatal(err)
	}
	if err := contest.Start(workspace.RunOptions{Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	defer contest.Close()
	p, err := contest.Open("even")
	if err != nil {
		t.Fatal(err)
	}
	lab, err := p.MutantRunner(t.Context(), p.AcceptedSolutions())
	if err != nil {
		t.Fatal(err)
	}
	lab.Journal = filepath.Join(root, "journal")
	if _, err := lab.Judge(t.Context()); err != nil {
		t.Fatal(err)
	}
	journal, err := os.ReadFile(lab.Journal)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Sorted(strings.Lines(string(journal)))
	if len(want) != lab.MutantCount() || len(lab.Subjects) != 2 || lab.MutantCount() < 8 || !strings.Contains(string(journal), `"outs"`) {
		t.Fatalf("%d mutants of %d programs; the journal is\n%s", lab.MutantCount(), len(lab.Subjects), journal)
	}
	const parts = 3
	var got []string
	for _, first := range rand.Perm(parts) {
		lines, err := lab.JudgeShard(t.Context(), first, parts)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			got = append(got, string(l)+"\n")
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("cut into parts, the mutants are\n%s\nand at once\n%s", strings.Join(got, ""), strings.Join(want, ""))
	}

	// With more parts than mutants, a part contains one mutant or none.
	for first, n := range map[int]int{lab.MutantCount() - 1: 1, lab.MutantCount() + 1: 0} {
		lines, err := lab.JudgeShard(t.Context(), first, lab.MutantCount()+2)
		if err != nil || len(lines) != n || n == 1 && !slices.Contains(want, string(lines[0])+"\n") {
			t.Errorf("part %d of %d: %d lines, %v", first, lab.MutantCount()+2, len(lines), err)
		}
	}

	// Another lab makes the same mutants. A changed program gives different ones.
	again, err := p.MutantRunner(t.Context(), p.AcceptedSolutions())
	if err != nil || again.MutantsHash() != lab.MutantsHash() {
		t.Errorf("the mutants are %s and %s, %v", lab.MutantsHash(), again.MutantsHash(), err)
	}
	file := filepath.Join(root, "solutions/even/accepted/twice.go")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.Replace(string(text), "2 * n", "n * 2", 1)), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	other, err := p.MutantRunner(t.Context(), p.AcceptedSolutions())
	if err != nil || other.MutantsHash() == lab.MutantsHash() {
		t.Errorf("the mutants of another program are the same, %v", err)
	}
}

// TestTranslationsScoreAlike checks that a bundled problem's cases kill as large a share of mutants for a Python
// solution as for the Go reference.
func TestTranslationsScoreAlike(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3: install it")
	}
	t.Chdir("../..")
	contest, err := cli.FindContest()
	if err != nil {
		t.Fatal(err)
	}
	defer contest.Close()
	jobs := workspace.RunOptions{Jobs: 2}
	p, err := contest.OpenForJudging(t.Context(), "wythoff", jobs)
	if err == nil {
		err = contest.Start(jobs)
	}
	if err != nil {
		t.Fatal(err)
	}
	solutions := []string{filepath.Join(p.SolutionsDir(), "accepted", "square_root.py")}
	lab, err := p.MutantRunner(t.Context(), solutions)
	if err != nil {
		t.Fatal(err)
	}
	hunt := mutate.SearchBudget{Seed: 1, Count: 100}
	results, _, err := p.MeasureAdequacy(t.Context(), lab, solutions, hunt)
	if err != nil {
		t.Fatal(err)
	}
	programs := lab.Report(results, hunt, "").Programs
	score := func(p *judge.ProgramMutants) float64 { return float64(p.Killed) / float64(max(p.Killed+p.Survived, 1)) }
	const points = 0.05
	if len(programs) != 2 || programs[1].Mutants < 50 || programs[1].Killed < programs[1].Mutants*4/5 ||
		score(&programs[1]) < score(&programs[0])-points {
		t.Errorf("the mutants are %+v; %q", programs, lab.Notes)

	}
}
