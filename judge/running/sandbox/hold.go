package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"assay/judge"
)

// Held is a long-running process whose standard input and output are files of its owner. The owner can read
// the process's clocks while it runs and pin it to a CPU. It does not count toward Options.Workers.
type Held struct {
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when exec and err are set
	exec   judge.Exec
	err    error

	mu    sync.Mutex
	place place
}

// place says where a process runs, as the host sees it.
type place struct {
	pid    int      // process id of the process itself, or of its zygote
	inside bool     // whether pid is the zygote's
	groups []string // directories of the control groups
	main   int      // process id of the process itself, once it has been found
}

// Hold starts a process with the command's Stdin and Stdout, which must be files. The caller still has to
// close them. If ctx ends, the process is killed.
func (s *Sandbox) Hold(ctx context.Context, c *judge.Command) (*Held, error) {
	in, isFile := c.Stdin.(*os.File)
	out, alsoFile := c.Stdout.(*os.File)
	if !isFile || !alsoFile || in == nil || out == nil {
		return nil, fmt.Errorf("hold %v: Stdin and Stdout must be files", c.Argv)
	}
	if err := check(c); err != nil {
		return nil, err
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	h := &Held{cancel: cancel, ended: make(chan struct{})}
	handed := make(chan struct{})
	j := &job{Command: c, handed: func() { close(handed) }, placed: func(p place) {
		h.mu.Lock()
		h.place = p
		h.mu.Unlock()
	}}
	go func() { // ends with the process
		defer s.running.Done()
		defer cancel(nil)
		h.exec, h.err = s.runJob(ctx, j)
		if errors.Is(h.err, errKilled) {
			h.err = nil
		}
		close(h.ended)
	}()
	<-handed
	return h, nil
}

// Kill ends the process and everything it started.
func (h *Held) Kill() { h.cancel(errKilled) }

// Ended returns a channel that is closed when nothing is left of the process.
func (h *Held) Ended() <-chan struct{} { return h.ended }

// Wait waits for the end of the process and returns what happened.
func (h *Held) Wait() (judge.Exec, error) {
	<-h.ended
	return h.exec, h.err
}

// CPU returns the CPU time that the process has used so far. It returns false if that cannot be known, such
// as after the end of the process.
func (h *Held) CPU() (time.Duration, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.cpu()
}

// Threads is what the threads of a process have done so far. It is empty if the system does not report it.
type Threads map[string]thread

// thread says how long a thread has been on a CPU, and how long it was ready and had to wait for a CPU. The
// system adds a current wait when it ends.
type thread struct {
	ran, waited time.Duration
	ready       bool // runs, or waits for a CPU
}

// Threads returns what the living threads of the process and of its children have done.
func (h *Held) Threads() Threads {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.done()
}

// Ran returns how long the threads have been on CPUs since before.
func (t Threads) Ran(before Threads) (sum time.Duration) {
	for name, now := range t {
		sum += now.ran - before[name].ran
	}
	return sum
}

// Waited returns how long the process has waited for a CPU since before. That is the longest wait of any of
// its threads.
func (t Threads) Waited(before Threads) (longest time.Duration) {
	for name, now := range t {
		longest = max(longest, now.waited-before[name].waited)
	}
	return longest
}

// Waiting reports whether a thread waits for a CPU now, and has done so since before.
func (t Threads) Waiting(before Threads) bool {
	for name, now := range t {
		if was, known := before[name]; known && now.ready && now.ran == was.ran {
			return true
		}
	}
	return false
}

// Clock opens a file with the CPU time so far: one number of nanoseconds, or "usage_usec" and microseconds.
// It returns nil if there is none. The caller must close the file.
func (h *Held) Clock() *os.File {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.clock()
}

// Pin binds all threads of the process to one CPU.
func (h *Held) Pin(processor int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.pin(processor)
}
