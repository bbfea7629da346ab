package queue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge/host/freeport"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/queue/queuetest"
)

// worker starts a worker in a separate process.
func (s *site) worker(name string, hold time.Duration) *process {
	o := s.options(name)
	return start(s.t, "worker", "NAME="+name, "URL="+o.URL, "SEED="+string(o.Seed), "HOLD="+hold.String())
}

func TestAWorkerThatIsKilledLosesItsJobSoon(t *testing.T) {
	came, left, taken := make(chan string, 2), make(chan string, 1), make(chan string, 2)
	s := open(t, queue.Listener{
		Joined: func(w string) { came <- w }, Left: func(w string) { left <- w }, Taken: func(w string, _ job.Running) { taken <- w },
	})
	s.longLeases() // otherwise another worker would get the job anyway
	a := s.worker("a", time.Hour)
	s.publish(spec("j"))
	<-came
	<-taken
	b := s.join("b")
	a.kill()
	died := time.Now()
	l := take(t, b)
	t.Logf("redelivered after %v", time.Since(died))
	if l.Deliveries != 2 {
		t.Errorf("delivery %d", l.Deliveries)
	}
	if w := <-left; w != "a" {
		t.Errorf("%s left", w)
	}
	if err := l.Finish(t.Context(), accepted()); err != nil {
		t.Fatal(err)
	}
}

func TestAWorkerThatStartsAnewHoldsNothing(t *testing.T) {
	taken := make(chan string, 2)
	s := open(t, queue.Listener{Taken: func(w string, _ job.Running) { taken <- w }})
	s.longLeases()
	a := s.worker("a", time.Hour)
	s.publish(spec("j"))
	<-taken
	a.kill()
	if l := take(t, s.join("a")); l.Deliveries != 2 { // the same worker: its first heartbeat names no job
		t.Errorf("delivery %d", l.Deliveries)
	}
}

