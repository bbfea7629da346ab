//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"context"
	"io"
	"testing"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// TestWaiting has a program wait for its input, which only comes when another has run
// on the one worker that there is.
func TestWaiting(t *testing.T) {
	s := newSandbox(t, sandbox.Options{Workers: 1})
	in, end := io.Pipe()
	cat := func(in io.Reader, waits bool) *judge.Command {
		return &judge.Command{Argv: []string{"/bin/cat"}, Stdin: in, Waits: waits}
	}
	ended := make(chan error, 1)
	go func() {
		_, err := s.Run(context.Background(), cat(in, true))
		ended <- err
	}()
	if _, err := end.Write([]byte("it runs\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context(), cat(nil, false)); err != nil {
		t.Error(err)
	}
	end.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
