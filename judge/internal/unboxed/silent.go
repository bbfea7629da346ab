package unboxed

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"assay/judge"
)

// Silent is a Runner of fake processes that read everything and write only a greeting. It runs no program, so
// processes can be silent for hours in tests with testing/synctest.
type Silent struct {
	Greeting string // first output of each process
	// Starved means that the processes wait for a CPU all the time after their greeting.
	Starved bool
}

// Run returns an error, because a Silent only supports Start.
func (Silent) Run(context.Context, *judge.Command) (judge.Exec, error) {
	return judge.Exec{}, errors.New("a silent runner only starts programs")
}

// Start starts a process that ends when it is killed or ctx is done.
func (s Silent) Start(ctx context.Context, _ *judge.Command) (judge.Process, error) {
	p := &silent{starved: s.Starved, start: time.Now(), ended: make(chan struct{})}
	p.out, p.says = io.Pipe()
	go func() { // ends with the process
		_, _ = io.WriteString(p.says, s.Greeting)
	}()
	stop := context.AfterFunc(ctx, p.Kill)
	go func() {
		<-p.ended
		stop()
	}()
	return p, nil
}

type silent struct {
	starved bool
	start   time.Time
	out     *io.PipeReader
	says    *io.PipeWriter
	once    sync.Once
	ended   chan struct{}
}

func (p *silent) Stdin() io.WriteCloser { return p }
func (p *silent) Stdout() io.Reader     { return p.out }

func (p *silent) Write(b []byte) (int, error) { return len(b), nil }
func (p *silent) Close() error                { return nil }

func (p *silent) Kill() {
	p.once.Do(func() {
		p.says.Close()
		close(p.ended)
	})
}

func (p *silent) CPUWait() time.Duration {
	if p.starved {
		return time.Since(p.start)
	}
	return 0
}

func (p *silent) Wait() (judge.Exec, error) {
	<-p.ended
	return judge.Exec{Signal: "SIGKILL"}, nil
}
