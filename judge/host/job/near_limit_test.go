package job_test

import (
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/job"
)

// TestBorderline checks which judgements another worker must repeat.
func TestBorderline(t *testing.T) {
	ms := func(n int) judge.Exec { return judge.Exec{CPU: time.Duration(n) * time.Millisecond} }
	killed := ms(1150)
	killed.Killed = judge.CPUTime
	score := &judge.Score{}
	late := func(name string, x judge.Exec) *judge.CaseJudged {
		return &judge.CaseJudged{Group: "secret", Case: name, Verdict: judge.TimeLimit, Exec: x}
	}
	wrong := &judge.CaseJudged{Group: "secret", Case: "w", Verdict: judge.WrongAnswer, Exec: ms(1050)}
	right := &judge.CaseJudged{Group: "secret", Case: "r", Verdict: judge.Accepted, Exec: ms(999)}
	for name, tt := range map[string]struct {
		cases []judge.Event
		first string
		score *judge.Score
		want  string
	}{
		"right":                      {[]judge.Event{right}, "", nil, ""},
		"a little too late":          {[]judge.Event{right, late("a", ms(1040))}, "secret/a", nil, "secret/a took 1.04s, the limit is 1s"},
		"at the end of what is near": {[]judge.Event{late("a", ms(1200))}, "secret/a", nil, "secret/a took 1.2s, the limit is 1s"},
		"clearly too late":           {[]judge.Event{late("a", ms(1210))}, "secret/a", nil, ""},
		"killed":                     {[]judge.Event{late("a", killed)}, "secret/a", nil, ""},
		"decided by another case":    {[]judge.Event{wrong, late("a", ms(1040))}, "secret/w", nil, ""},
		"with scores any counts":     {[]judge.Event{wrong, late("a", ms(1040))}, "secret/w", score, "secret/a took 1.04s, the limit is 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			events := append([]judge.Event{&judge.Started{TimeMS: 1000}}, tt.cases...)
			events = append(events, &judge.Finished{First: tt.first, Score: tt.score})
			if got := job.NearLimit(events); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if got := job.NearLimit(events[:len(events)-1]); got != "" {
				t.Errorf("before its end it says %q", got)
			}
		})
	}
}
