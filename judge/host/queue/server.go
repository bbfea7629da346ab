package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"assay/judge"
	"assay/judge/host/job"
)

// Options say what a Queue stands on: a folder of its own, or a cluster that exists.
type Options struct {
	// Folder is where the embedded server keeps its files. It may be deleted at any time.
	// Only one process may have it open: two do not notice each other, so the caller holds
	// a lock.
	Folder string
	// URLs are the servers of a cluster that exists, as nats://host:port; then Folder is not
	// used, and Credentials is a file that the operator of the cluster gave, or "".
	URLs        []string
	Credentials string
	// Replicas of streams; 0 is one when embedded and three in a cluster.
	Replicas int
	// Classes of workers that are known already; others are made when first met.
	Classes []string
	Listen  Listener
}

// Listener is told what workers do and say. The worker's name is what its key proved. Each
// function may be nil; they are called one at a time, and hold up each other when they
// take long. What they are told of beats and progress may be lost on the way.
type Listener struct {
	Taken    func(worker string, r job.Running)
	Beat     func(worker string, b job.Beat)
	Progress func(worker string, p job.Progress)
	Joined   func(worker string)                // its first connection stands, or it beats for the first time
	Back     func(worker string, r job.Running) // it gives a job to the others
	Left     func(worker string)                // it has not been heard of; its jobs are given to others
	// Lost is told of a job that a worker took and did not answer for, though it was connected:
	// why says what it did. Broken is told of a worker that sent what no worker sends.
	Lost    func(l Lost)
	Broken  func(b Broken)
	News    func(n News) // another server tells it
	Trouble func(error)  // something that is tried again, or that a worker did wrong
}

// Lost is a job that a worker took and did not answer for.
type Lost struct{ Worker, Job, Why string }

// Broken is a worker that sent what no worker sends; its connection was closed.
type Broken struct{ Worker, Why string }

// Queue is the server's side. All methods may be called at once by many.
type Queue struct {
	opts   Options
	server *server.Server // nil: a cluster
	nc     *nats.Conn
	js     jetstream.JetStream
	people *people
	leases *leases
	bridge *bridge

	heard sync.Mutex // one call of the listener at a time
	ready sync.Map   // class: its consumers are there
	mend  sync.Mutex // one Ensure at a time
	stop  context.CancelFunc
	done  sync.WaitGroup
}

// Open starts the embedded server, or connects to the cluster, and makes what is missing.
// It fails when the cluster is not there: see Away.
// One that is there and does not answer yet is waited for until ctx ends, and so is a disk
// that is slow; the listener is told so as of trouble.
func Open(ctx context.Context, opts Options) (*Queue, error) {
	q := &Queue{opts: opts, people: newPeople()}
	q.leases = newLeases(q)
	life, stop := context.WithCancel(context.Background())
	q.stop = stop
	if err := q.connect(ctx); err != nil {
		q.Close()
		return nil, err
	}
	q.bridge = newBridge(q.server, q.people, q.trouble, q.leases.held, q.leases.lostOne, func(worker string, err error) {
		tell(q, q.opts.Listen.Broken, Broken{worker, err.Error()})
	})
	if err := q.begin(ctx); err != nil {
		q.Close()
		return nil, err
	}
	if err := q.leases.listen(life, q.nc); err != nil {
		q.Close()
		return nil, err
	}
	if err := q.hearNews(); err != nil {
		q.Close()
		return nil, err
	}
	q.done.Go(func() { q.leases.watch(life) })
	return q, nil
}

// Away says whether an error of Open may pass by itself: no server of a cluster answers.
func Away(err error) bool {
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout)
}

func (q *Queue) connect(ctx context.Context) (err error) {
	options := []nats.Option{
		nats.Name("server"), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.NoEcho(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { q.trouble(err) }),
	}
	if len(q.opts.URLs) > 0 {
		at, err := named(q.opts.URLs)
		if err != nil {
			return err
		}
		options = append(options, nats.Timeout(10*time.Second), nats.PingInterval(5*time.Second))
		if q.opts.Credentials != "" {
			options = append(options, nats.UserCredentials(q.opts.Credentials))
		}
		if q.nc, err = nats.Connect(strings.Join(q.opts.URLs, ","), options...); err != nil {
			return fmt.Errorf("connect to the queue at %s: %w", at, err)
		}
	} else {
		if q.server, err = embedded(q.opts.Folder, q.people, q.trouble); err != nil {
			return err
		}
		q.people.server = q.server
		options = append(options, nats.InProcessServer(q.server), nats.Token(q.people.secret))
		if q.nc, err = nats.Connect("", options...); err != nil {
			return fmt.Errorf("connect to the embedded queue: %w", err)
		}
	}
	q.js, err = jetstream.New(q.nc)
	return err
}

