// Package golden compares what a test made with a file that a person has read
// and accepted.
//
//	golden.Check(t, "testdata/golden/accepted.txt", got)
//
// Run "go test ./... -update" to write what the tests make now, and read the
// result with git diff before you commit it. A missing golden file is a failure,
// and so is a pattern that no file matches: a test over no files proves nothing.
//
// The package is for tests only and is not for files that the judge itself
// writes. It is the one place that defines the flag -update.
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

// Check fails the test where got is not what the golden file holds.
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

// write writes a golden file, and leaves one alone that is right already.
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

// Files returns the files that match a pattern, sorted. It ends the test where
// there are none.
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

// Splice puts a text into another at a place, instead of some bytes: what a fuzz target
// makes of a long seed and few bytes. Any numbers will do.
func Splice(text string, at, without int, put string) string {
	from := int(uint(at) % uint(len(text)+1))
	to := from + int(uint(without)%uint(len(text)-from+1))
	return text[:from] + put + text[to:]
}
