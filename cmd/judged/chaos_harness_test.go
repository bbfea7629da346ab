package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/freeport"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/server"
	"assay/judge/host/store"
)

// harness is a server with its workers and submitters. The server and the workers are processes that a test can
// kill.
type harness struct {
	t        testing.TB
	dir      string
	part     serverPart
	tokens   []string // one per submitter
	serving  *process
	mu       sync.Mutex
	answered map[string]judge.Verdict // expected verdict of each submission that the server accepted
}

const problem = "p"

// slow skips the test without ASSAY_SLOW. A slow test takes up to a minute and mostly waits, so it runs in
// parallel with others.
func slow(t *testing.T) {
	t.Helper()
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("takes up to a minute: done with ASSAY_SLOW=1")
	}
	t.Parallel()
}

// newHarness prepares the data of a server with one problem and three accounts that submit.
func newHarness(t testing.TB, change func(*serverPart)) *harness {
	t.Helper()
	h := &harness{t: t, dir: t.TempDir(), answered: map[string]judge.Verdict{}}
	h.part = serverPart{Data: filepath.Join(h.dir, "data"), Listen: freeport.Address(t), Metrics: freeport.Address(t)}
	if change != nil {
		change(&h.part)
	}
	must(t, os.MkdirAll(h.part.Data, 0o700))
	h.inStore(func(s *store.Store) { h.prepare(s, 3, problem) })
	t.Cleanup(func() {
		if t.Failed() {
			h.tellOpen()
			logs, _ := filepath.Glob(filepath.Join(h.dir, "*.log"))
			for _, name := range logs {
				data, _ := os.ReadFile(name)
				t.Logf("the end of %s:\n%s", filepath.Base(name), data[max(0, len(data)-3000):])
			}
		}
	})
	return h
}

// prepare adds accounts that can submit, and problems that belong to the first of these accounts.
func (h *harness) prepare(s *store.Store, accounts int, problems ...string) {
	var owner string
	for range accounts {
		a, err := s.NewAccount(h.t.Context(), fmt.Sprint("team", len(h.tokens)), "Team", store.TeamAccount, "")
		must(h.t, err)
		owner = cmp.Or(owner, a.ID)
		text, hash := auth.NewToken()
		_, err = s.NewToken(h.t.Context(), a.ID, hash, "", []string{string(client.Submit)}, time.Time{})
		must(h.t, err)
		h.tokens = append(h.tokens, text)
	}
	for _, slug := range problems {
		d := blob.DigestOf([]byte("nothing"))
		_, err := s.PutBundle(h.t.Context(), store.NewBundle{Problem: slug, Title: "P", Owner: owner, ID: d, Manifest: d, Config: d,
			MadeBy: owner})
		must(h.t, err)
	}
}

