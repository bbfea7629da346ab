package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/freeport"
	"assay/judge/host/server"
	"assay/judge/running/sandbox/sandboxtest"
)

// TestRealWorkersAreKilled runs `judged serve` and `judged worker` as users start them. It kills one worker
// repeatedly while its sandbox runs a program. Everything must be judged, and no program may outlive its worker.
func TestRealWorkersAreKilled(t *testing.T) {
	slow(t)
	h := &harness{t: t, dir: t.TempDir(), answered: map[string]judge.Verdict{}}
	contest := filepath.Join(h.dir, "contest")
	h.part = serverPart{Data: filepath.Join(contest, "data"), Listen: freeport.Address(t), Metrics: freeport.Address(t)}
	for name, text := range map[string]string{
		"judge.toml": "", "problems/nap/problem.toml": "title = \"Nap\"\n[reference]\nprogram = \"reference\"\n[limits]\nwall = \"30s\"\n",
		"problems/nap/statement.md": "Say 1.\n",
		"problems/nap/input.format": "line a: int 0..100\n", "problems/nap/reference.sh": "echo 1\n",
		"problems/nap/cases/sample/1.in": "1\n", "problems/nap/cases/sample/1.ans": "1\n",
	} {
		file := filepath.Join(contest, name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must(t, os.WriteFile(file, []byte(text), 0o600))
	}
	h.serving = h.judged(contest, "server", "serve", "--workers", "0", "--listen", h.part.Listen, "--metrics", h.part.Metrics)
	var admin *client.Client
	h.wait("the server has its problem", func() bool {
		if _, _, err := server.Admin(h.part.Data); err != nil {
			return false
		}
		admin = h.admin()
		all, err := admin.Problems(t.Context())
		return err == nil && len(all) == 1
	})
	work := func(name string) *process {
		join := h.hire(name, 1, 0)
		return h.judged(h.dir, name, "worker", "--data", join.Dir, "--slots", "1", "--join", join.Address.String())
	}
	work("good")
	dies := work("killed")
	mark := fmt.Sprintf("4.%d", 1_000_000+os.Getpid()) // seconds to sleep, which identify the test's programs
	var all sync.WaitGroup
	for i := range 5 {
		all.Go(func() {
			file := filepath.Join(h.dir, fmt.Sprintf("nap%d.sh", i))
			if err := os.WriteFile(file, []byte(fmt.Sprintf("# %d\nsleep %s\necho %d\n", i, mark, 1+i%2)), 0o600); err != nil {
				t.Error(err)
				return
			}
			s, err := admin.Submit(t.Context(), "nap", client.Program{Path: file, Name: "nap.sh"})
			if err != nil {
				t.Error(err)
				return
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			h.answered[s.ID] = []judge.Verdict{judge.Accepted, judge.WrongAnswer}[i%2]
		})
	}
	all.Wait()
	for range 2 { // a job that kills its worker four times is given up
		h.wait("the worker that will be killed runs a program", func() bool { return len(running(mark, dies.Process.Pid)) > 0 })
		before := running(mark, dies.Process.Pid)
		dies.kill()
		time.Sleep(time.Second)
		if slices.ContainsFunc(running(mark, 0), func(pid int) bool { return slices.Contains(before, pid) }) {
			t.Error("what a killed worker ran goes on")
		}
		dies = h.judged(h.dir, "killed", "worker", "--data", filepath.Join(h.dir, "killed"), "--slots", "1")
	}
	h.audit()
}

// judged starts the command judged in dir. The process is killed when the test ends.
func (h *harness) judged(dir, log string, args ...string) *process {
	h.t.Helper()
	out, err := os.OpenFile(filepath.Join(h.dir, log+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(h.t, err)
	defer out.Close()
	cmd := exec.Command("judged", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.Env = append(os.Environ(), "ASSAY_REQUIRE="+cmp.Or(sandboxtest.Any().Isolation, "any"))
	must(h.t, cmd.Start())
	p := &process{cmd, softly{cmd.Process}, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // most are killed
		close(p.ended)
	}()
	h.t.Cleanup(p.kill)
	return p
}

// softly stops a process with SIGTERM, as an init system does.
type softly struct{ *os.Process }

func (s softly) Close() error { return s.Signal(syscall.SIGTERM) }

// running lists the descendants of process below whose command line contains word. If below is zero, it lists all
// processes whose command line contains word.
func running(word string, below int) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		data, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(data, []byte(word)) {
			continue // the process has exited, or its command line does not match
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		for up := pid; up != 0; up = parent(up) {
			if up == below || below == 0 {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}

// parent returns the parent of a process, or zero if there is none.
func parent(pid int) (of int) {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(data, []byte("\nPPid:"))
	_, _ = fmt.Sscan(string(rest), &of)
	return of
}
