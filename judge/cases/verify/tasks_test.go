package verify

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/packages"
	"assay/judge/problem"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// named is a solution whose file name determines its verdict.
type named struct {
	trial.Executor
	path string
}

func (b named) Build(context.Context) (*judge.Built, error) { return &judge.Built{}, nil }
func (b named) Try(context.Context, *judge.Case) (*judge.Attempt, error) {
	return &judge.Attempt{}, nil
}
func (b named) Explain(*judge.Case, *judge.Attempt, judge.Outcome) *judge.Detail { return nil }
func (b named) Close() error                                                     { return nil }
func (b named) Check(context.Context, *judge.Case, *judge.Attempt) (judge.Outcome, error) {
	if strings.HasPrefix(filepath.Base(b.path), "right") {
		return judge.Outcome{Verdict: judge.Accepted}, nil
	}
	return judge.Outcome{Verdict: judge.WrongAnswer}, nil
}

type namedEntries struct{ Builder }

func (namedEntries) Solution(_ context.Context, path string) (*lang.Result, error) {
	if strings.Contains(path, "nowhere") {
		return nil, &lang.MissingError{Language: "nowhere"}
	}
	return &lang.Result{OK: true}, nil
}

func (namedEntries) Executor(_ context.Context, _ *judge.Problem, path string, _ *lang.Result, _ trial.RunMode) (trial.Executor, error) {
	return named{path: path}, nil
}

// TestFold checks Fold with the parts of verifications in many orders.
func TestFold(t *testing.T) {
	for _, row := range []struct {
		it    string
		files []string
		ok    bool
	}{
		{"has nothing to say against what is as promised", []string{"accepted/right.py", "accepted/right_too.py", "wrong_answer/bad.py"}, true},
		{"tells a broken promise", []string{"accepted/right.py", "wrong_answer/right.py", "wrong_answer/bad.py", "accepted/bad.py"}, false},
		{"wants something right", []string{"wrong_answer/bad.py", "wrong_answer/worse.py"}, false},
		{"counts what is skipped", []string{"accepted/nowhere.x", "wrong_answer/bad.py"}, true},
	} {
		dir, solutions := t.TempDir(), t.TempDir()
		for _, f := range []string{"problem.toml", "statement.md", "cases/sample/a.in", "cases/sample/a.ans"} {
			write(t, filepath.Join(dir, f), map[string]string{"problem.toml": "title = \"T\"\n", "statement.md": "# T\n"}[f]+strings.Repeat(
				"1\n", strings.Count(f, "cases"),
			))
		}
		for _, f := range row.files {
			write(t, filepath.Join(solutions, f), "\n")
		}
		folder, faults := problem.Open(packages.Formats, dir, filepath.Join(dir, "none"), judge.Limits{})
		if folder == nil {
			t.Fatal(faults)
		}
		verifier := func() *Verifier {
			return &Verifier{Directory: folder, Solutions: solutions, Jobs: 2, Builder: namedEntries{}}
		}
		var want, checks []judge.Event
		done, err := verifier().Run(t.Context(), func(e judge.Event) {
			if _, passing := e.(*judge.Progressed); !passing {
				want = append(want, e)
			}
		})
		if err != nil || done.OK != (done.Faults == 0) || done.Solutions != len(row.files) {
			t.Fatalf("it %s: %+v, %v", row.it, done, err)
		}
		if ready, err := verifier().Checks(t.Context(), func(e judge.Event) { checks = append(checks, e) }); !ready || err != nil {
			t.Fatalf("it %s: Checks = %v, %v", row.it, ready, err)
		}
		before := slices.Clone(checks)
		parts := [][]judge.Event{checks}
		for _, f := range row.files {
			events, err := verifier().Solution(t.Context(), filepath.Join(solutions, f))
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, events)
		}
		for seed := range uint64(20) {
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(parts), func(i, k int) { parts[i], parts[k] = parts[k], parts[i] })
			got, err := verifier().MergeEvents(parts...)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("it %s: Fold in order %d is not what Run tells: %v, %v\nwant %v", row.it, seed, got, err, want)
			}
		}
		if !reflect.DeepEqual(checks, before) {
			t.Errorf("it %s: Fold changed its parts", row.it)
		}
		faultsOfSolutions := done.Faults - countFaults(checks)
		if (faultsOfSolutions == 0) != row.ok {
			t.Errorf("it %s: %d faults of solutions", row.it, faultsOfSolutions)
		}
	}
	if _, err := (&Verifier{Directory: &problem.Directory{Problem: &judge.Problem{ID: "p"}}}).Solution(t.Context(),
		"elsewhere.py"); err == nil {
		t.Error("Solution judges what is not a solution")
	}
}

func countFaults(events []judge.Event) (n int) {
	for _, e := range events {
		if _, ok := e.(*judge.ProblemErrorFound); ok {
			n++
		}
	}
	return n
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
