package server

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheClockJumps checks that a change of the clock is reported, and a small drift is not.
func TestTheClockJumps(t *testing.T) {
	s, _ := atNight(t, filepath.Join(t.TempDir(), "data"))
	for _, told := range []time.Duration{clockEvery, clockEvery + time.Second, clockEvery - time.Second} {
		s.compareClocks(t.Context(), told, clockEvery)
	}
	s.compareClocks(t.Context(), clockEvery-time.Hour, clockEvery)
	s.compareClocks(t.Context(), clockEvery+time.Minute, clockEvery)
	s.compareClocks(t.Context(), clockEvery-clockSlack, clockEvery)
	all, err := s.store.LatestAuditEntries(t.Context(), "", 10)
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
	if got := strings.Join(jumps, ", "); got != "by -2s, by 1m0s, by -1h0m0s" {
		t.Errorf("the staff is told: %s", got)
	}
}

// TestSkew checks that a server reports the difference of its clock from the database's, and is not ready if the
// difference is large.
func TestSkew(t *testing.T) {
	for ahead, want := range map[time.Duration]string{
		0:                                "",
		reportedSkew - 1:                 "",
		-reportedSkew + 1:                "",
		reportedSkew:                     "note: the clock of this machine is 1s ahead of the clock of the database: set both by NTP",
		-reportedSkew:                    "note: the clock of this machine is 1s behind the clock of the database: set both by NTP",
		maxSkew - 300*time.Millisecond:   "note: the clock of this machine is 4.7s ahead of the clock of the database: set both by NTP",
		maxSkew:                          "error: the clock of this machine is 5s ahead of the clock of the database: set both by NTP",
		-time.Hour - 30*time.Millisecond: "error: the clock of this machine is 1h0m0s behind the clock of the database: set both by NTP",
	} {
		got, err := checkSkew(ahead)
		if got != "" {
			got = "note: " + got
		}
		if err != nil {
			got += "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%v: %s", ahead, got)
		}
	}
}
