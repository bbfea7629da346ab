package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/server"
	"assay/judge/host/store"
)

// BenchmarkStart is the time from an empty folder to the first answer, and what the server
// then holds in memory with nothing to do. A start on the same folder is the baseline.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		h := newHouse(b, nil)
		must(b, os.RemoveAll(h.part.Data))
		must(b, os.MkdirAll(h.part.Data, 0o700))
		began := time.Now()
		h.serve()
		b.ReportMetric(time.Since(began).Seconds()*1000, "ms/empty")
		time.Sleep(5 * time.Second)
		b.ReportMetric(float64(resident(b, h.serving.Process.Pid))/(1<<20), "MiB/idle")
		h.serving.kill()
		began = time.Now()
		h.serve()
		b.ReportMetric(time.Since(began).Seconds()*1000, "ms/again")
		h.serving.kill()
	}
}

// resident is how much memory a process has.
func resident(t testing.TB, pid int) (bytes int64) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	_, err = fmt.Sscan(rest, &bytes)
	must(t, err)
	return bytes << 10
}

// BenchmarkRecovery starts a server that was killed with 100,000 submissions of which 1,000
// wait: until it answers, and until its queue is full again.
func BenchmarkRecovery(b *testing.B) {
	const all, waiting = 100_000, 1000
	h := newHouse(b, nil)
	h.inStore(func(s *store.Store) {
		p, err := s.Problem(b.Context(), problem)
		must(b, err)
		a, err := s.AccountByLogin(b.Context(), "team0")
		must(b, err)
		work := job.Work{Kind: job.Submission, Bundle: p.Bundle, Config: p.Config, Problem: problem, Program: "a.py", Files: []job.File{{Path: "a.py", Digest: p.Bundle}}}
		for range waiting {
			_, err := s.Submit(b.Context(), store.NewSubmission{Account: a.ID, Problem: problem, Work: work, Lane: job.Practice, Class: server.Class, Cost: time.Second})
			must(b, err)
		}
	})
	db := h.database()
	// What was judged long ago, as copies of what waits.
	copies := []string{
		"INSERT INTO submission SELECT submission.id || '-' || n, contest, number + 1000 * n, problem, account, form_key, language, entry, files, folder, size, received FROM submission, many WHERE number <= 1000",
		"INSERT INTO judgement (id, submission, bundle, config, class, origin, started, ended, verdict) SELECT judgement.id || '-' || n, submission || '-' || n, bundle, config, class, origin, started, started + 1, 'AC' FROM judgement, many",
		"INSERT INTO standing SELECT submission || '-' || n, judgement || '-' || n FROM standing, many",
		"INSERT INTO job SELECT job.id || '-' || n, kind, lane, class, owner, cost, start_tag, spec, token, 'done', generation, tries, excluded, made, made, made + 1, 'w', flow, part_key FROM job, many",
		"INSERT INTO log SELECT contest, seq + 1000 * n, at, kind, object || '-' || n, op FROM log, many",
		"UPDATE contest SET next_number = next_number + 99000, last_seq = last_seq + 99000",
	}
	for _, text := range copies {
		if strings.HasPrefix(text, "INSERT") {
			at := strings.Index(text, "SELECT")
			text = text[:at] + fmt.Sprintf("WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < %d) ", all/waiting-1) + text[at:]
		}
		_, err := db.Exec(text)
		must(b, err)
	}
	must(b, db.Close())
	if n := h.count("SELECT count(*) FROM submission"); n != all {
		b.Fatalf("%d submissions", n)
	}
	for b.Loop() {
		began := time.Now()
		h.serve()
		b.ReportMetric(time.Since(began).Seconds()*1000, "ms/answer")
		h.wait(20*time.Second, "the queue is full", func() bool { return h.messages() >= 2 })
		b.ReportMetric(time.Since(began).Seconds()*1000, "ms/full")
		b.ReportMetric(float64(resident(b, h.serving.Process.Pid))/(1<<20), "MiB")
		h.serving.kill()
	}
}
