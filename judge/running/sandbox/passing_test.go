package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"
	"time"
)

// listener is a slow writer.
type listener struct {
	each  time.Duration
	fails error
	begun chan struct{}
	heard string
}

func (l *listener) Write(b []byte) (int, error) {
	l.begun <- struct{}{}
	time.Sleep(l.each)
	l.heard += string(b)
	return len(b), l.fails
}

// TestPassing checks that all output of a process is passed on, even if the writer in the judge is slow. It also
// checks that finish does not wait long for processes that hold the pipe open. The test itself writes the output.
func TestPassing(t *testing.T) {
	broken := errors.New("broken")
	for name, row := range map[string]struct {
		each  time.Duration
		fails error
		heard string
		took  time.Duration
	}{
		"at once":          {0, nil, "ab", 0},
		"late":             {4 * time.Second, nil, "ab", 8 * time.Second},
		"to one who fails": {0, broken, "a", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to := &listener{each: row.each, fails: row.fails, begun: make(chan struct{}, 2)}
				p, theirs := pass(t, to)
				_, _ = theirs.WriteString("a")
				<-to.begun
				_, _ = theirs.WriteString("b")
				p.started()
				begun := time.Now()
				if err := p.finish(); !errors.Is(err, row.fails) || to.heard != row.heard || time.Since(begun) != row.took {
					t.Errorf("got %q, %v after %v, want %q, %v after %v", to.heard, err, time.Since(begun), row.heard, row.fails, row.took)
				}
				if _, err := p.ours[0].Stat(); !errors.Is(err, os.ErrClosed) { // a process that continues to write gets SIGPIPE
					t.Error("the end that the judge reads is still open")
				}
			})
		})
	}
	t.Run("and something holds the pipe", func(t *testing.T) {
		to := &listener{begun: make(chan struct{}, 1)}
		p, theirs := pass(t, to)
		defer p.started()
		_, _ = theirs.WriteString("a")
		<-to.begun
		p.timeout = time.Millisecond
		if err := p.finish(); err != nil || to.heard != "a" {
			t.Errorf("got %q, %v", to.heard, err)
		}
	})
}

// pass returns a passing that copies to a listener, and the pipe end to which a process would write.
func pass(t *testing.T, to *listener) (*outputCopier, *os.File) {
	c := &exec.Cmd{Stdout: os.Stdout, Stderr: to}
	p, err := newOutputCopier(c)
	if err != nil {
		t.Fatal(err)
	}
	if c.Stdout != os.Stdout {
		t.Error("a file was not left as it is")
	}
	return p, c.Stderr.(*os.File)
}
