package workflow

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
)

// holeSpec returns the workflow of a golf submission. The argument again is as in NewHoleSpec.
func holeSpec(t *testing.T, again string) *Spec {
	t.Helper()
	how := GolfSubmissionOptions{Language: "python3", Flags: []string{"-O"}}
	proof, err := how.CheckOptions("answer.py")
	if err != nil {
		t.Fatal(err)
	}
	d := blob.DigestOf([]byte("x"))
	s, err := NewHoleSpec(job.Work{Bundle: d, Config: d, Problem: "sum", Program: "sum", IsDir: true,
		Files: []job.File{{Path: "answer.py", Digest: d}}}, proof, again)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestHoleIsPlanned checks that samples and edge cases come first, and all inputs only if those are correct. A
// valid submission becomes invalid only if two workers agree. The plan must not depend on the order of the parts.
func TestHoleIsPlanned(t *testing.T) {
	proved := func(key, worker string, v judge.GolfVerdict) TaskResult {
		return TaskResult{
			Key: key, State: job.Done, Worker: worker,
			Output: output(t, GolfCheckOutput{Verdict: v, Language: "python3", Toolchain: "Python 3.14", How: "f(i,j)"}),
		}
	}
	bad := func(key string) TaskResult { return TaskResult{Key: key, State: job.Failed, Reason: "no disk"} }
	right, wrong, cannot := judge.GolfCorrect, judge.GolfIncorrect, judge.GolfCannotRun
	for name, tt := range map[string]struct {
		again   bool
		parts   []TaskResult
		next    string // key, priority, the call that is tried first, and excluded workers
		right   bool
		verdict judge.GolfVerdict // of the deciding part
		failed  bool
		workers string
	}{
		"a new one":          {next: "quick practice"},
		"right on samples":   {parts: []TaskResult{proved("quick", "a", right)}, next: "whole proofs f(i,j)"},
		"wrong on samples":   {parts: []TaskResult{proved("quick", "a", wrong)}, verdict: wrong, workers: "a"},
		"it cannot run":      {parts: []TaskResult{proved("quick", "a", cannot)}, verdict: cannot, workers: "a"},
		"wrong on the whole": {parts: []TaskResult{proved("whole", "b", wrong), proved("quick", "a", right)}, verdict: wrong, workers: "a b"},
		"right": {
			parts: []TaskResult{proved("whole", "b", right), proved("quick", "a", right)}, verdict: right, right: true,
			workers: "a b",
		},
		"no worker could":              {parts: []TaskResult{bad("quick")}, failed: true},
		"no worker could do the whole": {parts: []TaskResult{proved("quick", "a", right), bad("whole")}, failed: true},
		"one that stands":              {again: true, next: "whole proofs"},
		"it is still right": {again: true, parts: []TaskResult{proved("whole", "a", right)}, verdict: right, right: true,
			workers: "a"},
		"one worker says it is wrong": {again: true, parts: []TaskResult{proved("whole", "a", wrong)}, next: "second proofs a"},
		"two say so": {
			again: true, parts: []TaskResult{proved("second", "b", wrong), proved("whole", "a", cannot)}, verdict: wrong,
			workers: "a b",
		},
		"the second does not": {
			again: true, parts: []TaskResult{proved("second", "b", right), proved("whole", "a", wrong)}, verdict: right, right: true,
			workers: "a b",
		},
		"unknown": {again: true, parts: []TaskResult{bad("whole")}, failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			again := ""
			if tt.again {
				again = "Python 3.15"
			}
			s := holeSpec(t, again)
			for range 2 {
				step, err := Next(s, tt.parts)
				if err != nil {
					t.Fatal(err)
				}
				var next []string
				for _, j := range step.Tasks {
					work, o := j.Work, GolfCheckOptions{}
					if err := json.Unmarshal(work.Options, &o); err != nil {
						t.Error(err)
					}
					words := append([]string{j.Key, j.Priority.String(), o.Check.First}, j.Exclude...)
					next = append(next, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
					if err := work.Check(); err != nil {
						t.Errorf("%s: %+v, %v", j.Key, j, err)
					}
				}
				if got := strings.Join(next, ", "); got != tt.next || step.Done != (tt.next == "") || (step.Failed != "") != tt.failed {
					t.Fatalf("got %q, %+v", got, step)
				}
				slices.Reverse(tt.parts)
			}
			step, err := Next(s, tt.parts)
			if err != nil || (step.GolfCheck == nil) != (tt.next != "") || step.Audit != nil || step.Optional {
				t.Fatalf("the step is %+v, %v", step, err)
			}
			a := step.GolfCheck
			if a == nil {
				return
			}
			if a.Unreadable != "" || a.Recheck != tt.again || a.Correct != tt.right || (a.Deciding == nil) != tt.failed {
				t.Fatalf("it came to %+v", a)
			}
			if !tt.failed && (a.Output.Verdict != tt.verdict || strings.Join(a.Workers, " ") != tt.workers) {
				t.Errorf("it came to %+v, %+v", a, a.Output)
			}
			if want := map[bool]string{true: "Python 3.15", false: "Python 3.14"}[tt.again]; !tt.failed && a.Toolchain != want {
				t.Errorf("with the tool chain %q, want %q", a.Toolchain, want)
			}
		})
	}
}

// TestEndsOfKinds checks which kinds of workflows return a result even if their options cannot be read.
func TestEndsOfKinds(t *testing.T) {
	for k := range planners {
		if k == Analysis { // this kind has no options
			continue
		}
		step, err := Next(&Spec{Kind: k, Options: json.RawMessage("no")}, nil)
		if err == nil || !step.Done || step.Failed != err.Error() || step.Audit != nil || step.Optional {
			t.Errorf("%s: %+v, %v", k, step, err)
			continue
		}
		if (step.GolfCheck != nil) != (k == Hole) || HasPage(k) != (k == Hole) || step.GolfCheck != nil && step.GolfCheck.Unreadable == "" {
			t.Errorf("%s came to %+v", k, step.GolfCheck)
		}
	}
	if step, err := Next(&Spec{Kind: "poem"}, nil); err == nil || !step.Done || step.Failed != err.Error() {
		t.Errorf("an unknown kind: %+v, %v", step, err)
	}
}

// TestHolesAreTheServersOwn checks that only the server can start a workflow that checks a submission to a hole.
func TestHolesAreTheServersOwn(t *testing.T) {
	if err := holeSpec(t, "").Check(); err == nil {
		t.Error("anybody may ask for the proof of an answer to a hole")
	}
}

func TestFlagsOfAnAnswer(t *testing.T) {
	for flags, fine := range map[string]bool{
		"": true, "-p": true, "-MList::Util=max -p": true, "--std=c++20": true, "-e$_=1": false, "-eprint(1)": false, "-e;": false,
		"print": false,
		"-abcdefghijklmnopqrstuvwxyz -abcdefghijklmnopqrstuvwxyz": false,
	} {
		a := GolfSubmissionOptions{Flags: strings.Fields(flags)}
		if _, err := a.CheckOptions("answer.pl"); (err == nil) != fine {
			t.Errorf("the flags %q: %v", flags, err)
		}
	}
	for _, a := range []GolfSubmissionOptions{{Reading: "song"}, {In: "by mail"}} {
		if _, err := a.CheckOptions("answer.pl"); err == nil {
			t.Errorf("%+v is taken", a)
		}
	}
}

func TestWhy(t *testing.T) {
	for want, r := range map[string]judge.GolfChecked{
		"no perl here": {Verdict: judge.GolfCannotRun, Log: "no perl here\ninstall it"},
		"1 2 gave 3: it is 4": {
			Verdict: judge.GolfIncorrect, Wrong: []judge.GolfWrongInput{{In: "1 2", Gave: "3", Why: "it is 4"}, {In: "5 5"}},
		},
		"no answer within 10 s of CPU time at 9 7": {Verdict: judge.GolfTooSlow, Slow: []string{"9 7"}, TimeMS: 10000},
		"it takes long": {Verdict: judge.GolfTooSlow, Log: "it takes long"},
		"":              {Verdict: judge.GolfCorrect},
	} {
		if got := RejectReason(&r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
