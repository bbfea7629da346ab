package flow

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
)

// holeSpec returns the workflow of a golf submission. The argument again is as in NewHole.
func holeSpec(t *testing.T, again string) *Spec {
	t.Helper()
	how := HoleAnswer{Language: "python3", Flags: []string{"-O"}}
	proof, err := how.Proof("answer.py")
	if err != nil {
		t.Fatal(err)
	}
	d := blob.Of([]byte("x"))
	s, err := NewHole(job.Work{Bundle: d, Config: d, Problem: "sum", Program: "sum", Folder: true,
		Files: []job.File{{Path: "answer.py", Digest: d}}}, proof, again)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestHoleIsPlanned checks that samples and edge cases come first, and all inputs only if those are correct. A
// valid submission becomes invalid only if two workers agree. The plan must not depend on the order of the parts.
func TestHoleIsPlanned(t *testing.T) {
	proved := func(key, worker string, v judge.GolfVerdict) Part {
		return Part{
			Key: key, State: job.Done, Worker: worker,
			Output: output(t, Proved{Verdict: v, Language: "python3", Toolchain: "Python 3.14"}),
		}
	}
	bad := func(key string) Part { return Part{Key: key, State: job.Failed, Reason: "no disk"} }
	right, wrong, cannot := judge.GolfRight, judge.GolfWrong, judge.GolfCannotRun
	for name, tt := range map[string]struct {
		again   bool
		parts   []Part
		next    string // key, lane and excluded workers
		right   bool
		verdict judge.GolfVerdict // of the deciding part
		failed  bool
		workers string
	}{
		"a new one":          {next: "quick practice"},
		"right on samples":   {parts: []Part{proved("quick", "a", right)}, next: "whole proofs"},
		"wrong on samples":   {parts: []Part{proved("quick", "a", wrong)}, verdict: wrong, workers: "a"},
		"it cannot run":      {parts: []Part{proved("quick", "a", cannot)}, verdict: cannot, workers: "a"},
		"wrong on the whole": {parts: []Part{proved("whole", "b", wrong), proved("quick", "a", right)}, verdict: wrong, workers: "a b"},
		"right": {
			parts: []Part{proved("whole", "b", right), proved("quick", "a", right)}, verdict: right, right: true,
			workers: "a b",
		},
		"no worker could":              {parts: []Part{bad("quick")}, failed: true},
		"no worker could do the whole": {parts: []Part{proved("quick", "a", right), bad("whole")}, failed: true},
		"one that stands":              {again: true, next: "whole proofs"},
		"it is still right":            {again: true, parts: []Part{proved("whole", "a", right)}, verdict: right, right: true, workers: "a"},
		"one worker says it is wrong":  {again: true, parts: []Part{proved("whole", "a", wrong)}, next: "second proofs a"},
		"two say so": {
			again: true, parts: []Part{proved("second", "b", wrong), proved("whole", "a", cannot)}, verdict: wrong,
			workers: "a b",
		},
		"the second does not": {
			again: true, parts: []Part{proved("second", "b", right), proved("whole", "a", wrong)}, verdict: right, right: true,
			workers: "a b",
		},
		"unknown": {again: true, parts: []Part{bad("whole")}, failed: true},
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
				for _, j := range step.Jobs {
					next = append(next, strings.TrimSpace(strings.Join([]string{j.Key, j.Lane.String(), strings.Join(j.Exclude, " ")}, " ")))
					work := j.Work
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
			if err != nil || (step.Answer == nil) != (tt.next != "") || step.Audit != nil || step.Optional {
				t.Fatalf("the step is %+v, %v", step, err)
			}
			a := step.Answer
			if a == nil {
				return
			}
			if a.Unread != "" || a.Again != tt.again || a.Right != tt.right || (a.Part == nil) != tt.failed {
				t.Fatalf("it came to %+v", a)
			}
			if !tt.failed && (a.Proved.Verdict != tt.verdict || strings.Join(a.Workers, " ") != tt.workers) {
				t.Errorf("it came to %+v, %+v", a, a.Proved)
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
		if k == Look { // this kind has no options
			continue
		}
		step, err := Next(&Spec{Kind: k, Options: json.RawMessage("no")}, nil)
		if err == nil || !step.Done || step.Failed != err.Error() || step.Audit != nil || step.Optional {
			t.Errorf("%s: %+v, %v", k, step, err)
			continue
		}
		if (step.Answer != nil) != (k == Hole) || HasPage(k) != (k == Hole) || step.Answer != nil && step.Answer.Unread == "" {
			t.Errorf("%s came to %+v", k, step.Answer)
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
		a := HoleAnswer{Flags: strings.Fields(flags)}
		if _, err := a.Proof("answer.pl"); (err == nil) != fine {
			t.Errorf("the flags %q: %v", flags, err)
		}
	}
	for _, a := range []HoleAnswer{{As: "song"}, {In: "by mail"}} {
		if _, err := a.Proof("answer.pl"); err == nil {
			t.Errorf("%+v is taken", a)
		}
	}
}

func TestWhy(t *testing.T) {
	for want, r := range map[string]judge.GolfProved{
		"no perl here": {Verdict: judge.GolfCannotRun, Log: "no perl here\ninstall it"},
		"1 2 gave 3: it is 4": {
			Verdict: judge.GolfWrong, Wrong: []judge.GolfWrongInput{{In: "1 2", Gave: "3", Why: "it is 4"}, {In: "5 5"}},
		},
		"no answer within 10 s of CPU time at 9 7": {Verdict: judge.GolfSlow, Slow: []string{"9 7"}, TimeMS: 10000},
		"it takes long": {Verdict: judge.GolfSlow, Log: "it takes long"},
		"":              {Verdict: judge.GolfRight},
	} {
		if got := Why(&r); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
