package queue_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"assay/judge/host/job"
	"assay/judge/host/queue"
)

// A through connects to a bridge without a signed request, as any program can.
type through struct{ url string }

func (d through) Dial(string, string) (net.Conn, error) {
	return queue.Dial(context.Background(), d.url, nil)
}

// raw returns a worker's connection that can send anything. The channel receives permission errors.
func raw(t *testing.T, s *site, name string) (*nats.Conn, chan error) {
	t.Helper()
	opts := s.options(name)
	pair, err := nkeys.FromSeed(opts.Seed)
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 100)
	nc, err := nats.Connect("nats://127.0.0.1:4222", nats.SetCustomDialer(through{opts.URL}), nats.Nkey(s.keys[name], pair.Sign),
		nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { errs <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, errs
}

func TestAWorkerMayDoWhatItMustAndNothingElse(t *testing.T) {
	s := open(t, queue.Listener{})
	s.join("other")
	nc, errs := raw(t, s, "w")
	guest, guestErrs := raw(t, s, "guest")
	refused := func(what string, nc *nats.Conn, errs chan error, want bool) {
		t.Helper()
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		wait := 50 * time.Millisecond
		if want {
			wait = patience
		}
		select {
		case err := <-errs:
			if !want || !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("%s: %v", what, err)
			}
		case <-time.After(wait):
			if want {
				t.Errorf("%s was let through", what)
			}
		}
	}
	for subject, want := range map[string]bool{
		"$JS.API.CONSUMER.MSG.NEXT.JOBS.l0-main": false, "$JS.API.CONSUMER.MSG.NEXT.JOBS.l1-main": false,
		"$JS.API.CONSUMER.MSG.NEXT.JOBS.l2-main": false,
		"$JS.ACK.JOBS.l0-main.1.1.1.1.1":         false, "$JS.ACK.JOBS.l1-main.1.1.1.1.1": false, "$JS.ACK.JOBS.l2-main.1.1.1.1.1": false,
		"result.w.a.1": false, "taken.w": false, "beat.w": false, "progress.w.a": false,

		"$JS.API.CONSUMER.MSG.NEXT.JOBS.l0-other": true, "$JS.API.CONSUMER.MSG.NEXT.RESULTS.fold": true,
		"$JS.ACK.JOBS.l0-other.1.1.1.1.1": true, "$JS.ACK.RESULTS.fold.1.1.1.1.1": true,
		"$JS.API.INFO": true, "$JS.API.STREAM.INFO.JOBS": true, "$JS.API.STREAM.DELETE.JOBS": true, "$JS.API.STREAM.PURGE.JOBS": true,
		"$JS.API.STREAM.CREATE.X": true, "$JS.API.STREAM.MSG.GET.JOBS": true, "$JS.API.STREAM.MSG.DELETE.JOBS": true,
		"$JS.API.STREAM.NAMES":    true,
		"$JS.API.DIRECT.GET.JOBS": true, "$JS.API.CONSUMER.CREATE.JOBS.x": true, "$JS.API.CONSUMER.DELETE.JOBS.l0-main": true,
		"$JS.API.CONSUMER.INFO.JOBS.l0-main": true,
		"job.0.main.a":                       true, "result.other.a.1": true, "taken.other": true, "beat.other": true, "progress.other.a": true,
		"wake.main": true, "ctl.w": true, "ctl.other": true, "_INBOX_other.x": true, "_INBOX.x": true, "feed.x": true,
		"$SYS.REQ.SERVER.PING": true, "anything": true,
	} {
		if err := nc.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		refused("publish "+subject, nc, errs, want)
	}
	for subject, want := range map[string]bool{
		"$JS.API.CONSUMER.MSG.NEXT.JOBS.l0-main": true, "$JS.API.CONSUMER.MSG.NEXT.JOBS.l1-main": false,
		"$JS.API.CONSUMER.MSG.NEXT.JOBS.l2-main": false,
		"$JS.ACK.JOBS.l0-main.1.1.1.1.1":         true, "$JS.ACK.JOBS.l1-main.1.1.1.1.1": false,
	} {
		if err := guest.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		refused("a guest's publish "+subject, guest, guestErrs, want)
	}
	for subject, want := range map[string]bool{
		"_INBOX_w.>": false, "_INBOX_w.x": false, "wake.main idle": false, "ctl.w": false,

		"wake.main": true, "wake.main busy": true, "wake.other idle": true, "ctl.other": true, "ctl.*": true, ">": true, "*": true,
		"_INBOX_other.>": true, "_INBOX.>": true,
		"job.>": true, "job.0.main.a": true, "result.>": true, "taken.*": true, "beat.*": true, "progress.>": true, "$JS.>": true,
		"$JS.ACK.>": true, "$SYS.>": true,
	} {
		name, group, _ := strings.Cut(subject, " ")
		sub, err := nc.QueueSubscribe(name, group, func(*nats.Msg) {})
		if err != nil {
			t.Fatal(err)
		}
		refused("subscribe "+subject, nc, errs, want)
		_ = sub.Unsubscribe() // a rejected subscription no longer exists
	}
}

