package queue

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// authTimeout is how long a connection may be open without proof of its key.
const authTimeout = 5 * time.Second

// connectedFor is how long a worker of an external cluster is considered connected after a heartbeat. Only the
// cluster sees its connection.
const connectedFor = 3 * heartbeatEvery

// workerRegistry contains the admitted workers and their connections. The embedded server uses it to authenticate
// connections.
type workerRegistry struct {
	server *server.Server // nil with a cluster, which authenticates workers itself
	secret string         // authenticates the server's own connection

	mu      sync.Mutex
	workers map[string]*registeredWorker // by name
	keys    map[string]*registeredWorker
}

type registeredWorker struct {
	name, class, key string
	untrusted        bool
	connections      []uint64
	lastHeard        time.Time // time of the last heartbeat
	connected        bool      // as last reported to the listener
	disconnected     time.Time // when its last connection was closed; zero while it is connected
}

func newWorkerRegistry() *workerRegistry {
	return &workerRegistry{secret: rand.Text(), workers: map[string]*registeredWorker{}, keys: map[string]*registeredWorker{}}
}

// Admit lets a worker of a class connect with the secret half of an nkey, and use the subjects of Permissions. A
// second call for the same worker replaces the key, class and permissions, and closes the worker's connections.
// The embedded queue starts without admitted workers. All workers in the database must be admitted before the
// Bridge is reachable, because a rejected worker gives up. An external cluster's operator manages the keys, but
// messages of workers that are not admitted are ignored.
func (q *Queue) Admit(worker, class, key string, untrusted bool) error {
	if err := checkName("worker", worker); err != nil {
		return err
	}
	if err := checkName("class", class); err != nil {
		return err
	}
	if !nkeys.IsValidPublicUserKey(key) {
		return fmt.Errorf("the key of worker %s is not the public key of an nkey of type user", worker)
	}
	return q.workers.admit(worker, class, key, untrusted)
}

func (p *workerRegistry) admit(worker, class, key string, untrusted bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if holder := p.keys[key]; holder != nil && holder.name != worker {
		return fmt.Errorf("the key of worker %s is already used by worker %s", worker, holder.name)
	}
	if old := p.workers[worker]; old != nil {
		if old.key == key && old.class == class && old.untrusted == untrusted {
			return nil
		}
		p.remove(old)
	}
	w := &registeredWorker{name: worker, class: class, key: key, untrusted: untrusted}
	p.workers[worker], p.keys[key] = w, w
	return nil
}

// Revoke undoes Admit and closes the worker's connections. Other workers get its jobs, as if it had crashed.
func (q *Queue) Revoke(worker string) {
	q.workers.mu.Lock()
	w := q.workers.workers[worker]
	if w != nil {
		q.workers.remove(w)
	}
	q.workers.mu.Unlock()
	if w != nil {
		q.leases.releaseAll(worker)
		if w.connected {
			notify(q, q.opts.Listener.Left, worker)
		}
	}
}

func (p *workerRegistry) remove(w *registeredWorker) {
	delete(p.workers, w.name)
	delete(p.keys, w.key)
	for _, id := range w.connections {
		// An error means that the connection is already closed.
		_ = p.server.DisconnectClientByID(id)
	}
}

// Connected returns the connected workers. With an external cluster, it returns those that sent a heartbeat in the
// last 15 s.
func (q *Queue) Connected() (names []string) {
	p := q.workers
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, w := range p.workers {
		if p.isConnected(w) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isConnected removes closed connections from w, and reports whether the worker is connected.
func (p *workerRegistry) isConnected(w *registeredWorker) bool {
	if p.server == nil {
		return time.Since(w.lastHeard) < connectedFor
	}
	w.connections = slices.DeleteFunc(w.connections, func(id uint64) bool { return p.server.GetClient(id) == nil })
	return len(w.connections) > 0
}

// Check authenticates a connection for the embedded server.
func (p *workerRegistry) Check(c server.ClientAuthentication) bool {
	opts := c.GetOpts()
	if subtle.ConstantTimeCompare([]byte(opts.Token), []byte(p.secret)) == 1 {
		c.RegisterUser(&server.User{Username: "server"})
		return true
	}
	if !signed(opts.Nkey, opts.Sig, c.GetNonce()) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.keys[opts.Nkey]
	if w == nil {
		return false
	}
	publish, subscribe := Permissions(w.name, w.class, w.untrusted)
	c.RegisterUser(&server.User{Username: w.name, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: subscribe},
	}})
	w.connections = append(w.connections, c.GetID())
	return true
}

// signed reports whether a key has signed the server's nonce.
func signed(key, signature string, nonce []byte) bool {
	sig, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || len(nonce) == 0 {
		return false
	}
	public, err := nkeys.FromPublicKey(key)
	return err == nil && public.Verify(nonce, sig) == nil
}

// classOf returns the class of a worker. It returns an empty string if the worker is not admitted.
func (p *workerRegistry) classOf(worker string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.workers[worker]; w != nil {
		return w.class
	}
	return ""
}

// connected reports whether the connection with the given id has proved the key of a worker.
func (p *workerRegistry) connected(worker string, id uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.workers[worker]
	return w != nil && slices.Contains(w.connections, id)
}

// nameOf returns the worker with the given key. It returns an empty string if there is none.
func (p *workerRegistry) nameOf(key string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.keys[key]; w != nil {
		return w.name
	}
	return ""
}

// heartbeat records a heartbeat from a worker.
func (p *workerRegistry) heartbeat(worker string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.workers[worker]; w != nil {
		w.lastHeard = time.Now()
	}
}

// changes returns the workers that have connected since the previous call (came). It also returns the workers that
// have now been offline for so long that other workers get their jobs (left).
func (p *workerRegistry) changes() (joined, left []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, w := range p.workers {
		switch here := p.isConnected(w); {
		case here:
			w.disconnected = time.Time{}
			if !w.connected {
				w.connected = true
				joined = append(joined, name)
			}
		case w.connected && w.disconnected.IsZero():
			w.disconnected = time.Now()
		case w.connected && time.Since(w.disconnected) >= releaseTimeout:
			w.connected = false
			left = append(left, name)
		}
	}
	return joined, left
}
