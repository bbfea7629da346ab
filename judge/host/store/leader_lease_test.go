package store_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/store"
)

// TestWhatIsThereIsNotWrittenAgain checks that AddWorkflowJobs writes nothing if all jobs exist. It compares the contents
// of the file that SQLite writes and syncs at each commit.
func TestWhatIsThereIsNotWrittenAgain(t *testing.T) {
	dsn := lite(t)
	h := newHarness(t, dsn)
	f := h.workflow()
	for _, row := range []struct {
		add    []store.WorkflowJob
		writes bool
	}{
		{nil, false},
		{[]store.WorkflowJob{workflowJob("a"), workflowJob("b")}, true},
		{[]store.WorkflowJob{workflowJob("b"), workflowJob("a")}, false},
		{[]store.WorkflowJob{workflowJob("a"), workflowJob("c")}, true},
	} {
		before := log(t, dsn)
		if _, err := h.AddWorkflowJobs(t.Context(), f.ID, row.add...); err != nil {
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
// released by Release.
func TestALeadThatIsHeld(t *testing.T) {
	for _, alone := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dsn := lite(t)
			s := open(t, store.Options{DSN: dsn, SingleServer: alone})
			defer s.Close()
			mine, other := store.NewLeaderLease(s, "garbage", "me"), store.NewLeaderLease(s, "garbage", "another")
			hold := func(l *store.LeaderLease, want int64) {
				t.Helper()
				epoch, err := l.Acquire(t.Context())
				if epoch != want || (want == 0) != errors.Is(err, store.ErrNotLeader) || want != 0 && err != nil {
					t.Errorf("epoch %d, %v; want %d", epoch, err, want)
				}
			}
			hold(mine, 1)
			other.Release(t.Context()) // other does not hold the lease
			for _, row := range []struct {
				after  time.Duration
				writes bool
			}{{0, false}, {store.LeaseRenewInterval, false}, {time.Second, !alone}, {store.LeaseRenewInterval,
				false}, {store.LeaseTerm - store.LeaseRenewInterval, !alone}} {
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
			ended, end := context.WithCancel(t.Context())
			end()
			mine.Release(ended)
			hold(other, 2)
			hold(mine, 0)
			other.MarkLost()
			hold(other, 2)
			time.Sleep(store.LeaseTerm)
			hold(mine, 3)
			other.MarkLost()
			hold(other, 0)
		})
	}
}

// TestALeadOfRareWork checks that a lease with a term of its own is renewed after a quarter of the term.
func TestALeadOfRareWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dsn := lite(t)
		s := open(t, store.Options{DSN: dsn})
		defer s.Close()
		const term = time.Hour
		lead := store.NewLeaderLeaseWithTerm(s, "garbage", "me", term)
		for _, row := range []struct {
			after  time.Duration
			writes bool
		}{{0, true}, {term / 4, false}, {time.Second, true}, {term / 4, false}} {
			time.Sleep(row.after)
			before := log(t, dsn)
			if epoch, err := lead.Acquire(t.Context()); epoch != 1 || err != nil {
				t.Errorf("epoch %d, %v", epoch, err)
			}
			if writes := !bytes.Equal(before, log(t, dsn)); writes != row.writes {
				t.Errorf("after %v: something was written: %v", row.after, writes)
			}
		}
		if l, err := s.LeaseHolder(t.Context(), "garbage"); err != nil || time.Until(l.Until) != term-term/4 {
			t.Errorf("%+v, %v", l, err)
		}
	})
}
