package feed_test

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// heap returns the number of bytes of reachable objects.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // the first one keeps pooled objects
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// accept records a result with the given runs for the first pending submission.
func (w *world) accept(rows []job.CaseRow) {
	w.Helper()
	waiting, err := w.store.NextJobs(w.Context(), job.ContestPriority, "main", 1)
	w.must(err)
	for _, s := range waiting {
		_, err := w.store.RecordResult(w.Context(), &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w", State: job.Done,
			Finished: &judge.Finished{Verdict: judge.Accepted}, Rows: rows}, "")
		w.must(err)
	}
}

// acceptedRuns returns the runs of an accepted submission.
func acceptedRuns(n int) []job.CaseRow {
	rows := make([]job.CaseRow, n)
	for i := range rows {
		rows[i] = job.CaseRow{Case: fmt.Sprint("secret/", i), Verdict: judge.Accepted, CPUUS: int64(1500 * i)}
	}
	return rows
}

// TestMemory checks how much memory a contest takes for each submission and for each reader of its feed, and that
// changes leave nothing in memory.
func TestMemory(t *testing.T) {
	const (
		submissions, runs, readers, changes = 200, 10, 50, 150
		// The limits in bytes. With an object for each run, a submission would take 10,500, and with a list for
		// each reader, a reader would take 485 more.
		perSubmission, perReader, perChange = 4000, 60, 400
	)
	w := newWorld(t)
	w.now = start.Add(time.Minute)
	rows := acceptedRuns(runs)
	for i := range submissions {
		w.submit(i%5, fmt.Sprint("p", i%3))
		w.accept(rows)
	}
	registry := &feed.Registry{Intake: w.intake}
	before := heap()
	c, err := registry.Contest(t.Context(), w.contest)
	w.must(err)
	loaded := heap()
	var cursors []*feed.Cursor
	read := func() (n int) {
		for _, cur := range cursors {
			b, err := cur.Next()
			w.must(err)
			n += len(b.Lines)
		}
		return n
	}
	for range readers {
		cur, err := c.NewCursor(t.Context(), feed.Reader{Version: clics.V2026, Role: clics.Public}, "", nil)
		w.must(err)
		cursors = append(cursors, cur)
	}
	if n := read(); n < submissions*(runs+1)*readers*4/5 { // one of five teams is hidden
		t.Fatalf("%d lines", n)
	}
	full := heap()
	for i := range changes {
		w.set(func(c *store.Contest) { c.Name = fmt.Sprint("WF ", i) })
		_, err := registry.Contest(t.Context(), w.contest)
		w.must(err)
		if n := read(); n != readers {
			t.Fatalf("%d lines for %d readers", n, readers)
		}
	}
	changed := heap()
	for _, tt := range []struct {
		what      string
		got, most int
	}{
		{"a submission", (loaded - before) / submissions, perSubmission},
		{"a submission, for each reader", (full - loaded) / submissions / readers, perReader},
		{"a change", (changed - full) / changes, perChange},
	} {
		if t.Logf("%s takes %d bytes", tt.what, tt.got); tt.got > tt.most {
			t.Errorf("%s takes %d bytes, at most %d are expected", tt.what, tt.got, tt.most)
		}
	}
	runtime.KeepAlive(cursors)
	runtime.KeepAlive(registry)
}

// TestAContestIsReleased checks that a contest leaves memory when the last reader has left and no client has asked
// for it for some time.
func TestAContestIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		registry := &feed.Registry{Intake: w.intake}
		cursor := func() *feed.Cursor {
			c, err := registry.Contest(t.Context(), w.contest)
			w.must(err)
			cur, err := c.NewCursor(t.Context(), feed.Reader{Version: clics.V2026, Role: clics.Public}, "", nil)
			w.must(err)
			_, err = cur.Next()
			w.must(err)
			return cur
		}
		first := cursor()
		released := weak.Make(first)
		time.Sleep(9 * time.Minute)
		second := cursor()
		if runtime.GC(); released.Value() == nil {
			t.Error("a cursor in use is released")
		}
		runtime.KeepAlive(first)
		c, err := registry.Contest(t.Context(), w.contest)
		w.must(err)
		contest := weak.Make(c)
		time.Sleep(9 * time.Minute)
		if again, err := registry.Contest(t.Context(), w.contest); err != nil || again != contest.Value() {
			t.Errorf("a contest in use is read again: %v", err)
		}
		time.Sleep(10*time.Minute + time.Second)
		runtime.GC()
		runtime.GC()
		if contest.Value() == nil {
			t.Error("a contest with a reader is released")
		}
		runtime.KeepAlive(second)
		second = nil
		runtime.GC()
		runtime.GC()
		if contest.Value() != nil {
			t.Error("a contest without readers stays in memory")
		}
	})
}
