package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSubmitWatched saves solutions repeatedly. It checks that all solutions are judged first, and that each
// solution is rejudged when it is saved.
func TestSubmitWatched(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.sh"), filepath.Join(dir, "b.sh")
	save := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	save(a, "echo 1\n")
	save(b, "echo 22\n")
	out, lines := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		var errs bytes.Buffer
		code := run(ctx, []string{"submit", "wythoff", a, b, "--watch", "--case", "sample/take-from-both"}, &console{
			in: strings.NewReader(""), out: lines, err: &errs,
		})
		lines.CloseWithError(fmt.Errorf("the watch ended: %s", errs.String()))
		ended <- code
	}()
	read := bufio.NewScanner(out)
	until := func(want string) {
		t.Helper()
		for read.Scan() {
			if strings.Contains(read.Text(), want) {
				return
			}
		}
		t.Fatalf("%q does not come: %v", want, read.Err())
	}
	until("0 of 2 solutions accepted")
	save(b, "echo 1 1\n")
	until("b.sh  (")
	until("WA  wrong answer on sample/take-from-both")
	if err := os.Remove(a); err != nil { // as some editors do before they write
		t.Fatal(err)
	}
	save(a, "echo 3 5\n")
	until("a.sh  (")
	until("AC  accepted")
	stop()
	go io.Copy(io.Discard, out)
	if code := <-ended; code == 0 {
		t.Error("the exit code after Ctrl-C is 0")
	}
}
