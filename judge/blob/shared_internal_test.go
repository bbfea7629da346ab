package blob

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
)

// TestAReadFails checks that a file whose disk fails in the middle counts as away, with and without the mark of its
// directory, and that other errors stay what they are.
func TestAReadFails(t *testing.T) {
	dir := t.TempDir()
	shared, err := OpenSharedDir(dir)
	if err == nil {
		err = shared.SetMark("one")
	}
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := shared.Add(strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	reader, err := shared.Get(d)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	opened := reader.(sharedFile)
	for _, marked := range []bool{true, false} {
		for _, tt := range []struct {
			err  error
			away bool
		}{{syscall.ESTALE, true}, {syscall.EIO, true}, {syscall.ETIMEDOUT, true}, {syscall.EISDIR, false}, {io.EOF, false}} {
			fails := tt.err
			if fails != io.EOF {
				fails = &fs.PathError{Op: "read", Path: "file", Err: tt.err}
			}
			file := opened
			file.ReadCloser = io.NopCloser(io.MultiReader(strings.NewReader("he"), iotest.ErrReader(fails)))
			got, err := io.ReadAll(file)
			if fails == io.EOF {
				fails = nil
			}
			away := tt.away || !marked && fails != nil
			if string(got) != "he" || errors.Is(err, ErrAway) != away || (err == nil) != (fails == nil) ||
				marked && !errors.Is(err, fails) {
				t.Errorf("%v, marked %v: %q, %v", tt.err, marked, got, err)
			}
		}
		if marked {
			err = os.Remove(filepath.Join(dir, markFile))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
