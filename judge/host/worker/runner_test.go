package worker_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/host/job"
	"assay/judge/host/worker"
	"assay/judge/host/workflow"
	"assay/judge/workspace"
)

// problems contains problems of several kinds, with shell programs as judges.
const problems = `
-- judge.toml --
-- problems/any/problem.toml --
title = "Any"
[limits]
time = "2s"
[reference]
program = "reference.sh"
[checker]
program = "checker.sh"
speaks = "kattis"
-- problems/any/reference.sh --
read a b; echo $((a + b))
-- problems/any/checker.sh --
read want < $2
read got
[ "$want" = "$got" ] && exit 42
echo "want $want, got $got" > $3/judgemessage.txt
exit 43
-- problems/any/cases/sample/one.in --
1 2
-- problems/any/cases/sample/one.ans --
3
-- problems/any/cases/some/two.in --
2 2
-- problems/any/cases/some/two.ans --
4
-- problems/plain/problem.toml --
title = "Plain"
[limits]
time = "2s"
-- problems/plain/cases/sample/one.in --
1 2
-- problems/plain/cases/sample/one.ans --
3
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
-- problems/talk/problem.toml --
title = "Talk"
kind = "interactive"
[limits]
time = "2s"
[interactor]
program = "interactor.sh"
speaks = "kattis"
-- problems/talk/interactor.sh --
read a b < $1
echo $a $b
read got
[ "$got" = $((a + b)) ] && exit 42
exit 43
-- problems/talk/cases/sample/one.in --
1 2
-- problems/talk/cases/sample/one.ans --
3
-- problems/broken/problem.toml --
title = "Broken"
[checker]
program = "checker.c"
speaks = "kattis"
-- problems/broken/checker.c --
int main( { }
-- problems/broken/cases/sample/one.in --
1 2
-- problems/broken/cases/sample/one.ans --
3
-- right.sh --
read a b; echo $((a + b))
-- wrong.sh --
read a b; echo $((a + 2))
-- crash.sh --
echo oh no >&2
exit 3
-- nothing.sh --
-- notes.txt --
to do
-- worse.c --
int main( { }
-- folder/main.py --
import second
-- folder/second.py --
a, b = map(int, input().split())
print(a + b)
`

// same judges the submission at path twice, from the problem directory and on r with the bundle b. It compares the
// results.
func same(t *testing.T, w *workspace.Workspace, p *workspace.Problem, r *worker.Runner, s *server, b job.Bundle, path string, all bool) {
	t.Helper()
	var here, told []judge.Event
	sum, err := w.Submit(t.Context(), p, workspace.Submission{Path: path, Name: filepath.Base(path)},
		judge.Options{ContinueAfterFailure: all, Jobs: 2}, func(e judge.Event) { here = append(here, e) })
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	j := s.spec(t, b, path)
	j.ContinueOnFailure = all
	result, err := r.Run(t.Context(), j, func(e judge.Event) { told = append(told, e) }, nil)
	if err != nil || result.State != job.Done {
		t.Fatalf("%s: %+v, %v", path, result, err)
	}
	there, err := job.Unpack(result.Events)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timeless(t, here), timeless(t, told)); diff != "" {
		t.Errorf("%s (-folder +bundle):\n%s", path, diff)
	}
	packed, _, err := job.Pack(told)
	if err != nil {
		t.Fatal(err)
	}
	want, err := job.Unpack(packed) // omits the details of most failures
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timeless(t, want), timeless(t, there)); diff != "" {
		t.Errorf("%s (-told +result):\n%s", path, diff)
	}
	if result.Finished.Verdict != sum.Verdict || result.Version != "v1" || result.Machine == "" || result.IsolationLevel == "" ||
		strings.HasSuffix(path, "right.sh") && (result.Toolchains["shell"] == "" || result.CPUUS == 0 || len(result.Rows) != sum.Cases) {
		t.Errorf("%s: %+v", path, result)
	}
}

