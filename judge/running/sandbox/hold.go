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

// Held is a long-living process whose standard input and output are files of its
// owner's, who can look at its clock while it runs and say where it runs. It does
// not count against Options.Workers.
type Held struct {
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when exec and err are set
	exec   judge.Exec
	err    error

	mu    sync.Mutex
	place place
}

// place is where a held process runs, as the host sees it.
type place struct {
	pid    int      // of the process itself, or of its zygote
	inside bool     // whether pid is the zygote's
	groups []string // directories of its control groups
	main   int      // the process itself, once it was found
}

// Hold starts a process that gets the command's Stdin and Stdout as they are: both
// must be files, which the caller still has to close. Ending ctx kills the process.
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

// Ended is closed when nothing is left of the process.
func (h *Held) Ended() <-chan struct{} { return h.ended }

// Wait waits for the end and says what happened.
func (h *Held) Wait() (judge.Exec, error) {
	<-h.ended
	return h.exec, h.err
}

// CPU is the processor time that the process has used so far; false where it
// cannot be known, as after its end.
func (h *Held) CPU() (time.Duration, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.cpu()
}

// Threads are what the threads of a process have done so far. None are known where the system does
// not tell.
type Threads map[string]thread

// thread is how long a thread has been on a processor, and for how long it was ready to go on and
// had to wait for one. What it waits now the system adds when it goes on.
type thread struct {
	ran, waited time.Duration
	ready       bool // it runs, or waits for a processor
}

// Threads asks what the living threads of the process, and of its children, have done.
func (h *Held) Threads() Threads {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.done()
}

// Ran is for how long the threads were on processors since an earlier time.
func (t Threads) Ran(before Threads) (sum time.Duration) {
	for name, now := range t {
		sum += now.ran - before[name].ran
	}
	return sum
}

// Waited is how long the process has waited for a processor since an earlier time: of its threads,
// the one that waited longest.
func (t Threads) Waited(before Threads) (longest time.Duration) {
	for name, now := range t {
		longest = max(longest, now.waited-before[name].waited)
	}
	return longest
}

// Waiting says whether a thread waits for a processor now, and has since an earlier time.
func (t Threads) Waiting(before Threads) bool {
	for name, now := range t {
		if was, known := before[name]; known && now.ready && now.ran == was.ran {
			return true
		}
	}
	return false
}

// Clock opens a file that tells the processor time so far: one number of
// nanoseconds, or "usage_usec" and microseconds. It is nil where there is none. The
// caller must close it.
func (h *Held) Clock() *os.File {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.clock()
}

// Pin keeps all threads of the process on one processor from now on.
func (h *Held) Pin(processor int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.pin(processor)
}
