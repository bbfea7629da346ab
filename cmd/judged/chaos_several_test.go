package main

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/freeport"
	"assay/judge/host/queue/queuetest"
	"assay/judge/host/server"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// fleet is a group of servers that share a database, a queue, and a blob directory.
type fleet struct {
	*testing.T
	servers  []*harness // the first one has what they have in common
	known    []queuetest.Worker
	postgres *storetest.Postgres
	cluster  *queuetest.Cluster
	problems []string
}

// newFleet starts servers on an empty database, with a contest of ten problems and fifteen teams. The workers are
// registered but not started.
func newFleet(t *testing.T, servers, workers int) *fleet {
	t.Helper()
	p, err := storetest.StartPostgres()
	if errors.Is(err, storetest.ErrNotInstalled) {
		t.Skip(err)
	}
	must(t, err)
	t.Cleanup(func() { must(t, p.Stop()) })
	db, err := sql.Open("pgx", p.DSN("postgres"))
	must(t, err)
	_, err = db.Exec("CREATE DATABASE fleet")
	must(t, errors.Join(err, db.Close()))
	shared := t.TempDir()
	f := &fleet{T: t, postgres: p, problems: []string{problem}}
	h, cluster, known := outer(t, workers, func(s *serverPart) { s.Database, s.Blobs, s.ID = p.DSN("fleet"), shared, "a" })
	f.cluster, f.known, f.servers = cluster, known, []*harness{h}
	h.inStore(func(s *store.Store) {
		for i := range 9 {
			f.problems = append(f.problems, fmt.Sprint(problem, i))
		}
		h.prepare(s, 12, f.problems[1:]...)
		var set []store.NewContestProblem
		for i, slug := range f.problems {
			set = append(set, store.NewContestProblem{Label: string(rune('A' + i)), Slug: slug})
		}
		c := &store.Contest{
			Slug: "now", Name: "Now", Format: store.ICPC, Starts: time.Now().Add(-time.Minute), Length: 10 * time.Hour,
			Visibility: store.VisibilityPublic,
			Settings:   store.Settings{PerMinute: 1000},
		}
		must(t, s.NewContest(t.Context(), c, set))
	})
	for i := 1; i < servers; i++ {
		part := h.part
		part.ID = string(rune('a' + i))
		part.Data, part.Listen, part.Metrics = filepath.Join(h.dir, "data-"+part.ID), freeport.Address(t), freeport.Address(t)
		f.servers = append(f.servers, &harness{t: t, dir: h.dir, part: part, tokens: h.tokens, answered: map[string]judge.Verdict{}})
	}
	for _, h := range f.servers {
		h.serve()
	}
	return f
}

// get reads a page of a server without logging in.
func (h *harness) get(path string) string {
	r, err := http.Get("http://" + h.part.Listen + path)
	if err != nil {
		return err.Error()
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return fmt.Sprint(r.Status, err)
	}
	return string(data)
}

const (
	feedPath  = "/api/2026-01/contests/now/event-feed"
	boardPath = "/c/now/scoreboard"
)

// agree waits until all servers return the same data, with at least this many final verdicts.
func (f *fleet) agree(verdicts int) {
	f.Helper()
	for _, path := range []string{
		feedPath + "?stream=false", "/api/2026-01/contests/now/judgements", "/api/2026-01/contests/now/submissions",
		"/api/2026-01/contests/now/scoreboard", boardPath,
	} {
		var all []string
		f.servers[0].wait("all servers show the same at "+path, func() bool {
			all = nil
			for _, h := range f.servers {
				lines := strings.Split(h.get(path), "\n")
				if path == boardPath { // the rest of the page has numbers that depend on the server
					text := strings.Join(lines, "\n")
					lines = []string{text[max(0, strings.Index(text, "<tbody")):max(0, strings.LastIndex(text, "</tbody>"))]}
				}
				if strings.HasPrefix(path, feedPath) {
					slices.Sort(lines) // the order depends on when the server learned of each object
				}
				all = append(all, strings.Join(lines, "\n"))
			}
			one := all[0] != "" && !slices.ContainsFunc(all, func(s string) bool { return s != all[0] })
			return one && (!strings.HasPrefix(path, feedPath) || strings.Count(all[0], `"judgement_type_id":"`) >= verdicts)
		})
	}
}

