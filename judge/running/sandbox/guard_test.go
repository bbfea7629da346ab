//go:build linux

package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// unguardedMark makes the test binary act as a judge without isolation that runs a program or a tool. The test
// kills this judge.
const unguardedMark = "ASSAY_PLAY_UNGUARDED"

// family is a command whose process has a child. Both keep standard error open.
var family = []string{"/bin/sh", "-c", "sleep 1000 & echo begun >&2; sleep 1000"}

func playUnguarded() {
	var err error
	fmt.Println("here")
	if os.Getenv(unguardedMark) == "tool" {
		_, err = sandbox.Tool(context.Background(), []string{"/bin/sh", "-c", "exec 2>/proc/" + fmt.Sprint(os.Getpid()) + "/fd/2; " + family[2]})
	} else {
		var s *sandbox.Sandbox
		if s, err = sandbox.New(sandbox.Options{Isolation: string(sandbox.None)}); err == nil {
			_, err = s.Run(context.Background(), &judge.Command{Argv: family, Stderr: os.Stderr})
		}
	}
	fmt.Println("error", err)
	os.Exit(1)
}

// TestKilledWithoutIsolation kills judges without isolation, and checks that their programs end. The programs keep
// a pipe open, so the end of the pipe shows that they have ended.
func TestKilledWithoutIsolation(t *testing.T) {
	for _, what := range []string{"program", "tool"} {
		t.Run(what, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), unguardedMark+"="+what, "TMPDIR="+t.TempDir())
			held, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer held.Close()
			cmd.Stderr = w
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			lines := bufio.NewReader(held)
			if line, err := lines.ReadString('\n'); line != "begun\n" || err != nil {
				t.Fatalf("it says %q, %v", line, err)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
				t.Errorf("it says %q, %v", rest, err)
			}
			_ = cmd.Wait()
		})
	}
}

// TestKilledBeforeItIsGuarded kills judges while they start their guards, and checks that no process survives. In
// the past, about 3 % of such judges left a guard that was held forever.
func TestKilledBeforeItIsGuarded(t *testing.T) {
	mine := "TMPDIR=" + t.TempDir()
	for range 100 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), unguardedMark+"=tool", mine)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "here\n" {
			t.Fatalf("it says %q, %v", line, err)
		}
		time.Sleep(rand.N(2 * time.Millisecond))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
	}
	left := processesWith(t, mine)
	for deadline := time.Now().Add(time.Minute); len(left) > 0 && time.Now().Before(deadline); left = processesWith(t, mine) {
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// processesWith lists the processes whose environment contains an entry.
func processesWith(t *testing.T, entry string) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if environ, _ := os.ReadFile(path); bytes.Contains(environ, []byte(entry+"\x00")) {
			stat, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "stat"))
			found = append(found, string(stat))
		}
	}
	return found
}