// named is what the servers of a cluster are called, without a password. What is wrong with
// an address is not told by its parser, which would quote it.
func named(urls []string) (string, error) {
	var names []string
	for i, one := range urls {
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		u, err := url.Parse(one)
		if err != nil {
			return "", &judge.Misuse{Err: fmt.Errorf("address %d of the queue is not one of the kind nats://HOST:PORT\n    in a name or a password write %%2F, %%3F, %%23, %%25 and %%40 for / ? # %% and @", i+1)}
		}
		if _, has := u.User.Password(); u.User != nil && !has { // a token, and no name
			u.User = url.UserPassword("", u.User.Username())
		}
		names = append(names, u.Redacted())
	}
	return strings.Join(names, ","), nil
}

// embedded starts a NATS server that nobody can reach but through this process.
func embedded(folder string, auth server.Authentication, trouble func(error)) (*server.Server, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the queue: %w", err)
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "assay", DontListen: true, NoSigs: true,
		MaxPayload: maxPayload, PingInterval: 20 * time.Second,
		AuthTimeout: authTime.Seconds(), AlwaysEnableNonce: true, CustomClientAuthentication: auth,
		JetStream: true, StoreDir: folder, SyncAlways: true,
		JetStreamMaxStore: maxStore, JetStreamMaxMemory: maxMemory,
		DisableJetStreamBanner: true,
	})
	if err != nil {
		return nil, fmt.Errorf("set up the embedded queue: %w", err)
	}
	s.SetLoggerV2(logger{trouble}, false, false, false)
	s.Start()
	if !s.ReadyForConnections(3*time.Minute) || !s.JetStreamEnabled() {
		s.Shutdown()
		s.WaitForShutdown()
		return nil, fmt.Errorf("the embedded queue in %s does not start", folder)
	}
	return s, nil
}

// Close ends the queue's goroutines and its server. Workers try to come back.
func (q *Queue) Close() {
	q.stop()
	if q.bridge != nil {
		q.bridge.close()
	}
	q.done.Wait()
	if q.nc != nil {
		q.nc.Close()
	}
	if q.server != nil {
		q.server.Shutdown()
		q.server.WaitForShutdown()
	}
}

// Ensure makes the streams, and the consumers of these classes and of all that were met,
// where they are missing: also after the folder was deleted under the running server. It
// writes nothing when all is there; a reconciling server calls it each time.
func (q *Queue) Ensure(ctx context.Context, classes ...string) error {
	q.mend.Lock()
	defer q.mend.Unlock()
	q.ready.Range(func(class, _ any) bool { classes = append(classes, class.(string)); return true })
	slices.Sort(classes)
	if err := q.discardLost(ctx); err != nil {
		return err
	}
	jobs, err := q.stream(ctx, jetstream.StreamConfig{
		Name: jobsStream, Subjects: []string{"job.>"},
		// The headers that say how to store a message count, too.
		MaxMsgs: maxJobs, MaxMsgSize: job.MaxSpec + 1<<10, MaxBytes: -1,
	})
	if err != nil {
		return err
	}
	for _, class := range slices.Compact(classes) {
		if err := q.consumers(ctx, jobs, class); err != nil {
			return err
		}
	}
	results, err := q.stream(ctx, jetstream.StreamConfig{
		Name: resultsStream, Subjects: []string{"result.>"},
		MaxMsgs: -1, MaxMsgSize: -1, MaxBytes: maxResults,
	})
	if err != nil {
		return err
	}
	err = ensureConsumer(ctx, results, jetstream.ConsumerConfig{
		Durable: foldConsumer, FilterSubject: "result.>", AckWait: foldWait, MaxAckPending: foldPending,
	})
	return wrap("make the consumer of results", err)
}

// begin is the first Ensure, which is done again as long as what it fails of may pass.
func (q *Queue) begin(ctx context.Context) error {
	for {
		err := q.Ensure(ctx, q.opts.Classes...)
		if err == nil || !passes(err) {
			return err
		}
		q.trouble(fmt.Errorf("the queue does not answer yet, and is waited for: %w", err))
		if pause(ctx, time.Second) != nil {
			return err
		}
	}
}

// passes says whether an error of JetStream may pass by itself: its disk is slow, or its
// cluster is about to elect a leader.
func passes(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && api.Code == 503
}

// noStore says whether JetStream could not make the files of a stream: JSStreamStoreFailedF.
func noStore(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == 10049
}

// discardLost drops streams of which the embedded server knows but whose files are gone.
func (q *Queue) discardLost(ctx context.Context) error {
	if q.server == nil {
		return nil
	}
	for _, name := range []string{jobsStream, resultsStream} {
		_, err := os.Stat(filepath.Join(q.opts.Folder, "jetstream", server.DEFAULT_GLOBAL_ACCOUNT, "streams", name, "msgs"))
		if !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := q.js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("drop the stream %s, whose files are gone: %w", name, err)
		}
	}
	return nil
}

