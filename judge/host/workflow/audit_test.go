package workflow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
)

// TestAuditIsPlanned checks which workers rejudge a submission in which round, and the finding about each: ! means
// wrong and + right. The verdicts of a worker are listed in the order of its jobs.
func TestAuditIsPlanned(t *testing.T) {
	d := blob.DigestOf([]byte("x"))
	w := job.Work{
		Kind: job.Submission, Bundle: d, Config: d, Problem: "sum", Program: "a.py",
		Files: []job.File{{Path: "a.py", Size: 1, Digest: d}},
	}
	again, more := "again -w1", "first/2 w1, first/3 w1, second/2 w2, second/3 w2, third -w1-w2"
	for name, tt := range map[string]struct {
		says  map[string][]judge.Verdict
		asked []string
		want  string
		agree bool
	}{
		"agreed":          {map[string][]judge.Verdict{"w1": {"AC"}, "w2": {"AC"}}, []string{again}, "+w1 +w2", true},
		"time there":      {map[string][]judge.Verdict{"w1": {"AC"}, "w2": {"TLE"}}, []string{again}, "w1 w2", true},
		"time here":       {map[string][]judge.Verdict{"w1": {"TLE"}, "w2": {"AC"}}, []string{again}, "w1 w2", true},
		"both of time":    {map[string][]judge.Verdict{"w1": {"TLE"}, "w2": {"TLE"}}, []string{again}, "w1 w2", true},
		"a machine erred": {map[string][]judge.Verdict{"w1": {"AC"}, "w2": {"JE"}}, []string{again}, "w1 w2", true},
		"none could":      {map[string][]judge.Verdict{"w1": {"AC"}, "w2": {""}}, []string{again}, "w1", true},
		"two against one": {
			map[string][]judge.Verdict{"w1": {"WA", "WA", "WA"}, "w2": {"AC", "AC", "AC"}, "w3": {"AC"}}, []string{again, more},
			"!w1 +w2 +w3", false,
		},
		"one against two": {
			map[string][]judge.Verdict{"w1": {"AC", "AC", "AC"}, "w2": {"WA", "WA", "WA"}, "w3": {"AC"}}, []string{again, more},
			"+w1 !w2 +w3", false,
		},
		"one against one": {
			map[string][]judge.Verdict{"w1": {"AC", "AC", "AC"}, "w2": {"WA", "WA", "WA"}, "w3": {""}}, []string{again, more},
			"!w1 !w2", false,
		},
		"time says nothing": {
			map[string][]judge.Verdict{"w1": {"AC", "AC", "AC"}, "w2": {"WA", "TLE", "WA"}, "w3": {"TLE"}},
			[]string{again, more}, "!w1 !w2 w3", false,
		},
		"three opinions": {
			map[string][]judge.Verdict{"w1": {"AC", "AC", "AC"}, "w2": {"WA", "WA", "WA"}, "w3": {"RTE"}},
			[]string{again, more}, "!w1 !w2 !w3", false,
		},
		"the program varies": {
			map[string][]judge.Verdict{"w1": {"AC", "WA", "AC"}, "w2": {"WA", "AC", "AC"}, "w3": {""}}, []string{again, more},
			"w1 w2", false,
		},
		"and a third judged": {
			map[string][]judge.Verdict{"w1": {"AC", "WA", "AC"}, "w2": {"WA", "AC", "AC"}, "w3": {"AC"}}, []string{again, more},
			"w1 w2 w3", false,
		},
		"one machine varies": {
			map[string][]judge.Verdict{"w1": {"AC", "AC", "AC"}, "w2": {"WA", "AC", "RTE"}, "w3": {"AC"}},
			[]string{again, more}, "+w1 !w2 +w3", false,
		},
		"and no third judged": {
			map[string][]judge.Verdict{"w1": {"AC", "AC", "AC"}, "w2": {"WA", "AC", "RTE"}, "w3": {""}}, []string{again, more},
			"w1 !w2", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := NewAuditSpec(&w, AuditOptions{Submission: "7", Worker: "w1", Verdict: tt.says["w1"][0]})
			if err != nil {
				t.Fatal(err)
			}
			if s.Check() == nil {
				t.Error("anybody may ask for an audit")
			}
			turn := map[string]int{"w1": 1}
			var parts []TaskResult
			var asked []string
			for {
				_, step := next(t, s, parts)
				if step.Done {
					break
				}
				var round []string
				for _, j := range step.Tasks {
					if j.Work.Kind != job.Submission || j.Priority != job.BackgroundPriority {
						t.Errorf("planned is %+v", j)
					}
					who := j.Only
					if said := j.Key + " " + j.Only; who == "" {
						who = fmt.Sprintf("w%d", len(j.Exclude)+1)
						round = append(round, said+"-"+strings.Join(j.Exclude, "-"))
					} else {
						round = append(round, said)
					}
					p := TaskResult{Key: j.Key, State: job.Done, Worker: who, Verdict: tt.says[who][turn[who]]}
					if turn[who]++; p.Verdict == "" {
						p.State = job.GivenUp
					}
					parts = append(parts, p)
				}
				slices.Sort(round)
				asked = append(asked, strings.Join(round, ", "))
			}
			if !slices.Equal(asked, tt.asked) {
				t.Errorf("asked are %q, want %q", asked, tt.asked)
			}
			_, step := next(t, s, parts)
			if !step.Optional || step.Audit == nil || step.Audit.Submission != "7" || step.GolfCheck != nil {
				t.Fatalf("the last step is %+v", step)
			}
			said, agree := step.Audit.Opinions, step.Audit.Consistent
			slices.SortFunc(said, func(a, b *WorkerVerdicts) int { return strings.Compare(a.Worker, b.Worker) })
			var got []string
			for _, o := range said {
				got = append(got, map[bool]string{true: "!"}[o.Wrong]+map[bool]string{true: "+"}[o.Right]+o.Worker)
			}
			if have := strings.Join(got, " "); have != tt.want || agree != tt.agree {
				t.Errorf("found is %q, agreed %v, want %q, %v", have, agree, tt.want, tt.agree)
			}
		})
	}
	if step, err := Next(&Spec{Kind: Audit, Options: json.RawMessage("no")}, nil); err == nil || !step.Done ||
		step.Failed != err.Error() || step.Audit != nil {
		t.Errorf("options that cannot be read: %+v, %v", step, err)
	}
}
