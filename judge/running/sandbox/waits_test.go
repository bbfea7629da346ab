//go:build linux && (amd64 || arm64)

package sandbox_test

import (
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// silence is a reader that blocks until its context is done.
type silence struct{ context.Context }

func (s silence) Read([]byte) (int, error) {
	<-s.Done()
	return 0, io.EOF
}

// TestASleeperLendsItsSlot checks that an idle run lends its slot to another run, and gets a slot again when it
// continues.
func TestASleeperLendsItsSlot(t *testing.T) {
	slots := sandbox.NewSlots(2)
	s := newSandbox(t, sandbox.Options{Slots: slots})
	until := func(taken int, when string) {
		t.Helper()
		for end := time.Now().Add(3 * time.Minute); len(slots) != taken; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: %d slots are taken, want %d", when, len(slots), taken)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	start := func(script string) (input io.Writer) {
		in, out := io.Pipe()
		t.Cleanup(func() { out.Close() })
		go func() {
			_, _ = s.Run(ctx, &judge.Command{Argv: []string{"/bin/sh", "-c", script}, Stdin: in}) // it is ended
			ended <- struct{}{}
		}()
		return out
	}
	works := start("read line; while :; do :; done")
	start("read line")
	until(0, "both wait")
	for range 3 {
		if _, err := s.Run(t.Context(), &judge.Command{Argv: []string{"/bin/cat"}}); err != nil {
			t.Error(err)
		}
	}
	if _, err := works.Write([]byte("go\n")); err != nil {
		t.Fatal(err)
	}
	until(1, "one goes on")
	cancel()
	<-ended
	<-ended
	until(0, "both have ended")

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	said := make(chan struct{})
	go func() { // a run that fills memory keeps its slot
		_, _ = s.Run(ctx, &judge.Command{ // it is ended
			Argv:   []string{"/bin/sh", "-c", "x=$(head -c 100000000 /dev/zero | tr '\\0' x); echo; read line"},
			Stdin:  silence{ctx},
			Stdout: writerFunc(sync.OnceFunc(func() { close(said) })),
		})
		ended <- struct{}{}
	}()
	<-said
	time.Sleep(time.Second)
	if len(slots) != 1 {
		t.Error("a program with much memory lends its slot, too")
	}
	cancel()
	<-ended

	joined, begun := make(chan struct{}), make(chan struct{})
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	go func() { // two processes that wait for each other, without a limit
		defer close(joined)
		talks := &judge.Command{Argv: []string{"/bin/sh", "-c", "echo hello; while read line; do :; done"}}
		begins := writerFunc(sync.OnceFunc(func() { close(begun) }))
		_, _ = s.Join(ctx, []sandbox.Joined{{Command: talks, OutputTo: 1, Copy: begins},
			{Command: talks, OutputTo: 0, Copy: io.Discard}}) // it is ended
	}()
	<-begun
	until(0, "both sides wait")
	cancel()
	<-joined
	until(0, "the dialogue has ended")
}
