//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
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
		_ = c.Wait() // the end of the input is not a success
	}
}

// TestTimed checks which threads are recognized as waking up by themselves. Python runs the threads.
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

// TestTurnsBeginWithTheProcess checks that the time that a worker takes to start a process is not charged to
// either process. A shell acts as the worker.
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
	turns, lives, _ := dialogue(t, time.Second, 0)
	turns.place(0, place{pid: c.Process.Pid, inside: true})
	turns.place(1, place{pid: os.Getpid()})
	for range 100 {
		turns.look(turnInterval)
	}
	if lives[0].ctx.Err() != nil {
		t.Error("it was ended before it began")
	}
	if !turns.ended(0) {
		t.Error("a process that came and went between two looks has not ended")
	}
	if _, err := io.WriteString(in, "\n"); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { turns.look(turnInterval); return lives[0].ctx.Err() != nil })
}

// TestTurnsEndWithTheProcess checks that no process is charged for the time until the judge notices that a process
// has ended. From then on, the other process is charged.
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
		turns, lives, _ := dialogue(t, time.Second, time.Second)
		ends, stays := start("true"), start("sleep", "1h")
		if turns.ended(ending) {
			t.Error("it has ended before anybody was told where it runs")
		}
		turns.place(ending, place{pid: ends.Pid})
		turns.place(1-ending, place{pid: stays.Pid})
		look := func() {
			t.Helper()
			for range 100 {
				turns.look(turnInterval)
			}
			if lives[0].ctx.Err() != nil || lives[1].ctx.Err() != nil {
				t.Fatalf("process %d has ended, and a process paid for what the judge took to notice that: %v", ending, turns.used)
			}
			if !turns.ended(ending) || turns.ended(1-ending) {
				t.Errorf("process %d has ended, and the other one has not", ending)
			}
		}
		until(t, func() bool { return !turns.placed[ending].lives() })
		look()
		if _, err := ends.Wait(); err != nil {
			t.Fatal(err)
		}
		look()
		close(lives[ending].over)
		until(t, func() bool { turns.look(turnInterval); return lives[1-ending].ctx.Err() != nil })
		if lives[ending].ctx.Err() != nil {
			t.Errorf("process %d is over, and paid for the sleep of the other one: %v", ending, turns.used)
		}
		_ = stays.Kill()
	}
}

