//go:build unix

package forceremove_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"assay/judge/internal/forceremove"
	"assay/judge/internal/forceremove/forceremovetest"
)

// levels exceeds the usual limit of open files.
const levels = 2000

// nest creates nested directories, which are too deep for a single path.
func nest(t *testing.T, dir string, levels int) {
	t.Helper()
	at, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range levels {
		if err := errors.Join(at.Mkdir("d", 0o700), at.WriteFile("f", nil, 0)); err != nil {
			t.Fatal(err)
		}
		below, err := at.OpenRoot("d")
		at.Close()
		if err != nil {
			t.Fatal(err)
		}
		at = below
	}
	at.Close()
}

func TestAll(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, fill := range map[string]func(t *testing.T, dir string){
		"nothing in it": func(*testing.T, string) {},
		"many levels":   func(t *testing.T, dir string) { nest(t, dir, levels) },
		"names of its own": func(t *testing.T, dir string) {
			for i := range 20 {
				nest(t, mkdir(t, dir, fmt.Sprintf("raze-%d", i)), 50)
			}
		},
		"links": func(t *testing.T, dir string) {
			if err := errors.Join(os.Symlink(outside, filepath.Join(dir, "file")), os.Symlink(
				filepath.Dir(outside), filepath.Join(dir, "folder"),
			)); err != nil {
				t.Fatal(err)
			}
		},
		"no rights": func(t *testing.T, dir string) {
			a := mkdir(t, dir, "a")
			b := mkdir(t, a, "b")
			mkdir(t, b, "c")
			for _, closed := range []string{b, a, dir} {
				if err := os.Chmod(closed, 0); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := mkdir(t, t.TempDir(), "dir")
			fill(t, dir)
			forceremovetest.FewFiles(t)
			if err := forceremove.All(dir); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("it is still there: %v", err)
			}
		})
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
	if err := forceremove.All(filepath.Join(t.TempDir(), "absent")); err != nil {
		t.Errorf("All of nothing = %v", err)
	}
}

func mkdir(t *testing.T, above, name string) string {
	t.Helper()
	dir := filepath.Join(above, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTemp(t *testing.T) {
	above := t.TempDir()
	left := mkdir(t, above, "x-left")
	mkdir(t, left, "y")
	other := mkdir(t, above, "other")
	dir, done, err := forceremove.Temp(above, "x-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Error("the directory of a process that is gone is still there")
	}
	forceremove.RemoveStale(above, "x-")
	for _, kept := range []string{dir, other} {
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("it was swept: %v", err)
		}
	}
	if err := done(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the own directory is still there")
	}
}
