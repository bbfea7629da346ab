//go:build linux

package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// judgeMark makes the test binary act as a judge that will be killed.
const judgeMark = "ASSAY_PLAY_JUDGE"

// playJudge runs programs until it is killed, and reports when they run.
func playJudge() {
	s, err := sandbox.New(sandbox.Options{Workers: 4})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	limits := judge.Limits{Memory: 64 << 20, Processes: 16}
	mounts := []judge.Mount{{Host: os.Getenv(judgeMark), At: "/program"}}
	for range 3 {
		go func() {
			_, err := s.Run(context.Background(), &judge.Command{Argv: []string{"/program/spin"}, Limits: limits, Mounts: mounts})
			fmt.Println("error", err)
		}()
	}
	for range 20 { // other runs start and end
		if _, err := s.Run(context.Background(), &judge.Command{Argv: []string{"/program/noop"}, Limits: limits, Mounts: mounts}); err != nil {
			fmt.Println("error", err)
		}
	}
	fmt.Println("running", s.Level())
	select {}
}

// TestKilledJudge kills a judge without warning. All zygotes keep its standard error open, so the end of standard
// error shows that they have ended.
func TestKilledJudge(t *testing.T) {
	dir := sandboxtest.Programs(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), judgeMark+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	alive, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if !strings.HasPrefix(line, "running") || err != nil {
		t.Fatalf("the judge says %q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(alive); err != nil || len(text) > 0 {
		t.Errorf("a zygote says %q, %v", text, err)
	}
	_ = cmd.Wait()
	for end := time.Now().Add(time.Minute); ; { // on a busy machine, dead processes may stay in their groups for a while
		newSandbox(t, sandbox.Options{}) // sweeps
		left, _ := filepath.Glob(fmt.Sprintf("/sys/fs/cgroup/*/assay-%d-*", cmd.Process.Pid))
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the next judges have not swept %v", left)
		}
	}
}

// TestManyAtOnce runs two judges at the same time, each with eight workers.
func TestManyAtOnce(t *testing.T) {
	dir := sandboxtest.Programs(t)
	var all sync.WaitGroup
	for range 2 {
		s := newSandbox(t, sandbox.Options{Workers: 8})
		for worker := range 12 {
			all.Go(func() {
				for i := range 20 {
					want := fmt.Sprintf("%d %d\n", worker, i)
					var out strings.Builder
					c := &judge.Command{
						Argv: []string{"/program/hostile", "cat"}, Env: []string{"ASSAY_HOSTILE=1", "GORACE=atexit_sleep_ms=0"},
						Stdin: strings.NewReader(want), Stdout: &out,
						Mounts: []judge.Mount{{Host: dir, At: "/program"}},
						Limits: judge.Limits{Wall: time.Minute, Memory: 256 << 20, Output: 1 << 20},
					}
					if x, err := s.Run(t.Context(), c); err != nil || out.String() != want || x.Exit != 0 {
						t.Errorf("Run() = %+v, %v, output %q, want %q", x, err, out.String(), want)
					}
				}
			})
		}
	}
	all.Wait()
}

// TestStaysFlat runs many programs and checks that the judge's resources do not grow.
func TestStaysFlat(t *testing.T) {
	s, dir := newSandbox(t, sandbox.Options{Workers: 2}), sandboxtest.Programs(t)
	runs := func(n int) {
		for range n {
			c := noopCommand(filepath.Join(dir, "noop"))
			c.Stdin = strings.NewReader("x")
			if x, err := s.Run(t.Context(), c); err != nil || x.Exit != 0 {
				t.Fatalf("Run() = %+v, %v", x, err)
			}
		}
	}
	count := func() (files, routines int) {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries), runtime.NumGoroutine()
	}
	runs(100)
	files, routines := count()
	runs(1000)
	if f, r := count(); f > files+2 || r > routines+2 {
		t.Errorf("after 1000 more runs: %d open files, before %d; %d goroutines, before %d", f, files, r, routines)
	}
}

