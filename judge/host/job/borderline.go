package job

import (
	"fmt"
	"time"

	"assay/judge"
)

// Borderline says, of the events of a judging that has ended, by which case's time the verdict
// was decided so barely that another run may decide otherwise: where there are scores any
// case does. It is "" where time did not decide, or clearly did.
func Borderline(events []judge.Event) (why string) {
	var limit time.Duration
	var near []*judge.CaseJudged
	for _, e := range events {
		switch e := e.(type) {
		case *judge.Started:
			limit = time.Duration(e.TimeMS) * time.Millisecond
		case *judge.CaseJudged:
			if e.Borderline(limit) {
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
