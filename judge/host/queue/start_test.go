package queue_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"assay/judge/host/queue"
)

// silent starts a NATS server in which somebody hears what JetStream is asked and says
// nothing, until speak is called.
func silent(t *testing.T) (url string, speak func()) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	heard, err := nc.Subscribe("$JS.API.>", func(*nats.Msg) {})
	if err == nil {
		err = nc.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.ClientURL(), func() {
		if err := heard.Unsubscribe(); err != nil {
			t.Error(err)
		}
		if err := s.EnableJetStream(&server.JetStreamConfig{StoreDir: t.TempDir()}); err != nil {
			t.Error(err)
		}
	}
}

// TestNoPasswordIsTold of a queue, and no token, whatever is wrong with its address.
func TestNoPasswordIsTold(t *testing.T) {
	for _, url := range []string{
		"nats://hush@127.0.0.1:1", "nats://u:hush@127.0.0.1:1", "hush@127.0.0.1:1", "u:hush@127.0.0.1:1", "tls://hush@127.0.0.1:1",
		"nats://u:hu%sh@127.0.0.1:1", "nats://u:hush/x@127.0.0.1:1", "nats://u:hush@a b",
	} {
		_, err := queue.Open(t.Context(), queue.Options{URLs: []string{"nats://127.0.0.1:1", url}})
		if err == nil || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "hu%sh") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestAQueueThatDoesNotAnswerYetIsWaitedFor(t *testing.T) {
	for url, away := range map[string]bool{"nats://127.0.0.1:1": true, "nats://a b": false} {
		if _, err := queue.Open(t.Context(), queue.Options{URLs: []string{url}}); err == nil || queue.Away(err) != away {
			t.Errorf("%s: %v, may pass: %v", url, err, queue.Away(err))
		}
	}
	url, speak := silent(t)
	troubles := make(chan string, 100)
	opts := queue.Options{URLs: []string{url}, Replicas: 1, Classes: []string{"main"}, Listen: queue.Listener{Trouble: func(err error) { troubles <- err.Error() }}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := queue.Open(ctx, opts)
		ended <- err
	}()
	waits := func() {
		t.Helper()
		select {
		case said := <-troubles:
			if !strings.Contains(said, "is waited for") {
				t.Errorf("it says %q", said)
			}
		case err := <-ended:
			t.Fatalf("it gave up: %v", err)
		}
	}
	waits()
	cancel()
	if err := <-ended; err == nil {
		t.Error("it is open though nothing answered")
	}

	go func() {
		q, err := queue.Open(t.Context(), opts)
		if err == nil {
			q.Close()
		}
		ended <- err
	}()
	waits()
	speak()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
