//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"time"

	"assay/judge"
)

// turns does nothing on this system, because the system does not report which process waits. The wall time of the
// first process is limited by its own limit for the whole dialogue, and that of the other process by the sum of
// both limits.
type turns struct {
	all   []Joined
	stuck [2]bool // always false
}

func newTurns(all []Joined, _ []ends, _ []lifetime) *turns { return &turns{all: all} }

func (t *turns) limits(i int) judge.Limits {
	l := t.all[i].Limits
	if i > 0 && l.Wall > 0 {
		l.Wall += t.all[0].Limits.Wall
	}
	return l
}

func (*turns) place(int, place) {}

// sleep does nothing here.
type sleep struct{}

func watchSleep(time.Duration) sleep { return sleep{} }
func (sleep) watch(place)            {}
func (sleep) stop() bool             { return false }

// used reports nothing on this system, so no run is known to be sleeping.
func (*place) used() (time.Duration, int64, bool) { return 0, 0, false }

func (*turns) watch() {}

func (*turns) ended(int) bool { return false }