// inStore calls do with the server's database, while the server is down.
func (h *harness) inStore(do func(s *store.Store)) {
	h.t.Helper()
	s, err := store.Open(h.t.Context(), store.Options{DSN: h.part.Database, Dir: h.part.Data, Version: "test"})
	must(h.t, err)
	defer s.Close()
	do(s)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// process is a process that the test started.
type process struct {
	*exec.Cmd
	stdin io.Closer
	ended chan struct{}
}

// start runs this program in another role. The process is killed when the test ends.
func (h *harness) start(role, log string, part any) *process {
	h.t.Helper()
	data, err := json.Marshal(part)
	must(h.t, err)
	out, err := os.OpenFile(filepath.Join(h.dir, log+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(h.t, err)
	defer out.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"="+string(data))
	cmd.Stderr = out
	stdin, err := cmd.StdinPipe()
	must(h.t, err)
	must(h.t, cmd.Start())
	p := &process{cmd, stdin, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // most are killed
		close(p.ended)
	}()
	h.t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	_ = p.Process.Kill() // it may have exited
	<-p.ended
}

// waitEnd waits until the process has exited by itself.
func (p *process) waitEnd(t testing.TB) {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(hangs):
		t.Fatalf("process %d goes on after %v", p.Process.Pid, hangs)
	}
}

// serve starts the server and waits until it responds.
func (h *harness) serve() *process {
	h.t.Helper()
	h.serving = h.start(serverRole, "server", h.part)
	h.wait("the server answers", func() bool {
		select {
		case <-h.serving.ended:
			if h.part.DieAt != "" {
				return true
			}
			h.t.Fatal("the server ended at its start")
		default:
		}
		r, err := http.Get("http://" + h.part.Listen + "/healthz")
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
	return h.serving
}

// stop shuts the server down as an administrator would.
func (h *harness) stop() {
	h.t.Helper()
	must(h.t, h.serving.stdin.Close())
	h.serving.waitEnd(h.t)
}

// hangs is the timeout for any expected condition. Leases expire after 20 s, and other tests keep the machine
// busy.
const hangs = 2 * time.Minute

func (h *harness) wait(what string, is func() bool) {
	h.t.Helper()
	for end := time.Now().Add(hangs); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatalf("after %v it is not so that %s", hangs, what)
		}
	}
}

// client returns a client for the submitter with this token.
func (h *harness) client(token string, patience time.Duration) *client.Client {
	return h.clientAt(h.part.Listen, token, patience)
}

func (h *harness) clientAt(address, token string, patience time.Duration) *client.Client {
	c, err := client.New(client.Options{Address: client.Address{URL: "http://" + address}, Token: token, RetryFor: patience, Version: "test"})
	must(h.t, err)
	return c
}

func (h *harness) admin() *client.Client {
	_, token, err := server.Admin(h.part.Data)
	must(h.t, err)
	return h.client(token, time.Minute)
}

// hire prepares the data that a worker needs to join.
func (h *harness) hire(name string, slots int, delay time.Duration) workerPart {
	h.t.Helper()
	i, err := h.admin().CreateJoinCode(h.t.Context(), client.NewJoinCode{Worker: name})
	must(h.t, err)
	dir := filepath.Join(h.dir, name)
	must(h.t, os.MkdirAll(dir, 0o700))
	return workerPart{
		Dir: dir, Address: client.Address{URL: "http://" + h.part.Listen, Code: i.Code}, Slots: slots, Delay: delay, Protocol: job.Protocol,
		Version: "test",
	}
}

func (h *harness) work(p workerPart) *process { return h.start(workerRole, filepath.Base(p.Dir), p) }

// keepWorking restarts a worker each time it exits, until stop is called.
func (h *harness) keepWorking(p workerPart) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			w := h.work(p)
			select {
			case <-w.ended:
			case <-ctx.Done():
				w.kill()
			}
		}
	}()
	stop = func() { cancel(); <-done }
	h.t.Cleanup(stop)
	return stop
}

// submit sends a new program, and remembers the verdict that it must get.
func (h *harness) submit(c *client.Client, name string) (id string) {
	return h.submitTo(c, problem, name)
}

func (h *harness) submitTo(c *client.Client, problem, name string) (id string) {
	text := []byte("# " + rand.Text())
	file := filepath.Join(h.dir, fmt.Sprintf("%s-%x.py", name, blob.DigestOf(text)[:8]))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		h.t.Error(err)
		return ""
	}
	s, err := c.Submit(h.t.Context(), problem, client.Program{Path: file, Name: name + ".py"})
	if err != nil {
		h.t.Errorf("submit: %v", err)
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, twice := h.answered[s.ID]; twice {
		h.t.Errorf("two programs are the submission %s", s.ID)
	}
	h.answered[s.ID] = verdictOf(string(blob.DigestOf(text)))
	return s.ID
}

// submitAll submits n programs, from all submitters concurrently.
func (h *harness) submitAll(n int) *sync.WaitGroup {
	all := &sync.WaitGroup{}
	for i, token := range h.tokens {
		all.Go(func() {
			c := h.client(token, 2*time.Minute)
			for range (n + i) / len(h.tokens) {
				h.submit(c, "a")
			}
		})
	}
	return all
}

