//go:build linux

package sandboxtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"assay/judge"
)

// starts checks long-lived processes.
func (su *suite) starts(t *testing.T) {
	start := func(t *testing.T, argv ...string) (judge.Process, *bufio.Reader) {
		t.Helper()
		p, err := su.s.Start(t.Context(), su.command(generousLimits, argv...))
		if err != nil {
			t.Fatal(err)
		}
		return p, bufio.NewReader(p.Stdout())
	}
	t.Run("it talks", func(t *testing.T) {
		p, out := start(t, hostileName, "cat")
		for i := range 100 {
			want := fmt.Sprintf("line %d\n", i)
			if _, err := io.WriteString(p.Stdin(), want); err != nil {
				t.Fatal(err)
			}
			if got, err := out.ReadString('\n'); got != want {
				t.Fatalf("got %q, %v, want %q", got, err, want)
			}
		}
		p.Stdin().Close()
		if x, err := p.Wait(); err != nil || x.Exit != 0 {
			t.Errorf("Wait() = %+v, %v", x, err)
		}
	})
	t.Run("it runs others meanwhile, though there is one worker", func(t *testing.T) {
		var held []judge.Process
		for range 3 {
			p, out := start(t, hostileName, "cat")
			if _, err := io.WriteString(p.Stdin(), "x\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := out.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			held = append(held, p)
		}
		if got := su.run(t, su.command(generousLimits, "noop")); got.Exit != 0 {
			t.Errorf("got %+v", got.Exec)
		}
		for _, p := range held {
			p.Kill()
			p.Kill()
			if x, err := p.Wait(); err != nil || x.Signal != "SIGKILL" {
				t.Errorf("Wait() after Kill = %+v, %v, want SIGKILL", x, err)
			}
		}
	})
	t.Run("it ends with its context", func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		p, err := su.s.Start(ctx, su.command(generousLimits, hostileName, "cat"))
		if err != nil {
			t.Fatal(err)
		}
		cancel(cause)
		if x, err := p.Wait(); !errors.Is(err, cause) {
			t.Errorf("Wait() = %+v, %v, want %v", x, err, cause)
		}
	})
	t.Run("it tells by Wait what cannot be executed", func(t *testing.T) {
		p, _ := start(t, "absent")
		_, err := p.Wait()
		if _, ok := errors.AsType[*judge.ExecError](err); !ok {
			t.Errorf("Wait() = %v, want an ExecError", err)
		}
	})
	t.Run("it counts what is read", func(t *testing.T) {
		limits := generousLimits
		limits.Output = 1000
		p, err := su.s.Start(t.Context(), su.command(limits, hostileName, "write", "3000000"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, p.Stdout())
		if x, err := p.Wait(); err != nil || x.Killed != judge.Output {
			t.Errorf("Wait() = %+v, %v, want killed for its output", x, err)
		}
	})
}
