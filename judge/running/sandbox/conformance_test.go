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
	"sync"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

// TestLevels runs the suite on every isolation level that this machine offers to the current user. Without
// ASSAY_SLOW, it runs the suite only on the best level and on None.
func TestLevels(t *testing.T) {
	s, err := sandbox.New(sandboxtest.Any())
	if err != nil {
		t.Fatal(err)
	}
	best := s.Level()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range sandbox.Levels() {
		t.Run(string(r), func(t *testing.T) {
			if os.Getenv("ASSAY_SLOW") == "" && r != best && r != sandbox.None {
				t.Skip("not the best level of this machine: the suite runs on it with ASSAY_SLOW=1")
			}
			sandboxtest.Run(t, sandbox.Options{Isolation: string(r)})
		})
	}
}

// TestLevelsOfAnyUser runs the suite again as an unprivileged user if the tests run as user 0.
func TestLevelsOfAnyUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("not user 0: TestLevels is the same")
	}
	if os.Getenv("ASSAY_SLOW") == "" {
		t.Skip("the whole suite again: done with ASSAY_SLOW=1")
	}
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
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "hostile"), "-test.run=^TestLevels$", "-test.v="+verbose())
	cmd.Dir = "/"
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=/usr/bin:/bin", "ASSAY_SLOW=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil:
		t.Errorf("as user %d: %v\n%s", nobody, err, faults(out))
	case testing.Verbose():
		t.Logf("as user %d:\n%s", nobody, out)
	}
}

// noFault matches output lines of tests that start, pass, or only report a note.
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

// containers maps descriptions to kinds of containers. Some kinds belong to an unprivileged user, who is user 0
// inside the container. The other kinds belong to the machine's user 0. In one of these, the user namespace
// contains no other users.
var containers = map[string]struct {
	root  bool
	setup string // shell commands that run inside before the judge starts
	least sandbox.Level
	named bool // whether the level must be requested by name
}{
	"with namespaces of its own":   {false, "true", sandbox.Rootless, false},
	"with a read-only tmp":         {false, "mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp", sandbox.Rootless, false},
	"with 64 open files":           {false, "ulimit -n 64", sandbox.Rootless, false},
	"where namespaces are used up": {false, "echo 0 >/proc/sys/user/max_user_namespaces", sandbox.None, false},
	"without proc":                 {false, "mount -t tmpfs none /proc", sandbox.None, true},

	"of user 0, without control groups": {true, "umount -R /sys/fs/cgroup", sandbox.Root, false},
	"of user 0, without proc":           {true, "mount -t tmpfs none /proc", sandbox.Root, false},
	"of user 0, without both":           {true, "umount -R /sys/fs/cgroup && mount -t tmpfs none /proc", sandbox.Root, false},
	"of user 0, without rights":         {true, "exec setpriv --bounding-set -all", sandbox.None, true},
	"of user 0, who may mount nothing":  {true, "exec setpriv --bounding-set -sys_admin", sandbox.None, true},
	"of user 0, with no user but 0 and no groups": {
		true, "umount -R /sys/fs/cgroup && exec unshare --user --map-root-user", sandbox.None, true,
	},
}

// TestInContainers runs a program inside each of the containers, and checks the isolation level of the judge
// there.
func TestInContainers(t *testing.T) {
	dir := sandboxtest.Programs(t)
	for name, c := range containers {
		t.Run(name, func(t *testing.T) {
			if c.root && os.Getuid() != 0 {
				t.Skip("not user 0")
			}
			cmd := contained(t, dir, c.root, c.setup)
			if c.named {
				cmd.Env = append(cmd.Env, namedMark+"="+string(c.least))
				got, err := runContained(t, cmd, func(c *exec.Cmd) { c.Env = c.Env[:len(c.Env)-1] })
				if err == nil || !strings.Contains(got, "--require none") {
					t.Errorf("without being asked for by name it says %q, %v", got, err)
				}
			}
			got, err := runContained(t, cmd, func(*exec.Cmd) {})
			if err != nil {
				t.Fatalf("%v\n%s", err, got)
			}
			if at := slices.Index(sandbox.Levels(), sandbox.Level(got)); at < 0 || at > slices.Index(sandbox.Levels(), c.least) {
				t.Errorf("stands on %s, want at least %s", got, c.least)
			}
		})
	}
}

// contained returns a command that runs the test binary inside a container after the setup.
func contained(t *testing.T, dir string, root bool, setup string) *exec.Cmd {
	t.Helper()
	start := " && exec "
	if strings.Contains(setup, "exec ") {
		start = " "
	}
	cmd := exec.CommandContext(
		t.Context(), "/bin/sh", "-c",
		"mount -t proc proc /proc || exit 77; "+setup+start+filepath.Join(dir, "hostile")+" || exit 78",
	)
	cmd.Dir = "/"
	cmd.Env = []string{containedMark + "=" + dir, "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR=/tmp"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET}
	if root {
		cmd.Env = append(cmd.Env, rootMark+"=1")
		cmd.Args[2] = "mount --make-rprivate / || exit 77; " + cmd.Args[2]
	} else {
		host := os.Getuid()
		if host == 0 {
			host = nobody
		}
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: host, Size: 1}}
		cmd.SysProcAttr.Credential = &syscall.Credential{NoSetGroups: true}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: host, Size: 1}}
	}
	return cmd
}

