package sandbox

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// outputCopier copies the output of a process to the writers of its command. Package exec also copies output, but it
// waits until no process holds a pipe open. With a WaitDelay, package exec drops data that is still in the pipe
// after the delay. On a busy machine, the judge may be kept from reading for longer than the delay.
type outputCopier struct {
	theirs, ours []*os.File // the ends of the pipes
	done         chan error
	timeout      time.Duration // how long processes that have left the process group may continue to write
}

// newOutputCopier replaces the writers of a command with pipes before the command is started.
func newOutputCopier(cmd *exec.Cmd) (*outputCopier, error) {
	p := &outputCopier{done: make(chan error, 2), timeout: 10 * time.Second}
	for _, to := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		if _, isFile := (*to).(*os.File); isFile || *to == nil {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			p.started()
			return nil, err
		}
		writer := *to
		*to, p.theirs, p.ours = w, append(p.theirs, w), append(p.ours, r)
		go func() { // ends with the last writer, or with finish
			_, err := io.Copy(writer, r)
			r.Close() // if a writer fails, the process gets SIGPIPE
			p.done <- err
		}()
	}
	return p, nil
}

// started closes the judge's copies of the pipe ends that belong to the process. It must also be called if the
// process could not be started.
func (p *outputCopier) started() {
	for _, end := range p.theirs {
		end.Close()
	}
}

// finish is called after the process and its group have ended. It waits until their output is copied. If a process
// has left the group and holds a pipe open, finish waits for at most the timeout.
func (p *outputCopier) finish() (err error) {
	late := time.AfterFunc(p.timeout, func() {
		for _, end := range p.ours {
			end.Close()
		}
	})
	defer late.Stop()
	for range p.ours {
		if e := <-p.done; !errors.Is(e, os.ErrClosed) {
			err = errors.Join(err, e)
		}
	}
	return err
}
