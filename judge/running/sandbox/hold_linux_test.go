package sandbox_test

import (
	"bufio"
	"errors"
	"os"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// TestHold communicates with a held process on every isolation level that the machine offers.
func TestHold(t *testing.T) {
	for _, level := range sandbox.Levels() {
		box, err := sandbox.New(sandbox.Options{Workers: 1, Isolation: string(level)})
		if err != nil {
			t.Logf("this machine does not give the level: %v", err)
			continue
		}
		t.Run(string(level), func(t *testing.T) {
			defer box.Close()
			theirIn, in := pipe(t)
			out, theirOut := pipe(t)
			h, err := box.StartWithFiles(t.Context(), &judge.Command{
				Argv: []string{"cat"}, Env: []string{"PATH=/usr/bin:/bin"}, Stdin: theirIn, Stdout: theirOut,
			})
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
			if _, ok := h.CPU(); ok && level == sandbox.None {
				t.Error("a process that is gone has a clock")
			}
		})
	}
}

// TestThreads runs two computing programs on one CPU, and checks that each program sometimes waits for the CPU. It
// also checks that a program that only reads does not wait for a CPU.
func TestThreads(t *testing.T) {
	for _, level := range sandbox.Levels() {
		box, err := sandbox.New(sandbox.Options{Workers: 1, Isolation: string(level)})
		if err != nil {
			t.Logf("this machine does not give the level: %v", err)
			continue
		}
		t.Run(string(level), func(t *testing.T) {
			t.Cleanup(func() { box.Close() })
			hold := func(argv ...string) *sandbox.FileProcess {
				theirIn, _ := pipe(t)
				_, theirOut := pipe(t)
				h, err := box.StartWithFiles(t.Context(),
					&judge.Command{Argv: argv, Env: []string{"PATH=/usr/bin:/bin"}, Stdin: theirIn, Stdout: theirOut})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					h.Kill()
					_, _ = h.Wait()
				})
				return h
			}
			reads := hold("cat")
			var begun [2]sandbox.Threads
			var ran, waited, waits [2]bool
			var busy [2]*sandbox.FileProcess
			for i := range busy {
				busy[i] = hold("sh", "-c", "while :; do :; done")
				begun[i] = busy[i].Threads()
			}
			all := [2]bool{true, true}
			for end := time.Now().Add(3 * time.Minute); ran != all || waited != all || waits != all; {
				if time.Now().After(end) {
					t.Fatalf("they ran: %v; they have waited: %v; they wait: %v", ran, waited, waits)
				}
				for i, h := range busy {
					_ = h.Pin(0) // the process may have just started
					before := h.Threads()
					time.Sleep(time.Millisecond)
					now := h.Threads()
					waits[i] = waits[i] || now.Waiting(before)
					ran[i], waited[i] = now.Ran(begun[i]) > 0, now.Waited(begun[i]) > 0
				}
			}
			for end := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
				before := reads.Threads() // the process may have just started
				if time.Sleep(10 * time.Millisecond); !reads.Threads().Waiting(before) {
					break
				}
				if time.Now().After(end) {
					t.Fatal("one that reads waits for a processor")
				}
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
	if _, err := box.StartWithFiles(t.Context(), &judge.Command{Argv: []string{"cat"}}); err == nil {
		t.Error("a process without files is held")
	}
	in, out := pipe(t)
	h, err := box.StartWithFiles(t.Context(), &judge.Command{Argv: []string{"/no/such/program"}, Stdin: in, Stdout: out})
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
	if _, err := c.ChildEnd().Read(got); err != nil || got[0] != 'a' {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := c.ChildEnd().WriteString("b"); err != nil {
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
