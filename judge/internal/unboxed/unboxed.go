// Package unboxed starts programs without any sandbox, for tests of what talks to
// programs that stay. It knows no limits and is not for anything that is judged.
package unboxed

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"time"

	"assay/judge"
)

// Runner starts a command where it is on the host: the first mount of the command,
// if it has one, is taken for where its program is.
type Runner struct{}

// Run returns an error: a program that stays is started.
func (Runner) Run(context.Context, *judge.Command) (judge.Exec, error) {
	return judge.Exec{}, errors.New("an unboxed runner only starts programs")
}

// Start starts a program that is killed when the context ends.
func (Runner) Start(ctx context.Context, c *judge.Command) (judge.Process, error) {
	argv0 := c.Argv[0]
	if len(c.Mounts) > 0 {
		argv0 = strings.Replace(argv0, c.Mounts[0].At, c.Mounts[0].Host, 1)
	}
	cmd := exec.CommandContext(ctx, argv0, c.Argv[1:]...)
	cmd.Env, cmd.Stderr = c.Env, c.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd, in, out}, cmd.Start()
}

type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.Reader
}

func (p *process) Stdin() io.WriteCloser { return p.in }
func (p *process) Stdout() io.Reader     { return p.out }
func (p *process) Kill()                 { _ = p.cmd.Process.Kill() }

// CPUWait is not known.
func (p *process) CPUWait() time.Duration { return 0 }

// Wait closes the input and waits; of the facts only the exit code is known.
func (p *process) Wait() (judge.Exec, error) {
	_ = p.in.Close()
	_ = p.cmd.Wait()
	return judge.Exec{Exit: p.cmd.ProcessState.ExitCode()}, nil
}
