package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// rows is a queue of leases that are rows of the database, without any other engine: workers ask
// over HTTP, and an answer waits until there is a job. It is what package queue is measured
// against, with the benchmarks that have the same names there. A job is inserted by the
// transaction that keeps its submission, so the time from the commit to the start begins after it.
type rows struct {
	db    *sql.DB
	skip  string // what PostgreSQL skips that another worker is taking
	web   *httptest.Server
	woken chan struct{} // there is a job for a waiting worker
	done  chan string   // the job that was finished
}

const leaseTime = 30 * time.Second

func openRows(b *testing.B, dsn string) *rows {
	b.Helper()
	r := &rows{woken: make(chan struct{}, 1000), done: make(chan string, 100)}
	driver, address := "pgx", dsn
	if strings.HasPrefix(dsn, "postgres") {
		r.skip = " FOR UPDATE SKIP LOCKED"
	} else {
		options := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)"}, "_txlock": {"immediate"}}
		driver, address = "sqlite", "file:"+dsn+"?"+options.Encode()
	}
	var err error
	if r.db, err = sql.Open(driver, address); err != nil {
		b.Fatal(err)
	}
	r.db.SetMaxOpenConns(1)
	if r.skip != "" {
		r.db.SetMaxOpenConns(16)
		r.db.SetMaxIdleConns(16)
	}
	for _, statement := range []string{
		"CREATE TABLE leased (id TEXT PRIMARY KEY, lane INTEGER, seq BIGINT, spec TEXT, until BIGINT NOT NULL DEFAULT 0, result TEXT)",
		"CREATE INDEX leased_waiting ON leased (lane, seq) WHERE result IS NULL",
	} {
		if _, err := r.db.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	r.web = httptest.NewServer(http.HandlerFunc(r.serve))
	b.Cleanup(func() { r.web.Close(); r.db.Close() })
	return r
}

// insert commits a job.
func (r *rows) insert(b *testing.B, id string, seq int) {
	if _, err := r.db.Exec("INSERT INTO leased (id, lane, seq, spec) VALUES ($1, 1, $2, $3)", id, seq, strings.Repeat("x", 600)); err != nil {
		b.Error(err)
	}
}

func (r *rows) serve(w http.ResponseWriter, req *http.Request) {
	if id := req.URL.Query().Get("finish"); id != "" {
		result, _ := io.ReadAll(req.Body)
		if _, err := r.db.Exec("UPDATE leased SET result = $1 WHERE id = $2", string(result), id); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		r.done <- id
		return
	}
	for {
		id, spec, err := r.take()
		switch {
		case err == nil:
			w.Header().Set("Job", id)
			_, _ = io.WriteString(w, spec)
			return
		case !errors.Is(err, sql.ErrNoRows):
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		select {
		case <-r.woken:
		case <-req.Context().Done():
			return
		}
	}
}

func (r *rows) take() (id, spec string, err error) {
	now := time.Now()
	err = r.db.QueryRow("UPDATE leased SET until = $1 WHERE id = (SELECT id FROM leased WHERE result IS NULL AND until < $2 ORDER BY lane, seq LIMIT 1"+
		r.skip+") RETURNING id, spec", now.Add(leaseTime).UnixMilli(), now.UnixMilli()).Scan(&id, &spec)
	return id, spec, err
}

// work has workers take jobs and finish them at once, until the benchmark ends.
func (r *rows) work(b *testing.B, workers int, started func()) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				req, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, r.web.URL+"/", nil)
				answer, err := client.Do(req)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
				if answer.StatusCode != http.StatusOK {
					b.Error(answer.Status)
					return
				}
				started()
				finish := r.web.URL + "/?finish=" + answer.Header.Get("Job")
				req, _ = http.NewRequestWithContext(b.Context(), http.MethodPost, finish, strings.NewReader(strings.Repeat("r", 300)))
				if answer, err = client.Do(req); err != nil {
					return
				}
				answer.Body.Close()
				if answer.StatusCode != http.StatusOK {
					b.Error(answer.Status)
					return
				}
			}
		})
	}
	b.Cleanup(all.Wait) // b.Context has ended
	time.Sleep(time.Second)
}

// BenchmarkRowsDispatch is the time from the commit until one of 100 idle workers starts.
func BenchmarkRowsDispatch(b *testing.B) {
	onEach(b, func(b *testing.B, dsn string) {
		r := openRows(b, dsn)
		took := make(chan time.Time, 100)
		r.work(b, 100, func() { took <- time.Now() })
		var times []time.Duration
		for i := 0; b.Loop(); i++ {
			r.insert(b, fmt.Sprint("j", i), i)
			began := time.Now()
			r.woken <- struct{}{}
			times = append(times, (<-took).Sub(began))
			<-r.done
		}
		slices.Sort(times)
		b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
		b.ReportMetric(times[len(times)*99/100].Seconds()*1000, "p99-ms")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkRowsCeiling is how many jobs that take no time go through in a second.
func BenchmarkRowsCeiling(b *testing.B) {
	onEach(b, func(b *testing.B, dsn string) {
		for _, workers := range []int{1, 100} {
			b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
				r := openRows(b, dsn)
				b.Cleanup(func() { _, _ = r.db.Exec("DROP TABLE leased") })
				r.work(b, workers, func() {})
				const jobs = 2000
				var rate float64
				for n := 0; b.Loop(); n++ {
					began := time.Now()
					for p := range 8 {
						go func() {
							for i := p; i < jobs; i += 8 {
								r.insert(b, fmt.Sprintf("n%d-%d", n, i), i)
								select {
								case r.woken <- struct{}{}:
								default:
								}
							}
						}()
					}
					for range jobs {
						<-r.done
					}
					rate = jobs / time.Since(began).Seconds()
				}
				b.ReportMetric(rate, "jobs/s")
				b.ReportMetric(0, "ns/op")
			})
		}
	})
}
