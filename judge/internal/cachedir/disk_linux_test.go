package cachedir_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/judge/internal/cachedir"
	"assay/judge/internal/forceremove/forceremovetest"
)

// TestDeepFolders creates more levels of directories than a process may have open files.
func TestDeepFolders(t *testing.T) {
	const levels = 1000
	home := t.TempDir()
	s := cachedir.Open(home, cachedir.Limits{})
	dir, done, err := s.Temp()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", levels)), 0o700); err != nil {
		t.Fatal(err)
	}
	forceremovetest.FewFiles(t)
	done()
	if _, err := os.Stat(dir); err == nil {
		t.Error("it is still there")
	}
}

// TestDisks tests a small disk and a read-only disk. A process with a private mount namespace mounts them.
func TestDisks(t *testing.T) {
	const inside = "CACHEDIR_MOUNTS"
	if os.Getenv(inside) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDisks$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
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
	home := t.TempDir()
	if err := syscall.Mount("none", home, "tmpfs", 0, "size=200k"); err != nil {
		t.Fatalf("cannot mount: %v", err)
	}
	defer func() { _ = syscall.Unmount(home, syscall.MNT_DETACH) }()

	s := cachedir.Open(filepath.Join(home, "shelf"), cachedir.Limits{})
	kept := add(t, s, "kept", writes(50<<10))
	_, err := s.Add(t.Context(), key("large"), writes(500<<10))
	if err == nil || !strings.HasPrefix(err.Error(), "no space is left on the disk of the cache, "+filepath.Join(home, "shelf")) {
		t.Errorf("Add on a disk without room: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("what was there before: %v", err)
	}
	tidy(t, filepath.Join(home, "shelf"))

	if err := syscall.Mount("none", home, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatalf("cannot mount: %v", err)
	}
	s = cachedir.Open(filepath.Join(home, "shelf"), cachedir.Limits{})
	if dir, ok := s.Find(key("kept")); !ok || dir != kept {
		t.Errorf("Find on a read-only disk = %s, %v", dir, ok)
	}
	if _, err := s.Add(t.Context(), key("new"), writes(1)); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("Add on a read-only disk: %v", err)
	}
}
