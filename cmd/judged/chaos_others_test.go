package main

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"assay/judge/host/client"
	"assay/judge/host/queue"
	"assay/judge/host/queue/queuetest"
	"assay/judge/host/server"
	"assay/judge/host/store/storetest"
)

// onPostgres returns a harness whose server uses a database on a new PostgreSQL server, and the PostgreSQL server.
func onPostgres(t *testing.T) (*harness, *storetest.Postgres) {
	t.Helper()
	p, err := storetest.StartPostgres()
	if errors.Is(err, storetest.ErrNotInstalled) {
		t.Skip(err)
	}
	must(t, err)
	t.Cleanup(func() { must(t, p.Stop()) })
	db, err := sql.Open("pgx", p.DSN("postgres"))
	must(t, err)
	_, err = db.Exec("CREATE DATABASE chaos")
	must(t, errors.Join(err, db.Close()))
	return newHarness(t, func(s *serverPart) { s.Database = p.DSN("chaos") }), p
}

// TestAServerOnPostgresIsKilled kills a server on PostgreSQL eight times, as TestAServerIsKilledEightTimes does on
// SQLite.
func TestAServerOnPostgresIsKilled(t *testing.T) {
	slow(t)
	h, _ := onPostgres(t)
	killServers(t, h, 8, 300)
}

// TestPostgresIsKilled kills PostgreSQL. Pages and the API must respond that the database does not respond, with a
// status that makes programs retry. When PostgreSQL is back, the server must continue.
func TestPostgresIsKilled(t *testing.T) {
	h, p := onPostgres(t)
	h.serve()
	h.work(h.hire("w", 2, 20*time.Millisecond))
	h.submitAll(9).Wait()
	must(t, p.Kill())
	for _, path := range []string{"/", "/golf", "/ladders", "/api/2026-01/contests"} {
		r, err := http.Get("http://" + h.part.Listen + path)
		must(t, err)
		text, err := io.ReadAll(r.Body)
		must(t, errors.Join(err, r.Body.Close()))
		if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") != "5" ||
			!strings.Contains(string(text), "the database does not respond") {
			t.Errorf("GET %s without a database: %s, again after %q\n%s", path, r.Status, r.Header.Get("Retry-After"), text)
		}
	}
	_, err := h.client(h.tokens[0], -1).Account(t.Context())
	if refused, is := errors.AsType[*client.Error](err); !is || refused.Status != http.StatusServiceUnavailable ||
		!strings.Contains(refused.Text, "the database does not respond") {
		t.Errorf("the account without a database: %v", err)
	}
	all := h.submitAll(9)
	time.Sleep(time.Second)
	must(t, p.Restart())
	all.Wait()
	h.audit()
}

// outer starts an external queue with three servers, and a harness. The harness's workers may use the queue.
func outer(t *testing.T, workers int, change func(*serverPart)) (*harness, *queuetest.Cluster, []queuetest.Worker) {
	t.Helper()
	h := newHarness(t, change)
	var known []queuetest.Worker
	for i := range workers {
		name := fmt.Sprint("w", i+1)
		must(t, os.MkdirAll(filepath.Join(h.dir, name), 0o700))
		_, key, err := queue.ReadKey(filepath.Join(h.dir, name, "key"))
		must(t, err)
		known = append(known, queuetest.Worker{Name: name, Class: server.Class, Key: key})
	}
	c := queuetest.Start(t, known...)
	c.Open(t, queue.Listener{}).Close() // now it has a leader
	h.part.Queue = strings.Join(c.URLs, ",")
	return h, c, known
}

// leader waits until the job stream of the queue has a leader, and returns the leader's name. It ignores the
// server named by the parameter not.
func (h *harness) leader(not string) (name string) {
	h.t.Helper()
	nc, err := nats.Connect(h.part.Queue)
	must(h.t, err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	must(h.t, err)
	h.wait("a server leads", func() bool {
		stream, err := js.Stream(h.t.Context(), "JOBS")
		if err == nil {
			name = stream.CachedInfo().Cluster.Leader
		}
		return err == nil && name != not && name != ""
	})
	return name
}

// begin starts the server and its workers, submits programs, and waits until a third of them are judged.
func (h *harness) begin(known []queuetest.Worker, submissions int) *sync.WaitGroup {
	h.t.Helper()
	h.serve()
	for _, w := range known {
		h.work(h.hire(w.Name, 2, 20*time.Millisecond))
	}
	all := h.submitAll(submissions)
	h.wait("a third is judged", func() bool { return h.count("SELECT count(*) FROM job WHERE done_at IS NOT NULL") >= submissions/3 })
	return all
}

// TestALeaderOfTheQueueIsKilled kills one of the three servers of an external queue, the leader of the job stream.
// Workers receive the address of the queue, but not the server's credentials for it.
func TestALeaderOfTheQueueIsKilled(t *testing.T) {
	slow(t)
	h, c, known := outer(t, 2, nil)
	all := h.begin(known, 300)
	c.Kill(t, h.leader(""))
	all.Wait()
	h.audit()
}

// TestAMinorityOfTheQueueIsCutOff disconnects one of the three servers of an external queue for a while. If that
// server is the leader of the job stream, the other two continue. If the judge's server is connected to it,
// judging waits, but submitting still works.
func TestAMinorityOfTheQueueIsCutOff(t *testing.T) {
	slow(t)
	const cutFor = 8 * time.Second
	t.Run("the leader", func(t *testing.T) {
		t.Parallel()
		h, c, known := outer(t, 2, nil)
		first := h.leader("")
		h.part.Queue = strings.Join(slices.DeleteFunc(slices.Clone(c.URLs), func(url string) bool { return url == c.URLs[int(first[1]-'1')] }),
			",")
		all := h.begin(known, 300)
		parted := h.leader("")
		c.Disconnect(t, parted)
		h.leader(parted) // the new leader among the others
		time.Sleep(cutFor)
		c.Reconnect(t, parted)
		all.Wait()
		h.audit()
	})
	t.Run("the server's own", func(t *testing.T) {
		t.Parallel()
		h, c, known := outer(t, 2, nil)
		h.part.Queue = c.URLs[0]
		all := h.begin(known, 150)
		c.Disconnect(t, "n1")
		time.Sleep(cutFor / 2)
		before := h.count("SELECT count(*) FROM job WHERE done_at IS NOT NULL")
		began := time.Now()
		h.submitAll(30).Wait()
		t.Logf("30 submissions were answered in %s", time.Since(began).Round(time.Millisecond))
		if judged := h.count("SELECT count(*) FROM job WHERE done_at IS NOT NULL") - before; judged > 10 {
			t.Errorf("%d jobs were judged: the server is not cut off", judged)
		}
		c.Reconnect(t, "n1")
		all.Wait()
		h.audit()
	})
}
