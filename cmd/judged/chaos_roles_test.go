package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/server"
	"assay/judge/host/worker"
	"assay/judge/running/config"
)

// The environment variables that give a process its role and parameters. A test starts its own program in another
// role.
const (
	serverRole = "ASSAY_TEST_SERVER"
	workerRole = "ASSAY_TEST_WORKER"
)

// play checks whether this process was started in a role. If so, it plays the role and exits. Otherwise, it
// returns.
func play() {
	var err error
	switch {
	case os.Getenv(serverRole) != "":
		err = playServer()
	case os.Getenv(workerRole) != "":
		err = playWorker()
	default:
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ended:", err)
		os.Exit(4)
	}
	os.Exit(0)
}

// die kills this process without any chance to clean up.
func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// serverPart contains the parameters of a server process.
type serverPart struct {
	ID, Data, Listen, Metrics, Database, Queue, Blobs string
	Version                                           string // if empty, it is "test"
	DieAt                                             string // a step
	AcceptStale                                       bool
	WaitAt                                            string // step at which the server waits while waitingFile exists
}

// waitingFile is the name of a file that exists in the data directory while a server waits at a step.
const waitingFile = "waiting"

// playServer runs a server until EOF on standard input.
func playServer() error {
	var p serverPart
	if err := json.Unmarshal([]byte(os.Getenv(serverRole)), &p); err != nil {
		return err
	}
	s, err := server.Start(context.Background(), server.Options{
		Server: config.Server{Name: "chaos", Listen: p.Listen, Data: p.Data, Database: p.Database, Queue: p.Queue, Metrics: p.Metrics,
			ID: p.ID, Blobs: p.Blobs},
		Root: p.Data, Source: config.FileLimits{Size: 1 << 20, Files: 16}, Version: cmp.Or(p.Version, "test"),
		Log: (&console{err: os.Stderr}).log(), ChildOutput: os.Stderr,
		AcceptStale: p.AcceptStale,
		AcceptLoss:  p.Blobs != "", // of the problem of the tests, which has no files
		OnStep: func(step string) {
			if step == p.DieAt {
				die()
			}
			if file := filepath.Join(p.Data, waitingFile); step == p.WaitAt && os.WriteFile(file, nil, 0o600) == nil {
				for _, err := os.Stat(file); err == nil; _, err = os.Stat(file) {
					time.Sleep(20 * time.Millisecond)
				}
			}
		},
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	s.Stop()
	return err
}

// workerPart contains the parameters of a worker process.
type workerPart struct {
	Dir      string
	Address  client.Address
	Bridge   string // address of the queue, if it differs from the server's
	Slots    int
	Delay    time.Duration // of each job
	Protocol int
	Version  string
	DieAt    string // taken, judged or offered, when a job is delivered for the first time
}

// playWorker acts as `judged worker` does, until EOF on standard input. Its judge only sleeps.
func playWorker() error {
	var p workerPart
	if err := json.Unmarshal([]byte(os.Getenv(workerRole)), &p); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	w := &workerOptions{console: &console{err: os.Stderr}, data: p.Dir, slots: p.Slots}
	w.logger = w.log()
	var public string
	var err error
	if w.seed, public, err = queue.ReadKey(filepath.Join(p.Dir, "key")); err != nil {
		return err
	}
	api, err := client.New(client.Options{
		Address: client.Address{URL: p.Address.URL}, Version: p.Version,
		Sign: func(method, path string) (string, error) { return auth.Sign(w.seed, time.Now(), method, path) },
	})
	if err != nil {
		return err
	}
	welcome, err := w.greet(ctx, api, p.Address.Code, public, job.Capabilities{
		Protocol: p.Protocol, Version: p.Version, Arch: "any", IsolationLevel: "none", Languages: map[string]string{"python": "3"},
		Slots: p.Slots, Machine: "a fake",
	})
	if err != nil {
		return err
	}
	address := p.Address
	if p.Bridge != "" {
		address.URL = p.Bridge
	}
	member, err := w.joinQueue(ctx, address, welcome)
	if err != nil {
		return err
	}
	defer member.Close()
	works, err := worker.New(worker.Options{
		Name: welcome.Worker, Dir: p.Dir, Queue: fakeQueue{worker.QueueOf(member), p.DieAt}, Runner: sleeper(p.Delay), Slots: p.Slots,
		Note: func(text string) { w.logger.Warn(text) },
	})
	if err != nil {
		return err
	}
	return works.Run(ctx)
}

// fakeQueue wraps the real queue, for a worker that dies at a step.
type fakeQueue struct {
	worker.Queue
	dieAt string
}

func (q fakeQueue) Take(ctx context.Context) (*worker.LeasedJob, error) {
	t, err := q.Queue.Take(ctx)
	if err != nil || q.dieAt == "" || t.Deliveries > 1 {
		return t, err
	}
	if q.dieAt == "taken" {
		die()
	}
	t.Lease = mortal{t.Lease, q}
	return t, nil
}

// mortal is a lease whose worker dies when it submits the result.
type mortal struct {
	worker.Lease
	q fakeQueue
}

func (m mortal) Finish(ctx context.Context, r *job.Result) error {
	if m.q.dieAt == "offered" { // offered but not acknowledged
		if err := m.q.SendResult(ctx, r); err != nil {
			return err
		}
	}
	die()
	return nil
}

// poison is part of the name of a program that kills the process that judges it.
const poison = "poison"

// sleeper is a judge that only sleeps. The verdict depends on the file's digest.
type sleeper time.Duration

func (s sleeper) CheckHealth(context.Context) error { return nil }

func (s sleeper) Run(ctx context.Context, spec *job.Spec, progress func(judge.Event), _ worker.TurnFunc) (*job.Result, error) {
	if strings.Contains(spec.Program, poison) {
		time.Sleep(50 * time.Millisecond) // as long as a worker needs to start judging
		die()
	}
	progress(&judge.Noted{Text: "sleeps"})
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(time.Duration(s)):
	}
	packed, _, err := job.Pack([]judge.Event{&judge.Noted{Text: "slept"}})
	return &job.Result{
		State: job.Done, Finished: &judge.Finished{Verdict: verdictOf(string(spec.Files[0].Digest))}, Events: packed, Version: "test",
		Machine: "a fake", IsolationLevel: "none",
		CPUUS: time.Duration(s).Microseconds(),
	}, err
}

// verdictOf returns the verdict of a program with this digest.
func verdictOf(digest string) judge.Verdict {
	return []judge.Verdict{judge.Accepted, judge.WrongAnswer, judge.RunTimeError}[int(digest[0])%3]
}
