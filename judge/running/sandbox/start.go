package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"assay/judge"
)

// errKilled is the cause of a context that was canceled by Process.Kill.
var errKilled = errors.New("killed by its owner")

// errOutput is the cause of a context that was canceled because the output limit was exceeded.
var errOutput = errors.New("output limit exceeded")

// Start starts a long-running process. See judge.Runner.
func (s *Sandbox) Start(ctx context.Context, c *judge.Command) (judge.Process, error) {
	if c.Stdin != nil || c.Stdout != nil {
		return nil, fmt.Errorf("start %v: Stdin and Stdout must be nil", c.Argv)
	}
	if err := check(c); err != nil {
		return nil, err
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		s.running.Done()
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		s.running.Done()
		inRead.Close()
		inWrite.Close()
		return nil, fmt.Errorf("start %s: %w", c.Argv[0], err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	p := &process{in: inWrite, out: outRead, cancel: cancel, limit: c.Limits.Output, ended: make(chan struct{})}
	p.waits.begin()
	own := *c
	own.Stdin, own.Stdout = inRead, outWrite
	go func() { // ends with the process
		defer s.running.Done()
		defer close(p.ended)
		p.exec, p.err = s.runJob(ctx, &job{Command: &own, placed: p.waits.at, handed: func() {
			inRead.Close()
			outWrite.Close()
		}})
	}()
	return p, nil
}

// process is a long-running process.
type process struct {
	in     *os.File
	out    *os.File
	cancel context.CancelCauseFunc
	limit  int64
	read   int64       // only Stdout's reader uses it
	over   atomic.Bool // whether more than limit bytes were read
	waits  waits

	ended chan struct{} // closed when exec and err are set
	exec  judge.Exec
	err   error
}

func (p *process) Stdin() io.WriteCloser { return p.in }
func (p *process) Stdout() io.Reader     { return (*processOutput)(p) }
func (p *process) Kill()                 { p.cancel(errKilled) }

// CPUWait returns how long the process has waited for a CPU since it was started.
func (p *process) CPUWait() time.Duration { return p.waits.look() }

// Wait waits for the process to end. Output from before the end can still be read.
func (p *process) Wait() (judge.Exec, error) {
	<-p.ended
	p.in.Close()
	if errors.Is(p.err, errKilled) {
		p.err = nil
	}
	if p.over.Load() && p.exec.Killed == judge.NoResource && p.err == nil {
		p.exec.Killed = judge.Output // the process ended before it was killed
	}
	return p.exec, p.err
}

// processOutput is the output of a process. Reading past the limit kills the process. Further output is not read,
// so that a fast writer does not end before it is killed.
type processOutput process

func (p *processOutput) Read(b []byte) (int, error) {
	if p.over.Load() {
		<-p.ended
		p.out.Close()
		return 0, io.EOF
	}
	n, err := p.out.Read(b)
	p.read += int64(n)
	if p.limit > 0 && p.read > p.limit {
		p.over.Store(true)
		p.cancel(errOutput)
	}
	if err == io.EOF {
		p.out.Close()
	}
	return n, err
}
