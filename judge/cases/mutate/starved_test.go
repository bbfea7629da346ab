package mutate

import (
	"testing"
	"testing/synctest"

	"assay/judge"
	"assay/judge/internal/unboxed"
)

// TestWhoseSilence checks that a mutant that makes its process silent is killed. If the process is waiting for a
// processor, the mutant is not killed, because the reason for the silence is unknown.
func TestWhoseSilence(t *testing.T) {
	for _, starved := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorker(t.Context(), unboxed.Silent{Starved: starved}, &judge.Program{Name: "right.go"}, 1, judge.Limits{})
			w.set(0, []byte("1\n"))
			trace, err := w.load(0)
			if starved && judge.BlameOf(err) != judge.Machine || !starved && (err != nil || trace.end != workerExited) {
				t.Errorf("starved %v: load: %v, %v", starved, trace, err)
			}
		})
	}
}
