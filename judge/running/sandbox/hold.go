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

// FileProcess is a long-running process whose standard input and output are files of the caller. The caller can read the
// process's clocks while it runs and pin the process to a CPU. A Held process does not count toward
// Options.Workers.
type FileProcess struct {
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when exec and err are set
	exec   judge.Exec
	err    error

	mu    sync.Mutex
	place place
}

// place identifies a process as seen from the host.
type place struct {
	pid    int      // process id of the process, or of its zygote
	inside bool     // whether pid is the zygote's
	groups []string // directories of the control groups
	main   int      // process id of the process, once it is known
}

// StartWithFiles starts a process with the command's Stdin and Stdout, which must be files. The caller must still close
// them. If ctx is done, the process is killed.
func (s *Sandbox) StartWithFiles(ctx context.Context, c *judge.Command) (*FileProcess, error) {
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
	h := &FileProcess{cancel: cancel, ended: make(chan struct{})}
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

// Kill kills the process and everything it started.
func (h *FileProcess) Kill() { h.cancel(errKilled) }

// Ended returns a channel that is closed when the process and everything it started have ended.
func (h *FileProcess) Ended() <-chan struct{} { return h.ended }

// Wait waits for the process to end and returns the facts about its run.
func (h *FileProcess) Wait() (judge.Exec, error) {
	<-h.ended
	return h.exec, h.err
}

// CPU returns the CPU time that the process has used so far. It returns false if the time is unknown, for example
// after the process has ended.
func (h *FileProcess) CPU() (time.Duration, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.cpu()
}

// Threads maps each thread of a process to its CPU use so far. It is empty if the system does not report the CPU
// use.
type Threads map[string]thread

// thread records how long a thread has been on a CPU, and how long it was ready but had to wait for a CPU. The
// system adds a wait to the record only when the wait ends.
type thread struct {
	ran, waited time.Duration
	ready       bool // whether it runs or waits for a CPU
}

// Threads returns the CPU use of the living threads of the process and its children.
func (h *FileProcess) Threads() Threads {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.done()
}

// Ran returns for how long the threads in t have run on CPUs since before was recorded.
func (t Threads) Ran(before Threads) (sum time.Duration) {
	for name, now := range t {
		sum += now.ran - before[name].ran
	}
	return sum
}

// Waited returns for how long the process has waited for a CPU since before was recorded. This is the longest wait
// of any of its threads.
func (t Threads) Waited(before Threads) (longest time.Duration) {
	for name, now := range t {
		longest = max(longest, now.waited-before[name].waited)
	}
	return longest
}

// Waiting reports whether any thread is waiting for a CPU and has not run since before was recorded.
func (t Threads) Waiting(before Threads) bool {
	for name, now := range t {
		if was, known := before[name]; known && now.ready && now.ran == was.ran {
			return true
		}
	}
	return false
}

// Clock opens a file that contains the CPU time that the process has used so far. The file contains either one
// number of nanoseconds, or "usage_usec" and microseconds. Clock returns nil if there is no such file. The caller
// must close the file.
func (h *FileProcess) Clock() *os.File {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.clock()
}

// Pin binds all threads of the process to one CPU.
func (h *FileProcess) Pin(processor int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place.pin(processor)
}