// follow streams the event feed of a server. Seen returns the ids of the submissions received so far.
func (h *harness) follow() (seen func() []string) {
	var mu sync.Mutex
	ids := map[string]bool{}
	r, err := http.Get("http://" + h.part.Listen + feedPath)
	must(h.t, err)
	h.t.Cleanup(func() { r.Body.Close() })
	go func() {
		for lines := bufio.NewScanner(r.Body); lines.Scan(); {
			if _, rest, is := strings.Cut(lines.Text(), `{"type":"submissions","id":"`); is {
				id, _, _ := strings.Cut(rest, `"`)
				mu.Lock()
				ids[id] = true
				mu.Unlock()
			}
		}
	}()
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Collect(maps.Keys(ids))
	}
}

// judgedOnce checks in the database that each accepted submission is judged exactly once.
func (f *fleet) judgedOnce() {
	f.Helper()
	h := f.servers[0]
	for what, query := range map[string]string{
		"submissions have not one standing": "SELECT count(*) FROM submission s WHERE (SELECT count(*) FROM standing WHERE submission = s.id) " +
			"<> 1",
		"submissions have not one judgement": "SELECT count(*) FROM submission s WHERE (SELECT count(*) FROM judgement WHERE submission = " +
			"s.id) <> 1",
		"jobs have two verdicts":         "SELECT count(*) FROM audit WHERE action = 'one job, two verdicts'",
		"numbers of the log are missing": "SELECT count(*) - max(seq) FROM log WHERE contest = (SELECT id FROM contest WHERE slug = 'now')",
	} {
		if n := h.count(query); n != 0 {
			f.Errorf("%d %s", n, what)
		}
	}
	for _, h := range f.servers {
		h.verdicts()
	}
}

// TestTwoServers submits to two servers, and kills the one that holds the leader leases. The other must take over
// the leases. Both must show all submissions, even in streams that stay open.
func TestTwoServers(t *testing.T) {
	f := newFleet(t, 2, 2)
	a, b := f.servers[0], f.servers[1]
	for _, w := range f.known { // b must learn of these workers
		a.work(a.hire(w.Name, 2, 20*time.Millisecond))
	}
	seen := b.follow()
	first := []*sync.WaitGroup{a.submitAll(9), b.submitAll(9)}
	for _, all := range first {
		all.Wait()
	}
	a.wait("a feed that is open on one server has what both took in", func() bool { return len(seen()) == 18 })
	a.wait("all is judged", func() bool { return a.open() == 0 })
	f.agree(18)
	for _, dry := range []bool{true, false} {
		_, err := a.move(t.Context(), server.MovePlan{Database: server.InDataDir, DryRun: dry})
		if refused, is := errors.AsType[*client.Error](err); !is || refused.Blame() != judge.Caller ||
			!strings.Contains(refused.Error(), "stop them, move") {
			t.Errorf("a move beside another server, dry run %v: %v", dry, err)
		}
	}
	a.serving.kill()
	b.submitAll(9).Wait()
	b.wait("all is judged without the server that had the leads", func() bool { return b.open() == 0 })
	a.serve()
	f.agree(27)
	f.judgedOnce()
	if n := a.count("SELECT count(*) FROM server_seen WHERE id IN ('a', 'b') AND seen > 0"); n != 2 {
		t.Errorf("%d of two servers announce themselves", n)
	}
	if n := a.count("SELECT epoch FROM server_seen WHERE id = 'a'"); n != 2 {
		t.Errorf("the second process of a server has the epoch %d", n)
	}
	for _, h := range f.servers { // each serves all files
		_, token, err := server.Admin(h.part.Data)
		must(t, err)
		for id := range b.answered {
			report, err := h.client(token, time.Minute).Submission(t.Context(), id)
			must(t, err)
			if report.Verdict == "" {
				t.Errorf("server %s has no verdict of %s", h.part.ID, id)
			}
		}
	}
}

// TestTwoServersOfOneName checks that a server does not start while another one with its name is running.
func TestTwoServersOfOneName(t *testing.T) {
	f := newFleet(t, 1, 2)
	part := f.servers[0].part
	part.Data, part.Listen, part.Metrics = filepath.Join(f.servers[0].dir, "data-2"), freeport.Address(t), freeport.Address(t)
	second := f.servers[0].start(serverRole, "second", part)
	second.waitEnd(t)
	if code := second.ProcessState.ExitCode(); code == 0 {
		t.Error("two servers have one name")
	}
	if got := f.servers[0].get("/healthz"); strings.Contains(got, "refused") {
		t.Errorf("the first one: %s", got)
	}
}

