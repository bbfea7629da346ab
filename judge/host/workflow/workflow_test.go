package workflow

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/judge/blob"
	"assay/judge/contests/arena"
	"assay/judge/host/job"
)

// spec returns a workflow of the given kind and options.
func spec(t *testing.T, k Kind, options any, files ...job.File) *Spec {
	t.Helper()
	data, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	d := blob.DigestOf([]byte("x"))
	s := &Spec{
		Kind: k, Options: data,
		Work: job.Work{Bundle: d, Config: d, Problem: "sum", Program: "sum", Snapshot: UsesSnapshot(k), Files: files, IsDir: true},
	}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	return s
}

func output(t *testing.T, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// next returns the next step and its keys.
func next(t *testing.T, s *Spec, parts []TaskResult) (keys string, step *Step) {
	t.Helper()
	step, err := Next(s, parts)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, j := range step.Tasks {
		if err := j.Work.Check(); err != nil {
			t.Errorf("the job %s: %v", j.Key, err)
		}
		all = append(all, j.Key)
	}
	return strings.Join(all, ", "), step
}

// TestVerifyIsPlanned checks that a verification runs its checks first and then each solution once, for any order
// of the parts.
func TestVerifyIsPlanned(t *testing.T) {
	s := spec(t, Verify, VerifyOptions{Problem: "problems/sum"})
	checks := TaskResult{Key: ChecksKey, State: job.Done, Output: output(t, ChecksOutput{Ready: true, Solutions: []string{"a", "b", "c"}})}
	of := func(path string) TaskResult { return TaskResult{Key: SolutionKey(path), State: job.Done} }
	for name, tt := range map[string]struct {
		parts []TaskResult
		keys  string
		done  bool
	}{
		"at first":      {nil, "checks", false},
		"checked":       {[]TaskResult{checks}, "solution a, solution b, solution c", false},
		"in the middle": {[]TaskResult{of("c"), checks, of("a")}, "solution b", false},
		"at the end":    {[]TaskResult{of("c"), checks, of("a"), of("b")}, "", true},
		"not ready":     {[]TaskResult{{Key: ChecksKey, State: job.Done, Output: output(t, ChecksOutput{Solutions: []string{"a"}})}}, "", true},
		"none":          {[]TaskResult{{Key: ChecksKey, State: job.Done, Output: output(t, ChecksOutput{Ready: true})}}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 {
				rand.Shuffle(len(tt.parts), func(i, j int) { tt.parts[i], tt.parts[j] = tt.parts[j], tt.parts[i] })
				if keys, step := next(t, s, tt.parts); keys != tt.keys || step.Done != tt.done || step.Failed != "" {
					t.Fatalf("got %q, %+v", keys, step)
				}
			}
		})
	}
}

// TestWhatFailsIsSaid checks that a failed part ends the workflow. Failed checks end the workflow immediately. A
// failed solution ends it when the other solutions are done.
func TestWhatFailsIsSaid(t *testing.T) {
	s := spec(t, Verify, VerifyOptions{Problem: "problems/sum"})
	failed := TaskResult{Key: ChecksKey, State: job.GivenUp, Reason: "no disk"}
	if _, step := next(t, s, []TaskResult{failed}); !step.Done || step.Failed != "no disk" {
		t.Errorf("got %+v", step)
	}
	checks := TaskResult{Key: ChecksKey, State: job.Done, Output: output(t, ChecksOutput{Ready: true, Solutions: []string{"a", "b"}})}
	bad := TaskResult{Key: SolutionKey("a"), State: job.Failed, Reason: "no disk"}
	if keys, step := next(t, s, []TaskResult{bad, checks}); step.Done || keys != "solution b" {
		t.Errorf("got %q, %+v", keys, step)
	}
	if _, step := next(t, s, []TaskResult{bad, checks, {Key: SolutionKey("b"), State: job.Done}}); !step.Done || step.Failed != "a: no disk" {
		t.Errorf("got %+v", step)
	}
}

