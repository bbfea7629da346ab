//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"assay/judge"
)

func TestAlarmed(t *testing.T) {
	for script, want := range map[string]bool{
		"echo ready; read line":                   false,
		"trap : ALRM; echo ready; read line":      true,
		"trap : INT; echo ready; read line":       false,
		"trap : RTMIN+3; echo ready; read line":   true,
		"(trap : ALRM; echo ready; read line); :": true,
	} {
		c := exec.CommandContext(t.Context(), "bash", "-c", script)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Skip(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(script, err)
		}
		if got := (&place{pid: c.Process.Pid}).alarmed(); got != want {
			t.Errorf("%s: alarmed = %v, want %v", script, got, want)
		}
		in.Close()
		_ = c.Wait() // reading the end of the input is no success
	}
}

// TestTimed holds which threads are taken for such as wake up by themselves, where Python says
// what they do.
func TestTimed(t *testing.T) {
	const head = `
import os, select, signal, sys, threading, time
def run(f, *args): threading.Thread(target=f, args=args, daemon=True).start()
exec(sys.argv[1])
print('ready', flush=True)
sys.stdin.readline()`
	for script, want := range map[string]struct {
		n  int
		ok bool
	}{
		"":                                {0, true},
		"os.fork() and os.wait()":         {0, true},
		"run(threading.Event().wait)":     {0, true},
		"run(threading.Event().wait, 99)": {1, true},
		"e = select.epoll(); e.register(0); run(e.poll)":     {0, true},
		"e = select.epoll(); e.register(0); run(e.poll, 99)": {0, false},
		"run(time.sleep, 99)":                                {0, false},
		"os.fork() or time.sleep(99)":                        {0, false},
		"run(os.read, os.pipe()[0], 1)":                      {0, false},
		"run(select.select, [0], [], [])":                    {0, false},
		"run(signal.sigwait, [signal.SIGINT])":               {0, false},
		"run(exec, 'while True: pass')":                      {0, false},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.CommandContext(t.Context(), "python3", "-c", head, script)
		c.Stdin, c.SysProcAttr = r, &syscall.SysProcAttr{Setpgid: true}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Skip(err)
		}
		r.Close()
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Error(script, err)
		}
		p := &place{pid: c.Process.Pid}
		ok, n := false, 0
		for looks := 0; !ok && (want.ok && looks < 6000 || looks < 20); looks++ {
			time.Sleep(20 * time.Millisecond)
			n, ok = p.timed(w)
		}
		if ok != want.ok || ok && n != want.n {
			t.Errorf("%q: %d threads, %v, want %d, %v", script, n, ok, want.n, want.ok)
		}
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
		w.Close()
	}
}

// TestTurnsBeginWithTheProcess: what a worker takes until it has started a process is nobody's
// time. A shell plays the worker.
func TestTurnsBeginWithTheProcess(t *testing.T) {
	c := exec.CommandContext(t.Context(), "bash", "-c", "read line; sleep 1h & read line; kill %1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Skip(err)
	}
	defer c.Wait()
	defer in.Close()
	turns, lives := dialogue(t, time.Second, 0)
	turns.place(0, place{pid: c.Process.Pid, inside: true})
	turns.place(1, place{pid: os.Getpid()})
	for range 100 {
		turns.look(turnEvery)
	}
	if lives[0].ctx.Err() != nil {
		t.Error("it was ended before it began")
	}
	if _, err := io.WriteString(in, "\n"); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(3 * time.Minute); lives[0].ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if turns.look(turnEvery); time.Now().After(end) {
			t.Fatal("it was never ended")
		}
	}
}

// TestTurnsEndWithTheProcess: what the judge takes to notice that one of two has ended is nobody's
// time, and from then on it is the other one's turn.
func TestTurnsEndWithTheProcess(t *testing.T) {
	start := func(name string, args ...string) *os.Process {
		c := exec.CommandContext(t.Context(), name, args...)
		if err := c.Start(); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { _ = c.Wait() })
		return c.Process
	}
	for ending := range 2 {
		turns, lives := dialogue(t, time.Second, time.Second)
		ends, stays := start("true"), start("sleep", "1h")
		turns.place(ending, place{pid: ends.Pid})
		turns.place(1-ending, place{pid: stays.Pid})
		look := func() {
			t.Helper()
			for range 100 {
				turns.look(turnEvery)
			}
			if lives[0].ctx.Err() != nil || lives[1].ctx.Err() != nil {
				t.Fatalf("process %d has ended, and somebody paid for what the judge took to notice that: %v", ending, turns.used)
			}
		}
		for end := time.Now().Add(3 * time.Minute); turns.placed[ending].lives(); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("true does not end")
			}
		}
		look()
		if _, err := ends.Wait(); err != nil {
			t.Fatal(err)
		}
		look()
		close(lives[ending].over)
		for range 100 {
			turns.look(turnEvery)
		}
		if lives[ending].ctx.Err() != nil || lives[1-ending].ctx.Err() == nil {
			t.Errorf("process %d is over, and the other one did not pay for its sleep: %v", ending, turns.used)
		}
		_ = stays.Kill()
	}
}

// dialogue makes the turns of two processes with these wall time limits, which are placed later.
func dialogue(t *testing.T, first, second time.Duration) (*turns, []life) {
	all := []Joined{{Command: &judge.Command{Limits: judge.Limits{Wall: first}}, To: 1, Copy: io.Discard}, {Command: &judge.Command{Limits: judge.Limits{Wall: second}}, Copy: io.Discard}}
	pipes, err := joinPipes(all)
	if err != nil {
		t.Fatal(err)
	}
	lives := make([]life, 2)
	for i := range pipes {
		t.Cleanup(func() {
			pipes[i].close()
			pipes[i].relay.from.Close()
			pipes[i].relay.to.Close()
		})
		lives[i].ctx, lives[i].end = context.WithCancelCause(t.Context())
		lives[i].over = make(chan struct{})
	}
	return newTurns(all, pipes, lives), lives
}
