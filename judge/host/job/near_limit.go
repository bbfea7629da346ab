package job

import (
	"fmt"
	"time"

	"assay/judge"
)

// NearLimit returns a text about the test case that decided the verdict, if its time was so near the limit that
// another run may give another verdict. If the problem has scores, every test case counts as decisive. Borderline
// returns an empty string if no decisive test case has a time near the limit.
func NearLimit(events []judge.Event) (reason string) {
	var limit time.Duration
	var near []*judge.CaseJudged
	for _, e := range events {
		switch e := e.(type) {
		case *judge.Started:
			limit = time.Duration(e.TimeMS) * time.Millisecond
		case *judge.CaseJudged:
			if e.NearTimeLimit(limit) {
				near = append(near, e)
			}
		case *judge.Finished:
			for _, c := range near {
				if e.First == c.ID() || e.Score != nil {
					return fmt.Sprintf("%s took %v, the limit is %v", c.ID(), c.Exec.CPU.Round(time.Millisecond), limit)
				}
			}
		}
	}
	return ""
}