// TestSpecsOfOthers checks that invalid specs are rejected before they are stored, and that invalid output of
// workers does not cause a panic.
func TestSpecsOfOthers(t *testing.T) {
	good := func() *Spec { return spec(t, Verify, VerifyOptions{Problem: "problems/sum"}) }
	for want, change := range map[string]func(*Spec){
		"kind of workflow":    func(s *Spec) { s.Kind = "dance" },
		"is about a snapshot": func(s *Spec) { s.Work.Snapshot = false },
		"cannot be read":      func(s *Spec) { s.Options = []byte("[") },
		"name no directory":   func(s *Spec) { s.Options = []byte("{}") },
		"the bundle":          func(s *Spec) { s.Work.Bundle = "" },
		"the problem":         func(s *Spec) { s.Work.Problem = "../sum" },
	} {
		s := good()
		change(s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for k, options := range map[Kind]any{
		Verify: VerifyOptions{Problem: "x"}, Adequacy: AdequacyOptions{Problem: "x"}, Golf: GolfOptions{Submissions: []GolfFile{{"a", "a"}}},
		Arena: ArenaOptions{Bots: []ArenaBot{{Path: "a"}, {Path: "a"}}}, Analysis: AnalysisOptions{Opened: &arena.Opened{}},
	} {
		s := spec(t, k, options, job.File{Path: "a", Digest: blob.DigestOf([]byte("x"))})
		kept := string(s.Options)
		s.Options = []byte(`{"filler": "` + strings.Repeat("x", 1000) + `", ` + kept[1:])
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), `"filler"`) || len(err.Error()) > 300 {
			t.Errorf("%s with another field: %v", k, err)
		}
		s.Options = []byte(" \n" + kept + strings.Repeat(" ", 1000))
		if err := s.Check(); err != nil || string(s.Options) != kept {
			t.Errorf("%s keeps %s, %v", k, s.Options, err)
		}
	}
	for k, p := range planners {
		err := p.check(&Spec{Kind: k})
		if own := err != nil && strings.HasPrefix(err.Error(), "only the server itself"); own == slices.Contains(AccountKinds(), k) {
			t.Errorf("whether people ask for %s: %v", k, err)
		}
	}
	for _, text := range []string{"", "[", `{"ready": 7}`} {
		if _, err := Next(good(), []TaskResult{{Key: ChecksKey, State: job.Done, Output: []byte(text)}}); err == nil {
			t.Errorf("the output %q was read", text)
		}
	}
	if _, err := Next(&Spec{Kind: "dance"}, nil); err == nil {
		t.Error("an unknown kind is planned")
	}
}

// TestPlanningTwiceIsTheSame checks that the same parts, in any order, give the same jobs. Therefore a restart
// does not plan jobs again.
func TestPlanningTwiceIsTheSame(t *testing.T) {
	s := spec(t, Verify, VerifyOptions{Problem: "problems/sum", Only: []string{"x"}})
	var paths []string
	for i := range 30 {
		paths = append(paths, fmt.Sprint("solutions/sum/accepted/", i))
	}
	parts := []TaskResult{{Key: ChecksKey, State: job.Done, Output: output(t, ChecksOutput{Ready: true, Solutions: paths})}}
	planned := map[string]string{}
	draw := rand.New(rand.NewPCG(3, 4))
	for {
		_, step := next(t, s, parts)
		for _, j := range step.Tasks {
			work := string(output(t, j.Work))
			if was, known := planned[j.Key]; known && was != work {
				t.Fatalf("the job %s has changed", j.Key)
			}
			planned[j.Key] = work
		}
		if step.Done {
			break
		}
		j := step.Tasks[draw.IntN(len(step.Tasks))]
		parts = slices.Insert(parts, draw.IntN(len(parts)+1), TaskResult{Key: j.Key, State: job.Done})
	}
	if len(planned) != 30 {
		t.Errorf("%d jobs were planned", len(planned))
	}
}
