package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"assay/judge/host/store"
)

// measure serves metrics at a separate address. If the address is in use, the server starts without metrics.
func (s *Server) measure() error {
	if s.o.Metrics == "" {
		return nil
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &watch{s})
	on, err := net.Listen("tcp", s.o.Metrics)
	if err != nil {
		s.o.Log.Warn("metrics are not available: choose another address with --metrics", "error", err)
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	s.metrics = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	s.loops.Go(func() { _ = s.metrics.Serve(on) }) // the error only says that it was closed
	return nil
}

// A watch is a collector that computes the metrics on request.
type watch struct{ s *Server }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("assay_"+name, help, labels, nil)
}

var (
	jobsNow      = describe("jobs", "Open jobs.", "lane", "class", "state")
	oldestJob    = describe("oldest_job_seconds", "Age of the oldest open job.", "lane", "class", "state")
	jobsFed      = describe("jobs_fed_total", "Jobs that were enqueued.")
	resultsTaken = describe("results_total", "Results of workers.", "outcome")
	jobsAgain    = describe("jobs_again_total", "Jobs that were queued again because no worker had them.")
	troublesSeen = describe("troubles_total", "Operations that failed and were retried.")
	workersNow   = describe("workers", "Workers that have joined.", "state", "connected")
	watchersNow  = describe("watchers", "Streams of running judgings.")
	queueNow     = describe("queue_messages", "Messages in the queue.", "stream")
	queueBytes   = describe("queue_bytes", "Bytes of the queue's files.")
	backupAge    = describe("backup_age_seconds", "Age of the last nightly backup.")
	backupsNow   = describe("backups", "Existing nightly backups.")
	backupsWrong = describe("backups_failed_total", "Nightly backups that failed.")
	diskFree     = describe("disk_free_bytes", "Free space on the disk of the data directory.")
)

func (w *watch) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{jobsNow, oldestJob, jobsFed, resultsTaken, jobsAgain, troublesSeen, workersNow, watchersNow, queueNow, queueBytes, backupAge, backupsNow, backupsWrong, diskFree} {
		to <- d
	}
}

func (w *watch) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge(watchersNow, float64(w.s.dispatch.Watchers()))
	c := w.s.dispatch.Counts()
	counter(jobsFed, c.Fed)
	counter(jobsAgain, c.Again)
	counter(troublesSeen, c.Troubles)
	for outcome, n := range map[store.Outcome]int64{
		store.Counted: c.Counted, store.Duplicate: c.Duplicates, store.Disagreement: c.Disagreements,
		store.Retried: c.Retried, store.GaveUp: c.Failed, store.Dropped: c.Dropped,
	} {
		counter(resultsTaken, n, string(outcome))
	}
	if rows, err := w.s.dispatch.Queues(ctx); err == nil {
		for _, q := range rows {
			labels := []string{strconv.Itoa(int(q.Lane)), q.Class, string(q.State)}
			gauge(jobsNow, float64(q.Jobs), labels...)
			gauge(oldestJob, time.Since(q.Oldest).Seconds(), labels...)
		}
	}
	if rows, err := w.s.store.Workers(ctx); err == nil {
		n := map[[2]string]int{}
		for _, row := range rows {
			n[[2]string{string(row.State), fmt.Sprint(w.s.dispatch.Presence(row.Name).Connected)}]++
		}
		for labels, count := range n {
			gauge(workersNow, float64(count), labels[0], labels[1])
		}
	}
	if st, err := w.s.queue.Stats(ctx); err == nil {
		gauge(queueNow, float64(st.Jobs), "jobs")
		gauge(queueNow, float64(st.Results), "results")
		gauge(queueBytes, float64(st.Store))
	}
	if b := w.s.Backups(); b.On {
		gauge(backupsNow, float64(b.Kept))
		counter(backupsWrong, int64(b.Failed))
		if !b.Last.IsZero() {
			gauge(backupAge, time.Since(b.Last).Seconds())
		}
	}
	if free, err := w.s.freeDisk(); err == nil {
		gauge(diskFree, float64(free))
	}
}
