package golf

import (
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
	"assay/judge/internal/unboxed"
	"assay/judge/kit"
)

// TestWhoseSilence checks who is at fault if a golf checker is silent. If the checker is waiting for a processor,
// the machine is at fault. Otherwise, the setter is.
func TestWhoseSilence(t *testing.T) {
	for starved, want := range map[bool]judge.Blame{false: judge.Setter, true: judge.Machine} {
		synctest.Test(t, func(t *testing.T) {
			r := unboxed.Silent{Greeting: kit.Hello + " golf\n", Starved: starved}
			c, err := NewChecker(t.Context(), r, &judge.Program{Name: "golf/check.go"}, judge.Limits{Wall: 30 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.check(t.Context(), &Domain{}, nil, false); judge.BlameOf(err) != want {
				t.Errorf("starved %v: %v is blamed on the %s, want the %s", starved, err, judge.BlameOf(err), want)
			}
		})
	}
}
