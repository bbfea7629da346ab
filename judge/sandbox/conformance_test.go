//go:build linux

package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"assay/judge/sandbox"
	"assay/judge/sandbox/sandboxtest"
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
	for d := filepath.Dir(home); d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "hostile"), "-test.run=^TestRungs$", "-test.v="+verbose())
	cmd.Dir = "/"
	cmd.Env = []string{"HOME=" + home, "TMPDIR=" + home, "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil || testing.Verbose() {
		t.Logf("as user %d:\n%s", nobody, out)
		if err != nil {
			t.Error(err)
		}
	}
}

func verbose() string {
	if testing.Verbose() {
		return "true"
	}
	return "false"
}
