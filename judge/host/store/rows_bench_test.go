package store_test

import (
	"context"
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

	"github.com/jackc/pgx/v5"
)

// rows is a job queue that stores its leases only in the database. Workers request jobs over HTTP, and a request
// waits until there is a job. Several servers notify each other with PostgreSQL. Benchmarks with the same names as
// those of package queue compare the two. The transaction that stores a submission also inserts its job, so the
// measured time from commit to start begins after the insertion.
type rows struct {
	postgres bool
	servers  []*rowServer
	done     chan string // receives each finished job
}

// rowServer is one of the servers that hand out jobs.
type rowServer struct {
	*rows
	db    *sql.DB
	web   *httptest.Server
	woken chan struct{} // wakes waiting requests when there is a job
}

const leaseTime = 30 * time.Second

func openRows(b *testing.B, dsn string, servers int) *rows {
	b.Helper()
	r := &rows{postgres: strings.HasPrefix(dsn, "postgres"), done: make(chan string, 100)}
	driver, address := "pgx", dsn
	if !r.postgres {
		options := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)"}, "_txlock": {"immediate"}}
		driver, address = "sqlite", "file:"+dsn+"?"+options.Encode()
	}
	for range servers {
		s := &rowServer{rows: r, woken: make(chan struct{}, 1000)}
		var err error
		if s.db, err = sql.Open(driver, address); err != nil {
			b.Fatal(err)
		}
		s.db.SetMaxOpenConns(1)
		if r.postgres {
			s.db.SetMaxOpenConns(16)
			s.db.SetMaxIdleConns(16)
		}
		s.web = httptest.NewServer(http.HandlerFunc(s.serve))
		r.servers = append(r.servers, s)
		b.Cleanup(func() { s.web.Close(); s.db.Close() })
	}
	for _, statement := range []string{
		"CREATE TABLE leased (id TEXT PRIMARY KEY, lane INTEGER, seq BIGINT, spec TEXT, until BIGINT NOT NULL DEFAULT 0, result TEXT)",
		"CREATE INDEX leased_waiting ON leased (lane, seq) WHERE result IS NULL",
	} {
		if _, err := r.servers[0].db.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	if servers > 1 {
		for _, s := range r.servers {
			s.listen(b, dsn)
		}
	}
	return r
}

// listen wakes a waiting request for each notification from PostgreSQL, until the benchmark ends.
func (s *rowServer) listen(b *testing.B, dsn string) {
	c, err := pgx.Connect(b.Context(), dsn)
	if err == nil {
		_, err = c.Exec(b.Context(), "LISTEN leased")
	}
	if err != nil {
		b.Fatal(err)
	}
	var end sync.WaitGroup
	end.Go(func() {
		for {
			if _, err := c.WaitForNotification(b.Context()); err != nil {
				return
			}
			s.wake()
		}
	})
	b.Cleanup(func() { end.Wait(); c.Close(context.Background()) })
}

func (s *rowServer) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// insert commits a job on one of the servers, and wakes waiting requests.
func (r *rows) insert(b *testing.B, id string, seq int) (committed time.Time) {
	s := r.servers[seq%len(r.servers)]
	statement := "INSERT INTO leased (id, lane, seq, spec) VALUES ($1, 1, $2, $3)"
	if len(r.servers) > 1 { // the notification is part of the transaction
		statement = "WITH new AS (" + statement + " RETURNING id) SELECT pg_notify('leased', id) FROM new"
	}
	if _, err := s.db.Exec(statement, id, seq, strings.Repeat("x", 600)); err != nil {
		b.Error(err)
	}
	committed = time.Now()
	if len(r.servers) == 1 {
		s.wake()
	}
	return committed
}

func (s *rowServer) serve(w http.ResponseWriter, req *http.Request) {
	if id := req.URL.Query().Get("finish"); id != "" {
		result, _ := io.ReadAll(req.Body)
		if _, err := s.db.Exec("UPDATE leased SET result = $1 WHERE id = $2", string(result), id); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		s.done <- id
		return
	}
	for {
		id, spec, err := s.take()
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
		case <-s.woken:
		case <-req.Context().Done():
			return
		}
	}
}

func (s *rowServer) take() (id, spec string, err error) {
	skip := ""
	if s.postgres { // skip rows that another request is taking
		skip = " FOR UPDATE SKIP LOCKED"
	}
	now := time.Now()
	err = s.db.QueryRow("UPDATE leased SET until = $1 WHERE id = (SELECT id FROM leased WHERE result IS NULL AND until < $2 ORDER BY lane, "+
		"seq LIMIT 1"+
		skip+") RETURNING id, spec", now.Add(leaseTime).UnixMilli(), now.UnixMilli()).Scan(&id, &spec)
	return id, spec, err
}

// work starts workers that take jobs and finish them at once, until the benchmark ends.
func (r *rows) work(b *testing.B, workers int, started func()) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	var all sync.WaitGroup
	for i := range workers {
		url := r.servers[i%len(r.servers)].web.URL
		all.Go(func() {
			for {
				req, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, url+"/", nil)
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
				finish := url + "/?finish=" + answer.Header.Get("Job")
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
	b.Cleanup(all.Wait) // b.Context has ended by then
	time.Sleep(time.Second)
}

// onRows runs a benchmark with one server on each database, and with three servers on PostgreSQL.
func onRows(b *testing.B, bench func(b *testing.B, dsn string, servers int)) {
	onEach(b, func(b *testing.B, dsn string) { bench(b, dsn, 1) })
	b.Run("servers", func(b *testing.B) { bench(b, pg(b), 3) })
}

// BenchmarkRowsDispatch measures the time from the commit until one of 100 idle workers starts.
func BenchmarkRowsDispatch(b *testing.B) {
	onRows(b, func(b *testing.B, dsn string, servers int) {
		r := openRows(b, dsn, servers)
		took := make(chan time.Time, 100)
		r.work(b, 100, func() { took <- time.Now() })
		var times []time.Duration
		for i := 0; b.Loop(); i++ {
			began := r.insert(b, fmt.Sprint("j", i), i)
			times = append(times, (<-took).Sub(began))
			<-r.done
		}
		slices.Sort(times)
		b.ReportMetric(times[len(times)/2].Seconds()*1000, "p50-ms")
		b.ReportMetric(times[len(times)*99/100].Seconds()*1000, "p99-ms")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkRowsCeiling measures how many empty jobs are processed per second.
func BenchmarkRowsCeiling(b *testing.B) {
	onRows(b, func(b *testing.B, dsn string, servers int) {
		for _, workers := range []int{1, 100} {
			b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
				r := openRows(b, dsn, servers)
				b.Cleanup(func() { _, _ = r.servers[0].db.Exec("DROP TABLE leased") })
				r.work(b, workers, func() {})
				const jobs = 2000
				var rate float64
				for n := 0; b.Loop(); n++ {
					began := time.Now()
					for p := range 8 {
						go func() {
							for i := p; i < jobs; i += 8 {
								r.insert(b, fmt.Sprintf("n%d-%d", n, i), i)
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