// stream makes or corrects a stream: a work queue in files that refuses what is too much. Its
// three limits are given, -1 for none, as JetStream tells them. Like ensureConsumer it asks first.
func (q *Queue) stream(ctx context.Context, config jetstream.StreamConfig) (jetstream.Stream, error) {
	config.Retention, config.Storage, config.Discard = jetstream.WorkQueuePolicy, jetstream.FileStorage, jetstream.DiscardNew
	config.Replicas = q.replicas()
	s, err := q.js.Stream(ctx, config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		// Numbers that were never used: an answer to a lease of a stream that is gone must not
		// count for a job of this one.
		config.FirstSeq = uint64(time.Now().UnixMicro())
		s, err = q.js.CreateStream(ctx, config)
		// JetStream deletes the folder of a stream that was dropped after it says so, and may take
		// away the folder above it while the new stream is made there.
		for wait := 20 * time.Millisecond; noStore(err) && wait < time.Second && pause(ctx, wait) == nil; wait *= 2 {
			s, err = q.js.CreateStream(ctx, config)
		}
		if !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return s, wrap("make the stream "+config.Name, err)
		}
		// It was made meanwhile: by another server, or on a slow disk by an earlier call of
		// this one, which went on after nobody waited for it.
		s, err = q.js.Stream(ctx, config.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("look for the stream %s: %w", config.Name, err)
	}
	old := s.CachedInfo().Config
	config.FirstSeq = old.FirstSeq
	if old.MaxMsgs == config.MaxMsgs && old.MaxMsgSize == config.MaxMsgSize && old.MaxBytes == config.MaxBytes && old.Replicas == config.Replicas {
		return s, nil
	}
	s, err = q.js.UpdateStream(ctx, config)
	return s, wrap("correct the stream "+config.Name, err)
}

// replicas is how many servers of the cluster have each stream.
func (q *Queue) replicas() int {
	switch {
	case q.opts.Replicas > 0:
		return q.opts.Replicas
	case q.server != nil:
		return 1
	default:
		return 3
	}
}

func (q *Queue) consumers(ctx context.Context, jobs jetstream.Stream, class string) error {
	if err := checkName("class", class); err != nil {
		return err
	}
	for _, lane := range job.Lanes {
		err := ensureConsumer(ctx, jobs, jetstream.ConsumerConfig{
			Durable: consumer(lane, class), FilterSubject: jobSubject(lane, class, ">"), AckWait: ackWait, MaxAckPending: maxPending,
		})
		if err != nil {
			return fmt.Errorf("make the consumer of class %s: %w", class, err)
		}
	}
	q.ready.Store(class, true)
	return nil
}

// ensureConsumer makes or corrects a consumer, whose messages are answered one by one and
// come again without end. It asks first: JetStream writes and syncs a file each time that
// it is told what a consumer shall be, also where that is what it is.
func ensureConsumer(ctx context.Context, s jetstream.Stream, config jetstream.ConsumerConfig) error {
	config.AckPolicy, config.MaxDeliver = jetstream.AckExplicitPolicy, -1
	c, err := s.Consumer(ctx, config.Durable)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	if err == nil {
		old := c.CachedInfo().Config
		if old.FilterSubject == config.FilterSubject && old.AckWait == config.AckWait && old.MaxDeliver == config.MaxDeliver && old.MaxAckPending == config.MaxAckPending {
			return nil
		}
	}
	_, err = s.CreateOrUpdateConsumer(ctx, config)
	return err
}

// Renew drops all jobs and what is known of their leases, and makes the stream and its
// consumers anew. What is being done goes on, and its result comes as others do.
func (q *Queue) Renew(ctx context.Context) error {
	if err := q.js.DeleteStream(ctx, jobsStream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("drop the stream of jobs: %w", err)
	}
	return q.Ensure(ctx)
}

// meet makes the consumers of a class when it is met for the first time.
func (q *Queue) meet(ctx context.Context, class string) error {
	if _, ok := q.ready.Load(class); ok {
		return nil
	}
	return q.Ensure(ctx, class)
}

// Trouble of the embedded server goes where all trouble goes.
type logger struct{ trouble func(error) }

func (l logger) say(format string, v []any)     { l.trouble(fmt.Errorf("queue: "+format, v...)) }
func (l logger) Warnf(format string, v ...any)  { l.say(format, v) }
func (l logger) Errorf(format string, v ...any) { l.say(format, v) }
func (l logger) Fatalf(format string, v ...any) { l.say(format, v) }
func (l logger) Noticef(string, ...any)         {}
func (l logger) Debugf(string, ...any)          {}
func (l logger) Tracef(string, ...any)          {}

func (q *Queue) trouble(err error) {
	tell(q, q.opts.Listen.Trouble, err)
}

// tell calls one function of the listener, one at a time.
func tell[T any](q *Queue, f func(T), what T) {
	if f == nil {
		return
	}
	q.heard.Lock()
	defer q.heard.Unlock()
	f(what)
}

func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
