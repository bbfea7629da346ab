package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/running/sandbox"
	"assay/judge/workspace"
)

func TestMain(m *testing.M) {
	sandbox.Main() // does not return in a process that the sandbox started
	os.Exit(m.Run())
}

// contest extracts a contest and starts its workspace.
func contest(t *testing.T, archive string) (*workspace.Workspace, string) {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Find(workspace.Env{Dir: root, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(workspace.RunOptions{Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, root
}

// three contains three problems: one whose checker is a program, a package without a time limit, and one whose
// cases are made on first use.
const three = `
-- judge.toml --
-- problems/any/problem.toml --
title = "Any"
[limits]
time = "2s"
[checker]
program = "checker.sh"
speaks = "kattis"
-- problems/any/checker.sh --
read want < $2
read got
[ "$want" = "$got" ] && exit 42
exit 43
-- problems/any/cases/sample/one.in --
1 2
-- problems/any/cases/sample/one.ans --
3
-- problems/any/cases/some/two.in --
2 2
-- problems/any/cases/some/two.ans --
4
-- problems/pack/problem.yaml --
problem_format_version: 2025-09
name: Pack
uuid: 9a5ab9bd-2c6e-4f5c-a0c8-0c1d1c1d1c1d
-- problems/pack/problem_statement/problem.en.md --
Add.
-- problems/pack/data/sample/1.in --
1 2
-- problems/pack/data/sample/1.ans --
3
-- problems/pack/data/secret/2.in --
20 2
-- problems/pack/data/secret/2.ans --
22
-- problems/pack/submissions/accepted/right.sh --
read a b; echo $((a + b))
-- problems/made/problem.toml --
title = "Made"
[limits]
time = "2s"
[reference]
program = "reference.sh"
[generator]
program = "generator.sh"
speaks = "plain"
[[group]]
name = "many"
cases = ["{1..6}"]
store = false
-- problems/made/reference.sh --
read a b; echo $((a + b))
-- problems/made/generator.sh --
echo $1 7
-- problems/made/cases/sample/one.in --
1 2
-- problems/made/cases/sample/one.ans --
3
-- right.sh --
read a b; echo $((a + b))
-- wrong.sh --
read a b; echo $((a + 2))
-- crash.sh --
exit 3
-- waits.sh --
sleep 60
-- nothing.sh --
-- notes.txt --
to do
`

// twenty returns the problem and the file of each of twenty submissions.
func twenty() (all [][2]string) {
	for i := range 20 {
		problems := []string{"any", "pack", "made"}
		files := []string{"right.sh", "wrong.sh", "crash.sh", "right.sh", "nothing.sh", "notes.txt", "wrong.sh"}
		all = append(all, [2]string{problems[i%3], files[i%7]})
	}
	return all
}

// lines returns the events of a judging as text, without times. The lines must not depend on what else is judged
// at the same time.
func lines(t *testing.T, w *workspace.Workspace, p *workspace.Problem, path string) (all []string) {
	t.Helper()
	sum, err := w.Submit(t.Context(), p, workspace.Submission{Path: path}, judge.Options{ContinueAfterFailure: true, Jobs: 2},
		func(e judge.Event) {
			switch e := e.(type) {
			case *judge.Started:
				all = append(all, fmt.Sprintf("%s %s %d cases", e.Problem, e.Language, e.Cases))
			case *judge.Built:
				all = append(all, fmt.Sprintf("built %q %q", e.Verdict, e.Log))
			case *judge.CaseJudged:
				all = append(all, fmt.Sprintf("%s %s %s", e.ID(), e.Verdict, e.Message))
			case *judge.GroupJudged:
				all = append(all, fmt.Sprintf("%s %s %d of %d", e.Group, e.Verdict, e.Passed, e.Cases))
			case *judge.Finished:
				all = append(all, fmt.Sprintf("%s %d of %d, first %s", e.Verdict, e.Passed, e.Cases, e.First))
			}
		})
	if err != nil {
		return append(all, err.Error())
	}
	return append(all, string(sum.Verdict))
}

func TestManyAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("judges 40 submissions")
	}
	w, root := contest(t, three)
	manifest(t, w, "made")
	open := func(w *workspace.Workspace, name string) *workspace.Problem {
		p, err := w.OpenForJudging(t.Context(), name, workspace.RunOptions{})
		if err != nil {
			t.Error(name, err)
		}
		return p
	}
	// First judge the submissions one by one, in a separate workspace.
	alone, err := workspace.Find(workspace.Env{Dir: root, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := alone.Start(workspace.RunOptions{Jobs: 2}); err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	want := make([][]string, 20)
	for i, s := range twenty() {
		want[i] = lines(t, alone, open(alone, s[0]), filepath.Join(root, s[1]))
	}
	// Then judge all at the same time. Some share an open problem, and some open it themselves.
	shared := map[string]*workspace.Problem{"any": open(w, "any"), "pack": open(w, "pack"), "made": nil}
	got := make([][]string, 20)
	var wg sync.WaitGroup
	for i, s := range twenty() {
		wg.Go(func() {
			p := shared[s[0]]
			if p == nil {
				p = open(w, s[0])
			}
			got[i] = lines(t, w, p, filepath.Join(root, s[1]))
		})
	}
	wg.Wait()
	for i := range want {
		for _, list := range [][]string{want[i], got[i]} {
			for k := range list { // lines that name a cache directory
				list[k] = strings.ReplaceAll(strings.ReplaceAll(list[k], alone.Cache, ""), w.Cache, "")
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("alone and beside others (-alone +beside):\n%s", diff)
	}
	if n := strings.Count(fmt.Sprint(want), "AC 2 of 2"); n == 0 {
		t.Errorf("nothing was accepted: %q", want)
	}
}

// manifest makes the unstored cases of a problem once, so that their manifest exists. A contestant's machine has
// only the manifest and not the cases.
func manifest(t *testing.T, w *workspace.Workspace, name string) {
	t.Helper()
	p, err := w.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Maker().Generate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(w.Cache, "cases")); err != nil {
		t.Fatal(err)
	}
}

func TestASubmissionThatCannotBeUsedGetsAVerdict(t *testing.T) {
	w, root := contest(t, three)
	p, err := w.Open("any")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		it   string
		s    workspace.Submission
		want string // in the log
	}{
		{"tells one that is empty", workspace.Submission{Path: "nothing.sh"}, "nothing.sh: the file is empty"},
		{"tells one in no language", workspace.Submission{Path: "notes.txt"}, "notes.txt: no language"},
		{"tells an unknown language", workspace.Submission{Path: "right.sh", Language: "shh"}, `unknown language "shh"`},
	} {
		row.s.Path = filepath.Join(root, row.s.Path)
		var log string
		sum, err := w.Submit(t.Context(), p, row.s, judge.Options{Jobs: 1}, func(e judge.Event) {
			if e, ok := e.(*judge.Built); ok {
				log = e.Log
			}
		})
		if err != nil || sum.Verdict != judge.CompileError || !strings.Contains(log, row.want) || strings.Contains(log, root) {
			t.Errorf("it %s: %+v, log %q, %v; want CE and %q", row.it, sum, log, err, row.want)
		}
	}
	_, err = w.Submit(t.Context(), p, workspace.Submission{Path: filepath.Join(root, "gone.sh")}, judge.Options{Jobs: 1}, func(judge.Event) {})
	if judge.BlameOf(err) != judge.Caller {
		t.Errorf("a file that is not there: %v, to blame is %q", err, judge.BlameOf(err))
	}
}

// TestLimitsOfProgramsThatJudge checks that a checker always gets the memory that its package sets, no matter
// which code runs it.
func TestLimitsOfProgramsThatJudge(t *testing.T) {
	w, root := contest(t, `
-- judge.toml --
-- big/problem.yaml --
problem_format_version: 2025-09
name: Big
uuid: 9a5ab9bd-2c6e-4f5c-a0c8-0c1d1c1d1c1e
limits:
  time_limit: 2
  validation_memory: 400
  validation_time: 7
-- big/problem_statement/problem.en.md --
Say it.
-- big/data/sample/1.in --
1
-- big/data/sample/1.ans --
1
-- big/output_validator/check.sh --
exit 42
-- big/submissions/accepted/right.sh --
cat
`)
	p, err := w.Open(filepath.Join(root, "big"))
	if err != nil {
		t.Fatal(err)
	}
	with, err := p.WithReference(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	lab, err := p.TestSolution(t.Context(), filepath.Join(root, "big/submissions/accepted/right.sh"), "", false)
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	want := w.Config.Setter
	want.Memory, want.CPU = 400<<20, 7e9
	for name, got := range map[string]judge.Limits{
		"judging": p.SetterPrograms().Limits(), "verifying": p.Verifier().Programs.Limits(),
		"searching": with.SetterPrograms().Limits(), "a lab": lab.Setting.Programs.Limits(),
	} {
		if got.Memory != want.Memory || got.CPU != want.CPU || got.Processes != want.Processes {
			t.Errorf("%s: %+v, want those of the package in %+v", name, got, want)
		}
	}
}

// TestFrozenByBlobs checks that a bundle that consists only of blobs is judged like the problem's directory. The
// workspace contains only the bundle's configuration.
func TestFrozenByBlobs(t *testing.T) {
	w, root := contest(t, three)
	manifest(t, w, "made")
	beside := workspace.NewShared(1)
	for _, name := range []string{"any", "pack", "made"} {
		p, err := w.OpenForJudging(t.Context(), name, workspace.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := w.Bundle(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		cache := t.TempDir()
		blobs, err := blob.Open(filepath.Join(cache, "blobs"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = blobs.Add(bytes.NewReader(b.Manifest.Bytes())); err != nil {
			t.Fatal(err)
		}
		if err := b.StoreBlobs(blobs); err != nil {
			t.Fatal(err)
		}
		other, err := workspace.Find(workspace.Env{Dir: t.TempDir(), Cache: cache, Config: b.Config})
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Start(workspace.RunOptions{Shared: beside}); err != nil || other.Jobs != 1 {
			t.Fatalf("Start: %v, %d jobs", err, other.Jobs)
		}
		defer other.Close()
		again, err := bundle.FromBlobs(blobs, b.Manifest.ID(), name)
		if err != nil {
			t.Fatal(err)
		}
		thawed, err := other.OpenBundle(again, blobs, filepath.Join(cache, "laid", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"right.sh", "wrong.sh", "crash.sh", "notes.txt"} {
			path := filepath.Join(root, file)
			if diff := cmp.Diff(lines(t, w, p, path), lines(t, other, thawed, path)); diff != "" {
				t.Errorf("%s on %s (-directory +bundle):\n%s", file, name, diff)
			}
		}
	}
	if _, err := workspace.Find(workspace.Env{Dir: root, Cache: t.TempDir(), Config: []byte("x = 1\n")}); judge.BlameOf(err) != judge.Setter {
		t.Errorf("a configuration that is none: %v", err)
	}
}

// TestALongBuildIsTold checks that a slow build of a setter's program is reported with the elapsed time, and that
// the end of the build is reported. A program that was already built must not be reported.
func TestALongBuildIsTold(t *testing.T) {
	_, root := contest(t, `
-- judge.toml --
[[language]]
id = "slow"
name = "Slow"
extensions = ["slow"]
package = "dash"
tools = ["sh"]
file = "main.slow"
build = [["sh", "-c", "sleep 1.2"]]
run = ["sh", "/program/main.slow"]
hello = "read a b; echo $((a + b))"
-- problems/late/problem.toml --
title = "Late"
[checker]
program = "checker.slow"
speaks = "kattis"
-- problems/late/checker.slow --
exit 42
-- problems/late/cases/sample/one.in --
1
-- problems/late/cases/sample/one.ans --
1
-- cat.sh --
cat
`)
	w, err := workspace.Find(workspace.Env{Dir: root, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var told []string
	err = w.Start(workspace.RunOptions{Jobs: 1, OnBuild: func(path, _ string, passed time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprintf("%s %t", filepath.Base(path), passed >= time.Second))
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 2 { // the second time, the program is already built
		p, err := w.Open("late")
		if err != nil {
			t.Fatal(err)
		}
		sum, err := w.Submit(
			t.Context(), p, workspace.Submission{Path: filepath.Join(root, "cat.sh")}, judge.Options{Jobs: 1},
			func(judge.Event) {},
		)
		if err != nil || sum.Verdict != judge.Accepted {
			t.Fatalf("Submit: %+v, %v", sum, err)
		}
	}
	if n := len(told); n < 2 || told[0] != "checker.slow true" || told[n-1] != "checker.slow false" {
		t.Errorf("told %q, want the checker with its time, and its end", told)
	}
	if strings.Count(fmt.Sprint(told), "false") != 1 {
		t.Errorf("told %q, want one end", told)
	}
}