// TestTurnsWaitForTheRelay checks that no process is charged while the judge holds data for which both processes
// wait. The first process only reads. The test itself writes the data that the processes would write.
func TestTurnsWaitForTheRelay(t *testing.T) {
	const none = -1
	type talk struct {
		*turns
		out     [2]*os.File // the processes' outputs
		process [2]*os.Process
		open    func() // releases the relay of the first process, which blocks before its first write
	}
	run := func(t *testing.T, k *talk) {
		gate, over := make(gate), make(chan struct{})
		k.open = sync.OnceFunc(func() { close(gate) })
		go func() {
			defer close(over)
			k.relay[0].run(&Joined{Command: &judge.Command{}, Copy: gate})
		}()
		t.Cleanup(func() {
			k.open()
			k.out[0].Close()
			if <-over; k.relay[0].late() {
				t.Error("a relay that has ended is late")
			}
		})
	}
	say := func(t *testing.T, k *talk, i int) {
		if _, err := k.out[i].WriteString("x"); err != nil {
			t.Fatal(err)
		}
	}
	over := func(k *talk, i int) { close(k.lives[i].over) }
	const reads = "while read -r line; do :; done"
	for name, row := range map[string]struct {
		second string // shell command of the second process
		do     func(*testing.T, *talk)
		pays   int
	}{
		"nothing is said":        {reads, func(*testing.T, *talk) {}, 0},
		"the first is not read":  {reads, func(t *testing.T, k *talk) { say(t, k, 0) }, none},
		"the second is not read": {reads, func(t *testing.T, k *talk) { say(t, k, 1) }, none},
		"the first is read and not passed on": {reads, func(t *testing.T, k *talk) {
			run(t, k)
			say(t, k, 0)
			until(t, func() bool { return k.relay[0].carries.Load() && !ready(k.relay[0].from, 0) })
		}, none},
		"the first is passed on": {reads, func(t *testing.T, k *talk) {
			run(t, k)
			say(t, k, 0)
			until(t, k.relay[0].carries.Load)
			k.open()
			until(t, func() bool { return !k.relay[0].late() && waiting(k.input(1)) == 0 && k.waits(1) })
		}, 0},
		"the first ends":            {reads, func(t *testing.T, k *talk) { k.out[0].Close(); over(k, 0) }, none},
		"the first speaks and ends": {reads, func(t *testing.T, k *talk) { say(t, k, 0); over(k, 0) }, none},
		"the second ends":           {reads, func(t *testing.T, k *talk) { k.out[1].Close(); over(k, 1) }, none},
		"the first ends and what it started may still write": {reads, func(t *testing.T, k *talk) { over(k, 0) }, 1},
		"the first ends while the second sleeps":             {"exec sleep 1h", func(t *testing.T, k *talk) { k.out[0].Close(); over(k, 0) }, 1},
		"the first ends while the second looks elsewhere": {"exec python3 -c 'import select; select.select([], [], [])'",
			func(t *testing.T, k *talk) {
				if _, err := exec.LookPath("python3"); err != nil {
					t.Skip(err)
				}
				until(t, func() bool { return k.waits(1) })
				if _, err := k.input(1).WriteString("x"); err != nil {
					t.Fatal(err)
				}
				k.out[0].Close()
				over(k, 0)
			}, 1},
		"the second ends before it is spoken to": {reads, func(t *testing.T, k *talk) {
			_ = k.process[1].Kill()
			_, _ = k.process[1].Wait()
			over(k, 1)
			run(t, k)
			k.open()
			say(t, k, 0)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			turns, lives, pipes := dialogue(t, time.Second, time.Second)
			k := &talk{turns: turns}
			for i, script := range []string{reads, row.second} {
				c := exec.Command("sh", "-c", script)
				c.Stdin = pipes[i].in
				if err := c.Start(); err != nil {
					t.Skip(err)
				}
				pipes[i].in.Close()
				t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
				k.out[i], k.process[i] = pipes[i].out, c.Process
				turns.place(i, place{pid: c.Process.Pid})
			}
			until(t, func() bool { return k.waits(0) && (k.waits(1) || row.second != reads) })
			row.do(t, k)
			for range 100 {
				turns.look(turnInterval)
			}
			if row.pays != none { // on a busy machine, it may have waited for a CPU at some of the checks
				until(t, func() bool { turns.look(turnInterval); return lives[row.pays].ctx.Err() != nil })
			}
			for i := range lives {
				if ended := lives[i].ctx.Err() != nil; ended != (i == row.pays) {
					t.Errorf("process %d was ended: %v; each has used %v", i, ended, turns.used)
				}
			}
		})
	}
}

// until waits for ok to return true.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come to that")
		}
	}
}

// gate blocks writers until the channel is closed.
type gate chan struct{}

func (g gate) Write(b []byte) (int, error) {
	<-g
	return len(b), nil
}

// dialogue returns the turns of two processes with these wall time limits. The test later calls place to connect
// each of them with a real process.
func dialogue(t *testing.T, first, second time.Duration) (*turns, []lifetime, []ends) {
	all := []Joined{{Command: &judge.Command{Limits: judge.Limits{Wall: first}}, OutputTo: 1, Copy: io.Discard}, {
		Command: &judge.Command{Limits: judge.Limits{Wall: second}}, Copy: io.Discard,
	}}
	pipes, err := joinPipes(all)
	if err != nil {
		t.Fatal(err)
	}
	lives := make([]lifetime, 2)
	for i := range pipes {
		t.Cleanup(func() {
			pipes[i].close()
			pipes[i].relay.from.Close()
			pipes[i].relay.to.Close()
		})
		lives[i].ctx, lives[i].end = context.WithCancelCause(t.Context())
		lives[i].over = make(chan struct{})
	}
	return newTurns(all, pipes, lives), lives, pipes
}