// TestAWorkerRunsWhatSubmitRuns checks that a bundle sent as blobs gives the same result as the problem directory
// from which it was made.
func TestAWorkerRunsWhatSubmitRuns(t *testing.T) {
	root := lay(t, problems)
	w, s := contest(t, root), newServer()
	r := runner(t, worker.RunnerOptions{Blobs: s, Version: "v1"})
	for _, name := range []string{"any", "plain", "pack", "talk"} {
		p, b := s.freeze(t, w, name)
		for _, file := range []string{"right.sh", "wrong.sh", "crash.sh", "nothing.sh", "notes.txt", "worse.c", "folder"} {
			same(t, w, p, r, s, b, filepath.Join(root, file), true)
		}
	}
}

// TestTheHouseOnAWorker checks that bundled problems give the same results on a worker as from their directories.
// It covers their checkers, and solutions in several languages.
func TestTheHouseOnAWorker(t *testing.T) {
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("judges seven submissions twice: done with ASSAY_SLOW=1")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	w, s := contest(t, root), newServer()
	r := runner(t, worker.RunnerOptions{Blobs: s, Version: "v1"})
	for name, files := range map[string][]string{
		"wythoff": {
			"accepted/square_root.py", "accepted/guess_and_correct.c", "run_time_error/exit_code_when_lost.py",
			"compile_error/forgets_a_semicolon.cpp",
		},
		"sylver":  {"accepted/dijkstra.py", "run_time_error/third_line.py"},
		"pd-duel": {"run_time_error/name_is_a_number.go"},
	} {
		p, b := s.freeze(t, w, name)
		for _, file := range files {
			same(t, w, p, r, s, b, filepath.Join(root, "solutions", name, file), false)
		}
	}
}

// TestAGolfCheckOnAWorker checks that a worker reports how it called a function that takes one argument.
func TestAGolfCheckOnAWorker(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	w, s := contest(t, root), newServer()
	r := runner(t, worker.RunnerOptions{Blobs: s, Version: "v1"})
	_, b := s.freeze(t, w, "wythoff")
	j := s.spec(t, b, filepath.Join(root, "cmd", "judge", "testdata", "golf", "right", "tuple_argument.py"))
	j.Kind, j.IsDir = job.GolfCheck, true
	j.Options, err = json.Marshal(workflow.GolfCheckOptions{
		GolfFile: workflow.GolfFile{Name: "a.py", File: "tuple_argument.py"}, Check: golf.Options{Quick: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.Run(t.Context(), j, nil, nil)
	var got workflow.GolfCheckOutput
	if err == nil {
		err = json.Unmarshal(result.Output, &got)
	}
	if err != nil || got.Verdict != judge.GolfCorrect || got.How != "function f((i,j))" || got.Language != "python3" {
		t.Errorf("the result is %+v, %v", got, err)
	}
}

// TestScale checks that time limits are scaled on a slower machine, and that each judgement records the factor.
func TestScale(t *testing.T) {
	root := lay(t, problems)
	w, s := contest(t, root), newServer()
	r := runner(t, worker.RunnerOptions{Blobs: s, Version: "v1"})
	_, b := s.freeze(t, w, "plain")
	for factor, want := range map[float64]string{0: "2000", 1: "2000",
		1.5: "3000 time limits are multiplied by 1.50, because this machine differs in speed from the first one of its class"} {
		if err := r.Scale(factor); err != nil {
			t.Fatal(err)
		}
		result, err := r.Run(t.Context(), s.spec(t, b, filepath.Join(root, "right.sh")), nil, nil)
		if err != nil || result.State != job.Done {
			t.Fatalf("%+v, %v", result, err)
		}
		events, err := job.Unpack(result.Events)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(events[0].(*judge.Started).TimeMS)
		for _, e := range events {
			if n, is := e.(*judge.Noted); is && strings.HasPrefix(n.Text, "time limits") {
				got += " " + n.Text
			}
		}
		if got != want {
			t.Errorf("times %v: %s, want %s", factor, got, want)
		}
	}
	if r.Scale(math.NaN()) == nil || r.Scale(-1) == nil {
		t.Error("it takes a factor that is none")
	}
}
