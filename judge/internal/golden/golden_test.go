package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"assay/judge/internal/golden"
)

// recorder is a testing.TB that records failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()                           {}
func (r *recorder) Errorf(format string, args ...any) { r.fail(format, args) }
func (r *recorder) Fatalf(format string, args ...any) { r.fail(format, args); runtime.Goexit() }
func (r *recorder) fail(format string, args []any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// run calls f with a recorder, on a goroutine that Fatalf can end.
func run(t *testing.T, f func(testing.TB)) string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return strings.Join(r.failures, "\n")
}

func TestCheck(t *testing.T) {
	if golden.Updating() {
		t.Skip("with -update nothing is compared")
	}
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("one\ntwo\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ name, file, got, want string }{
		{"passes on equal texts", file, "one\ntwo\n", ""},
		{"shows the lines that differ", file, "one\nzwei\n", "-two\n+zwei"},
		{"fails on a missing file", file + ".not", "one\n", "-update"},
		{"fails on nothing", file, "", "proves nothing"},
	} {
		t.Run(row.name, func(t *testing.T) {
			failure := run(t, func(tb testing.TB) { golden.Check(tb, row.file, []byte(row.got)) })
			if (failure == "") != (row.want == "") || !strings.Contains(failure, row.want) {
				t.Errorf("Check(%q) failed with %q, want %q in it", row.got, failure, row.want)
			}
		})
	}
}

func TestFilesFailsOnAnEmptyFolder(t *testing.T) {
	pattern := filepath.Join(t.TempDir(), "*.txt")
	failure := run(t, func(tb testing.TB) { golden.Files(tb, pattern) })
	if !strings.Contains(failure, "no file matches") {
		t.Errorf("Files(%q) failed with %q, want a failure that says that no file matches", pattern, failure)
	}
}

func TestFilesAreSorted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.txt", "a.txt", "c.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := golden.Files(t, filepath.Join(dir, "*.txt"))
	if len(got) != 2 || filepath.Base(got[0]) != "a.txt" || filepath.Base(got[1]) != "b.txt" {
		t.Errorf("Files = %q, want a.txt and b.txt", got)
	}
}
