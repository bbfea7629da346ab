package stress

import (
	"testing"
	"time"
)

func TestWaits(t *testing.T) {
	for _, c := range []struct {
		reference, solution Runs
		want                string
	}{
		{Runs{}, Runs{}, ""},
		{Runs{100, 9 * time.Second}, Runs{100, 8 * time.Second}, ""},
		{Runs{10, 7 * time.Second}, Runs{12, time.Second}, "the reference takes 0.7 s an input"},
		{Runs{10, 7 * time.Second}, Runs{12, 18 * time.Second}, "the solution takes 1.5 s an input"},
		{Runs{}, Runs{1, 2 * time.Second}, "the solution takes 2.0 s an input"},
	} {
		if got := (Progress{Reference: c.reference, Solution: c.solution}).Bottleneck(); got != c.want {
			t.Errorf("%v and %v: %q, not %q", c.reference, c.solution, got, c.want)
		}
	}
}
