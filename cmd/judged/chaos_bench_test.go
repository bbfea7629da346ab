package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"assay/judge/host/client"
	"assay/judge/host/store"
)

// BenchmarkStart measures the time from an empty data directory to the first response. The baseline is a second
// start with the same directory.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		h := newHarness(b, nil)
		must(b, os.RemoveAll(h.part.Data))
		must(b, os.MkdirAll(h.part.Data, 0o700))
		began := time.Now()
		h.serve()
		b.ReportMetric(time.Since(began).Seconds()*1000, "ms/empty")
		h.serving.kill()
		began = time.Now()
		h.serve()
		b.ReportMetric(time.Since(began).Seconds()*1000, "ms/again")
		h.serving.kill()
	}
}

// BenchmarkRecovery starts `judged serve` and its worker on the data directory of a server that was killed with
// its worker. The directory has 100,000 submissions, and 1,000 of them are pending. It measures the time until the
// server responds, until its queue is full again, and until there is a verdict.
func BenchmarkRecovery(b *testing.B) {
	const all, waiting = 100_000, 1000
	h, contest := realServer(b, 1)
	program := static(b, h.dir, "")
	admin := h.openFor(contest, 1)
	h.wait("the worker knows its machine", func() bool {
		all, err := admin.Workers(b.Context())
		return err == nil && len(all) == 1 && all[0].Connected
	})
	h.stop()
	admin = h.openFor(contest, 0)
	_, err := admin.Submit(b.Context(), "nothing", client.Program{Path: program, Name: "noop.exe"})
	must(b, err)
	h.stop()
	h.inStore(func(s *store.Store) { h.background(s, waiting-1) })
	db := h.database()
	// Add submissions that were judged long ago, as copies of the pending ones.
	copies := []string{
		"INSERT INTO submission (id, contest, number, problem, account, form_key, language, entry, files, folder, size, received) SELECT " +
			"submission.id || '-' || n, contest, number + 1000 * n, problem, account, form_key, language, entry, files, folder, size, received " +
			"FROM submission, many WHERE number <= 1000",
		"INSERT INTO judgement (id, submission, bundle, config, class, origin, root, why, started, ended, verdict) SELECT judgement.id || '-' " +
			"|| n, submission || '-' || n, bundle, config, class, origin, root || '-' || n, why, started, started + 1, 'AC' FROM judgement, many",
		"INSERT INTO standing SELECT submission || '-' || n, judgement || '-' || n FROM standing, many",
		"INSERT INTO job SELECT job.id || '-' || n, kind, lane, class, owner, cost, start_tag, spec, token, 'done', generation, tries, " +
			"excluded, made, made, made + 1, 'w', flow, part_key FROM job, many",
		"INSERT INTO log SELECT contest, seq + 1000 * n, at, kind, object || '-' || n, op FROM log, many",
		"UPDATE contest SET next_number = next_number + 99000, last_seq = last_seq + 99000",
	}
	for _, text := range copies {
		if strings.HasPrefix(text, "INSERT") {
			at := strings.Index(text, "SELECT")
			text = text[:at] + fmt.Sprintf("WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < %d) ", all/waiting-1) +
				text[at:]
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
		since := func(what string, is func() bool) {
			h.wait("it comes to pass: "+what, is)
			b.ReportMetric(time.Since(began).Seconds()*1000, "ms/"+what)
		}
		h.serving = h.judged(contest, "server", "serve", "--listen", h.part.Listen, "--metrics", h.part.Metrics)
		since("answer", func() bool {
			r, err := http.Get("http://" + h.part.Listen + "/healthz")
			if err != nil {
				return false
			}
			return r.Body.Close() == nil
		})
		since("full", func() bool { return h.messages() >= 2 })
		since("verdict", func() bool { return h.open() < waiting })
		own, shared := h.memory()
		b.ReportMetric((own+shared)/(1<<20), "MiB")
		h.stop()
	}
}
