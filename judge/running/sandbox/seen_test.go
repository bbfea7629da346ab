//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/running/sandbox"
)

func TestUnseen(t *testing.T) {
	dir := t.TempDir()
	link, far := filepath.Join(dir, "link"), filepath.Join(dir, "far")
	tools, err := os.MkdirTemp("/var/tmp", "assay-seen-") // not below /tmp, which programs do not see
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tools) })
	if err := errors.Join(os.Symlink("/usr/local", link), os.Symlink(tools, far)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, in string }{
		{"below the system", "/usr/local/not-there/data", "/usr"},
		{"the system itself", "/usr", "/usr"},
		{"by a link", filepath.Join(link, "not-there"), "/usr"},
		{"a toolchain itself", tools, tools},
		{"below a toolchain", filepath.Join(tools, "a", "data"), tools},
		{"below a toolchain by a link", filepath.Join(far, "data"), tools},
		{"a temporary directory", dir, ""},
		{"above what is seen", "/", ""},
		{"beside a toolchain", tools + "-data", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := sandbox.CheckHidden(tt.path, []string{tools, dir})
			seen, is := errors.AsType[*sandbox.ExposedDirError](err)
			if tt.in == "" && err != nil || tt.in != "" && (!is || seen.VisibleDir != tt.in || !strings.Contains(err.Error(), tt.path)) {
				t.Errorf("Unseen(%q) = %v, want it in %q", tt.path, err, tt.in)
			}
		})
	}
}

// TestHiddenFoldersAreNotSeen checks that New returns a *ExposedDirError if programs would see a hidden directory, and
// does not fall back to the level None.
func TestHiddenFoldersAreNotSeen(t *testing.T) {
	for _, level := range []string{"", sandbox.Isolated} {
		b, err := sandbox.New(sandbox.Options{Hidden: []string{t.TempDir()}, Isolation: level, Workers: 1})
		if err != nil || b.Level() == sandbox.None {
			t.Skip("this machine does not isolate: run as root, or allow user namespaces")
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		b, err = sandbox.New(sandbox.Options{Hidden: []string{t.TempDir(), "/usr/local/lib"}, Isolation: level, Workers: 1})
		if _, seen := errors.AsType[*sandbox.ExposedDirError](err); !seen {
			t.Errorf("isolation %q: %v, want a *SeenError", level, err)
		}
		if err == nil {
			b.Close()
		}
	}
	b, err := sandbox.New(sandbox.Options{Hidden: []string{"/usr/local/lib"}, Isolation: string(sandbox.None), Workers: 1})
	if err != nil {
		t.Fatalf("none, which is asked for by name: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
