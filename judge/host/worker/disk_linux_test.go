package worker_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/judge/host/worker"
)

// TestAFullDisk checks that a job on a full disk is released, and that the machine is unhealthy until there is
// space again. The test mounts its own small disk in a process with a private mount namespace.
func TestAFullDisk(t *testing.T) {
	const inside = "WORKER_MOUNTS"
	if os.Getenv(inside) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1", "ASSAY_CACHE="+cache) // the cache contains the tools' versions
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.EPERM) || strings.Contains(string(out), "cannot mount") {
			t.Skipf("this machine lets no process have mounts of its own: %v %s", err, out)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=200m"); err != nil {
		t.Fatalf("cannot mount: %v", err)
	}
	defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
	root := lay(t, problems+"-- problems/large/problem.toml --\ntitle = \"Large\"\n"+
		"-- problems/large/cases/sample/one.in --\n1 2\n-- problems/large/cases/sample/one.ans --\n3\n")
	if err := os.WriteFile(filepath.Join(root, "problems/large/data"), bytes.Repeat([]byte("x"), 8<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newServer()
	w := unboxed(t, root)
	_, b := s.freeze(t, w, "large")
	r := runner(t, worker.RunnerOptions{Dir: dir, Blobs: s, RequiredIsolation: "none"})
	filler := filepath.Join(dir, "filler")
	fill := func(size int64) {
		t.Helper()
		_ = os.Remove(filler)
		f, err := os.Create(filler)
		if err == nil {
			err = syscall.Fallocate(int(f.Fd()), 0, 0, size)
		}
		if err = errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	fill(196 << 20)
	j := s.spec(t, b, filepath.Join(root, "right.sh"))
	var unhealthy *worker.UnhealthyError
	if result, err := r.Run(t.Context(), j, nil, nil); !errors.As(err, &unhealthy) {
		t.Errorf("on a full disk: %+v, %v", result, err)
	}
	if err := r.CheckHealth(t.Context()); !errors.As(err, &unhealthy) || !strings.Contains(err.Error(), "MiB left") {
		t.Errorf("CheckHealth on a full disk: %v", err)
	}
	fill(1 << 20)
	if err := r.CheckHealth(t.Context()); err != nil {
		t.Errorf("CheckHealth when there is room: %v", err)
	}
	done(t, r, j)
	for _, pattern := range []string{"blobs/.tmp-*", "work-*/*/tmp-*"} {
		if left, _ := filepath.Glob(filepath.Join(dir, pattern)); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	}
}