// TestAWorkerSpeaksForNoOther checks that a worker cannot use arbitrary reply subjects. NATS does not check
// them, so a worker could otherwise make the server send a job, or an empty receipt, to any subject.
func TestAWorkerSpeaksForNoOther(t *testing.T) {
	heard := make(chan string, 100)
	s := open(t, queue.Listener{
		Taken: func(w string, r job.Running) { heard <- "taken " + w + " " + r.Job },
		Heartbeat: func(w string, _ job.Heartbeat) {
			if w != "other" {
				heard <- "beat " + w
			}
		},
		Progress: func(w string, _ job.Progress) { heard <- "progress " + w },
	})
	other := s.join("other")
	for i, subject := range []string{
		"$JS.API.STREAM.PURGE.JOBS", "$JS.API.STREAM.DELETE.JOBS", "$JS.API.CONSUMER.DELETE.JOBS.l0-main", "result.other.a.1", "taken.other",
		"taken.w",
		"beat.w", "progress.other.a", "ctl.other", "job.0.main.x", "wake.main", "_INBOX_other.x", "_INBOX_wx.x",
	} {
		id := "job" + string(rune('a'+i))
		s.publish(spec(id))
		for to, text := range map[string]string{
			"$JS.API.CONSUMER.MSG.NEXT.JOBS.l0-main": `{"batch":1,"no_wait":true}`,
			"$JS.ACK.JOBS.l0-main.1.1.1.1.1":         "+WPI",
			"result.w.a.1":                           "{}",
		} {
			nc, _ := raw(t, s, "w")
			if err := nc.PublishRequest(to, subject, []byte(text)); err != nil {
				t.Fatal(err)
			}
			if nc.FlushTimeout(patience) == nil {
				t.Errorf("the answer to %s may go to %s", to, subject)
			}
			nc.Close()
		}
		if alive, err := s.HasJob(t.Context(), 0, "main", id); !alive || err != nil {
			t.Errorf("the answer sent to %s: the job is gone: %v", subject, err)
		}
		s.untaken(i + 1)
	}
	if alive, err := s.HasJob(t.Context(), 0, "main", "x"); alive || err != nil {
		t.Errorf("a job was made, %v", err)
	}
	select {
	case h := <-heard:
		t.Errorf("heard %q", h)
	case o := <-other.Controls():
		t.Errorf("the worker got the order %+v", o)
	default:
	}
	if s.jobs() > 0 {
		t.Errorf("results were taken in: %v", s.all)
	}
}

