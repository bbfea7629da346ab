//go:build linux

package sandboxtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inventory is the state of the host that a sandbox must leave unchanged.
type inventory struct {
	mounts    string
	children  []string
	groups    []string
	temporary []string
}

// takeInventory requires that TMPDIR belongs to the test, because other tests run at the same time.
func takeInventory(tb testing.TB) inventory {
	tb.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		tb.Fatal(err)
	}
	inv := inventory{mounts: string(mounts)}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		if _, rest, ok := strings.Cut(string(text), ") "); ok {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			guard := strings.HasPrefix(string(line), "assay-sandbox-guard") // a guard exits with its judge
			if f := strings.Fields(rest); len(f) > 1 && f[1] == fmt.Sprint(os.Getpid()) && !guard {
				inv.children = append(inv.children, strings.Fields(string(text))[0])
			}
		}
	}
	mine := fmt.Sprintf("assay-%d-", os.Getpid())
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), mine) {
			inv.groups = append(inv.groups, path)
		}
		return nil
	})
	inv.temporary, _ = filepath.Glob(filepath.Join(os.TempDir(), "*"))
	return inv
}

// compare reports everything that exists now and did not exist when inv was taken.
func (inv inventory) compare(tb testing.TB) {
	tb.Helper()
	now := takeInventory(tb)
	if now.mounts != inv.mounts {
		tb.Errorf("the mounts have changed:\n%s\nbefore:\n%s", now.mounts, inv.mounts)
	}
	for what, lists := range map[string][2][]string{
		"child process": {inv.children, now.children}, "control group": {inv.groups, now.groups}, "temporary file": {
			inv.temporary, now.temporary,
		},
	} {
		for _, x := range lists[1] {
			if !slices.Contains(lists[0], x) {
				tb.Errorf("%s left behind: %s", what, x)
			}
		}
	}
}
