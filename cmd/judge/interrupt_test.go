package main

import (
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
)

// TestInterrupt presses Ctrl-C while a program sleeps: judge ends at once, says
// so, and leaves no file and no process behind.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Ctrl-C can be sent to a process on Windows")
	}
	dir, tmp := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"judge.toml":                          "",
		"problems/sleep/problem.toml":         "title = \"Sleep\"\n[limits]\ntime = \"60s\"\n",
		"problems/sleep/cases/sample/one.in":  "1\n",
		"problems/sleep/cases/sample/one.ans": "1\n",
		"sleep.sh":                            "sleep 1000\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
	if !ok || exit.ExitCode() != exitInterrupted {
		t.Errorf("ended with %v, want exit code %d\n%s", err, exitInterrupted, &stderr)
	}
	if !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("it says %q", &stderr)
	}
	for _, place := range []string{filepath.Join(tmp, "*"), filepath.Join(dir, ".tmp-*")} {
		if left, _ := filepath.Glob(place); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
	// The kernel ends them when the judge is gone; those of other tests are seen here too.
	left := orphans(t)
	for deadline := time.Now().Add(time.Minute); len(left) > 0 && time.Now().Before(deadline); left = orphans(t) {
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("processes left behind: %q", left)
	}
}

// orphans lists processes of sandboxes whose judge is gone.
func orphans(t *testing.T) (left []string) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		data, err := os.ReadFile(stat)
		if err != nil {
			continue // it has ended
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
