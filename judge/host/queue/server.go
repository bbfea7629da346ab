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

// Options configure a Queue, either with a separate directory or with an existing cluster.
type Options struct {
	// Dir is the directory of the embedded server's files. It may be deleted at any time. Only one process may use
	// it. Two processes would not notice each other, so the caller must hold a lock.
	Dir string
	// URLs are the servers of an existing cluster, as nats://host:port. If URLs is set, Dir is not used, and
	// Credentials is a file from the cluster's operator, or empty.
	URLs        []string
	Credentials string
	// Replicas is the number of replicas of the streams. Zero means one if the server is embedded, and three in a
	// cluster.
	Replicas int
	// Classes lists the known worker classes. Other classes are added when they first appear.
	Classes  []string
	Listener Listener
}

// A Listener handles worker events. Nil functions are not called. Worker names come from verified keys. Calls are
// sequential, so a slow function delays later calls. Heartbeats and progress may get lost.
type Listener struct {
	Taken     func(worker string, r job.Running)
	Heartbeat func(worker string, b job.Heartbeat)
	Progress  func(worker string, p job.Progress)
	Joined    func(worker string)                // the worker connected or sent its first heartbeat
	Released  func(worker string, r job.Running) // the worker releases a job
	Left      func(worker string)                // the worker went silent; others get its jobs
	// Lost is called for a job that a connected worker took but neither finished nor released. Broken is called
	// for a worker that sent an invalid message.
	Lost   func(l LostJob)
	Broken func(b BrokenWorker)
	News   func(n News) // from another server
	Error  func(error)  // an error that will be retried, or a worker's invalid message
}

// A LostJob is a job that a connected worker took but neither finished nor released.
type LostJob struct{ Worker, Job, Reason string }

// A BrokenWorker is a worker that sent an invalid message. Its connection has been closed.
type BrokenWorker struct{ Worker, Reason string }

// A Queue is the server's side of the queue. Its methods are safe for concurrent use.
type Queue struct {
	opts    Options
	server  *server.Server // nil with a cluster
	nc      *nats.Conn
	js      jetstream.JetStream
	workers *workerRegistry
	leases  *leaseTable
	bridge  *bridge

	listenerLock sync.Mutex // serializes calls of the listener
	ready        sync.Map   // classes with existing consumers
	ensureLock   sync.Mutex // serializes calls of Ensure
	stop         context.CancelFunc
	done         sync.WaitGroup
}

// Open starts the embedded server, or connects to the cluster, and creates missing streams and consumers. If no
// server of the cluster is reachable, it fails; see IsUnreachable. If the cluster or the disk is slow, Open waits until ctx
// is done, and calls Listener.Error.
func Open(ctx context.Context, opts Options) (*Queue, error) {
	q := &Queue{opts: opts, workers: newWorkerRegistry()}
	q.leases = newLeaseTable(q)
	life, stop := context.WithCancel(context.Background())
	q.stop = stop
	if err := q.connect(ctx); err != nil {
		q.Close()
		return nil, err
	}
	q.bridge = newBridge(q.server, q.workers, q.report, q.leases.deliveries, q.leases.recordLoss, func(worker string, err error) {
		notify(q, q.opts.Listener.Broken, BrokenWorker{worker, err.Error()})
	})
	if err := q.ensureFirst(ctx); err != nil {
		q.Close()
		return nil, err
	}
	if err := q.leases.listen(life, q.nc); err != nil {
		q.Close()
		return nil, err
	}
	if err := q.subscribeNews(); err != nil {
		q.Close()
		return nil, err
	}
	q.done.Go(func() { q.leases.watch(life) })
	return q, nil
}

// IsUnreachable reports whether an error of Open is temporary because no server of the cluster is reachable.
func IsUnreachable(err error) bool {
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout)
}

func (q *Queue) connect(ctx context.Context) (err error) {
	options := []nats.Option{
		nats.Name("server"), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.NoEcho(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { q.report(err) }),
	}
	if len(q.opts.URLs) > 0 {
		at, err := redactURLs(q.opts.URLs)
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
		if q.server, err = startEmbedded(q.opts.Dir, q.workers, q.report); err != nil {
			return err
		}
		q.workers.server = q.server
		options = append(options, nats.InProcessServer(q.server), nats.Token(q.workers.secret))
		if q.nc, err = nats.Connect("", options...); err != nil {
			return fmt.Errorf("connect to the embedded queue: %w", err)
		}
	}
	q.js, err = jetstream.New(q.nc)
	return err
}

