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

// serveMetrics serves metrics at a separate address. If the address is in use, the server starts without metrics.
func (s *Server) serveMetrics() error {
	if s.o.Metrics == "" {
		return nil
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&metricsCollector{s},
	)
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

// A metricsCollector is a collector that computes the metrics on request.
type metricsCollector struct{ s *Server }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("assay_"+name, help, labels, nil)
}

var (
	jobsDesc          = describe("jobs", "Open jobs.", "priority", "class", "state")
	oldestJobDesc     = describe("oldest_job_seconds", "Age of the oldest open job.", "priority", "class", "state")
	jobsEnqueuedDesc  = describe("jobs_fed_total", "Jobs that were enqueued.")
	resultsDesc       = describe("results_total", "Results of workers.", "outcome")
	jobsRequeuedDesc  = describe("jobs_again_total", "Jobs that were queued again because no worker had them.")
	retriedErrorsDesc = describe("troubles_total", "Operations that failed and were retried.")
	workersDesc       = describe("workers", "Workers that have joined.", "state", "connected")
	watchersDesc      = describe("watchers", "Streams of running judgings.")
	queueDesc         = describe("queue_messages", "Messages in the queue.", "stream")
	queueBytesDesc    = describe("queue_bytes", "Bytes of the queue's files.")
	backupAgeDesc     = describe("backup_age_seconds", "Age of the last nightly backup.")
	backupsDesc       = describe("backups", "Existing nightly backups.")
	backupErrorsDesc  = describe("backups_failed_total", "Nightly backups that failed.")
	diskFreeDesc      = describe("disk_free_bytes", "Free space on the disk of the data directory.")
)

func (w *metricsCollector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		jobsDesc, oldestJobDesc, jobsEnqueuedDesc, resultsDesc, jobsRequeuedDesc, retriedErrorsDesc, workersDesc, watchersDesc,
		queueDesc, queueBytesDesc, backupAgeDesc, backupsDesc, backupErrorsDesc, diskFreeDesc,
	} {
		descriptions <- d
	}
}

func (w *metricsCollector) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	counter := func(d *prometheus.Desc, v int64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(v), labels...)
	}
	gauge(watchersDesc, float64(w.s.dispatch.Watchers()))
	c := w.s.dispatch.Counts()
	counter(jobsEnqueuedDesc, c.Enqueued)
	counter(jobsRequeuedDesc, c.Requeued)
	counter(retriedErrorsDesc, c.RetriedErrors)
	for outcome, n := range map[store.Outcome]int64{
		store.Counted: c.Counted, store.Duplicate: c.Duplicates, store.Disagreement: c.Disagreements,
		store.Retried: c.Retried, store.GaveUp: c.Failed, store.Dropped: c.Dropped,
	} {
		counter(resultsDesc, n, string(outcome))
	}
	if rows, err := w.s.dispatch.QueueCounts(ctx); err == nil {
		for _, q := range rows {
			labels := []string{strconv.Itoa(int(q.Priority)), q.Class, string(q.State)}
			gauge(jobsDesc, float64(q.Jobs), labels...)
			gauge(oldestJobDesc, time.Since(q.Oldest).Seconds(), labels...)
		}
	}
	if rows, err := w.s.store.Workers(ctx); err == nil {
		n := map[[2]string]int{}
		for _, row := range rows {
			n[[2]string{string(row.State), fmt.Sprint(w.s.dispatch.WorkerStatus(row.Name).Connected)}]++
		}
		for labels, count := range n {
			gauge(workersDesc, float64(count), labels[0], labels[1])
		}
	}
	if st, err := w.s.queue.Stats(ctx); err == nil {
		gauge(queueDesc, float64(st.Jobs), "jobs")
		gauge(queueDesc, float64(st.Results), "results")
		gauge(queueBytesDesc, float64(st.Store))
	}
	if b := w.s.Backups(); b.On {
		gauge(backupsDesc, float64(b.Kept))
		counter(backupErrorsDesc, int64(b.FailedCount))
		if !b.Last.IsZero() {
			gauge(backupAgeDesc, time.Since(b.Last).Seconds())
		}
	}
	if free, err := w.s.freeDisk(); err == nil {
		gauge(diskFreeDesc, float64(free))
	}
}
