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
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/freeport"
	"assay/judge/host/queue/queuetest"
	"assay/judge/host/server"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// fleet is several servers on one database, one queue and one directory of blobs.
type fleet struct {
	*testing.T
	servers []*harness // the first one has what they have in common
	known   []queuetest.Worker
}

func newFleet(t *testing.T, n int) *fleet {
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
	h, _, known := outer(t, func(s *serverPart) { s.Database, s.Blobs, s.ID = p.DSN("fleet"), shared, "a" })
	h.inStore(func(s *store.Store) {
		c := &store.Contest{
			Slug: "now", Name: "Now", Format: store.ICPC, Starts: time.Now().Add(-time.Minute), Length: 10 * time.Hour, Visibility: store.Public,
			Settings: store.Settings{PerMinute: 1000},
		}
		must(t, s.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: problem}}))
	})
	f := &fleet{T: t, servers: []*harness{h}, known: known}
	for i := 1; i < n; i++ {
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

// get reads a page of a server as the public does.
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
	boardPath = "/c/now/board"
)

// agree waits until all servers show the same, with so many final verdicts.
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
				if path == boardPath { // around it are numbers of its server
					text := strings.Join(lines, "\n")
					lines = []string{text[max(0, strings.Index(text, "<tbody")):max(0, strings.LastIndex(text, "</tbody>"))]}
				}
				if strings.HasPrefix(path, feedPath) {
					slices.Sort(lines) // a snapshot is in the order in which its server learned of each
				}
				all = append(all, strings.Join(lines, "\n"))
			}
			one := all[0] != "" && !slices.ContainsFunc(all, func(s string) bool { return s != all[0] })
			return one && (!strings.HasPrefix(path, feedPath) || strings.Count(all[0], `"judgement_type_id":"`) >= verdicts)
		})
	}
}

// follow reads the event feed of a server as it comes, and returns the ids of the submissions in it.
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

// judgedOnce looks into the database whether each submission that was answered is judged, and once.
func (f *fleet) judgedOnce() {
	f.Helper()
	h := f.servers[0]
	for what, query := range map[string]string{
		"submissions have not one standing":  "SELECT count(*) FROM submission s WHERE (SELECT count(*) FROM standing WHERE submission = s.id) <> 1",
		"submissions have not one judgement": "SELECT count(*) FROM submission s WHERE (SELECT count(*) FROM judgement WHERE submission = s.id) <> 1",
		"jobs have two verdicts":             "SELECT count(*) FROM audit WHERE action = 'one job, two verdicts'",
		"numbers of the log are missing":     "SELECT count(*) - max(seq) FROM log WHERE contest = (SELECT id FROM contest WHERE slug = 'now')",
	} {
		if n := h.count(query); n != 0 {
			f.Errorf("%d %s", n, what)
		}
	}
	for _, h := range f.servers {
		h.verdicts()
	}
}

// TestTwoServers: people submit at both. The one that has the leads is killed, and the other takes over; what
// each took in, both show, also those that are open all the time.
func TestTwoServers(t *testing.T) {
	f := newFleet(t, 2)
	a, b := f.servers[0], f.servers[1]
	for _, w := range f.known { // which b has to hear of
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
	for _, h := range f.servers { // each has all files
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

// TestThreeServersAreKilled at random moments, while people submit at all of them.
func TestThreeServersAreKilled(t *testing.T) {
	slow(t)
	f := newFleet(t, 3)
	for _, w := range f.known {
		f.servers[0].work(f.servers[0].hire(w.Name, 2, 20*time.Millisecond))
	}
	var all []*sync.WaitGroup
	for _, h := range f.servers {
		all = append(all, h.submitAll(100))
	}
	for range 9 {
		h := f.servers[rand.IntN(len(f.servers))]
		time.Sleep(200*time.Millisecond + rand.N(2*time.Second))
		h.serving.kill()
		time.Sleep(rand.N(time.Second))
		h.serve()
	}
	for _, one := range all {
		one.Wait()
	}
	f.servers[0].wait("all is judged", func() bool { return f.servers[0].open() == 0 })
	f.agree(300)
	f.judgedOnce()
}

// TestTwoServersOfOneName: the second one is refused as long as the first one is there.
func TestTwoServersOfOneName(t *testing.T) {
	f := newFleet(t, 1)
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
