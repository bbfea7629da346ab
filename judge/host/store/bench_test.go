package store_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"testing"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// onEach runs a benchmark with an empty database of each kind.
func onEach(b *testing.B, bench func(b *testing.B, dsn string)) {
	b.Run("sqlite", func(b *testing.B) { bench(b, lite(b)) })
	b.Run("postgres", func(b *testing.B) { bench(b, pg(b)) })
}

// BenchmarkSubmit compares the transaction that stores a submission with a synced insert of one row. It should
// take at most 3 times as long.
func BenchmarkSubmit(b *testing.B) {
	onEach(b, func(b *testing.B, dsn string) {
		b.Run("insert", func(b *testing.B) {
			h := newHarness(b, dsn)
			driver, address := "pgx", dsn
			if !h.Postgres() {
				options := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)"}, "_txlock": {"immediate"}}
				driver, address = "sqlite", "file:"+dsn+"?"+options.Encode()
			}
			db, err := sql.Open(driver, address)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			db.SetMaxOpenConns(1)
			if _, err := db.Exec("CREATE TABLE IF NOT EXISTS bare (id BIGINT, note TEXT)"); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				if _, err := db.Exec("INSERT INTO bare (id, note) VALUES ($1, $2)", i, "a note of some length, as a row has it"); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("submission", func(b *testing.B) {
			h := &harness{tb: b, clock: newClock()}
			h.Store = open(b, store.Options{DSN: dsn, Now: h.clock.Now, MaxWaiting: 1 << 30})
			var err error
			if h.alice, err = h.AccountByLogin(b.Context(), "alice"); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				if _, err := h.Submit(b.Context(), h.submission(fmt.Sprint("key", i))); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// BenchmarkLife measures all database operations for a job, one after the other: store it, dispatch it, and record
// its result.
func BenchmarkLife(b *testing.B) {
	onEach(b, func(b *testing.B, dsn string) {
		h := newHarness(b, dsn)
		for b.Loop() {
			h.submit()
			specs, err := h.NextJobs(b.Context(), job.PracticePriority, "main", 1)
			if err != nil {
				b.Fatal(err)
			}
			h.out(specs...)
			h.fold(h.result(specs[0], judge.Accepted), store.Counted)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
	})
}

// BenchmarkPage reads a page of submissions from a database with 1,000 submissions, and from one with 100,000. The
// latter should take at most twice as long.
func BenchmarkPage(b *testing.B) {
	onEach(b, func(b *testing.B, dsn string) {
		for _, n := range []int64{1_000, 100_000} {
			h := &harness{tb: b, clock: newClock()}
			if n == 1_000 {
				h = newHarness(b, dsn)
			} else {
				h.Store = open(b, store.Options{DSN: dsn, Now: h.clock.Now})
			}
			alice, err := h.AccountByLogin(b.Context(), "alice")
			if err != nil {
				b.Fatal(err)
			}
			h.alice = alice
			bulk(b, h, dsn, n)
			var some []string
			list, err := h.Submissions(b.Context(), store.SubmissionFilter{Before: n / 2})
			if err != nil || len(list) != 50 {
				b.Fatal(len(list), err)
			}
			for _, s := range list {
				some = append(some, s.ID)
			}
			for name, page := range map[string]func(i int) error{
				"latest": func(int) error { _, err := h.Submissions(b.Context(), store.SubmissionFilter{}); return err },
				"middle": func(int) error {
					_, err := h.Submissions(b.Context(), store.SubmissionFilter{Before: n / 2})
					return err
				},
				"account": func(int) error {
					_, err := h.Submissions(b.Context(), store.SubmissionFilter{Account: alice.ID})
					return err
				},
				"none": func(int) error {
					_, err := h.Submissions(b.Context(), store.SubmissionFilter{Account: "none"})
					return err
				},
				"problem": func(int) error {
					_, err := h.Submissions(b.Context(), store.SubmissionFilter{Problem: "nim"})
					return err
				},
				"verdict": func(int) error {
					_, err := h.Submissions(b.Context(), store.SubmissionFilter{Verdict: "AC"})
					return err
				},
				"rare": func(int) error {
					_, err := h.Submissions(b.Context(), store.SubmissionFilter{Verdict: "WA"})
					return err
				},
				"who": func(int) error {
					_, err := h.Submissions(b.Context(), store.SubmissionFilter{Submitter: "alice", Language: "c"})
					return err
				},
				"language": func(int) error {
					_, err := h.Submissions(b.Context(), store.SubmissionFilter{Language: "c", Extensions: []string{"c"}})
					return err
				},
				"submission": func(i int) error { _, err := h.Submission(b.Context(), some[i%len(some)]); return err },
				"judgement":  func(i int) error { _, err := h.Judgement(b.Context(), some[i%len(some)]); return err },
				"log":        func(int) error { _, err := h.EventsSince(b.Context(), store.Practice, n-50, 50); return err },
				"queues":     func(int) error { _, err := h.QueueCounts(b.Context()); return err },
				"next":       func(int) error { _, err := h.NextJobs(b.Context(), job.PracticePriority, "main", 4); return err },
				"cost":       func(int) error { _, err := h.EstimateCost(b.Context(), "nim"); return err },
			} {
				b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						if err := page(i); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	})
}

// bulk adds copies of a judged submission in one transaction, until the database contains n submissions.
func bulk(b *testing.B, h *harness, dsn string, n int64) {
	b.Helper()
	if n == 1_000 {
		h.submit()
		h.fold(h.result(h.next()[0], judge.Accepted), store.Counted)
	}
	driver := "pgx"
	if !h.Postgres() {
		driver = "sqlite"
	}
	db, err := sql.Open(driver, dsn)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var from int64
	if err := db.QueryRow("SELECT MAX(number) FROM submission").Scan(&from); err != nil {
		b.Fatal(err)
	}
	numbers := fmt.Sprintf("WITH RECURSIVE n (i) AS (SELECT CAST(%d AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", from+1, n)
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback()
	for _, insert := range []string{
		numbers + `INSERT INTO submission (id, contest, number, problem, account, form_key, language, entry, files, folder, size, received, ext_id)
			SELECT 's' || i, contest, i, problem, account, '', language, entry, files, folder, size, received + i, CAST(i AS TEXT) FROM n, submission WHERE number = 1`,
		numbers + `INSERT INTO judgement (id, submission, bundle, config, class, origin, root, why, started, ended, verdict, finished, case_rows, events, cpu)
			SELECT 'j' || i, 's' || i, bundle, config, class, origin, 'j' || i, why, started + i, ended + i, verdict, finished, case_rows, events, cpu FROM n, judgement
			WHERE submission = (SELECT id FROM submission WHERE number = 1)`,
		numbers + `INSERT INTO standing (submission, judgement, contest, number, verdict) SELECT 's' || i, 'j' || i, 'practice', i, 'AC' FROM n`,
		numbers + `INSERT INTO job (id, kind, lane, class, owner, cost, start_tag, spec, token, state, generation, tries, excluded, made, done_at, worker, part_key)
			SELECT 'j' || i, kind, lane, class, owner, cost, i, spec, token, 'done', 1, 0, excluded, made + i, done_at + i, worker, '' FROM n, job
			WHERE id = (SELECT judgement FROM standing WHERE submission = (SELECT id FROM submission WHERE number = 1))`,
		numbers + `INSERT INTO log (contest, seq, at, kind, object, op) SELECT 'practice', i + 1, i, 'submission', 's' || i, 'create' FROM n`,
		fmt.Sprintf("UPDATE contest SET next_number = %d, last_seq = %d", n+1, n+1),
	} {
		if _, err := tx.Exec(insert); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	if h.Postgres() { // PostgreSQL would do this within a minute
		if _, err := db.Exec("ANALYZE"); err != nil {
			b.Fatal(err)
		}
	}
}
