// Package unboxed starts programs without a sandbox, for tests of code that communicates with long-running
// programs. It enforces no limits and must not be used for judging.
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

// Runner starts a command on the host. If the command has mounts, Runner uses the host path of the first mount to
// locate the program.
type Runner struct{}

// Run returns an error, because a Runner only supports Start.
func (Runner) Run(context.Context, *judge.Command) (judge.Exec, error) {
	return judge.Exec{}, errors.New("an unboxed runner only starts programs")
}

// Start starts a program. It is killed when ctx is done.
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

// Wait closes the input and waits for the process to exit. The returned Exec contains only the exit code.
func (p *process) Wait() (judge.Exec, error) {
	_ = p.in.Close()
	_ = p.cmd.Wait()
	return judge.Exec{Exit: p.cmd.ProcessState.ExitCode()}, nil
}
