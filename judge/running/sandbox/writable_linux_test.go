package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"assay/judge"
)

// TestFilesAreCountedInTheEnd checks that a run that exceeds its file limit is detected even if the disk has as
// many free files as before, because another process may have removed as many files as the run made.
func TestFilesAreCountedInTheEnd(t *testing.T) {
	create := func(dir string, n int) {
		for i := range n {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, tt := range map[string]struct {
		files int
		want  error
	}{"within": {90, nil}, "over": {110, errOutput}} {
		t.Run(name, func(t *testing.T) {
			others := t.TempDir()
			create(others, 500)
			dir := t.TempDir()
			w, err := watchWritables([]judge.Mount{{Host: dir, At: "/room", Writable: true, Files: 100}}, func(error) {})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(others); err != nil {
				t.Fatal(err)
			}
			create(dir, tt.files)
			if err := w.stop(); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
