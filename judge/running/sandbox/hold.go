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

// Starved is how long the process has been ready to go on and had to wait for a processor, as
// others had it: of its threads, the one that waited longest. 0 where the system does not tell.
func (h *Held) Starved() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.starved()
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
