package queue_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"assay/judge/host/queue"
)

// TestWhoHoldsAJobAnswersForIt checks that a lease that expires while its worker is connected is the worker's
// fault. If the worker is silent, the first few expired leases are not its fault.
func TestWhoHoldsAJobAnswersForIt(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(d queue.Deliveries)
		lost int
		why  string // of the last loss
	}{
		"nothing": {do: func(queue.Deliveries) {}},
		"a result and an answer": {do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			d.Result("w", "a")
			if why := d.Answered("w", "r", "+ACK"); why != "" {
				t.Errorf("a job that was done is lost: %s", why)
			}
		}},
		"a result whose answer was lost": {do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			d.Result("w", "a")
			talk(d, time.Minute)
		}},
		"an answer without a result": {do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			for _, text := range []string{"+ACK", "+TER", ""} {
				d.Sent("w", "job.0.main.a", "r")
				if d.Answered("w", "r", text) == "" {
					t.Errorf("%q ends a job without a result", text)
				}
			}
		}},
		"given back": {do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			d.Answered("w", "r", "-NAK")
			talk(d, time.Minute)
		}},
		"it beats for the job": {do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			for range 20 {
				talk(d, 5*time.Second)
				d.Answered("w", "r", "+WPI")
			}
		}},
		"it beats for itself only": {lost: 1, why: "though it was connected", do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			talk(d, 25*time.Second)
		}},
		"it is frozen": {lost: 1, do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			time.Sleep(25 * time.Second)
		}},
		"it was killed and started again": {lost: 1, do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			d.Closed("w")
			talk(d, 25*time.Second)
		}},
		"its beats were not answered": {lost: 2, do: func(d queue.Deliveries) {
			for _, reply := range []string{"r", "s"} {
				d.Sent("w", "job.0.main."+reply, reply)
				d.Answered("w", reply, "+WPI")
			}
			talk(d, 25*time.Second)
		}},
		"it beats once for each job": {lost: 1, why: "though it was connected", do: func(d queue.Deliveries) {
			for i := range 4 {
				reply := fmt.Sprint(i)
				d.Sent("w", "job.0.main.a", reply)
				d.Closed("w") // it reconnects and continues
				d.Answered("w", reply, "+WPI")
				talk(d, 25*time.Second)
				if i < 3 {
					d.Expired()
				}
			}
		}},
		"it beats for hours": {lost: 1, why: "it held the job for 1h10m0s", do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			for range 15 * 61 {
				talk(d, 5*time.Second)
				d.Answered("w", "r", "+WPI")
			}
		}},
		"it was frozen": {lost: 2, do: func(d queue.Deliveries) {
			d.Sent("w", "job.0.main.a", "r")
			d.Sent("w", "job.0.main.b", "s")
			time.Sleep(15 * time.Second)
			talk(d, 10*time.Second)
		}},
		"it is frozen all the time": {lost: 1, why: "though it was connected", do: func(d queue.Deliveries) {
			for i := range 4 {
				d.Sent("w", "job.0.main.a", fmt.Sprint(i))
				time.Sleep(25 * time.Second)
				d.Line("w")
				if i < 3 {
					d.Expired()
				}
			}
		}},
		"no job": {do: func(d queue.Deliveries) {
			d.Sent("w", "_INBOX_w.x", "r")
			talk(d, time.Minute)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := queue.NewDeliveries()
				tt.do(d)
				jobs, why := d.Expired()
				if len(jobs) != tt.lost || len(jobs) > 0 && (!strings.Contains(why[len(why)-1], tt.why) || tt.why == "" && why[0] != "") {
					t.Errorf("lost are %q: %q", jobs, why)
				}
				if again, _ := d.Expired(); len(again) > 0 {
					t.Errorf("lost once more are %q", again)
				}
			})
		})
	}
}

// TestUnclaimedJobIsReleased checks that only a job that was delivered while its worker's connection ended is
// released.
func TestUnclaimedJobIsReleased(t *testing.T) {
	closed := func(d queue.Deliveries) { d.Closed("w") }
	for name, tt := range map[string]struct {
		do    func(d queue.Deliveries)
		beats string // worker that sends a heartbeat
		named []string
		want  bool
	}{
		"it comes again, and does not name the job": {do: closed, beats: "w", named: []string{"b"}, want: true},
		"it comes again, and names the job":         {do: closed, beats: "w", named: []string{"b", "a"}},
		"another worker beats":                      {do: closed},
		"its connection stands":                     {do: func(queue.Deliveries) { time.Sleep(time.Minute) }, beats: "w"},
		"it may come back yet":                      {do: func(d queue.Deliveries) { d.Closed("w"); time.Sleep(2 * time.Second) }},
		"it does not come back":                     {do: func(d queue.Deliveries) { d.Closed("w"); time.Sleep(3 * time.Second) }, want: true},
		"it came back, and beat for the job": {do: func(d queue.Deliveries) {
			closed(d)
			d.Answered("w", "r", "+WPI")
			time.Sleep(time.Minute)
		}},
		"it had brought a result, which is taken in": {do: func(d queue.Deliveries) { d.Result("w", "a"); d.Closed("w") }, beats: "w"},
		"it had answered": {do: func(d queue.Deliveries) { d.Answered("w", "r", "-NAK"); d.Closed("w") }, beats: "w"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := queue.NewDeliveries()
				d.Sent("w", "job.0.main.a", "r")
				tt.do(d)
				tt.beats = cmp.Or(tt.beats, "v")
				if got := d.Abandoned(tt.beats, tt.named...); tt.want != slices.Equal(got, []string{"a"}) || !tt.want && len(got) > 0 {
					t.Errorf("no worker has %q", got)
				}
				if again := d.Abandoned(tt.beats, tt.named...); len(again) > 0 {
					t.Errorf("no worker has once more %q", again)
				}
			})
		})
	}
}

