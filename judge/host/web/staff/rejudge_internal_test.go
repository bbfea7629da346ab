package staff

import (
	"testing"

	"assay/judge"
	"assay/judge/host/store"
)

// TestImprovement checks which new results are better or worse for a team. A missing score counts as zero.
func TestImprovement(t *testing.T) {
	for name, tt := range map[string]struct {
		old, now           judge.Verdict
		oldScore, newScore string
		want               int
	}{
		"accepted now":             {judge.WrongAnswer, judge.Accepted, "", "", 1},
		"rejected now":             {judge.Accepted, judge.TimeLimit, "", "", -1},
		"rejected otherwise":       {judge.WrongAnswer, judge.TimeLimit, "", "", 0},
		"a higher score":           {judge.Accepted, judge.Accepted, "9", "10", 1},
		"a lower score":            {judge.WrongAnswer, judge.WrongAnswer, "2.5", "2", -1},
		"the first score":          {judge.WrongAnswer, judge.WrongAnswer, "", "2", 1},
		"no verdict now":           {judge.WrongAnswer, judge.NotJudged, "", "", -1},
		"a verdict after an error": {judge.JudgeError, judge.WrongAnswer, "", "", 1},
	} {
		c := &store.RejudgedSubmission{OldVerdict: tt.old, Verdict: tt.now, OldScore: tt.oldScore, Score: tt.newScore}
		if got := improvement(c); got != tt.want {
			t.Errorf("%s: improvement is %d, want %d", name, got, tt.want)
		}
	}
}

// TestCount checks, for each pair of verdicts, whether the change is better or worse for the team, and whether it loses an
// accepted submission. A judge error is worse than a rejection, but it does not mean that the program is rejected.
func TestCount(t *testing.T) {
	ranks := map[judge.Verdict]int{judge.NotJudged: 0, judge.JudgeError: 0, judge.Accepted: 2}
	for _, v := range []judge.Verdict{
		judge.Skipped, judge.WrongAnswer, judge.RunTimeError, judge.OutputLimit, judge.MemoryLimit, judge.TimeLimit, judge.IdlenessLimit,
		judge.CompileError,
	} {
		ranks[v] = 1
	}
	if len(ranks) != len(judge.Verdicts())+1 {
		t.Fatalf("%d of %d verdicts have a rank", len(ranks)-1, len(judge.Verdicts()))
	}
	count := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	for old, before := range ranks {
		for now, after := range ranks {
			c := &store.RejudgedSubmission{Ended: true, OldVerdict: old, Verdict: now, OldScore: "1", Score: "1"}
			if old == now {
				c.Score, after = "2", after+1 // only the score is better
			}
			v := rejudgingView{Running: true}
			changed := v.count([]*store.RejudgedSubmission{c})
			got := [...]int{len(changed), v.Better, v.Worse, v.Lost}
			if want := [...]int{1, count(after > before), count(after < before), count(before == 2 && after == 1)}; got != want {
				t.Errorf("%q instead of %q: %d changed, %d better, %d worse, %d lost; want %d", now, old, got[0], got[1], got[2], got[3], want)
			}
		}
	}
}
