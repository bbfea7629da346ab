package main

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"assay/judge/host/queue"
	"assay/judge/host/queue/queuetest"
	"assay/judge/host/server"
	"assay/judge/host/store/storetest"
)

// TestAServerOnPostgresIsKilled eight times, as the one on SQLite.
func TestAServerOnPostgresIsKilled(t *testing.T) {
	slow(t)
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
	killServers(t, newHarness(t, func(s *serverPart) { s.Database = p.DSN("chaos") }), 8, 300)
}

// outer is a queue of three servers, with a harness whose workers it lets in.
func outer(t *testing.T, change func(*serverPart)) (*harness, *queuetest.Cluster, []queuetest.Worker) {
	t.Helper()
	h := newHarness(t, change)
	var known []queuetest.Worker
	for _, name := range []string{"w1", "w2"} {
		must(t, os.MkdirAll(filepath.Join(h.dir, name), 0o700))
		_, key, err := queue.Key(filepath.Join(h.dir, name, "key"))
		must(t, err)
		known = append(known, queuetest.Worker{Name: name, Class: server.Class, Key: key})
	}
	c := queuetest.Start(t, known...)
	c.Open(t, queue.Listener{}).Close() // it has a leader now
	h.part.Queue = strings.Join(c.URLs, ",")
	return h, c, known
}

// leader waits until a server of the queue leads its stream of jobs that is not a given one.
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

// begin serves, submits, and waits until a third is judged.
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

// TestALeaderOfTheQueueIsKilled: one of three servers of an outer queue, that which leads
// the stream of jobs. Workers are told where the queue is, and not how the server gets in.
func TestALeaderOfTheQueueIsKilled(t *testing.T) {
	slow(t)
	h, c, known := outer(t, nil)
	all := h.begin(known, 300)
	c.Kill(t, h.leader(""))
	all.Wait()
	h.audit()
}

// TestAMinorityOfTheQueueIsCutOff: one of three servers of an outer queue hears nothing of
// the others for a while. Where it led the stream of jobs, the others go on; where it is
// the one that the server is connected to, judging waits, and submitting does not.
func TestAMinorityOfTheQueueIsCutOff(t *testing.T) {
	slow(t)
	const cutFor = 8 * time.Second
	t.Run("the leader", func(t *testing.T) {
		t.Parallel()
		h, c, known := outer(t, nil)
		first := h.leader("")
		h.part.Queue = strings.Join(slices.DeleteFunc(slices.Clone(c.URLs), func(url string) bool { return url == c.URLs[int(first[1]-'1')] }), ",")
		all := h.begin(known, 300)
		parted := h.leader("")
		c.Cut(t, parted)
		h.leader(parted) // of the others
		time.Sleep(cutFor)
		c.Heal(t, parted)
		all.Wait()
		h.audit()
	})
	t.Run("the server's own", func(t *testing.T) {
		t.Parallel()
		h, c, known := outer(t, nil)
		h.part.Queue = c.URLs[0]
		all := h.begin(known, 150)
		c.Cut(t, "n1")
		time.Sleep(cutFor / 2)
		before := h.count("SELECT count(*) FROM job WHERE done_at IS NOT NULL")
		began := time.Now()
		h.submitAll(30).Wait()
		t.Logf("30 submissions were answered in %s", time.Since(began).Round(time.Millisecond))
		if judged := h.count("SELECT count(*) FROM job WHERE done_at IS NOT NULL") - before; judged > 10 {
			t.Errorf("%d jobs were judged: the server is not cut off", judged)
		}
		c.Heal(t, "n1")
		all.Wait()
		h.audit()
	})
}
