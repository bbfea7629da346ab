package queue_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/queue"
)

// TestMain lets the test binary also run as a worker or a server, in processes that tests can kill.
func TestMain(m *testing.M) {
	switch os.Getenv("ASSAY_QUEUE_AS") {
	case "worker":
		beWorker()
	case "server":
		beServer()
	default:
		os.Exit(m.Run())
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// beWorker takes one job after the other. The environment variable HOLD is the duration of each.
func beWorker() {
	hold, err := time.ParseDuration(os.Getenv("HOLD"))
	must(err)
	ctx := context.Background()
	m, err := queue.Join(ctx, queue.JoinOptions{Worker: os.Getenv("NAME"), Class: "main", URL: os.Getenv("URL"),
		Seed: []byte(os.Getenv("SEED")), Slots: 1})
	must(err)
	for {
		l, err := m.Take(ctx)
		must(err)
		fmt.Println("took", l.Spec.ID)
		time.Sleep(hold)
		must(l.Finish(ctx, accepted()))
		fmt.Println("finished", l.Spec.ID, l.Lost())
	}
}

// beServer runs a server with a queue. The environment variable FOLDER is its directory. It writes each result to
// a file before it acknowledges the result, and publishes jobs on request.
func beServer() {
	ctx := context.Background()
	q, err := queue.Open(ctx, queue.Options{Dir: os.Getenv("FOLDER"), Classes: []string{"main"},
		Listener: queue.Listener{Error: func(err error) { fmt.Fprintln(os.Stderr, "server:", err) }}})
	must(err)
	for _, w := range strings.Fields(os.Getenv("WORKERS")) {
		name, key, _ := strings.Cut(w, "=")
		must(q.Admit(name, "main", key, false))
	}
	log, err := os.OpenFile(os.Getenv("RESULTS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	must(err)
	go func() {
		must(q.Results(ctx, func(_ context.Context, r *job.Result) error {
			_, err := fmt.Fprintf(log, "%s %s\n", r.Job, r.Worker)
			return err
		}))
	}()
	mux := http.NewServeMux()
	mux.Handle(queue.Path, q.Bridge())
	mux.HandleFunc("/publish/", func(w http.ResponseWriter, r *http.Request) {
		what, err := q.Publish(ctx, spec(filepath.Base(r.URL.Path)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, string(what))
		_ = q.Wake("main")
	})
	listener, err := net.Listen("tcp", os.Getenv("ADDR"))
	must(err)
	fmt.Println("serving")
	must(http.Serve(listener, mux))
}

// A process is this test binary running as a worker or a server.
type process struct {
	*exec.Cmd
	lines chan string
}

func start(t testing.TB, as string, env ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(self), lines: make(chan string, 1000)}
	p.Env = append(os.Environ(), append(env, "ASSAY_QUEUE_AS="+as)...)
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
		close(p.lines)
	}()
	t.Cleanup(p.kill)
	return p
}

func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// says waits until the process prints a line.
func (p *process) says(t testing.TB, line string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case got, ok := <-p.lines:
			if !ok {
				t.Fatalf("the process ended before it said %q", line)
			}
			if strings.HasPrefix(got, line) {
				return
			}
		case <-deadline:
			t.Fatalf("the process did not say %q", line)
		}
	}
}

// slow skips a test that inherently takes long.
func slow(t testing.TB) {
	t.Helper()
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("takes long: set ASSAY_SLOW=1")
	}
}
