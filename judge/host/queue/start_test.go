package queue_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"assay/judge/host/job"
	"assay/judge/host/queue"
)

// outer starts a NATS server outside the queue, like a cluster. JetStream starts when enable is called.
func outer(t *testing.T) (url string, enable func()) {
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
	return s.ClientURL(), func() {
		if err := s.EnableJetStream(&server.JetStreamConfig{StoreDir: t.TempDir()}); err != nil {
			t.Error(err)
		}
	}
}

// silent starts a NATS server with a subscriber that receives JetStream requests and does not respond until speak
// is called.
func silent(t *testing.T) (url string, speak func()) {
	t.Helper()
	url, enable := outer(t)
	nc, err := nats.Connect(url)
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
	return url, func() {
		if err := heard.Unsubscribe(); err != nil {
			t.Error(err)
		}
		enable()
	}
}

// TestNoPasswordIsTold checks that errors about the address of a queue contain no password or token.
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
		if _, err := queue.Open(t.Context(), queue.Options{URLs: []string{url}}); err == nil || queue.IsUnreachable(err) != away {
			t.Errorf("%s: %v, may pass: %v", url, err, queue.IsUnreachable(err))
		}
	}
	url, speak := silent(t)
	troubles := make(chan string, 100)
	opts := queue.Options{URLs: []string{url}, Replicas: 1, Classes: []string{"main"},
		Listener: queue.Listener{Error: func(err error) { troubles <- err.Error() }}}
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
			if !strings.Contains(said, "waiting for it") {
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

// TestServersThatStartAtOnce checks that servers that start at the same time create the same streams, with
// different first numbers.
func TestServersThatStartAtOnce(t *testing.T) {
	url, enable := outer(t)
	enable()
	var all sync.WaitGroup
	begin := make(chan struct{})
	for range 16 {
		all.Go(func() {
			<-begin
			q, err := queue.Open(t.Context(), queue.Options{URLs: []string{url}, Replicas: 1, Classes: []string{"main"}})
			if err != nil {
				t.Error(err)
				return
			}
			q.Close()
		})
	}
	close(begin)
	all.Wait()
}

// TestWhatIsThereIsNotWrittenAgain checks that Ensure writes no files if nothing is missing. A server calls it
// every few seconds, and each written file is synced.
func TestWhatIsThereIsNotWrittenAgain(t *testing.T) {
	s := open(t, queue.Listener{})
	written := func() (files []string) {
		t.Helper()
		old := time.Unix(1, 0)
		streams, err := filepath.Glob(filepath.Join(s.folder, "jetstream/*/streams/*/meta.inf"))
		if err != nil || len(streams) != 2 {
			t.Fatalf("the streams are %v, %v", streams, err)
		}
		consumers, err := filepath.Glob(filepath.Join(s.folder, "jetstream/*/streams/*/obs/*/meta.inf"))
		if err != nil || len(consumers) != len(job.Priorities)+1 {
			t.Fatalf("the consumers are %v, %v", consumers, err)
		}
		for _, file := range append(streams, consumers...) {
			at, err := os.Stat(file)
			if err == nil {
				err = os.Chtimes(file, old, old)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !at.ModTime().Equal(old) {
				files = append(files, filepath.Base(filepath.Dir(file)))
			}
		}
		return files
	}
	ensure := func() []string {
		t.Helper()
		if err := s.Ensure(t.Context(), "main"); err != nil {
			t.Fatal(err)
		}
		return written()
	}
	written()
	if files := ensure(); files != nil {
		t.Errorf("all is there, and it wrote %v", files)
	}
	for what, change := range map[string]func(*jetstream.StreamConfig){
		"messages": func(c *jetstream.StreamConfig) { c.MaxMsgs = 1000 },
		"size":     func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1000 },
		"bytes":    func(c *jetstream.StreamConfig) { c.MaxBytes = 1000 },
	} {
		for _, name := range []string{"JOBS", "RESULTS"} {
			stream := func() jetstream.StreamConfig {
				one, err := s.JetStream().Stream(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				return one.CachedInfo().Config
			}
			before := stream()
			other := before
			change(&other)
			if _, err := s.JetStream().UpdateStream(t.Context(), other); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			written()
			if files := ensure(); !slices.Equal(files, []string{name}) {
				t.Errorf("%s: the stream %s is another, and it wrote %v", what, name, files)
			}
			if now := stream(); !reflect.DeepEqual(now, before) {
				t.Errorf("%s: it is %+v, and was %+v", what, now, before)
			}
		}
	}
	for what, change := range map[string]func(*jetstream.ConsumerConfig){
		"wait":       func(c *jetstream.ConsumerConfig) { c.AckWait++ },
		"deliveries": func(c *jetstream.ConsumerConfig) { c.MaxDeliver = 7 },
		"pending":    func(c *jetstream.ConsumerConfig) { c.MaxAckPending++ },
		"subject":    func(c *jetstream.ConsumerConfig) { c.FilterSubject = "job.1.other.>" },
	} {
		jobs, err := s.JetStream().Stream(t.Context(), "JOBS")
		if err != nil {
			t.Fatal(err)
		}
		consumer := func() jetstream.ConsumerConfig {
			c, err := jobs.Consumer(t.Context(), "l1-main")
			if err != nil {
				t.Fatal(err)
			}
			return c.CachedInfo().Config
		}
		before := consumer()
		other := before
		change(&other)
		if _, err := jobs.UpdateConsumer(t.Context(), other); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		written()
		if files := ensure(); !slices.Equal(files, []string{"l1-main"}) {
			t.Errorf("%s: one consumer is another, and it wrote %v", what, files)
		}
		if now := consumer(); !reflect.DeepEqual(now, before) {
			t.Errorf("%s: it is %+v, and was %+v", what, now, before)
		}
	}
}
