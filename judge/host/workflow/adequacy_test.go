package workflow

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/cases/mutate"
	"assay/judge/host/job"
)

// TestAdequacyIsPlanned checks that the mutants are generated first, then judged in parts, and finally scored with
// the outputs of all parts, in any order.
func TestAdequacyIsPlanned(t *testing.T) {
	s := spec(t, Adequacy, AdequacyOptions{Problem: "problems/sum", Budget: mutate.SearchBudget{Seed: 7, Count: 5}})
	lab := func(m MutantSet) TaskResult {
		return TaskResult{Key: MutantGenerationKey, State: job.Done, Output: output(t, m), Events: blob.DigestOf([]byte("lab"))}
	}
	three := lab(MutantSet{Digest: "x", Count: 10, TimePerMutant: time.Second})
	of := func(first int) TaskResult {
		key := MutantsKey(first, 3)
		return TaskResult{Key: key, State: job.Done, Events: blob.DigestOf([]byte(key))}
	}
	bad := TaskResult{Key: MutantsKey(1, 3), State: job.Failed, Reason: "no disk"}
	score := TaskResult{Key: ScoreKey, State: job.Done}
	for name, tt := range map[string]struct {
		parts  []TaskResult
		keys   string
		done   bool
		failed string
	}{
		"at first":       {nil, "lab", false, ""},
		"made":           {[]TaskResult{three}, "mutants 0 of 3, mutants 1 of 3, mutants 2 of 3", false, ""},
		"in the middle":  {[]TaskResult{of(2), three, of(0)}, "mutants 1 of 3", false, ""},
		"twice":          {[]TaskResult{of(2), three, of(0), of(2)}, "mutants 1 of 3", false, ""},
		"judged":         {[]TaskResult{of(2), of(0), three, of(1)}, "score", false, ""},
		"at the end":     {[]TaskResult{of(2), of(0), three, of(1), score}, "", true, ""},
		"one is bad":     {[]TaskResult{of(2), of(0), three, bad}, "", true, "mutants 1 of 3: no disk"},
		"the lab is bad": {[]TaskResult{{Key: MutantGenerationKey, State: job.GivenUp, Reason: "no disk"}}, "", true, "no disk"},
		"the score is bad": {[]TaskResult{of(2), of(0), three, of(1), {Key: ScoreKey, State: job.Failed, Reason: "no disk"}}, "", true,
			"no disk"},
		"nothing to mutate": {[]TaskResult{lab(MutantSet{Digest: "x"})}, "score", false, ""},
		"the folder is bad": {[]TaskResult{lab(MutantSet{})}, "", true, ""},
		"fewer than the cut": {[]TaskResult{lab(MutantSet{Digest: "x", Count: 2, TimePerMutant: time.Hour})},
			"mutants 0 of 2, mutants 1 of 2", false, ""},
		"all are done at once": {[]TaskResult{lab(MutantSet{Digest: "x", Count: 900})}, "mutants 0 of 1", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			lines := ""
			for range 10 {
				rand.Shuffle(len(tt.parts), func(i, j int) { tt.parts[i], tt.parts[j] = tt.parts[j], tt.parts[i] })
				keys, step := next(t, s, tt.parts)
				if keys != tt.keys || step.Done != tt.done || step.Failed != tt.failed {
					t.Fatalf("got %q, %+v", keys, step)
				}
				if len(step.Tasks) == 0 {
					continue
				}
				if now := fmt.Sprintf("%s %v", step.Tasks[0].Work.Options, step.Tasks[0].Work.Lines); lines != "" && now != lines {
					t.Fatalf("the first job is %s, and was %s", now, lines)
				} else {
					lines = now
				}
			}
		})
	}
	_, step := next(t, s, []TaskResult{of(2), of(0), three, of(1)})
	options := string(step.Tasks[0].Work.Options)
	for _, part := range []TaskResult{of(0), of(1), of(2)} {
		if n := strings.Count(fmt.Sprint(step.Tasks[0].Work.Lines), string(part.Events)); n != 1 {
			t.Errorf("the score goes on from the lines of %s %d times", part.Key, n)
		}
	}
	if !strings.Contains(options, `"seed":7,"count":5`) {
		t.Errorf("the score is asked for with %s", options)
	}
}

// TestGridIsPlanned checks that a workflow with the option Grid has only one job.
func TestGridIsPlanned(t *testing.T) {
	s := spec(t, Adequacy, AdequacyOptions{Problem: "problems/sum", Grid: true})
	if keys, step := next(t, s, nil); keys != "grid" || step.Done {
		t.Errorf("got %q, %+v", keys, step)
	}
	if keys, step := next(t, s, []TaskResult{{Key: GridKey, State: job.Done}}); keys != "" || !step.Done || step.Failed != "" {
		t.Errorf("got %q, %+v", keys, step)
	}
}

// TestMutantsAreCut checks that jobs take about three seconds, and that there are not too many.
func TestMutantsAreCut(t *testing.T) {
	for _, tt := range []struct {
		m    MutantSet
		want int
	}{
		{MutantSet{}, 0},
		{MutantSet{Count: -3, TimePerMutant: time.Second}, 0},
		{MutantSet{Count: 1000, TimePerMutant: 30 * time.Millisecond}, 10},
		{MutantSet{Count: 1000, TimePerMutant: time.Microsecond}, 1},
		{MutantSet{Count: 1000, TimePerMutant: -time.Second}, 1},
		{MutantSet{Count: 5, TimePerMutant: time.Minute}, 5},
		{MutantSet{Count: 100_000, TimePerMutant: time.Minute}, maxTasks},
	} {
		if got := tt.m.TaskCount(); got != tt.want {
			t.Errorf("%+v is cut into %d, want %d", tt.m, got, tt.want)
		}
	}
}

// TestAdequacyOfOthers checks that invalid specifications are rejected before they are stored, and that invalid
// output of workers is an error.
func TestAdequacyOfOthers(t *testing.T) {
	good := func() *Spec { return spec(t, Adequacy, AdequacyOptions{Problem: "problems/sum"}) }
	for want, change := range map[string]func(*Spec){
		"is about a snapshot": func(s *Spec) { s.Work.Snapshot = false },
		"cannot be read":      func(s *Spec) { s.Options = []byte("[") },
		"name no directory":   func(s *Spec) { s.Options = []byte("{}") },
	} {
		s := good()
		change(s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for _, text := range []string{"", "[", `{"count": "7"}`} {
		if _, err := Next(good(), []TaskResult{{Key: MutantGenerationKey, State: job.Done, Output: []byte(text)}}); err == nil {
			t.Errorf("the output %q was read", text)
		}
	}
}
