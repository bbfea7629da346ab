//go:build linux

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// TestRungs runs the suite on every rung that this machine gives to this user.
func TestRungs(t *testing.T) {
	for _, r := range sandbox.Rungs() {
		t.Run(string(r), func(t *testing.T) {
			sandboxtest.Run(t, sandbox.Options{Isolation: string(r)})
		})
	}
}

// TestRungsOfAnyUser runs the suite again as a user without rights, if this one has them.
func TestRungsOfAnyUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("not user 0: TestRungs is the same")
	}
	const nobody = 61234
	dir := sandboxtest.Programs(t)
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(home, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	above := filepath.Dir(home)
	for _, d := range []string{above, filepath.Dir(above)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "hostile"), "-test.run=^TestRungs$", "-test.v="+verbose())
	cmd.Dir = "/"
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("as user %d: %v\n%s", nobody, err, faults(out))
	case testing.Verbose():
		t.Logf("as user %d:\n%s", nobody, out)
	}
}

// noFault is what a test's output says of tests that begin, pass, or only note something.
var noFault = regexp.MustCompile(`^ *(=== |--- (PASS|SKIP))|: not enforced on |: this machine does not | past its limit$`)

// faults keeps the rest.
func faults(out []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		if !noFault.MatchString(strings.TrimSuffix(line, "\n")) {
			b.WriteString("| " + line)
		}
	}
	return b.String()
}

// containers are ways to be inside one that a user without rights has made: the
// user is user 0 there, of a namespace that has no other users.
var containers = map[string]struct {
	setup string // what is done inside, before the judge starts
	least sandbox.Rung
}{
	"with namespaces of its own":   {"true", sandbox.Rootless},
	"with a read-only tmp":         {"mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp", sandbox.Rootless},
	"with 64 open files":           {"ulimit -n 64", sandbox.Rootless},
	"where namespaces are used up": {"echo 0 >/proc/sys/user/max_user_namespaces", sandbox.None},
	"without proc":                 {"mount -t tmpfs none /proc", sandbox.None},
}

// TestInContainers runs a program inside such containers, and looks how well the
// judge isolates there.
func TestInContainers(t *testing.T) {
	dir := sandboxtest.Programs(t)
	for name, c := range containers {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "mount -t proc proc /proc && "+c.setup+" || exit 77; exec "+filepath.Join(dir, "hostile"))
			cmd.Dir = "/"
			cmd.Env = []string{containedMark + "=" + dir, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET,
				UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
			}
			out, err := cmd.CombinedOutput()
			if errno, ok := errors.AsType[syscall.Errno](err); ok {
				t.Skipf("this machine lets nobody make containers: %v", errno)
			}
			if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 77 {
				t.Skipf("this machine allows less in containers: %s", out)
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got := sandbox.Rung(out); slices.Index(sandbox.Rungs(), got) > slices.Index(sandbox.Rungs(), c.least) {
				t.Errorf("stands on %s, want at least %s", got, c.least)
			}
		})
	}
}

// containedMark makes the test binary play a judge in a container.
const containedMark = "ASSAY_PLAY_CONTAINED"

// playContained runs a program, and prints the rung.
func playContained() {
	s, err := sandbox.New(sandbox.Options{})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	for range 20 {
		x, err := s.Run(context.Background(), &judge.Command{
			Argv: []string{"/program/noop"}, Mounts: []judge.Mount{{Host: os.Getenv(containedMark), At: "/program"}},
			Limits: judge.Limits{CPU: time.Second, Wall: 10 * time.Second, Memory: 256 << 20, Output: 1 << 20, Processes: 32},
		})
		if err != nil || x.Exit != 0 || x.Killed != "" {
			fmt.Println("on", s.Rung(), x, err)
			os.Exit(1)
		}
	}
	fmt.Print(s.Rung())
	os.Exit(0)
}

func verbose() string {
	if testing.Verbose() {
		return "true"
	}
	return "false"
}
