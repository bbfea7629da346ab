// Package storetest provides databases for tests: an SQLite database, and a PostgreSQL server that runs the
// machine's installed package in a temporary directory. It is only for tests, and uses no server that is already
// running.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// ErrNotInstalled means that PostgreSQL is not installed. Its text says what to install.
var ErrNotInstalled = errors.New("no PostgreSQL here: install the package postgresql, which brings initdb")

// Postgres is a temporary server that listens only on a socket in its directory. It uses PostgreSQL's default
// durability settings. On Linux it ends with the process that started it, even if that process is killed.
type Postgres struct {
	dir     string
	program string
	server  *exec.Cmd     // nil before the first start
	exited  chan struct{} // closed when the server has ended
	log     bytes.Buffer  // what it said; read after its end
}

// startTimeout is the timeout for starting the server, even on a busy machine.
const startTimeout = time.Minute

// findProgram finds a PostgreSQL program, even if it is not in the path, as on Debian.
func findProgram(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	matches, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(matches) == 0 {
		return "", ErrNotInstalled
	}
	return slices.Max(matches), nil
}

// StartPostgres starts a server. The caller must call Stop.
func StartPostgres() (*Postgres, error) {
	initdb, err := findProgram("initdb")
	if err != nil {
		return nil, err
	}
	postgres, err := findProgram("postgres")
	if err != nil {
		return nil, err
	}
	// A socket path has at most 107 bytes, so the socket is not in the test's own directory.
	dir, err := os.MkdirTemp("", "pg-")
	if err != nil {
		return nil, err
	}
	p := &Postgres{dir: dir, program: postgres}
	if err = p.create(initdb); err == nil {
		err = p.start()
	}
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("start PostgreSQL: %w\n%s", err, p.log.Bytes())
	}
	return p, nil
}

func (p *Postgres) data() string { return filepath.Join(p.dir, "data") }

func (p *Postgres) create(initdb string) error {
	if err := chownToServerUser(p.dir); err != nil {
		return err
	}
	create := exec.Command(initdb, "-D", p.data(), "-U", "assay", "-A", "trust", "-E", "UTF8", "--no-sync")
	create.Dir = p.dir
	if err := runAsServerUser(create); err != nil {
		return err
	}
	if output, err := create.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	return nil
}

func (p *Postgres) start() error {
	server := exec.Command(p.program, "-D", p.data(), "-k", p.dir, "-c", "listen_addresses=", "-c", "max_connections=200")
	server.Dir = p.dir
	server.Stdout, server.Stderr = &p.log, &p.log
	if err := runAsServerUser(server); err != nil {
		return err
	}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The server ends with the thread that starts it.
		runtime.LockOSThread()
		defer close(ended)
		err := server.Start()
		started <- err
		if err == nil {
			_ = server.Wait() // its log says how it ended
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	p.server, p.exited = server, ended
	return p.ready()
}

// Kill kills the server without a shutdown, as if its machine had failed. Restart starts it again.
func (p *Postgres) Kill() error {
	if err := p.server.Process.Kill(); err != nil {
		return err
	}
	<-p.exited
	return nil
}

// Restart starts the server after Kill. It retries while processes of the killed server end.
func (p *Postgres) Restart() error {
	for end := time.Now().Add(startTimeout); ; time.Sleep(100 * time.Millisecond) {
		if err := p.start(); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// ready waits until the server accepts connections.
func (p *Postgres) ready() error {
	ask, err := findProgram("pg_isready")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		if exec.CommandContext(ctx, ask, "-q", "-h", p.dir, "-U", "assay", "-d", "postgres").Run() == nil {
			return nil
		}
		select {
		case <-p.exited:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return errors.New("it does not answer")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// DSN returns the address of a database on the server. The database "postgres" always exists.
func (p *Postgres) DSN(database string) string {
	options := url.Values{"host": {p.dir}}
	return (&url.URL{Scheme: "postgres", User: url.User("assay"), Path: "/" + database, RawQuery: options.Encode()}).String()
}

// Stop stops the server at once and removes its directory.
func (p *Postgres) Stop() error {
	if p.server != nil {
		if err := p.server.Process.Signal(syscall.SIGQUIT); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		<-p.exited
	}
	return os.RemoveAll(p.dir)
}