// TestSharedSlots checks that two sandboxes that share a single slot do not run programs at the same time.
func TestSharedSlots(t *testing.T) {
	slots, dir := sandbox.NewSlots(1), sandboxtest.Programs(t)
	one, two := newSandbox(t, sandbox.Options{Slots: slots}), newSandbox(t, sandbox.Options{Slots: slots})
	long, end := context.WithCancel(t.Context())
	c := noopCommand(filepath.Join(dir, "noop"))
	c.Argv = []string{"/program/hostile", "write-then-sleep"}
	c.Env = []string{"ASSAY_HOSTILE=1"}
	c.Limits.CPU, c.Limits.Wall = time.Minute, time.Minute
	c.Stdout = writerFunc(func() {
		short, done := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer done()
		if x, err := two.Run(short, noopCommand(filepath.Join(dir, "noop"))); err == nil {
			t.Errorf("beside another: Run() = %+v", x)
		}
		end()
	})
	_, _ = one.Run(long, c) // the error is expected: the run was canceled
	if x, err := two.Run(t.Context(), noopCommand(filepath.Join(dir, "noop"))); err != nil || x.Exit != 0 {
		t.Errorf("after the other: Run() = %+v, %v", x, err)
	}
}

// TestLostZygote kills zygotes. An idle zygote must be replaced. If a killed zygote was running a program, the
// result must be an error of the judge, never a verdict of the program.
func TestLostZygote(t *testing.T) {
	s, dir := newSandbox(t, sandbox.Options{Workers: 1}), sandboxtest.Programs(t)
	if s.Level() == sandbox.None {
		t.Skip("this machine gives no isolation, so there are no zygotes")
	}
	c := noopCommand(filepath.Join(dir, "noop"))
	if _, err := s.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if n := killZygotes(t); n == 0 {
		t.Fatal("found no zygote to kill")
	}
	if x, err := s.Run(t.Context(), c); err != nil || x.Exit != 0 {
		t.Errorf("after an idle zygote was killed: Run() = %+v, %v", x, err)
	}
	c.Argv = []string{"/program/hostile", "write-then-sleep"}
	c.Env = []string{"ASSAY_HOSTILE=1"}
	c.Limits.CPU, c.Limits.Wall = time.Minute, time.Minute
	c.Stdout = writerFunc(func() { killZygotes(t) })
	if x, err := s.Run(t.Context(), c); err == nil {
		t.Errorf("after its zygote was killed: Run() = %+v and no error", x)
	}
	if x, err := s.Run(t.Context(), noopCommand(filepath.Join(dir, "noop"))); err != nil || x.Exit != 0 {
		t.Errorf("after a busy zygote was killed: Run() = %+v, %v", x, err)
	}
}

type writerFunc func()

func (f writerFunc) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}

// killZygotes kills the zygotes that are children of this process, and waits until they have ended.
func killZygotes(t *testing.T) (killed int) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		before, rest, ok := strings.Cut(string(text), ") ")
		f := strings.Fields(rest)
		if !ok || len(f) < 2 || f[1] != fmt.Sprint(os.Getpid()) || f[0] == "Z" {
			continue
		}
		var pid int
		if _, err := fmt.Sscan(before, &pid); err != nil {
			t.Error(err)
			continue
		}
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if p, err := os.FindProcess(pid); err == nil && strings.HasPrefix(string(line), "assay-sandbox-zygote") {
			if p.Kill() == nil {
				killed++
			}
			for state, threads := "?", 2; (state != "Z" || threads > 1) && state != ""; {
				text, _ := os.ReadFile(path)
				_, rest, _ := strings.Cut(string(text), ") ")
				state, _, _ = strings.Cut(rest, " ")
				list, _ := os.ReadDir(filepath.Join(filepath.Dir(path), "task"))
				threads = len(list) // the first thread may be dead while others keep the socket open
				runtime.Gosched()
			}
		}
	}
	return killed
}
