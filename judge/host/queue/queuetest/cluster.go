// Package queuetest starts a real NATS cluster for tests: three nats-server processes on loopback. Tests can cut
// the connections between them. The cluster is not suitable for production.
package queuetest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge/host/freeport"
	"assay/judge/host/queue"
)

// A Worker is a worker whose nkey is in the configuration of the cluster.
type Worker struct {
	Name, Class string
	Key         string // the public half
}

// A Cluster is a cluster of three servers.
type Cluster struct {
	// URLs are the addresses for a server's queue. WorkerURL is the address for workers, which need keys.
	URLs      []string
	WorkerURL string
	names     []string
	processes []*process
	routes    []*route
}

// Start starts three nats-servers that accept the given workers. They stop at the end of the test. If nats-server
// is not installed, Start skips the test.
func Start(t testing.TB, workers ...Worker) *Cluster {
	t.Helper()
	program, err := exec.LookPath("nats-server")
	if err != nil {
		t.Skip("no nats-server: go install github.com/nats-io/nats-server/v2@v2.15.2")
	}
	c := &Cluster{}
	var ports [9]int
	for i := range ports {
		ports[i] = freeport.Port(t)
	}
	var plain []string
	for i := range 3 {
		plain = append(plain, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		c.URLs = append(c.URLs, fmt.Sprintf("nats://server:secret@127.0.0.1:%d", ports[i]))
	}
	c.WorkerURL = strings.Join(plain, ",")
	for i := range 3 {
		dir := t.TempDir()
		name := fmt.Sprintf("n%d", i+1)
		var routes []string
		for j := range 3 {
			if j != i {
				routes = append(routes, "nats://"+c.route(t, i, j, fmt.Sprintf("127.0.0.1:%d", ports[3+j])))
			}
		}
		// Nothing listens on the advertised address. The other servers use their routes.
		text := fmt.Sprintf(
			"server_name: %s\nlisten: 127.0.0.1:%d\njetstream { store_dir: %q, sync_interval: always, max_file_store: 2GB }\n"+
				"cluster { name: test, listen: 127.0.0.1:%d, advertise: 127.0.0.1:%d, routes: [%s] }\n%s",
			name, ports[i], dir, ports[3+i], ports[6+i], strings.Join(routes, ", "), users(workers),
		)
		file := filepath.Join(dir, "nats.conf")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.names, c.processes = append(c.names, name), append(c.processes, &process{program: program, file: file})
		if err := c.processes[i].start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			c.processes[i].kill()
			if log := &c.processes[i].log; t.Failed() {
				t.Logf("%s, the end of its log:\n%s", name, log.Bytes()[max(0, log.Len()-4000):])
			}
		})
	}
	return c
}

// A process is a nats-server.
type process struct {
	program, file string // file is its configuration
	running       *exec.Cmd
	log           bytes.Buffer // read after its end
}

func (p *process) start() error {
	p.running = exec.Command(p.program, "-c", p.file)
	p.running.Stderr = &p.log
	return p.running.Start()
}

// kill kills the process if it has not ended.
func (p *process) kill() {
	if p.running.ProcessState == nil {
		_ = p.running.Process.Kill()
		_ = p.running.Wait()
	}
}

// users returns the part of the configuration that lists the users.
func users(workers []Worker) string {
	var b strings.Builder
	b.WriteString("authorization { users: [\n  { user: server, password: secret }\n")
	for _, w := range workers {
		fmt.Fprintf(&b, "  %s\n", queue.UserConfig(w.Name, w.Class, w.Key, false))
	}
	b.WriteString("] }\n")
	return b.String()
}

// Kill kills the server with the given name, n1 to n3, by SIGKILL, like a crash of its machine.
func (c *Cluster) Kill(t testing.TB, name string) { t.Helper(); c.processes[c.index(t, name)].kill() }

// Restart starts a killed server again with its old files.
func (c *Cluster) Restart(t testing.TB, name string) {
	t.Helper()
	if err := c.processes[c.index(t, name)].start(); err != nil {
		t.Fatal(err)
	}
}

func (c *Cluster) index(t testing.TB, name string) int {
	t.Helper()
	i := slices.Index(c.names, name)
	if i < 0 {
		t.Fatalf("there is no server %q", name)
	}
	return i
}

// Disconnect closes all routes between a server and the other two, until Reconnect.
func (c *Cluster) Disconnect(t testing.TB, name string) { t.Helper(); c.setRoutes(t, name, true) }

// Reconnect lets a server reconnect to the others after Disconnect.
func (c *Cluster) Reconnect(t testing.TB, name string) { t.Helper(); c.setRoutes(t, name, false) }

func (c *Cluster) setRoutes(t testing.TB, name string, cut bool) {
	t.Helper()
	i := c.index(t, name)
	for _, r := range c.routes {
		if r.from == i || r.to == i {
			r.setCut(cut)
		}
	}
}

// A route forwards the connections from one server to another, unless it is cut.
type route struct {
	from, to int

	mu   sync.Mutex
	cut  bool
	open map[net.Conn]bool
}

// route creates a route from one server to the given address of another server. It returns the address on which
// the route accepts connections.
func (c *Cluster) route(t testing.TB, from, to int, address string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &route{from: from, to: to, open: map[net.Conn]bool{}}
	c.routes = append(c.routes, r)
	var done sync.WaitGroup
	done.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			done.Go(func() { r.forward(in, address) })
		}
	})
	t.Cleanup(func() { l.Close(); r.setCut(true); done.Wait() })
	return l.Addr().String()
}

func (r *route) forward(in net.Conn, address string) {
	defer in.Close()
	out, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer out.Close()
	if !r.addConns(in, out) {
		return
	}
	var back sync.WaitGroup
	back.Go(func() { _, _ = io.Copy(in, out); in.Close() })
	_, _ = io.Copy(out, in)
	out.Close()
	back.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, in)
	delete(r.open, out)
}

// addConns adds connections to the route. It returns false if the route is cut, so that the connections must be
// closed.
func (r *route) addConns(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		r.open[c] = true
	}
	return !r.cut
}

func (r *route) setCut(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = cut
	for c := range r.open {
		if cut {
			c.Close()
		}
	}
}

// Open opens a queue on the cluster. It retries until the cluster has a leader.
func (c *Cluster) Open(t testing.TB, listen queue.Listener) *queue.Queue {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); ; {
		q, err := queue.Open(t.Context(), queue.Options{URLs: c.URLs, Classes: []string{"main"}, Listener: listen})
		if err == nil {
			return q
		}
		if time.Now().After(end) {
			t.Fatalf("the cluster does not come up: %v", err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}
