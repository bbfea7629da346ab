//go:build unix

package trial_test

import (
	"fmt"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/trial"
)

// BenchmarkInteractive compares a case in which the program asks a single question with a case that has a long
// dialogue. The difference is the cost of passing messages through the two relays.
func BenchmarkInteractive(b *testing.B) {
	box := newBox(b)
	for _, rounds := range []int{1, 10_000} {
		b.Run(fmt.Sprint(rounds), func(b *testing.B) {
			y := play{kind: judge.Kind{Interactive: true}, program: fmt.Sprint("ask ", rounds), interactor: "answer; exit 42"}
			y.change = func(p *judge.Problem, _ *judge.Case, _ *trial.Setup) { p.Limits.CPU = time.Minute }
			for b.Loop() {
				if c, _ := y.run(b, box); c.Verdict != judge.Accepted {
					b.Fatalf("%s %q", c.Verdict, c.Message)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*rounds), "µs/round")
		})
	}
}