// redactURLs returns the addresses of a cluster without passwords. If an address is invalid, it does not return the
// parser's error, because that would quote the address.
func redactURLs(urls []string) (string, error) {
	var names []string
	for i, one := range urls {
		if !strings.Contains(one, "://") {
			one = "nats://" + one
		}
		u, err := url.Parse(one)
		if err != nil {
			return "", &judge.UsageError{
				Err: fmt.Errorf(
					"address %d of the queue is not one of the kind nats://HOST:PORT\n"+
						"    in a name or a password write %%2F, %%3F, %%23, %%25 and %%40 for / ? # %% and @",
					i+1,
				),
			}
		}
		if _, has := u.User.Password(); u.User != nil && !has { // a token without a username
			u.User = url.UserPassword("", u.User.Username())
		}
		names = append(names, u.Redacted())
	}
	return strings.Join(names, ","), nil
}

// startEmbedded starts a NATS server that is reachable only through this process.
func startEmbedded(dir string, auth server.Authentication, trouble func(error)) (*server.Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the directory of the queue: %w", err)
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "assay", DontListen: true, NoSigs: true,
		MaxPayload: maxPayload, PingInterval: 20 * time.Second,
		AuthTimeout: authTimeout.Seconds(), AlwaysEnableNonce: true, CustomClientAuthentication: auth,
		JetStream: true, StoreDir: dir, SyncAlways: true,
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
		return nil, fmt.Errorf("the embedded queue in %s does not start", dir)
	}
	return s, nil
}

// Close stops the queue and its server. Workers try to reconnect.
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

// Ensure creates the streams, and the consumers of the given and all known classes, if they are missing. For
// example, they are missing if the directory was deleted while the server runs. If nothing is missing, Ensure
// writes nothing. A server calls it with each reconciliation.
func (q *Queue) Ensure(ctx context.Context, classes ...string) error {
	q.ensureLock.Lock()
	defer q.ensureLock.Unlock()
	q.ready.Range(func(class, _ any) bool { classes = append(classes, class.(string)); return true })
	slices.Sort(classes)
	if err := q.discardMissing(ctx); err != nil {
		return err
	}
	jobs, err := q.stream(ctx, jetstream.StreamConfig{
		Name: jobsStream, Subjects: []string{"job.>"},
		// The headers that control how a message is stored also count toward the size.
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
		Durable: resultConsumer, FilterSubject: "result.>", AckWait: resultAckWait, MaxAckPending: maxPendingResults,
	})
	return wrap("make the consumer of results", err)
}

// ensureFirst calls Ensure for the first time, and retries temporary errors.
func (q *Queue) ensureFirst(ctx context.Context) error {
	for {
		err := q.Ensure(ctx, q.opts.Classes...)
		if err == nil || !isTemporary(err) {
			return err
		}
		q.report(fmt.Errorf("the queue does not respond yet; waiting for it: %w", err))
		if pause(ctx, time.Second) != nil {
			return err
		}
	}
}

// isTemporary reports whether a JetStream error is temporary: the disk is slow, or the cluster is electing a leader.
func isTemporary(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && api.Code == 503
}

// isStoreFailure reports whether JetStream could not create the files of a stream: JSStreamStoreFailedF.
func isStoreFailure(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.ErrorCode == 10049
}

// discardMissing drops streams that the embedded server knows but whose files no longer exist.
func (q *Queue) discardMissing(ctx context.Context) error {
	if q.server == nil {
		return nil
	}
	for _, name := range []string{jobsStream, resultsStream} {
		_, err := os.Stat(filepath.Join(q.opts.Dir, "jetstream", server.DEFAULT_GLOBAL_ACCOUNT, "streams", name, "msgs"))
		if !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := q.js.DeleteStream(ctx, name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("drop the stream %s, whose files are gone: %w", name, err)
		}
	}
	return nil
}