// TestLinesOfAMove checks the settings that a dry run of a move returns for each plan. Blobs can be moved to the
// server's existing cluster.
func TestLinesOfAMove(t *testing.T) {
	f := newFleet(t, 1, 0)
	for _, tt := range []struct {
		plan server.MovePlan
		want string
	}{
		{server.MovePlan{Database: server.InDataDir}, `database = ""`},
		{server.MovePlan{Database: server.InDataDir, Blobs: server.BlobsInQueue}, `database = "", blobs = "queue"`},
		{server.MovePlan{Database: server.InDataDir, Blobs: server.InDataDir, Queue: "nats://a,nats://b"},
			`database = "", queue = "nats://a,nats://b", blobs = ""`},
	} {
		tt.plan.DryRun = true
		moved, err := f.servers[0].move(t.Context(), tt.plan)
		if err != nil || !moved.DryRun || strings.Join(moved.Lines, ", ") != tt.want {
			t.Errorf("%+v: %q, %v, want %s", tt.plan, moved.Lines, err, tt.want)
		}
	}
	f.servers[0].submitAll(3).Wait() // nothing was stopped
}

// A victim is a process that is killed and started again.
type victim struct {
	name         string
	kill, revive func()
}

// victims starts the fleet's workers. It returns all processes of the fleet: its servers, its workers, the servers
// of its queue, and PostgreSQL.
func (f *fleet) victims() (all []victim) {
	f.Helper()
	for _, h := range f.servers {
		all = append(all, victim{"server " + h.part.ID, func() { h.serving.kill() }, func() { h.serve() }})
	}
	for i, w := range f.known {
		h := f.servers[i%len(f.servers)]
		part := h.hire(w.Name, 2, 20*time.Millisecond)
		part.Address.URL = "http://" + f.balance(i)
		p := h.work(part)
		all = append(all, victim{"worker " + w.Name, func() { p.kill() }, func() { p = h.work(part) }})
	}
	for _, name := range []string{"n1", "n2", "n3"} {
		all = append(all, victim{"queue " + name, func() { f.cluster.Kill(f, name) }, func() { f.cluster.Restart(f, name) }})
	}
	return append(all, victim{"PostgreSQL", func() { must(f, f.postgres.Kill()) }, func() { must(f, f.postgres.Restart()) }})
}

// TestAnyProcessIsKilled kills and restarts a process of the fleet every five seconds for a minute. Meanwhile,
// visitors submit, read pages, and have scoreboards and feeds open. The log shows how long they wait.
func TestAnyProcessIsKilled(t *testing.T) {
	slow(t)
	f := newFleet(t, 3, 3)
	victims := f.victims()
	c := f.newVisitors(20, 50, 6)
	all := c.submitEach(20, 3*time.Second)
	rand.Shuffle(len(victims), func(i, j int) { victims[i], victims[j] = victims[j], victims[i] })
	for i, end := 0, time.Now().Add(time.Minute); time.Now().Before(end); i++ {
		next, v := time.Now().Add(5*time.Second), victims[i%len(victims)]
		t.Logf("%s kill %s", time.Now().UTC().Format(time.TimeOnly), v.name)
		v.kill()
		time.Sleep(rand.N(2 * time.Second))
		v.revive()
		time.Sleep(time.Until(next))
	}
	all.Wait()
	f.servers[0].wait("all is judged", func() bool { return f.servers[0].open() == 0 })
	c.agree(300)
	c.report()
	c.leave()
	c.all.Wait()
	f.judgedOnce()
}

// TestRollingUpgrade restarts three servers as another version, one after the other, while accounts submit. No
// submission may be rejected or lost.
func TestRollingUpgrade(t *testing.T) {
	slow(t)
	f := newFleet(t, 3, 3)
	f.victims()
	c := f.newVisitors(3, 3, 3)
	all := c.submitEach(10, 2*time.Second)
	for _, h := range f.servers {
		time.Sleep(3 * time.Second)
		h.stop()
		h.part.Version = "next"
		h.serve()
	}
	all.Wait()
	f.servers[0].wait("all is judged", func() bool { return f.servers[0].open() == 0 })
	c.agree(150)
	c.report()
	c.leave()
	c.all.Wait()
	f.judgedOnce()
	if n := f.servers[0].count("SELECT count(*) FROM server_seen WHERE version = 'next'"); n != 3 {
		t.Errorf("%d of three servers have the next version", n)
	}
}