// TestTheBridgeReadsOneSpelling checks that the bridge closes the connection if a message could be understood
// differently by the bridge and the server.
func TestTheBridgeReadsOneSpelling(t *testing.T) {
	const connect = "CONNECT {\"nkey\":\"k\"}\r\n"
	for _, lines := range []string{
		"PUB beat.w\t_INBOX_w.x 0\r\n\r\n", "PUB beat.w 0\n\r\n", "PUB  beat.w 0\r\n\r\n", "pub beat.w 0\r\n\r\n", "PUB beat.w x 0\r\n\r\n",
		"PUB beat.w 00\r\n\r\n", "PUB beat.w -1\r\n\r\n", "PUB beat.w +1\r\n\r\n", "PUB beat.w 9999999\r\n\r\n", "PUB beat.w 0\r\nPUB",
		"PUB\r\n", "PUB a b c 0\r\n\r\n",
		"PUB beat.w _INBOX_wx.y 0\r\n\r\n", "PUB beat.w _INBOX_w 0\r\n\r\n", "HPUB beat.w x 0 0\r\n\r\n",
		"HPUB beat.w 0\r\n\r\n", "RMSG x y 0\r\n\r\n", "MSG x 1 0\r\n\r\n", "INFO {}\r\n", "PING x\r\n", connect, "CONNECT x\r\n", "\r\n",
		"SUB a\rb 1\r\n",
		"SUB " + strings.Repeat("x", 5000) + " 1\r\n",
	} {
		passed, err := queue.Guarded("w", connect+lines)
		if !errors.Is(err, queue.ErrGuard) {
			t.Errorf("%.60q: %v", lines, err)
		}
		if strings.Contains(strings.TrimPrefix(passed, connect), "0\r\n\r\n") {
			t.Errorf("%.60q was let through", lines)
		}
	}
	if _, err := queue.Guarded("w", "PUB beat.w _INBOX_.x 0\r\n\r\n"); !errors.Is(err, queue.ErrGuard) {
		t.Errorf("before it said who it is: %v", err)
	}
	all := connect + "PING\r\nPONG\r\nSUB wake.main idle 1\r\nUNSUB 1 2\r\nPUB beat.w 4\r\nab\r\n\r\nPUB beat.w _INBOX_w.x 0\r\n\r\n" +
		"HPUB beat.w _INBOX_w.x 12 13\r\nNATS/1.0\r\n\r\nx\r\nHPUB beat.w 12 12\r\nNATS/1.0\r\n\r\n\r\n"
	if passed, err := queue.Guarded("w", all); passed != all || !errors.Is(err, io.EOF) {
		t.Errorf("passed %q, %v; want all", passed, err)
	}
}

func TestKeys(t *testing.T) {
	left, taken, came := make(chan string, 10), make(chan string, 10), make(chan string, 10)
	s := open(t, queue.Listener{Joined: func(w string) { came <- w }, Left: func(w string) { left <- w },
		Taken: func(w string, _ job.Running) { taken <- w }})
	opts := s.options("w")
	_, opts.Seed = key(t)
	if _, err := queue.Join(t.Context(), opts); !errors.Is(err, queue.ErrRefused) {
		t.Errorf("another key: %v; want ErrRefused", err)
	}
	opts.Seed = nil
	if _, err := queue.Join(t.Context(), opts); !errors.Is(err, queue.ErrRefused) {
		t.Errorf("no key: %v; want ErrRefused", err)
	}
	if s.Admit("thief", "main", s.keys["w"], false) == nil {
		t.Error("one key for two workers")
	}
	m := s.join("w")
	if w := <-came; w != "w" || len(s.Connected()) != 1 {
		t.Errorf("%s came; connected: %v", w, s.Connected())
	}
	s.publish(spec("a"))
	l := take(t, m)
	<-taken
	s.Revoke("w")
	if w := <-left; w != "w" {
		t.Errorf("%s left", w)
	}
	select {
	case <-m.Failed():
	case <-time.After(patience):
		t.Fatal("a revoked worker goes on")
	}
	if !errors.Is(m.Err(), queue.ErrRefused) {
		t.Errorf("a revoked worker: %v", m.Err())
	}
	if _, err := m.Take(t.Context()); !errors.Is(err, queue.ErrRefused) {
		t.Errorf("take: %v", err)
	}
	if err := l.Finish(t.Context(), accepted()); !errors.Is(err, queue.ErrRefused) {
		t.Errorf("finish: %v", err)
	}
	if len(s.Connected()) != 0 {
		t.Errorf("connected: %v", s.Connected())
	}
	s.publish(spec("b"))
	other := s.join("other")
	for range 2 { // the worker's job, and the next one
		if l := take(t, other); l.Spec.ID != "a" && l.Spec.ID != "b" {
			t.Errorf("took %s", l.Spec.ID)
		}
	}
}

func TestAForbiddenSubjectEndsAMember(t *testing.T) {
	s := open(t, queue.Listener{})
	opts := s.options("w")
	opts.Class = "other" // not the class that it was admitted to
	m, err := queue.Join(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := m.Take(t.Context()); !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), "another class") {
		t.Errorf("take: %v", err)
	}
}