// talk lets a worker send a line every second.
func talk(d queue.Deliveries, long time.Duration) {
	for ; long > 0; long -= time.Second {
		time.Sleep(time.Second)
		d.Line("w")
	}
}

// TestAWorkerThatSwallowsJobs checks that the bridge reports a worker that loses jobs, and one that asks for more
// jobs than it may hold.
func TestAWorkerThatSwallowsJobs(t *testing.T) {
	var mu sync.Mutex
	var lost []queue.LostJob
	var broken []queue.BrokenWorker
	s := open(t, queue.Listener{
		Lost:   func(l queue.LostJob) { mu.Lock(); defer mu.Unlock(); lost = append(lost, l) },
		Broken: func(b queue.BrokenWorker) { mu.Lock(); defer mu.Unlock(); broken = append(broken, b) },
	})
	nc, _ := raw(t, s, "w")
	if err := nc.Publish("beat.w", []byte(`{"slots":1}`)); err != nil {
		t.Fatal(err)
	}
	got, err := nc.SubscribeSync("_INBOX_w.x")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(body string) *nats.Msg {
		t.Helper()
		if err := errors.Join(nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.JOBS.l0-main", "_INBOX_w.x", []byte(body)), nc.Flush()); err != nil {
			t.Fatal(err)
		}
		msg, err := got.NextMsg(patience)
		if err != nil {
			t.Fatal(err)
		}
		return msg
	}
	s.publish(spec("a"))
	msg := ask(`{"batch":1}`)
	if err := errors.Join(nc.Publish(msg.Reply, []byte("+ACK")), nc.Flush()); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, "the loss is told", func() bool { mu.Lock(); defer mu.Unlock(); return len(lost) == 1 })
	if l := lost[0]; l.Worker != "w" || l.Job != "a" || !strings.Contains(l.Reason, "no result") {
		t.Errorf("told is %+v", l)
	}
	if times, ended, gave := s.DeliveryHistory("a"); times != 1 || !slices.Equal(ended, []string{"w"}) || len(gave) > 0 {
		t.Errorf("had: %d, %v, %v", times, ended, gave)
	}
	for i := range 6 { // two per slot, and four more
		s.publish(spec(fmt.Sprint("b", i)))
		ask("")
	}
	_ = nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.JOBS.l0-main", "_INBOX_w.x", []byte(`{"batch":1}`))
	_ = nc.Flush() // fails: the connection is closed
	waitUntil(t, "it is told", func() bool { mu.Lock(); defer mu.Unlock(); return len(broken) == 1 })
	if b := broken[0]; b.Worker != "w" || !strings.Contains(b.Reason, "asks for more") {
		t.Errorf("told is %+v", b)
	}
}

// TestWhatTheBridgeReads checks that a worker may ask for only one job at a time, and may send no other messages
// with headers. It also checks that messages before the proof of a key are not attributed to any worker.
func TestWhatTheBridgeReads(t *testing.T) {
	var mu sync.Mutex
	var broken []queue.BrokenWorker
	s := open(t, queue.Listener{Broken: func(b queue.BrokenWorker) { mu.Lock(); defer mu.Unlock(); broken = append(broken, b) }})
	for _, body := range []string{`{"batch":2}`, `{"batch":1,"batch":1000}`, "{", strings.Repeat(" ", 5000)} {
		nc, _ := raw(t, s, "w")
		mu.Lock()
		n := len(broken)
		mu.Unlock()
		_ = nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.JOBS.l0-main", "_INBOX_w.x", []byte(body))
		_ = nc.Flush()
		waitUntil(t, fmt.Sprintf("%.20q is refused", body), func() bool { mu.Lock(); defer mu.Unlock(); return len(broken) == n+1 })
	}
	nc, _ := raw(t, s, "w")
	_ = nc.PublishMsg(&nats.Msg{Subject: "$JS.ACK.JOBS.l0-main.1.1.1.1.1", Header: nats.Header{"A": {"b"}}, Data: []byte("+ACK")})
	_ = nc.Flush()
	waitUntil(t, "headers are refused", func() bool { mu.Lock(); defer mu.Unlock(); return len(broken) == 5 })

	conn, err := queue.Dial(t.Context(), s.options("w").URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT {\"nkey\":%q}\r\nPUB $JS.API.CONSUMER.MSG.NEXT.JOBS.l0-main _INBOX_w.x 11\r\n"+
		"{\"batch\":9}\r\nnonsense\r\n", s.keys["w"])
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, conn) // until it is closed
	mu.Lock()
	defer mu.Unlock()
	if len(broken) != 5 {
		t.Errorf("a stranger speaks for a worker: %+v", broken)
	}
}