// footprint returns the memory, goroutines and files that the server uses, according to its metrics.
func (h *harness) footprint() string {
	h.t.Helper()
	r, err := http.Get("http://" + h.part.Metrics + "/metrics")
	must(h.t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	must(h.t, err)
	value := func(name string) (v float64) {
		_, rest, _ := strings.Cut(string(text), "\n"+name+" ")
		_, err := fmt.Sscan(rest, &v)
		must(h.t, err)
		return v
	}
	// With the default of GOGC, the next collection starts at twice the memory that was reachable at the last one.
	return fmt.Sprintf("server %s: %.1f MiB, heap %.1f MiB, reachable %.1f MiB, %.0f goroutines, %.0f files", h.part.ID,
		value("process_resident_memory_bytes")/(1<<20), value("go_memstats_heap_inuse_bytes")/(1<<20), value("go_memstats_next_gc_bytes")/(2<<20),
		value("go_goroutines"), value("process_open_fds"))
}

// TestSoak submits one program per second to three servers, for the duration in ASSAY_SOAK: in an hour, three times as
// many as a regional has. The log shows which resources the servers use.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("ASSAY_SOAK"))
	if err != nil {
		t.Skip("takes long: done with ASSAY_SOAK=1h and -timeout 2h")
	}
	f := newFleet(t, 3, 3)
	f.victims()
	c := f.newVisitors(20, 50, 1)
	began, pause := time.Now(), 15*time.Second
	all := c.submitEach(int(length/pause), pause)
	for i := range 11 {
		time.Sleep(time.Until(began.Add(length * time.Duration(i) / 10)))
		t.Logf("after %v, %d submissions", time.Since(began).Round(time.Second), f.servers[0].count("SELECT count(*) FROM submission"))
		for _, h := range f.servers {
			t.Log(h.footprint())
		}
	}
	all.Wait()
	c.report()
	f.servers[0].wait("all is judged", func() bool { return f.servers[0].open() == 0 })
	c.agree(f.servers[0].count("SELECT count(*) FROM submission"))
	c.leave()
	c.all.Wait()
	f.judgedOnce()
}

// TestAClockDiffers checks a server whose clock differs from that of the database. If the difference is small, the
// server must log it. If it is large, the server must not become ready, and must not start.
func TestAClockDiffers(t *testing.T) {
	h, _ := onPostgres(t)
	db := h.database()
	defer db.Close()
	for _, text := range []string{
		"CREATE TABLE public.ahead (time interval)", "INSERT INTO public.ahead VALUES ('0')",
		"CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + time FROM " +
			"public.ahead'",
		"ALTER DATABASE chaos SET search_path = public, pg_catalog",
	} {
		_, err := db.Exec(text)
		must(t, err)
	}
	set := func(ahead string) {
		t.Helper()
		_, err := db.Exec("UPDATE public.ahead SET time = $1::interval", ahead)
		must(t, err)
	}
	ready := func(code int, want string) {
		t.Helper()
		h.wait(fmt.Sprintf("the server responds with %d and %q", code, want), func() bool {
			r, err := http.Get("http://" + h.part.Listen + "/readyz")
			must(t, err)
			text, err := io.ReadAll(r.Body)
			must(t, errors.Join(err, r.Body.Close()))
			return r.StatusCode == code && strings.Contains(string(text), want)
		})
	}
	h.serve()
	ready(http.StatusOK, "ok")
	set("-2 s")
	ready(http.StatusOK, "ahead of the clock of the database: set both by NTP")
	logs := func(text string) {
		t.Helper()
		h.wait("the log has "+text, func() bool {
			log, err := os.ReadFile(filepath.Join(h.dir, "server.log"))
			must(t, err)
			return strings.Contains(string(log), text)
		})
	}
	logs("ahead of the clock of the database")
	set("1 h")
	ready(http.StatusServiceUnavailable, "behind the clock of the database: set both by NTP")
	h.stop()
	h.refusesToStart()
	logs("ended: the clock of this machine is ")
	set("2 s")
	h.serve()
	ready(http.StatusOK, "behind the clock of the database: set both by NTP")
}
