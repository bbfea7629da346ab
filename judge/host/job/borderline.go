package job

import (
	"fmt"
	"time"

	"assay/judge"
)

// Borderline returns the test case whose time decided the verdict of a judging so narrowly that another run may
// decide otherwise. If the problem has scores, any test case can do so. It returns an empty string if the time did
// not decide, or clearly did.
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
