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
