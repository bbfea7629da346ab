package worker_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assay/judge/host/worker"
	"assay/judge/running/sandbox"
)

// TestAWorkersFolderIsNotSeen checks that a runner refuses a data directory or cache that programs can see.
func TestAWorkersFolderIsNotSeen(t *testing.T) {
	if s, err := sandbox.New(sandbox.Options{Isolation: sandbox.Isolated, Workers: 1}); err != nil {
		t.Skip("this machine does not isolate: run as root, or allow user namespaces")
	} else if err := s.Close(); err != nil {
		t.Error(err)
	}
	seen, err := os.MkdirTemp("/var/tmp", "assay-seen-") // /tmp is never visible to programs
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(seen) })
	contest := t.TempDir()
	if err := os.WriteFile(filepath.Join(contest, "judge.toml"), []byte("[sandbox]\nvisible = ['"+seen+"']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]worker.RunnerOptions{
		"data":  {Dir: filepath.Join(seen, "data"), Cache: cache},
		"cache": {Dir: t.TempDir(), Cache: filepath.Join(seen, "cache")},
	} {
		o.Slots, o.Contest, o.RequiredIsolation = 1, contest, sandbox.Isolated
		r, err := worker.NewRunner(o)
		if err == nil {
			r.Close()
		}
		if e, is := errors.AsType[*sandbox.ExposedDirError](err); !is || e.VisibleDir != seen {
			t.Errorf("%s: %v, want a *SeenError with %s", name, err, seen)
		}
	}
}
