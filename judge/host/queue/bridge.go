package queue

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// maxUnproved is the maximum number of connections that have not yet proved a key, which they must do within a short
// time. Clients without a key cannot hold more connections. Requests signed with a worker's key do not compete
// with them: they have as many slots of their own.
const maxUnproved = 256

// A provedKey is the context key for the public key that signed a request.
type provedKey struct{}

// WithProvedKey returns a request for the Bridge. The caller must have verified that it is signed by the worker key
// public.
func WithProvedKey(r *http.Request, key string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), provedKey{}, key))
}

// Bridge returns the handler through which workers connect to the embedded queue. It upgrades a request (Upgrade:
// assay-queue) and connects it to the embedded server, which asks for the worker's key and enforces its
// permissions. The handler needs HTTP/1.1, with or without TLS. Proxies must support upgrades, and keep a silent
// connection open for 20 s. If the queue is an external cluster, the handler responds with 404.
func (q *Queue) Bridge() http.Handler { return q.bridge }

type bridge struct {
	server     *server.Server
	workers    *workerRegistry
	report     func(error)
	deliveries *deliveryLog
	onLoss     func(loss)
	// onBroken is called with a worker that sends invalid messages.
	onBroken func(worker string, err error)
	unproved chan struct{}
	proved   chan struct{} // slots for admitted workers that have not proved their key yet

	mu    sync.Mutex
	open  map[net.Conn]bool
	ended bool
	done  sync.WaitGroup
}

func newBridge(
	s *server.Server, p *workerRegistry, report func(error), sent *deliveryLog, onLoss func(loss),
	onBroken func(worker string, err error),
) *bridge {
	return &bridge{
		server: s, workers: p, report: report, deliveries: sent, onLoss: onLoss, onBroken: onBroken,
		unproved: make(chan struct{}, maxUnproved), proved: make(chan struct{}, maxUnproved),
		open: map[net.Conn]bool{},
	}
}

// ServeHTTP upgrades a request. It returns when the connection is closed.
func (b *bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.server == nil {
		http.Error(w, "the queue of this server is a cluster of its own: connect to that", http.StatusNotFound)
		return
	}
	if !strings.EqualFold(r.Header.Get("Upgrade"), Protocol) {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", Protocol)
		http.Error(w, "this is where workers connect: judged worker", http.StatusUpgradeRequired)
		return
	}
	young := b.unproved
	if key, _ := r.Context().Value(provedKey{}).(string); key != "" && b.workers.nameOf(key) != "" {
		young = b.proved
	}
	select {
	case young <- struct{}{}:
	default:
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many connections at once", http.StatusServiceUnavailable)
		return
	}
	// After this time, the embedded server has closed connections that have not proved a key.
	time.AfterFunc(authTimeout, func() { <-young })
	outer, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "this connection cannot be upgraded: use HTTP/1.1", http.StatusHTTPVersionNotSupported)
		return
	}
	defer outer.Close()
	inner, err := b.server.InProcessConn()
	if err != nil {
		return // the server is stopping
	}
	defer inner.Close()
	if !b.add(outer) {
		return
	}
	defer b.remove(outer)
	_, err = fmt.Fprintf(outer, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", Protocol)
	if err == nil {
		b.join(outer, buffered.Reader, inner)
	}
}

// join copies between two connections until either is closed.
func (b *bridge) join(outer net.Conn, read *bufio.Reader, inner net.Conn) {
	var both sync.WaitGroup
	l := &workerLink{workers: b.workers}
	both.Go(func() {
		defer inner.Close()
		defer outer.Close()
		g := &guard{
			from: bufio.NewReaderSize(read, 2*maxLine), to: bufio.NewWriter(inner), nameOf: b.workers.nameOf, link: l,
			deliveries: b.deliveries, onLoss: b.onLoss,
		}
		// Other errors just mean that the connection is closed.
		if err := g.copy(); errors.Is(err, errGuard) {
			b.report(fmt.Errorf("%s, %w", outer.RemoteAddr(), err))
			if worker := l.worker(); worker != "" {
				b.onBroken(worker, err)
			}
		}
	})
	_ = l.copyDown(outer, inner, b.deliveries) // the connection is closing anyway
	outer.Close()
	inner.Close()
	both.Wait()
	if l.proved.Load() {
		b.deliveries.recordClosed(l.name.Load().(string), l.id.Load())
	}
}

func (b *bridge) add(c net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return false
	}
	b.open[c] = true
	b.done.Add(1)
	return true
}

func (b *bridge) remove(c net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, c)
	b.done.Done()
}

// close closes all connections. After the upgrade, net/http no longer closes them.
func (b *bridge) close() {
	b.mu.Lock()
	b.ended = true
	for c := range b.open {
		c.Close()
	}
	b.mu.Unlock()
	b.done.Wait()
}

// dial connects to the bridge of a server. Sign may be nil.
func dial(ctx context.Context, bridgeURL string, config *tls.Config, sign func(method, path string) (string, error)) (net.Conn, error) {
	u, err := url.Parse(bridgeURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a server: it begins with http:// or https://", bridgeURL)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return nil, err
	}
	raw := conn // conn changes below, possibly while the function runs
	stop := context.AfterFunc(ctx, func() { raw.Close() })
	defer stop()
	if u.Scheme == "https" {
		if conn, err = startTLS(ctx, conn, u.Hostname(), config); err != nil {
			return nil, err
		}
	}
	up, err := upgrade(conn, u, sign)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return up, nil
}

func startTLS(ctx context.Context, conn net.Conn, host string, config *tls.Config) (net.Conn, error) {
	if config == nil {
		config = &tls.Config{}
	}
	config = config.Clone()
	config.NextProtos = []string{"http/1.1"} // HTTP/2 has no upgrades
	if config.ServerName == "" {
		config.ServerName = host
	}
	c := tls.Client(conn, config)
	if err := c.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

func upgrade(conn net.Conn, u *url.URL, sign func(method, path string) (string, error)) (net.Conn, error) {
	req, err := http.NewRequest(http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", Protocol)
	if sign != nil {
		signed, err := sign(req.Method, Path) // u may contain the path prefix of a proxy
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", signed)
	}
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	r := bufio.NewReader(conn)
	answer, err := http.ReadResponse(r, req)
	if err != nil {
		return nil, fmt.Errorf("%s did not respond like an Assay server: %w", u.Host, err)
	}
	if answer.StatusCode != http.StatusSwitchingProtocols || !strings.EqualFold(answer.Header.Get("Upgrade"), Protocol) {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
		return nil, fmt.Errorf("%s does not accept workers: %s: %s", u.Host, answer.Status, strings.TrimSpace(string(text)))
	}
	return &bufferedConn{conn, r}, nil
}

// An bufferedConn is a connection from which some bytes have already been read into a buffer.
type bufferedConn struct {
	net.Conn
	r *bufio.Reader
}

func (u *bufferedConn) Read(p []byte) (int, error) { return u.r.Read(p) }
