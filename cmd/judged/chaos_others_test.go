package main

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
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
	db, err := sql.Open("pgx", p.DSN("public"))
	must(t, err)
	_, err = db.Exec("CREATE SCHEMA chaos")
	must(t, errors.Join(err, db.Close()))
	killServers(t, newHouse(t, func(s *serverPart) { s.Database = p.DSN("chaos") }), 8, 300)
}

// TestALeaderOfTheQueueIsKilled: one of three servers of an outer queue, that which leads
// the stream of jobs. Workers are told where the queue is, and not how the server gets in.
func TestALeaderOfTheQueueIsKilled(t *testing.T) {
	slow(t)
	h := newHouse(t, nil)
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
	h.serve()
	for _, w := range known {
		h.work(h.hire(w.Name, 2, 20*time.Millisecond))
	}
	all := h.submitAll(300)
	h.wait(20*time.Second, "a third is judged", func() bool { return h.count("SELECT count(*) FROM job WHERE done_at IS NOT NULL") >= 100 })
	nc, err := nats.Connect(h.part.Queue)
	must(t, err)
	js, err := jetstream.New(nc)
	must(t, err)
	stream, err := js.Stream(t.Context(), "JOBS")
	must(t, err)
	leader := stream.CachedInfo().Cluster.Leader
	nc.Close()
	c.Kill(t, leader)
	all.Wait()
	h.audit(50 * time.Second)
}