// stream creates or corrects a stream: a work queue in files that rejects messages beyond its limits. The config
// must contain the three limits, where -1 means no limit. Like ensureConsumer, stream reads the existing
// configuration before it writes one.
func (q *Queue) stream(ctx context.Context, config jetstream.StreamConfig) (jetstream.Stream, error) {
	config.Retention, config.Storage, config.Discard = jetstream.WorkQueuePolicy, jetstream.FileStorage, jetstream.DiscardNew
	config.Replicas = q.replicas()
	s, err := q.js.Stream(ctx, config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		// Start with unused numbers, so that an answer to a lease of the old stream has no effect on a job in this
		// one.
		config.FirstSeq = uint64(time.Now().UnixMicro())
		s, err = q.js.CreateStream(ctx, config)
		// JetStream deletes the directory of a dropped stream after its response. It may also remove the parent
		// directory while the new stream is being created in it.
		for wait := 20 * time.Millisecond; isStoreFailure(err) && wait < time.Second && pause(ctx, wait) == nil; wait *= 2 {
			s, err = q.js.CreateStream(ctx, config)
		}
		if !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return s, wrap("make the stream "+config.Name, err)
		}
		// The stream was created in the meantime, by another server or, on a slow disk, by an earlier call that
		// timed out.
		s, err = q.js.Stream(ctx, config.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("look for the stream %s: %w", config.Name, err)
	}
	old := s.CachedInfo().Config
	config.FirstSeq = old.FirstSeq
	if old.MaxMsgs == config.MaxMsgs && old.MaxMsgSize == config.MaxMsgSize && old.MaxBytes == config.MaxBytes &&
		old.Replicas == config.Replicas {
		return s, nil
	}
	s, err = q.js.UpdateStream(ctx, config)
	return s, wrap("correct the stream "+config.Name, err)
}

// replicas returns the number of replicas of each stream.
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
	for _, priority := range job.Priorities {
		err := ensureConsumer(ctx, jobs, jetstream.ConsumerConfig{
			Durable: consumer(priority, class), FilterSubject: jobSubject(priority, class, ">"), AckWait: ackWait, MaxAckPending: maxPending,
		})
		if err != nil {
			return fmt.Errorf("make the consumer of class %s: %w", class, err)
		}
	}
	q.ready.Store(class, true)
	return nil
}

// ensureConsumer creates or corrects a consumer. Its messages are acknowledged individually and redelivered
// without limit. It reads the configuration first, because JetStream writes and syncs a file for each update, even
// if nothing changes.
func ensureConsumer(ctx context.Context, s jetstream.Stream, config jetstream.ConsumerConfig) error {
	config.AckPolicy, config.MaxDeliver = jetstream.AckExplicitPolicy, -1
	c, err := s.Consumer(ctx, config.Durable)
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	if err == nil {
		old := c.CachedInfo().Config
		if old.FilterSubject == config.FilterSubject && old.AckWait == config.AckWait && old.MaxDeliver == config.MaxDeliver &&
			old.MaxAckPending == config.MaxAckPending {
			return nil
		}
	}
	_, err = s.CreateOrUpdateConsumer(ctx, config)
	return err
}

// Recreate drops all jobs and their leases, and recreates the stream and its consumers. Running jobs continue, and
// their results arrive as usual.
func (q *Queue) Recreate(ctx context.Context) error {
	if err := q.js.DeleteStream(ctx, jobsStream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("drop the stream of jobs: %w", err)
	}
	return q.Ensure(ctx)
}

// addClass creates the missing consumers of a class if the class is new to q.
func (q *Queue) addClass(ctx context.Context, class string) error {
	if _, ok := q.ready.Load(class); ok {
		return nil
	}
	return q.Ensure(ctx, class)
}

// A logger passes warnings and errors of the embedded server to trouble.
type logger struct{ report func(error) }

func (l logger) log(format string, v []any)     { l.report(fmt.Errorf("queue: "+format, v...)) }
func (l logger) Warnf(format string, v ...any)  { l.log(format, v) }
func (l logger) Errorf(format string, v ...any) { l.log(format, v) }
func (l logger) Fatalf(format string, v ...any) { l.log(format, v) }
func (l logger) Noticef(string, ...any)         {}
func (l logger) Debugf(string, ...any)          {}
func (l logger) Tracef(string, ...any)          {}

func (q *Queue) report(err error) {
	notify(q, q.opts.Listener.Error, err)
}

// notify calls one function of the listener at a time.
func notify[T any](q *Queue, f func(T), event T) {
	if f == nil {
		return
	}
	q.listenerLock.Lock()
	defer q.listenerLock.Unlock()
	f(event)
}

func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}
