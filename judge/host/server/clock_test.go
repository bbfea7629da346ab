package server

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheClockJumps: a clock that is set is told of, and one that only drifts is not.
func TestTheClockJumps(t *testing.T) {
	s, _ := atNight(t, filepath.Join(t.TempDir(), "data"))
	for _, told := range []time.Duration{clockEvery, clockEvery + time.Second, clockEvery - time.Second} {
		s.compare(t.Context(), told, clockEvery)
	}
	s.compare(t.Context(), clockEvery-time.Hour, clockEvery)
	s.compare(t.Context(), clockEvery+time.Minute, clockEvery)
	all, err := s.store.Audited(t.Context(), "", 10)
	if err != nil {
		t.Fatal(err)
	}
	var jumps []string
	for _, e := range all {
		if e.Action == "the clock jumped" {
			by, _, _ := strings.Cut(e.Detail, ":")
			jumps = append(jumps, by)
		}
	}
	if got := strings.Join(jumps, ", "); got != "by 1m0s, by -1h0m0s" {
		t.Errorf("the staff is told: %s", got)
	}
}
