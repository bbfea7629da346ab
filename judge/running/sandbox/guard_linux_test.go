package sandbox

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNothingBeginsUnguarded checks that a program does not begin before the guard knows the program's process
// group. Otherwise the program could start another process, which would survive if the judge is killed.
func TestNothingBeginsUnguarded(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fill(t, w) // nothing more can be sent to the guard
	g := &guard{pipe: w, holds: canHold}
	mark := filepath.Join(t.TempDir(), "began")
	cmd := exec.Command("/bin/sh", "-c", "echo >"+mark)
	failed := make(chan error, 1)
	go func() { // ends with the program
		release, err := g.start(cmd)
		if err == nil {
			err = cmd.Wait()
		}
		release()
		failed <- err
	}()
	for !stopped(t) {
		if _, err := os.Stat(mark); err == nil {
			t.Fatal("it began before the guard knew of it")
		}
		select {
		case err := <-failed:
			t.Fatal("it did not even begin:", err)
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("it began before it waited")
	}
	for lines := bufio.NewScanner(r); ; {
		if !lines.Scan() {
			t.Fatal("the guard is told nothing")
		}
		if number, begins := strings.CutPrefix(lines.Text(), "+"); begins {
			if number != fmt.Sprint(cmd.Process.Pid) {
				t.Errorf("the guard is told of %s, want %d", number, cmd.Process.Pid)
			}
			break
		}
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error("it did not begin at all:", err)
	}
}

// stopped reports whether a child of this process is held before its start.
func stopped(t *testing.T) bool {
	children, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(children) == 0 {
		t.Skip("this kernel does not list children")
	}
	for _, path := range children {
		text, _ := os.ReadFile(path)
		for pid := range strings.FieldsSeq(string(text)) {
			stat, _ := os.ReadFile("/proc/" + pid + "/stat")
			if strings.Contains(string(stat), ") t ") {
				return true
			}
		}
	}
	return false
}

// fill writes to a pipe until it is full.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	raw, err := w.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var full error
	err = raw.Write(func(fd uintptr) bool {
		for _, size := range []int{4096, 1} {
			for full = nil; full == nil || full == syscall.EINTR; {
				_, full = syscall.Write(int(fd), bytes.Repeat([]byte("\n"), size))
			}
		}
		return true
	})
	if err != nil || full != syscall.EAGAIN {
		t.Fatal(err, full)
	}
}
