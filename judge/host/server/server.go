// Package server combines the parts of a server process: the database, the blobs, the queue, the dispatcher and
// the API, with one data directory and one address. It also starts a worker as a child process. This worker has no
// more rights than any other worker.
//
// The process may be killed at any time. After a restart with the same directory, every confirmed submission is
// judged once.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/api"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/dispatch"
	"assay/judge/host/intake"
	"assay/judge/host/ladder"
	"assay/judge/host/queue"
	"assay/judge/host/scoreboard"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/contest"
	"assay/judge/host/web/pages"
	"assay/judge/internal/atomicfile"
	"assay/judge/running/config"
)

// Options configure a Server.
type Options struct {
	config.Server        // from judge.toml and the command's flags
	Root          string // directory of the contest; a relative Data is below it
	Source        config.FileLimits
	Version       string
	AcceptLoss    bool // start with a database that is older than its files
	AcceptStale   bool // start with a database whose data was moved to another database
	Log           *slog.Logger
	ChildOutput   *os.File // for the output of child processes
	// WorkerCommand returns the command line of the server's own worker. The worker reads its join address from the
	// environment variable JoinVariable, and exits at EOF on its standard input.
	WorkerCommand func(dir string) []string
	// PublishCommand returns the command line of a program that publishes the contest's problems. It gets the address
	// and the token in the environment variables ServerVariable and TokenVariable. If nil, nothing is published.
	PublishCommand func() []string
	// PrepareCommand returns the command line of a program that converts an archive to a bundle, publishes the bundle as
	// PublishCommand does, and writes the result next to the archive: see PreparedUpload. If nil, package uploads are
	// disabled.
	PrepareCommand func(archive string, verify bool) []string
	// PrintTimeout is the time limit of the print command. Zero means 30 s.
	PrintTimeout time.Duration
	// OnStep is called with each step of a submission: "received", "kept", and the steps of package dispatch. Tests
	// use it to simulate a crash. It may be nil.
	OnStep func(step string)
}

// The environment variables for child processes. Arguments would be visible to every user of the machine.
const (
	JoinVariable   = "ASSAY_JOIN"
	ServerVariable = "ASSAY_SERVER"
	TokenVariable  = "ASSAY_TOKEN"
)

// Class is the default worker class.
const Class = "main"

// A Server is a running server.
type Server struct {
	o              Options
	data           string
	lock           *os.File
	store          *store.Store
	queue          *queue.Queue
	dispatch       *dispatch.Dispatcher
	ladders        *ladder.Service
	intake         *intake.Service
	listener       net.Listener
	http           *http.Server
	metrics        *http.Server
	cancelRequests context.CancelFunc
	loops          sync.WaitGroup
	collecting     sync.RWMutex // see intake.Service
	stop           context.CancelFunc
	backups        struct {
		sync.Mutex
		last, tried  time.Time // time of the newest backup, and of the last attempt
		kept, failed int
		wrong        error // error of the last attempt
	}
	health   healthCache
	instance string // identifies this process as a holder of leader leases
	previous string // instance of the previous process with this data directory
	// workersChanged signals that another server has admitted or revoked a worker. Its capacity is 1.
	workersChanged chan struct{}
	uploaded       chan struct{} // signals that an archive was uploaded; capacity 1
	preparing      atomic.Bool   // the contest's problems are still being published
	pin            string        // the SHA-256 of a self-signed certificate

	// AdminToken is the token of the first administrator. It is empty unless this start created the account. SetupURL is
	// the address at which the first administrator can choose a password within an hour. SetupURL is empty if an
	// account already has a password.
	AdminToken, SetupURL string
}

// The time limits for stopping a server. Together they are at most 15 s.
const (
	closeTimeout = 5 * time.Second
	childTimeout = 5 * time.Second
)

