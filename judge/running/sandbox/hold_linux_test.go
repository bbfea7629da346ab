package sandbox_test

import (
	"bufio"
	"errors"
	"os"
	"testing"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// TestHold speaks with a held process on every rung that the machine gives.
func TestHold(t *testing.T) {
	for _, rung := range sandbox.Rungs() {
		box, err := sandbox.New(sandbox.Options{Workers: 1, Isolation: string(rung)})
		if err != nil {
			t.Logf("this machine does not give the rung: %v", err)
			continue
		}
		t.Run(string(rung), func(t *testing.T) {
			defer box.Close()
			theirIn, in := pipe(t)
			out, theirOut := pipe(t)
			h, err := box.Hold(t.Context(), &judge.Command{Argv: []string{"cat"}, Env: []string{"PATH=/usr/bin:/bin"}, Stdin: theirIn, Stdout: theirOut})
			if err != nil {
				t.Fatal(err)
			}
			theirIn.Close()
			theirOut.Close()
			if _, err := in.WriteString("hello\n"); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); line != "hello\n" || err != nil {
				t.Errorf("it says %q, %v", line, err)
			}
			if used, ok := h.CPU(); !ok || used < 0 {
				t.Errorf("CPU = %v, %v", used, ok)
			}
			if err := h.Pin(0); err != nil {
				t.Errorf("Pin: %v", err)
			}
			if f := h.Clock(); f != nil {
				f.Close()
			}
			h.Kill()
			if x, err := h.Wait(); err != nil || x.Signal == "" {
				t.Errorf("Wait = %+v, %v, want the end by a signal", x, err)
			}
			if _, ok := h.CPU(); ok && rung == sandbox.None {
				t.Error("a process that is gone has a clock")
			}
		})
	}
}

func TestHoldWantsFiles(t *testing.T) {
	box, err := sandbox.New(sandbox.Options{Workers: 1, Isolation: string(sandbox.None)})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	if _, err := box.Hold(t.Context(), &judge.Command{Argv: []string{"cat"}}); err == nil {
		t.Error("a process without files is held")
	}
	in, out := pipe(t)
	h, err := box.Hold(t.Context(), &judge.Command{Argv: []string{"/no/such/program"}, Stdin: in, Stdout: out})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Wait(); !isExecError(err) {
		t.Errorf("Wait = %v, want an *ExecError", err)
	}
}

func isExecError(err error) bool {
	_, ok := errors.AsType[*judge.ExecError](err)
	return ok
}

func TestChannel(t *testing.T) {
	c, err := sandbox.NewChannel()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Page()[0] = 7
	got := make([]byte, 1)
	if _, err := c.Memory().ReadAt(got, 0); err != nil || got[0] != 7 {
		t.Errorf("the page's file has %v, %v", got, err)
	}
	if err := c.Send([]byte("a"), c.Memory()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Theirs().Read(got); err != nil || got[0] != 'a' {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := c.Theirs().WriteString("b"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(got); err != nil || got[0] != 'b' {
		t.Errorf("got %q, %v", got, err)
	}
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}
