package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
)

// Tool runs a program of the machine without isolation, and returns its standard output. The program runs in /, so
// that files in the current directory cannot influence it. The program and everything that it starts are killed
// when ctx is done or this process exits. The variables in env override those of this process. If the exit code is
// not 0, Tool returns an *exec.ExitError with the standard error, like exec.Cmd.Output.
func Tool(ctx context.Context, argv []string, env ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", &out, &said
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Cancel = func() error {
		endGroup(cmd.Process)
		return nil
	}
	pass, err := newOutputCopier(cmd)
	if err != nil {
		return nil, err
	}
	release, err := startGuarded(cmd)
	defer release()
	pass.started()
	if err != nil {
		return nil, err
	}
	err = cmd.Wait()
	endGroup(cmd.Process)
	_ = pass.finish() // writing to buffers never fails
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		exit.Stderr = said.Bytes()
	}
	return out.Bytes(), err
}
