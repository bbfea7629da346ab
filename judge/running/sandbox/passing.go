package sandbox

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// passing copies what a process writes to the writers of its command. Package exec does so, too, but
// waits for everything that holds a pipe open or, with a WaitDelay, drops what is in the pipe after
// that time: a busy machine may keep the judge from reading for longer.
type passing struct {
	theirs, ours []*os.File // the ends of the pipes
	done         chan error
	patience     time.Duration // how long what has left the process's group may go on writing
}

// passOn gives a command that is to be started pipes in the place of its writers.
func passOn(cmd *exec.Cmd) (*passing, error) {
	p := &passing{done: make(chan error, 2), patience: 10 * time.Second}
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
		go func() { // ends with what may write, or with finish
			_, err := io.Copy(writer, r)
			r.Close() // a writer that fails ends the process
			p.done <- err
		}()
	}
	return p, nil
}

// started closes the ends that the process has now, if it could be started.
func (p *passing) started() {
	for _, end := range p.theirs {
		end.Close()
	}
}

// finish waits, after the end of the process and its group, until what they wrote is copied. What
// has left the group and holds a pipe open is waited for as long as patience says.
func (p *passing) finish() (err error) {
	late := time.AfterFunc(p.patience, func() {
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
