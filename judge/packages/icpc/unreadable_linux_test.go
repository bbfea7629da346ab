package icpc_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"assay/judge/packages/icpc"
)

func TestUnreadable(t *testing.T) {
	dir := unpack(t, parse("-- problem.yaml --\nname: x\n-- data/secret/1.in --\n1\n-- data/secret/1.ans --\n1\n"))
	if err := os.Chmod(filepath.Join(dir, "problem.yaml"), 0); err != nil {
		t.Fatal(err)
	}
	again := giveUpRights(t, dir)
	_, faults := icpc.Open(dir, usual)
	again()
	if len(faults) == 0 || !strings.Contains(faults.Error(), "problem.yaml: permission denied") {
		t.Errorf("Open of an unreadable package: %v, want the permission that is missing", faults)
	}
}

// giveUpRights gives up this goroutine's right to read all files, which it has as user 0, until again is called.
func giveUpRights(t *testing.T, dir string) (again func()) {
	t.Helper()
	if os.Getuid() != 0 {
		return func() {}
	}
	own := filepath.Dir(dir)
	for _, d := range []string{dir, own, filepath.Dir(own)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	become := func(id uintptr) {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), id, ^uintptr(0)); errno != 0 {
			t.Fatal(errno)
		}
	}
	runtime.LockOSThread() // because the user changes for one thread only
	become(61234)
	return func() {
		become(0)
		runtime.UnlockOSThread()
	}
}