// tellOpen logs some unfinished jobs, to explain why a test failed.
func (h *harness) tellOpen() {
	db := h.database()
	defer db.Close()
	rows, err := db.Query("SELECT id, lane, state, generation, tries, excluded, made, coalesce(out_at, 0) FROM job WHERE done_at IS NULL " +
		"ORDER BY made LIMIT 20")
	if err != nil {
		h.t.Logf("which jobs are open is not known: %v", err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		var id, state, excluded string
		var priority, generation, tries, made, out int64
		if err := rows.Scan(&id, &priority, &state, &generation, &tries, &excluded, &made, &out); err != nil {
			h.t.Log(err)
			return
		}
		h.t.Logf("open: job %s of priority %d is %s, generation %d, %d tries, not for %s, made %v, out %v",
			id, priority, state, generation, tries, excluded, time.UnixMicro(made).UTC(), time.UnixMicro(out).UTC())
	}
}

// open returns the number of unfinished jobs in the database.
func (h *harness) open() int { return h.count("SELECT count(*) FROM job WHERE done_at IS NULL") }

func (h *harness) count(query string, args ...any) (n int) {
	h.t.Helper()
	db := h.database()
	defer db.Close()
	must(h.t, db.QueryRow(query, args...).Scan(&n))
	return n
}

// database opens the database that the server uses.
func (h *harness) database() *sql.DB {
	driver, dsn := "sqlite", "file:"+filepath.Join(h.part.Data, "assay.db")+"?_pragma=busy_timeout(5000)"
	if h.part.Database != "" {
		driver, dsn = "pgx", h.part.Database
	}
	db, err := sql.Open(driver, dsn)
	must(h.t, err)
	return db
}

// messages returns the number of messages in the queue, from the server's metrics. It returns -1 if the server
// does not respond.
func (h *harness) messages() int {
	r, err := http.Get("http://" + h.part.Metrics + "/metrics")
	if err != nil {
		return -1
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return -1
	}
	n, found := 0, 0
	for line := range strings.Lines(string(data)) {
		var count int
		if rest, ok := strings.CutPrefix(line, "assay_queue_messages{stream="); ok {
			if _, err := fmt.Sscanf(rest[strings.Index(rest, "}")+1:], "%d", &count); err == nil {
				n += count
				found++
			}
		}
	}
	if found != 2 {
		return -1
	}
	return n
}

// audit waits until all submissions are judged, and reports violated invariants.
func (h *harness) audit() {
	h.t.Helper()
	h.wait("no job is open", func() bool { return h.open() == 0 })
	h.rest()
	for what, query := range map[string]string{
		"jobs are out or waiting": "SELECT count(*) FROM job WHERE done_at IS NULL OR state IN ('dispatched', 'waiting')",
		"submissions have not one standing": "SELECT count(*) FROM submission WHERE (SELECT count(*) FROM standing WHERE " +
			"standing.submission = submission.id) <> 1",
		"submissions have not one judgement": "SELECT count(*) FROM submission WHERE (SELECT count(*) FROM judgement WHERE " +
			"judgement.submission = submission.id) <> 1",
		"judgements have not ended": "SELECT count(*) FROM judgement WHERE ended IS NULL",
		"keys made two submissions": "SELECT count(*) FROM (SELECT 1 FROM submission WHERE form_key <> '' GROUP BY account, " +
			"form_key HAVING count(*) > 1) AS twice",
		"numbers of the log are missing": "SELECT count(*) + 1 - (SELECT 1 + max(seq) FROM log) + (SELECT min(seq) - 1 FROM log) " +
			"FROM log",
		"numbers of submissions are missing": "SELECT max(number) - min(number) + 1 - count(*) FROM submission",
		"judgements are not logged as made or end": "SELECT (SELECT count(*) FROM submission) + (SELECT count(*) FROM judgement) - (SELECT " +
			"count(*) FROM log)",
		"jobs have two verdicts": "SELECT count(*) FROM audit WHERE action = 'one job, two verdicts'",
	} {
		if n := h.count(query); n != 0 {
			h.t.Errorf("%d %s", n, what)
		}
	}
	h.verdicts()
}

// rest stops the server when its queue is empty. If a slow worker sends a result at this moment, rest starts the
// server again to process the result.
func (h *harness) rest() {
	h.t.Helper()
	for try := 0; ; try++ {
		h.wait("no message is alive", func() bool { return h.messages() == 0 })
		h.stop()
		if h.part.Queue != "" {
			return
		}
		q, err := queue.Open(h.t.Context(), queue.Options{Dir: filepath.Join(h.part.Data, "queue"), Classes: []string{server.Class}})
		must(h.t, err)
		left, err := q.Stats(h.t.Context())
		q.Close()
		must(h.t, err)
		if left.Jobs == 0 && left.Results == 0 {
			return
		}
		if try == 3 {
			h.t.Fatalf("the queue still has %d jobs and %d results", left.Jobs, left.Results)
		}
		h.serve()
	}
}

// verdicts compares the current verdicts in the database with the expected ones.
func (h *harness) verdicts() {
	h.t.Helper()
	db := h.database()
	defer db.Close()
	rows, err := db.Query("SELECT submission.id, COALESCE(judgement.verdict, '') FROM submission JOIN standing ON standing.submission = " +
		"submission.id JOIN judgement ON judgement.id = standing.judgement")
	must(h.t, err)
	defer rows.Close()
	got := map[string]judge.Verdict{}
	for rows.Next() {
		var id, verdict string
		must(h.t, rows.Scan(&id, &verdict))
		got[id] = judge.Verdict(verdict)
	}
	must(h.t, rows.Err())
	for id, want := range h.answered {
		if v, there := got[id]; !there || v != want {
			h.t.Errorf("submission %s: verdict %q (there: %v), want %q", id, v, there, want)
		}
	}
}