// TestOtherJudgesFillTheLimit checks that processes of other judges do not count toward a program's limit. It
// covers the case in which only the kernel's limit of processes per user bounds the program's processes.
func TestOtherJudgesFillTheLimit(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("not user 0")
	}
	dir := sandboxtest.Programs(t)
	var others []*exec.Cmd
	for range 50 {
		other := exec.CommandContext(t.Context(), filepath.Join(dir, "hostile"), "sleep", "1h")
		other.Env = []string{"ASSAY_HOSTILE=1"}
		other.SysProcAttr = &syscall.SysProcAttr{
			Pdeathsig: syscall.SIGKILL, Credential: &syscall.Credential{Uid: sandbox.InsideUID, Gid: sandbox.InsideUID},
		}
		if err := other.Start(); err != nil {
			t.Skipf("this machine does not run so many processes of one user: %v", err)
		}
		others = append(others, other)
	}
	defer func() {
		for _, other := range others {
			_ = other.Process.Kill()
			_ = other.Wait()
		}
	}()
	cmd := contained(t, dir, true, "umount -R /sys/fs/cgroup && mount -t tmpfs none /proc")
	got, err := runContained(t, cmd, func(*exec.Cmd) {})
	if err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}

// nobody is the id of a user who owns no files on this machine.
const nobody = 61234

// runContained runs a modified copy of the command.
func runContained(t *testing.T, cmd *exec.Cmd, change func(*exec.Cmd)) (string, error) {
	t.Helper()
	c := exec.CommandContext(t.Context(), cmd.Path, cmd.Args[1:]...)
	c.Dir, c.Env, c.SysProcAttr = cmd.Dir, slices.Clone(cmd.Env), cmd.SysProcAttr
	change(c)
	out, err := c.CombinedOutput()
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		t.Skipf("this machine lets no user create containers: %v", errno)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 77 {
		t.Skipf("this machine allows less in containers: %s", out)
	}
	return string(out), err
}

// containedMark makes the test binary act as a judge in a container.
const containedMark = "ASSAY_PLAY_CONTAINED"

// namedMark is the level that the judge requests by name.
const namedMark = "ASSAY_PLAY_NAMED"

// rootMark tells the judge that it runs as the machine's user 0.
const rootMark = "ASSAY_PLAY_ROOT"

// playContained runs a program and prints the isolation level.
func playContained() {
	s, err := sandbox.New(sandbox.Options{Isolation: os.Getenv(namedMark)})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	if s.Level() != sandbox.None && os.Getenv(rootMark) != "" {
		mayBeRoot(s)
	}
	for range 20 {
		x, err := s.Run(context.Background(), &judge.Command{
			Argv: []string{"/program/noop"}, Mounts: []judge.Mount{{Host: os.Getenv(containedMark), At: "/program"}},
			Limits: judge.Limits{CPU: time.Second, Wall: 10 * time.Second, Memory: 256 << 20, Output: 1 << 20, Processes: 32},
		})
		if err != nil || x.Exit != 0 || x.Killed != "" {
			fmt.Println("on", s.Level(), x, err)
			os.Exit(1)
		}
	}
	if s.Level() != sandbox.None {
		twoAtOnce(s)
	}
	fmt.Print(s.Level())
	os.Exit(0)
}

// twoAtOnce exits with an error unless two programs that run concurrently in one directory can each have as many
// processes as their limits allow. A later program must also be able to change the files that they wrote, even if
// another worker runs it.
func twoAtOnce(s *sandbox.Sandbox) {
	folder, err := os.MkdirTemp("", "")
	if errors.Is(err, syscall.EROFS) {
		return
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	defer os.RemoveAll(folder)
	run := func(script string) string {
		var out strings.Builder
		x, err := s.Run(context.Background(), &judge.Command{
			Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Stdout: &out, Stderr: &out,
			Mounts: []judge.Mount{{Host: folder, At: "/both", Writable: true}},
			Limits: judge.Limits{Wall: 3 * time.Minute, Memory: 256 << 20, Output: 1 << 20, Processes: 32},
		})
		if err != nil || x.Exit != 0 || x.Killed != "" {
			return fmt.Sprintf("%s: %v %v %s", script, x, err, &out)
		}
		return ""
	}
	var both sync.WaitGroup
	said := make([]string, 3)
	for i, mine := range []string{"one", "two"} {
		both.Go(func() {
			said[i] = run(fmt.Sprintf(
				"for i in $(seq 25); do sleep 1h & done; mkdir /both/%s && until [ -e /both/one ] && [ -e /both/two ]; do sleep 0.1; done",
				mine,
			))
		})
	}
	both.Wait()
	said[2] = run("echo three >/dev/stdout && touch /both/one/three /both/two/three")
	if all := strings.Join(said, ""); all != "" {
		fmt.Println(s.Level(), all)
		os.Exit(1)
	}
}

// mayBeRoot exits with an error if programs run as user 0 of the machine.
func mayBeRoot(s *sandbox.Sandbox) {
	var out strings.Builder
	_, err := s.Run(
		context.Background(),
		&judge.Command{Argv: []string{"/bin/sh", "-c", "id -u; cat /proc/self/uid_map"}, Stdout: &out, Env: []string{"PATH=/usr/bin:/bin"}},
	)
	f := strings.Fields(out.String())
	if err != nil || len(f) < 4 || f[0] == "0" && f[2] == "0" {
		fmt.Printf("programs run as user 0: %v, %q\n", err, out.String())
		os.Exit(1)
	}
}

func verbose() string {
	if testing.Verbose() {
		return "true"
	}
	return "false"
}
