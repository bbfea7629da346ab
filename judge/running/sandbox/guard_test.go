//go:build linux

package sandbox_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// unguardedMark makes the test binary play a judge without isolation that is to be
// killed, or one that asks a tool.
const unguardedMark = "ASSAY_PLAY_UNGUARDED"

// family is a process that has a child, and both hold standard error. It says that it has
// begun only after a while: the guard cannot be told of a group before the group is there.
var family = []string{"/bin/sh", "-c", "sleep 1000 & sleep 1; echo begun >&2; sleep 1000"}

func playUnguarded() {
	var err error
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

// TestKilledWithoutIsolation kills judges that isolate nothing. Their programs hold a
// pipe: when that ends, they are gone.
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
