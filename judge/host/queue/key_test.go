package queue_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"assay/judge/host/queue"
)

func TestKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "key")
	seeds := make([][]byte, 4)
	var all sync.WaitGroup
	for i := range seeds { // also at the same time
		all.Go(func() {
			var err error
			if seeds[i], _, err = queue.ReadKey(file); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	again, public, err := queue.ReadKey(file)
	if err != nil || !strings.HasPrefix(public, "U") {
		t.Errorf("Key = %q, %v", public, err)
	}
	for _, seed := range seeds {
		if !bytes.Equal(seed, again) {
			t.Error("the key is another one each time")
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(file)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
	for name, harm := range map[string]func() error{
		"others may read":    func() error { return os.Chmod(file, 0o644) },
		"not a worker's key": func() error { return os.Truncate(file, 10) },
	} {
		if _, _, err := queue.ReadKey(file); err != nil {
			t.Fatal(err)
		}
		if err := harm(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := queue.ReadKey(file); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), string(again)) {
			t.Errorf("%s: %v", name, err)
		}
		os.Remove(file)
	}
}
