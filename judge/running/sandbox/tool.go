package sandbox

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
)

// Tool runs one of the machine's own tools without any isolation, and returns what it
// prints to standard output. It stands in /, so that no file of the current folder can
// tell the tool what to be. It ends with ctx and with this process, and so does all
// that it started. Env are variables over those of this process. Like exec.Cmd.Output, Tool returns an *exec.ExitError with what the
// tool printed to standard error, if the tool ends with an exit code but 0.
func Tool(ctx context.Context, argv []string, env ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", &out, &said
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Cancel = func() error {
		endGroup(cmd.Process)
		return nil
	}
	pass, err := passOn(cmd)
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
	_ = pass.finish() // buffers take everything
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		exit.Stderr = said.Bytes()
	}
	return out.Bytes(), err
}
