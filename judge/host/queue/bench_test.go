package queue_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/queue/queuetest"
)

// appended returns the median time of a synced append with the size of a job. This is the minimum cost of storing
// a message.
func appended(b *testing.B) time.Duration {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	data, err := spec("x").Encode()
	if err != nil {
		b.Fatal(err)
	}
	var times []time.Duration
	for range 200 {
		began := time.Now()
		if _, err := f.Write(data); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(began))
	}
	return quantile(times, 0.5)
}

func quantile(times []time.Duration, q float64) time.Duration {
	slices.Sort(times)
	return times[min(len(times)-1, int(q*float64(len(times))))]
}

func report(b *testing.B, times []time.Duration, baseline time.Duration) {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	b.ReportMetric(ms(quantile(times, 0.5)), "p50-ms")
	b.ReportMetric(ms(quantile(times, 0.99)), "p99-ms")
	b.ReportMetric(ms(baseline), "fsync-ms")
	b.ReportMetric(0, "ns/op")
}

// onEach runs a benchmark with the queue of one server, and with a cluster of three servers that admits the given
// number of workers.
func onEach(b *testing.B, workers int, bench func(b *testing.B, s *site)) {
	b.Run("embedded", func(b *testing.B) { bench(b, open(b, queue.Listener{Error: func(err error) { b.Log(err) }})) })
	b.Run("cluster", func(b *testing.B) {
		leaks(b)
		s := &site{t: b, seeds: map[string][]byte{}, keys: map[string]string{},
			results: &results{all: map[string][]*job.Result{}, new: make(chan struct{}, 1)}}
		var known []queuetest.Worker
		for i := range workers {
			name := fmt.Sprintf("w%d", i)
			s.keys[name], s.seeds[name] = key(b)
			known = append(known, queuetest.Worker{Name: name, Class: "main", Key: s.keys[name]})
		}
		c := queuetest.Start(b, known...)
		s.Queue, s.cluster = c.Open(b, queue.Listener{Error: func(err error) { b.Log(err) }}), c.WorkerURL
		s.startFold()
		b.Cleanup(func() { s.stopFold(); s.Close() })
		bench(b, s)
	})
}

// BenchmarkNoOp measures the overhead of the queue for an empty job: it is published, a worker is woken and takes
// it, and its result is stored, acknowledged and received. Jobs run one after the other.
func BenchmarkNoOp(b *testing.B) {
	s := open(b, queue.Listener{Error: func(err error) { b.Log(err) }})
	baseline := appended(b)
	work(b, s, 1, nil)
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		id := fmt.Sprintf("j%d", i)
		began := time.Now()
		s.publish(spec(id))
		if err := s.Wake("main"); err != nil {
			b.Fatal(err)
		}
		for len(s.of(id)) == 0 {
			<-s.new
		}
		times = append(times, time.Since(began))
	}
	report(b, times, baseline)
}

// BenchmarkDispatch measures the time from before Publish until one of 100 idle workers starts the job.
func BenchmarkDispatch(b *testing.B) { onEach(b, 100, dispatch) }

func dispatch(b *testing.B, s *site) {
	baseline := appended(b)
	took := make(chan time.Time, 100)
	work(b, s, 100, func(*queue.Lease) { took <- time.Now() })
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		id := fmt.Sprintf("j%d", i)
		began := time.Now()
		s.publish(spec(id))
		if err := s.Wake("main"); err != nil {
			b.Fatal(err)
		}
		times = append(times, (<-took).Sub(began))
		for len(s.of(id)) == 0 {
			<-s.new
		}
	}
	report(b, times, baseline)
}

// BenchmarkCeiling measures how many empty jobs pass through the queue per second, with 100 workers and with one.
// Eight goroutines publish.
func BenchmarkCeiling(b *testing.B) {
	for _, workers := range []int{1, 100} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			onEach(b, workers, func(b *testing.B, s *site) { ceiling(b, s, workers) })
		})
	}
}

func ceiling(b *testing.B, s *site, workers int) {
	baseline := appended(b)
	work(b, s, workers, nil)
	const jobs = 2000
	var rate float64
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		var all sync.WaitGroup
		for p := range 8 {
			all.Go(func() {
				for i := p; i < jobs; i += 8 {
					if _, err := s.Publish(b.Context(), spec(fmt.Sprintf("n%d-%d", n, i))); err != nil {
						b.Error(err)
					}
					if err := s.Wake("main"); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		for s.jobs() < jobs*(n+1) {
			<-s.new
		}
		rate = jobs / time.Since(began).Seconds()
	}
	b.ReportMetric(rate, "jobs/s")
	b.ReportMetric(float64(time.Second)/float64(baseline), "fsyncs/s")
	b.ReportMetric(0, "ns/op")
}

// work lets workers take jobs and finish them immediately until the benchmark ends.
func work(b *testing.B, s *site, workers int, started func(*queue.Lease)) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for i := range workers {
		m := s.join(fmt.Sprintf("w%d", i))
		all.Go(func() {
			for {
				l, err := m.Take(ctx)
				if err != nil {
					return
				}
				if started != nil {
					started(l)
				}
				if l.Finish(ctx, accepted()) != nil {
					return
				}
			}
		})
	}
	b.Cleanup(func() { cancel(); all.Wait() })
	time.Sleep(time.Second) // until all workers are idle
}
