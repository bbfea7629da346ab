package store_test

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/store"
)

// TestWhatIsThereIsNotWrittenAgain checks that AddJobs writes nothing if all jobs exist. It compares the contents
// of the file that SQLite writes and syncs at each commit.
func TestWhatIsThereIsNotWrittenAgain(t *testing.T) {
	dsn := lite(t)
	h := newHarness(t, dsn)
	f := h.flow()
	for _, row := range []struct {
		add    []store.FlowJob
		writes bool
	}{
		{nil, false},
		{[]store.FlowJob{flowJob("a"), flowJob("b")}, true},
		{[]store.FlowJob{flowJob("b"), flowJob("a")}, false},
		{[]store.FlowJob{flowJob("a"), flowJob("c")}, true},
	} {
		before := log(t, dsn)
		if _, err := h.AddJobs(t.Context(), f.ID, row.add...); err != nil {
			t.Fatal(err)
		}
		if writes := !bytes.Equal(before, log(t, dsn)); writes != row.writes {
			t.Errorf("%d jobs: something was written: %v", len(row.add), writes)
		}
	}
}

// log returns what SQLite has written since its last checkpoint.
func log(t *testing.T, dsn string) []byte {
	t.Helper()
	data, err := os.ReadFile(dsn + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestALeadThatIsHeld checks that a lease is renewed in time if another server could take it, and that it is
// released by Resign.
func TestALeadThatIsHeld(t *testing.T) {
	for _, alone := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dsn := lite(t)
			s := open(t, store.Options{DSN: dsn, Alone: alone})
			defer s.Close()
			mine, other := store.NewLead(s, "garbage", "me"), store.NewLead(s, "garbage", "another")
			hold := func(l *store.Lead, want int64) {
				t.Helper()
				epoch, err := l.Hold(t.Context())
				if epoch != want || (want == 0) != errors.Is(err, store.ErrNotLeader) || want != 0 && err != nil {
					t.Errorf("epoch %d, %v; want %d", epoch, err, want)
				}
			}
			hold(mine, 1)
			other.Resign(t.Context()) // other does not hold the lease
			for _, row := range []struct {
				after  time.Duration
				writes bool
			}{{0, false}, {store.LeadRenew, false}, {time.Second, !alone}, {store.LeadRenew, false}, {store.LeadTerm - store.LeadRenew, !alone}} {
				time.Sleep(row.after)
				before := log(t, dsn)
				hold(mine, 1)
				if writes := !bytes.Equal(before, log(t, dsn)); writes != row.writes {
					t.Errorf("alone %v, after %v: something was written: %v", alone, row.after, writes)
				}
				if !alone {
					hold(other, 0)
				}
			}
			mine.Resign(t.Context())
			hold(other, 2)
			hold(mine, 0)
			other.Lost()
			hold(other, 2)
			time.Sleep(store.LeadTerm)
			hold(mine, 3)
			other.Lost()
			hold(other, 0)
		})
	}
}
