package arena

import (
	"errors"
	"testing"
	"time"
)

// TestIdle checks that a bot on a busy machine is not taken for an idle one.
func TestIdle(t *testing.T) {
	const limit = time.Second
	for name, tt := range map[string]struct {
		took, used, kept time.Duration
		waiting          bool
		want             bool
	}{
		"it waits":                         {took: limit + 1, want: true},
		"it does next to nothing":          {took: 2 * limit, used: limit / 25, want: true},
		"it computes, and gets too little": {took: 2 * limit, used: limit / 24},
		"it waits for a processor":         {took: 2 * limit, kept: limit},
		"it waits for a processor in part": {took: 2 * limit, kept: limit - 1, want: true},
		"it waits for a processor now":     {took: 2 * limit, waiting: true},
		"it naps all the time":             {took: starvingFactor * limit, used: limit, want: true},
		"it naps now":                      {took: starvingFactor*limit - 1, used: limit},
		"it naps, beside others":           {took: starvingFactor * limit, used: limit, kept: (starvingFactor - 1) * limit},
		"it waits for one for a long time": {took: 20 * limit, kept: 20 * limit},
	} {
		t.Run(name, func(t *testing.T) {
			if got := idle(tt.took, limit, tt.used, tt.kept, tt.waiting); got != tt.want {
				t.Errorf("idle: %v", got)
			}
		})
	}
}

// TestABusyMachineEndsAnEvent checks that the tournament ends with the first error of the watch, even if several
// referees are affected.
func TestABusyMachineEndsAnEvent(t *testing.T) {
	d := &director{failed: make(chan error, 1)}
	busy := errors.New("the machine is too busy")
	w := &clockWatch{failed: d.failed}
	w.fail(busy)
	w.fail(errors.New("and so it is for another refereeProc"))
	if err := d.step(t.Context()); err != busy {
		t.Errorf("step: %v, want %v", err, busy)
	}
}