// Start opens all parts and serves requests. The caller must call Stop.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{o: o, data: o.Data, uploaded: make(chan struct{}, 1), workersChanged: make(chan struct{}, 1)}
	if err := s.open(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// The delays before a retry while a part is unavailable.
const (
	awaitMinDelay = time.Second
	awaitMaxDelay = 15 * time.Second
)

// openWithRetry calls open until it succeeds, fails permanently, or ctx is done. The machines of an installation may
// start in any order.
func (s *Server) openWithRetry(ctx context.Context, name string, temporary func(error) bool, open func() error) error {
	for pause := awaitMinDelay; ; pause = min(2*pause, awaitMaxDelay) {
		err := open()
		if err == nil || !temporary(err) {
			return err
		}
		s.o.Log.Warn(name+" does not respond; waiting for it", "error", err, "again after", pause.String())
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", name, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// open does the work of Start. After an error, everything that it has opened stays open.
func (s *Server) open(ctx context.Context) (err error) {
	o := s.o
	for _, dir := range []string{"", "keys", "blobs", "queue"} {
		if err := os.MkdirAll(filepath.Join(s.data, dir), 0o700); err != nil {
			return fmt.Errorf("create the data directory: %w", err)
		}
	}
	if s.lock, err = LockDir(filepath.Join(s.data, "lock"), "server"); err != nil {
		return err
	}
	blobs, err := s.openBlobs()
	if err != nil {
		return err
	}
	err = s.openWithRetry(ctx, "the database", store.IsUnavailable, func() (err error) {
		s.store, err = store.Open(ctx, store.Options{
			DSN: o.Database, Dir: s.data, Version: o.Version, EventCount: s.readMark(), AcceptLoss: o.AcceptLoss,
			AcceptStale:  o.AcceptStale,
			SingleServer: s.isOnlyServer(), ID: s.id(), // the directory is locked
		})
		return err
	})
	if err != nil {
		return s.explain(err)
	}
	if err := s.createAdmin(ctx); err != nil {
		return err
	}
	holder, err := s.leaseHolder(ctx)
	if err != nil {
		return err
	}
	s.dispatch = dispatch.New(
		dispatch.Options{
			Store: s.store, Blobs: blobs, Log: o.Log, Holder: holder, Class: Class, Audit: o.Audit,
			OnWorkflowEnded: func() { s.ladders.Wake() }, OnWorkersChanged: s.checkWorkers,
			OnStep: func(step dispatch.Step) { s.onStep(string(step)) },
		},
	)
	err = s.openWithRetry(ctx, "the queue", queue.IsUnreachable, func() (err error) {
		s.queue, err = queue.Open(ctx, s.queueOptions())
		return err
	})
	if err != nil {
		return err
	}
	if err := s.shareBlobs(ctx, blobs); err != nil {
		return err
	}
	s.ladders = ladder.New(ladder.Options{Store: s.store, Dispatch: s.dispatch, Log: o.Log, Holder: holder, Class: Class})
	s.dispatch.SetQueue(s.queue)
	if err := s.admitAll(ctx, true); err != nil {
		return err
	}
	if !s.isOnlyServer() {
		if _, err := s.databaseSkew(ctx); err != nil {
			return err
		}
		if err := s.announceFirst(ctx); err != nil {
			return err
		}
		if err := s.store.CheckNotMoved(ctx); err != nil { // the data was moved while this server started
			return s.explain(err)
		}
	}
	if err := s.listen(ctx, blobs); err != nil {
		return err
	}
	if err := s.createSetupLink(ctx); err != nil {
		return err
	}
	s.startLoops(ctx, blobs, holder)
	return nil
}

// startLoops starts the loops that run until Stop.
func (s *Server) startLoops(ctx context.Context, blobs *blob.Dir, holder string) {
	o := s.o
	loops, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.loops.Go(func() { s.dispatch.Run(loops) })
	s.loops.Go(func() { s.ladders.Run(loops) })
	s.loops.Go(func() { shadow.New(shadow.Options{Service: s.intake, Log: o.Log, Holder: holder}).Run(loops) })
	s.loops.Go(func() { s.saveMarks(loops) })
	s.loops.Go(func() { s.watchClock(loops) })
	s.loops.Go(func() { s.collectGarbage(loops, blobs) })
	if !s.isOnlyServer() {
		s.loops.Go(func() { s.coordinate(loops) })
	}
	if o.Backup != "" {
		if err := s.findBackups(); err != nil {
			o.Log.Error("check the nightly backups", "error", err)
		}
		s.loops.Go(func() { s.nightlyBackups(loops, blobs) })
	}
	if o.PrepareCommand != nil {
		s.loops.Go(func() { s.prepareUploads(loops, blobs, holder) })
	}
	if len(o.PrintCommand) > 0 {
		s.loops.Go(func() { s.printLoop(loops) })
	}
	if o.Workers > 0 {
		s.loops.Go(func() { s.superviseWorker(loops) })
	}
	if o.PublishCommand != nil {
		s.loops.Go(func() { s.publishProblems(loops) })
	}
}

func (s *Server) onStep(step string) {
	if s.o.OnStep != nil {
		s.o.OnStep(step)
	}
}

func (s *Server) queueOptions() queue.Options {
	o := queue.Options{Dir: filepath.Join(s.data, "queue"), Classes: []string{Class}, Listener: s.dispatch.Listener()}
	if s.o.Queue != "" {
		o.URLs, o.Credentials = strings.Split(s.o.Queue, ","), s.o.QueueCredentials
	}
	return o
}

// explain adds the remedy to a database error.
func (s *Server) explain(err error) error {
	switch {
	case errors.Is(err, store.ErrRolledBack):
		return &judge.UsageError{
			Err: fmt.Errorf(
				"%w: submissions that were confirmed to their senders are missing\n    restore a backup, or add --accept-loss to continue without them",
				err,
			),
		}
	case errors.Is(err, store.ErrOtherServers):
		return &judge.UsageError{
			Err: fmt.Errorf(
				"%w\n    stop those servers, or bring the schema up to date while they run: judged admin migrate --database URL",
				err,
			),
		}
	case errors.Is(err, store.ErrMoveUnfinished):
		return &judge.UsageError{
			Err: fmt.Errorf(
				"%w\n    start the server with the old database, and move again; if it does not start with that one either: --accept-stale",
				err,
			),
		}
	case errors.Is(err, store.ErrMoved):
		return &judge.UsageError{
			Err: fmt.Errorf(
				"%w\n    add the lines that `judged admin move` printed to judge.toml and restart the server; "+
					"to continue with the old data: --accept-stale",
				err,
			),
		}
	case errors.Is(err, store.ErrNewerSchema):
		return &judge.UsageError{Err: err}
	}
	return err
}

// listen serves requests.
func (s *Server) listen(ctx context.Context, blobs *blob.Dir) error {
	secure, err := s.tlsConfig()
	if err != nil {
		return err
	}
	proxies, err := s.o.Proxies()
	if err != nil {
		return err
	}
	if s.listener, err = net.Listen("tcp", s.o.Listen); err != nil {
		return &judge.UsageError{Err: fmt.Errorf("listen on %s: %w\n    choose another address: --listen", s.o.Listen, err)}
	}
	// Write the file before the first response, because a client that reaches the server may need it.
	if err := atomicfile.WriteSecret(addressFile(s.data), []byte(client.Address{URL: s.Address(), Pin: s.pin}.String()+"\n")); err != nil {
		return err
	}
	entry := &intake.Service{
		Store: s.store, Blobs: blobs, CollectLock: &s.collecting, Dispatch: s.dispatch, MaxSize: s.o.Source.Size,
		MaxFiles: s.o.Source.Files, Class: Class, FreeDisk: s.freeDisk,
		RemoveUnused: func(ctx context.Context, all []blob.Digest) error { return s.removeUnused(ctx, blobs, all) },
		Registration: auth.Registration(s.o.Registration), Practice: store.PracticeLevel(s.o.Practice),
		AutoLogin: s.o.AutoLogin, LockAddress: s.o.LockAddress, StaffPasswords: s.o.Password == "staff",
		Contents: manifestReader(blobs),
		OnSubmit: func(kept bool) {
			if kept {
				s.onStep("kept")
			} else {
				s.onStep("received")
			}
		},
	}
	s.intake = entry
	s.preparing.Store(s.o.PublishCommand != nil)
	passwords, url := auth.NewPasswords(), s.URL()
	boards := scoreboard.NewRegistry(scoreboard.RegistryOptions{Store: s.store, Frame: contest.Frame(s.o.Name), Log: s.o.Log})
	answers := api.New(api.Options{
		Service: entry, Scoreboards: boards, URL: url, Name: s.o.Name, Version: s.o.Version, Passwords: passwords,
		Bridge: s.queue.Bridge(), Queue: redactQueueURL(s.o.Queue),
		MixedClasses: s.o.Mixed,
		Log:          s.o.Log,
		Backup:       func(ctx context.Context, name string) (string, error) { return s.makeBackup(ctx, blobs, name) },
		CheckReady:   s.ready, IsPreparing: s.preparing.Load,
		Move: func(ctx context.Context) (client.MoveResult, error) { return s.move(ctx, blobs) },
	})
	provider, err := s.newProvider(url.URL)
	if err != nil {
		return err
	}
	handler := http.NewServeMux()
	for _, path := range api.Paths {
		handler.Handle(path, answers)
	}
	handler.Handle("/", web.New(web.Options{
		Service: entry, Scoreboards: boards, Name: s.o.Name, URL: url.URL, Address: url.String(), Passwords: passwords,
		Log: s.o.Log, Secure: strings.HasPrefix(url.URL, "https:"),
		Backups: s.Backups, OnUpload: s.uploadSignal(), Ladders: s.ladders, SignOn: provider,
	}, pages.All...))
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancelRequests = cancel
	s.loops.Go(func() { boards.Run(base) })
	quiet := slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug)
	s.http = &http.Server{
		Handler: limitBodies(
			forwarded(proxies, mountAt(s.path(), handler)), defaultBodyLimits,
		), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: quiet,
		BaseContext: func(net.Listener) context.Context { return base },
	}
	// The bridge for workers needs HTTP/1.1.
	s.http.Protocols = new(http.Protocols)
	s.http.Protocols.SetHTTP1(true)
	var limited net.Listener = &limitedListener{
		Listener: s.listener, proxies: proxies, network: intake.ConnectionsOfNetwork, server: intake.ConnectionsOfServer,
	}
	if secure != nil {
		limited = tls.NewListener(limited, secure)
	}
	s.loops.Go(func() { _ = s.http.Serve(limited) }) // the error only says that it was closed
	return s.serveMetrics()
}

// Address returns the address of the server on this machine.
func (s *Server) Address() string {
	host, port, err := net.SplitHostPort(s.listener.Addr().String())
	if ip := net.ParseIP(host); err == nil && (ip == nil || ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return s.scheme() + "://" + net.JoinHostPort(host, port)
}

// URL returns the public address of the server.
func (s *Server) URL() client.Address {
	a := client.Address{URL: s.Address(), Pin: s.pin}
	host, port, err := net.SplitHostPort(s.listener.Addr().String())
	switch ip := net.ParseIP(host); {
	case s.o.URL != "":
		a.URL = strings.TrimRight(s.o.URL, "/")
	case err == nil && (ip == nil || ip.IsUnspecified()):
		if own := ownIP(); own != "" {
			a.URL = s.scheme() + "://" + net.JoinHostPort(own, port)
		}
	}
	return a
}

// path returns the path of URL, which is the path of the server behind a proxy. It may be empty.
func (s *Server) path() string {
	u, err := url.Parse(s.o.URL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.EscapedPath(), "/")
}

// ownIP returns a network address of this machine. It may be empty.
func ownIP() string {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range all {
		if n, is := a.(*net.IPNet); is && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	return ""
}

// redactQueueURL returns the addresses of a cluster's servers without the server's password. Workers have their own keys.
func redactQueueURL(queue string) string {
	all := strings.Split(queue, ",")
	for i, one := range all {
		if u, err := url.Parse(one); err == nil {
			u.User = nil
			all[i] = u.String()
		}
	}
	return strings.Join(all, ",")
}

func (s *Server) scheme() string {
	if s.o.TLS != "" || s.o.Cert != "" {
		return "https"
	}
	return "http"
}

// saveMarkEvery is the interval at which the number of the last event is stored outside the database.
const saveMarkEvery = 10 * time.Second

// saveMarks regularly stores the number of the event log's last event next to the blobs. If the database is later
// rolled back, its last number is smaller than the stored one.
func (s *Server) saveMarks(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(saveMarkEvery):
			s.saveMark(ctx)
		}
	}
}

func (s *Server) saveMark(ctx context.Context) {
	last, err := s.store.EventCount(ctx)
	if err == nil && last > s.readMark() {
		err = atomicfile.Write(s.markFile(), []byte(strconv.FormatInt(last, 10)+"\n"))
	}
	if err != nil && ctx.Err() == nil {
		s.o.Log.Error("store the last number of the log", "error", err)
	}
}

func (s *Server) markFile() string { return filepath.Join(s.data, "blobs", "last-log") }

func (s *Server) readMark() int64 {
	data, err := os.ReadFile(s.markFile())
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64) // 0 if it is not a number
	return n
}

// Stop stops the server. It waits for pending writes, but not for running jobs.
func (s *Server) Stop() {
	if s.cancelRequests != nil {
		s.cancelRequests() // ends streams, whose clients reconnect
	}
	stopCtx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	for _, h := range []*http.Server{s.http, s.metrics} {
		if h != nil && h.Shutdown(stopCtx) != nil {
			_ = h.Close()
		}
	}
	if s.stop != nil {
		s.stop()
	}
	s.loops.Wait()
	if s.store != nil {
		s.saveMark(stopCtx)
		s.depart(stopCtx)
	}
	s.release()
}

// release closes everything that is open.
func (s *Server) release() {
	if s.listener != nil {
		_ = s.listener.Close() // it may be closed
	}
	if s.queue != nil {
		s.queue.Close()
	}
	if s.store != nil {
		if err := s.store.Close(); err != nil {
			s.o.Log.Error("close the database", "error", err)
		}
	}
	if s.lock != nil {
		_ = s.lock.Close()
	}
}

// uploadSignal returns the function that must be called after an upload so that the server prepares it. It returns nil if
// uploads are disabled.
func (s *Server) uploadSignal() func() {
	if s.o.PrepareCommand == nil {
		return nil
	}
	return func() {
		select {
		case s.uploaded <- struct{}{}:
		default:
		}
	}
}
