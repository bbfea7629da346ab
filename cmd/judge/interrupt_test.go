package main

import (
	"assay/cmd/internal/cli"

	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestInterrupt presses Ctrl-C while a program sleeps. The judge must exit at once, say so, and leave no file or
// process behind.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Ctrl-C can be sent to a process on Windows")
	}
	dir, tmp := t.TempDir(), t.TempDir()
	write(t, dir, `
-- judge.toml --
-- problems/sleep/problem.toml --
title = "Sleep"
[limits]
time = "60s"
-- problems/sleep/cases/sample/one.in --
1
-- problems/sleep/cases/sample/one.ans --
1
-- sleep.sh --
sleep 1000
`)
	cmd := exec.Command("judge", "submit", "sleep", "sleep.sh", "--json", "--html", "out.html")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if strings.Contains(lines.Text(), `"event":"built"`) {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = cmd.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != cli.ExitInterrupted {
		t.Errorf("ended with %v, want exit code %d\n%s", err, cli.ExitInterrupted, &stderr)
	}
	if !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("it says %q", &stderr)
	}
	for _, place := range []string{filepath.Join(tmp, "*"), filepath.Join(dir, ".tmp-*")} {
		if left, _ := filepath.Glob(place); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
	// The kernel kills the processes when the judge exits. The function orphans also returns processes of other
	// tests, so wait until these have exited.
	left := orphans(t)
	for deadline := time.Now().Add(5 * time.Minute); len(left) > 0 && time.Now().Before(deadline); left = orphans(t) {
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("processes left behind: %q", left)
	}
}

// write extracts an archive into a directory.
func write(t *testing.T, dir, text string) {
	t.Helper()
	if err := txtar.Write(txtar.Parse([]byte(text)), dir); err != nil {
		t.Fatal(err)
	}
}

// orphans lists sandbox processes whose judge has exited.
func orphans(t *testing.T) (left []string) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		data, err := os.ReadFile(stat)
		if err != nil {
			continue // the process has exited
		}
		cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(stat), "cmdline"))
		_, rest, _ := bytes.Cut(data, []byte(") "))
		fields := bytes.Fields(rest)
		if len(fields) > 1 && string(fields[0]) != "Z" && string(fields[1]) == "1" && bytes.HasPrefix(cmdline, []byte("assay-")) {
			left = append(left, string(data))
		}
	}
	return left
}

// TestInterruptedGeneration presses Ctrl-C while cases are generated. The judge must not install the cases that it
// has already generated, and must leave no other files behind.
func TestInterruptedGeneration(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Ctrl-C can be sent to a process on Windows")
	}
	dir := t.TempDir()
	write(t, dir, `
-- judge.toml --
-- problems/p/problem.toml --
title = "P"
[reference]
program = "reference.sh"
[generator]
program = "generator.sh"
speaks = "plain"
[[group]]
name = "some"
cases = ["1", "slow"]
-- problems/p/reference.sh --
cat
-- problems/p/generator.sh --
[ $1 = 1 ] || sleep 1000
echo $1
-- problems/p/cases/sample/one.in --
0
-- problems/p/cases/sample/one.ans --
0
`)
	cmd := exec.Command("judge", "generate", "p")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if made, _ := filepath.Glob(filepath.Join(dir, "testcases", "p", ".generate-*", "some", "1.in")); len(made) > 0 {
			break
		}
		if time.Since(start) > 5*time.Minute {
			t.Error("no input was made within five minutes")
			break
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	exit, ok := errors.AsType[*exec.ExitError](cmd.Wait())
	if !ok || exit.ExitCode() != cli.ExitInterrupted {
		t.Errorf("ended with %v, want exit code %d", exit, cli.ExitInterrupted)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "testcases", "p")); len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