// TestAJobThatCameAsItsWorkerEnded checks a job that was delivered while its worker's process exited, and was
// never reported as taken. The worker either reconnects with the same name or stays away.
func TestAJobThatCameAsItsWorkerEnded(t *testing.T) {
	for _, next := range []string{"a", "b"} {
		t.Run("and "+next+" is there", func(t *testing.T) {
			s := open(t, queue.Listener{})
			s.longLeases()
			nc, _ := raw(t, s, "a")
			got, err := nc.SubscribeSync("_INBOX_a.x")
			if err != nil {
				t.Fatal(err)
			}
			s.publish(spec("j"))
			if err := nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.JOBS.l0-main", "_INBOX_a.x", []byte(`{"batch":1}`)); err != nil {
				t.Fatal(err)
			}
			if _, err := got.NextMsg(patience); err != nil {
				t.Fatal(err)
			}
			nc.Close()
			l := take(t, s.join(next))
			if l.Deliveries != 2 {
				t.Errorf("delivery %d", l.Deliveries)
			}
			if times, ended, _ := s.DeliveryHistory("j"); times != 1 || !slices.Equal(ended, []string{"a"}) {
				t.Errorf("had: %d, %v", times, ended)
			}
			if err := l.Finish(t.Context(), accepted()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// reconciled publishes all jobs repeatedly until each has a result, as a server does from its database.
func reconciled(t *testing.T, jobs int, done func() int, publish func(id string)) {
	t.Helper()
	for end := time.Now().Add(patience); done() < jobs; {
		if time.Now().After(end) {
			t.Fatalf("%d of %d jobs have a result", done(), jobs)
		}
		for i := range jobs {
			publish(fmt.Sprintf("j%d", i))
		}
		time.Sleep(300 * time.Millisecond)
	}
}

func TestAServerThatIsKilled(t *testing.T) {
	for name, also := range map[string]func(folder string){
		"and starts on the same folder": func(string) {},
		"and its folder is deleted":     func(folder string) { _ = os.RemoveAll(folder) },
	} {
		t.Run(name, func(t *testing.T) {
			slow(t)
			leaks(t)
			addr := freeport.Address(t)
			folder, file := filepath.Join(t.TempDir(), "queue"), filepath.Join(t.TempDir(), "results")
			var admitted []string
			var members []*queue.Member
			seeds := map[string][]byte{}
			for _, w := range []string{"a", "b", "c"} {
				public, seed := key(t)
				admitted, seeds[w] = append(admitted, w+"="+public), seed
			}
			serve := func() *process {
				p := start(t, "server", "FOLDER="+folder, "RESULTS="+file, "ADDR="+addr, "WORKERS="+strings.Join(admitted, " "))
				p.says(t, "serving")
				return p
			}
			p := serve()
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			defer all.Wait()
			defer cancel()
			for w, seed := range seeds {
				m, err := queue.Join(ctx, queue.JoinOptions{Worker: w, Class: "main", URL: "http://" + addr + queue.Path, Seed: seed, Slots: 1,
					OnRetry: func(err error) { t.Logf("%s: %v", w, err) }})
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				members = append(members, m)
				all.Go(func() {
					for {
						l, err := m.Take(ctx)
						if err != nil {
							return
						}
						time.Sleep(rand.N(40 * time.Millisecond))
						if l.Finish(ctx, accepted()) != nil {
							return
						}
					}
				})
			}
			results := func() int {
				data, _ := os.ReadFile(file)
				seen := map[string]bool{}
				for line := range strings.Lines(string(data)) {
					seen[strings.Fields(line)[0]] = true
				}
				return len(seen)
			}
			given := map[string]bool{}
			publish := func(id string) {
				if given[id] && rand.IntN(10) > 0 {
					return // the database assumes for a while that the job is dispatched
				}
				res, err := http.Post("http://"+addr+"/publish/"+id, "", nil)
				if err != nil {
					return
				}
				res.Body.Close()
				given[id] = res.StatusCode == http.StatusOK
			}
			for i := range 150 {
				publish(fmt.Sprintf("j%d", i))
				if i%50 == 49 {
					p.kill()
					also(folder)
					p = serve()
				}
			}
			reconciled(t, 150, results, publish)
			for _, m := range members {
				if m.Err() != nil {
					t.Errorf("a worker gave up: %v", m.Err())
				}
			}
		})
	}
}

func TestTheFolderMayBeDeletedUnderTheServer(t *testing.T) {
	s := open(t, queue.Listener{})
	m := s.join("w")
	for i := range 5 {
		s.publish(spec(fmt.Sprintf("j%d", i)))
	}
	held := take(t, m)
	if err := os.RemoveAll(s.folder); err != nil {
		t.Fatal(err)
	}
	if err := s.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	// An answer to an earlier lease must not affect a current one.
	for i := range 5 {
		s.publish(spec(fmt.Sprintf("j%d", i)))
	}
	if err := held.Finish(t.Context(), accepted()); err != nil {
		t.Fatal(err)
	}
	s.untaken(5)
	for range 5 {
		if err := take(t, m).Finish(t.Context(), accepted()); err != nil {
			t.Fatal(err)
		}
	}
	waitUntil(t, "all results", func() bool { return s.jobs() == 5 })
}

// A lossy is a connection that drops some of a worker's answers to leases.
type lossy struct {
	net.Conn
	lose *atomic.Bool
	lost *atomic.Int32
}

func (l lossy) Write(p []byte) (int, error) {
	// nats.go writes a whole message at once if no other data is waiting.
	if strings.HasPrefix(string(p), "PUB $JS.ACK.") && strings.Contains(string(p), "\r\n+ACK\r\n") &&
		strings.Count(string(p), "PUB ") == 1 && l.lose.Swap(!l.lose.Load()) {
		l.lost.Add(1)
		return len(p), nil
	}
	return l.Conn.Write(p)
}

func TestLostAcknowledgements(t *testing.T) {
	slow(t)
	s := open(t, queue.Listener{})
	lose, lost := &atomic.Bool{}, &atomic.Int32{}
	lose.Store(true)
	m := s.join("w", func(o *queue.JoinOptions) {
		url := o.URL
		o.Dial = func(ctx context.Context) (net.Conn, error) {
			c, err := queue.Dial(ctx, url, nil)
			return lossy{c, lose, lost}, err
		}
	})
	for i := range 4 {
		s.publish(spec(fmt.Sprintf("j%d", i)))
		if err := take(t, m).Finish(t.Context(), accepted()); err != nil {
			t.Fatal(err)
		}
		if alive, err := s.HasJob(t.Context(), 0, "main", fmt.Sprintf("j%d", i)); alive || err != nil {
			t.Errorf("j%d: alive %v, %v", i, alive, err)
		}
	}
	waitUntil(t, "all results", func() bool { return s.jobs() == 4 })
	if lost.Load() == 0 {
		t.Error("nothing was lost")
	}
}

// TestAReceiptThatIsLost checks that an acknowledgement is sent again if it arrived but its receipt was lost, and
// that the worker does not wait forever.
func TestAReceiptThatIsLost(t *testing.T) {
	s := open(t, queue.Listener{})
	m := s.join("w")
	s.publish(spec("a"))
	l := take(t, m)
	if err := l.Answer(t.Context(), "+ACK"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := l.Finish(t.Context(), accepted()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > patience {
		t.Errorf("a worker waited %v for a receipt", took)
	}
}

func TestTheBridge(t *testing.T) {
	s := open(t, queue.Listener{})
	res, err := http.Get(s.web.URL + queue.Path)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUpgradeRequired || res.Header.Get("Upgrade") != queue.Protocol {
		t.Errorf("a plain request: %s, %v", res.Status, res.Header)
	}
	web := httptest.NewTLSServer(s.Bridge())
	defer web.Close()
	var signed atomic.Value // path; a proxy may add a prefix to it
	m := s.join("w", func(o *queue.JoinOptions) {
		o.URL, o.TLS = web.URL+"/judge"+queue.Path, web.Client().Transport.(*http.Transport).TLSClientConfig
		o.Sign = func(method, path string) (string, error) {
			signed.Store(path)
			return "signed", nil
		}
	})
	if got := signed.Load(); got != queue.Path {
		t.Errorf("a worker signs %v", got)
	}
	s.publish(spec("a"))
	if err := take(t, m).Finish(t.Context(), accepted()); err != nil {
		t.Fatal(err)
	}
	m.Close() // before the server that it is connected through
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	for _, url := range []string{web.URL, "http://127.0.0.1:1/queue", "ftp://x", "http://"} { // untrusted certificate, no server, invalid
		if _, err := queue.Dial(ctx, url, nil); err == nil {
			t.Errorf("connected to %s", url)
		}
	}
	// A client without a key can hold only a few connections, and only for a short time.
	var open []net.Conn
	waitUntil(t, "too many connections are refused", func() bool { // a busy machine may be too slow to open that many
		began := time.Now()
		let, refused := burst(t, s.web.URL, 300)
		if open = append(open, let...); len(let) > 256 && time.Since(began) < 4*time.Second { // later the first ones are closed
			t.Errorf("%d connections are let in at once", len(let))
		}
		return refused > 0
	})
	if len(open) < 200 {
		t.Errorf("only %d connections are let in", len(open))
	}
	for _, c := range open {
		if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 4096)
		for {
			if _, err := c.Read(buf); err != nil {
				if os.IsTimeout(err) {
					t.Fatal("who knows no key stays connected")
				}
				break
			}
		}
		c.Close()
	}
	waitUntil(t, "let in again", func() bool {
		c, err := queue.Dial(t.Context(), s.web.URL, nil)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// burst opens n connections at once. It returns the accepted ones, and the number of those that were refused.
func burst(t *testing.T, url string, n int) (open []net.Conn, refused int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			c, err := queue.Dial(t.Context(), url, nil)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				open = append(open, c)
				return
			}
			if refused++; !strings.Contains(err.Error(), "503") {
				t.Errorf("too many: %v", err)
			}
		})
	}
	all.Wait()
	return open, refused
}

func TestAClusterThatLosesItsLeader(t *testing.T) {
	slow(t)
	leaks(t)
	public, seed := key(t)
	c := queuetest.Start(t, queuetest.Worker{Name: "w", Class: "main", Key: public})
	q := c.Open(t, queue.Listener{Error: func(err error) { t.Log(err) }})
	defer q.Close()
	if err := q.Admit("w", "main", public, false); err != nil {
		t.Fatal(err)
	}
	got := &results{all: map[string][]*job.Result{}, new: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	all.Go(func() { _ = q.Results(ctx, got.take) })
	m, err := queue.Join(ctx, queue.JoinOptions{Worker: "w", Class: "main", Seed: seed, URL: c.WorkerURL, Slots: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for range 2 {
		all.Go(func() {
			for {
				l, err := m.Take(ctx)
				if err != nil || l.Finish(ctx, accepted()) != nil {
					return
				}
			}
		})
	}
	publish := func(id string) {
		if len(got.of(id)) > 0 {
			return
		}
		once, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		if _, err := q.Publish(once, spec(id)); err != nil {
			t.Logf("publish %s: %v", id, err)
		}
		_ = q.Wake("main")
	}
	for i := range 20 {
		publish(fmt.Sprintf("j%d", i))
	}
	waitUntil(t, "connected by its beat", func() bool { return len(q.Connected()) == 1 })
	stream, err := q.JetStream().Stream(ctx, "JOBS")
	if err != nil {
		t.Fatal(err)
	}
	if stream.CachedInfo().Config.Replicas != 3 {
		t.Errorf("%d replicas", stream.CachedInfo().Config.Replicas)
	}
	c.Kill(t, stream.CachedInfo().Cluster.Leader)
	killed := time.Now()
	for i := 20; i < 40; i++ {
		publish(fmt.Sprintf("j%d", i))
	}
	t.Logf("20 jobs published %v after the leader died", time.Since(killed))
	reconciled(t, 40, got.jobs, publish)
	t.Logf("all done %v after the leader died", time.Since(killed))
	waitUntil(t, "nothing alive", func() bool {
		stats, err := q.Stats(ctx)
		return err == nil && stats.Jobs == 0
	})
}
