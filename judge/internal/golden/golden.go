// Package golden compares the output of a test with a file that a developer has reviewed.
//
//	golden.Check(t, "testdata/golden/accepted.txt", got)
//
// Run "go test ./... -update" to write the current output, and review the result with git diff before you commit
// it. A missing golden file fails the test, and so does a pattern that matches no file, because such a test checks
// nothing.
//
// The package is only for tests and not for files that the judge itself writes. Only this package defines the flag
// -update.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Updating reports whether the golden files are to be written.
func Updating() bool { return *update }

// Check fails the test if got differs from the golden file.
func Check(t testing.TB, file string, got []byte) {
	t.Helper()
	if len(got) == 0 {
		t.Errorf("%s: got nothing to compare; an empty golden file proves nothing", file)
		return
	}
	if *update {
		write(t, file, got)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("%v\nto accept what the test makes now: go test -update, and read the git diff", err)
		return
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the test made; to accept it: go test -update\n%s", file, diff.Diff("want", want, "got", got))
	}
}

// write writes a golden file unless it is already up to date.
func write(t testing.TB, file string, got []byte) {
	t.Helper()
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, got) {
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, got, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Logf("wrote %s", file)
}

// Files returns the files that match a pattern, sorted. It fails the test if there are none.
func Files(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("pattern %q: %v", pattern, err)
	}
	if len(files) == 0 {
		t.Fatalf("no file matches %q: there is nothing to test", pattern)
	}
	return files
}

// Splice returns text with a part replaced by the string put. The part starts at the index at, and without is its
// length in bytes. Both integers may have any values, because Splice reduces them to valid ones. Fuzz targets use
// Splice to derive inputs from a long seed.
func Splice(text string, at, length int, insertion string) string {
	from := int(uint(at) % uint(len(text)+1))
	to := from + int(uint(length)%uint(len(text)-from+1))
	return text[:from] + insertion + text[to:]
}
