package kitproc_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/internal/kitproc"
	"assay/judge/internal/unboxed"
	"assay/judge/kit"
)

// TestMain also serves as the programs that the tests start. An environment variable selects the program.
func TestMain(m *testing.M) {
	play := os.Getenv("KITPROC_TEST_PLAY")
	if play == "" {
		os.Exit(m.Run())
	}
	if play == "reader" {
		seen := 0
		kit.Check(func(t *kit.Test) { seen++; t.Quit(kit.OK, "%d of %d bytes", seen, len(t.Out.Rest())) })
		return
	}
	if play == "validator" {
		kit.Validate(func(in *kit.Reader) { in.Rest() })
		return
	}
	if hello := os.Getenv("KITPROC_TEST_HELLO"); hello != "" {
		fmt.Println(hello)
	}
	bad[play].program()
}

// request waits for a request, like a correct program.
func request() {
	if _, err := kit.ReadFrame(bufio.NewReader(os.Stdin), 1<<30); err != nil {
		os.Exit(9)
	}
}

// bad maps each kind of misbehavior to a program and the expected error.
var bad = map[string]struct {
	hello   string
	program func()
	want    string
}{
	"dies at a request": {kit.Hello + " checker", func() { request(); fmt.Fprintln(os.Stderr, "oh no"); os.Exit(7) },
		"checker broken.go ended (exit code 7) before it answered\nits standard error ends:\noh no\n"},
	"dies without reading the request": {
		kit.Hello + " checker", func() { os.Exit(7) },
		"checker broken.go ended (exit code 7) before it answered",
	},
	"is silent": {
		kit.Hello + " checker", func() { io.Copy(io.Discard, os.Stdin) },
		"checker broken.go gave no answer within PATIENCE",
	},
	"reads nothing": {
		kit.Hello + " checker", func() { time.Sleep(time.Hour) },
		"checker broken.go gave no answer within PATIENCE",
	},
	"prints into the protocol": {kit.Hello + " checker", func() { request(); fmt.Print("debug: x=1\nok 0\n"); request() },
		`checker broken.go answers nonsense: not a frame: "debug: x=1\n": "x=1" is not a length`},
	"answers twice": {kit.Hello + " checker", func() { request(); fmt.Print("ok 0\nok 0\n"); request() },
		"checker broken.go answers nonsense: more than one answer"},
	"has verdicts of its own": {kit.Hello + " checker", func() { request(); fmt.Print("maybe 0\n"); request() },
		`checker broken.go answers nonsense: "maybe" is not a verdict`},
	"answers in pieces": {kit.Hello + " checker", func() { request(); fmt.Print("ok 0 0\n"); request() },
		"checker broken.go answers nonsense: 2 texts instead of one"},
	"promises more than it may": {kit.Hello + " checker", func() { request(); fmt.Print("ok 5000\n"); request() },
		"checker broken.go answers nonsense: frame of 5000 bytes; at most 4096 are taken"},
	"stops inside an answer": {kit.Hello + " checker", func() { request(); fmt.Print("ok 50\nabc") },
		"checker broken.go answers nonsense: frame ends early: unexpected EOF"},
	"ends at once": {"", func() { fmt.Fprintln(os.Stderr, "usage: me <in> <out>"); os.Exit(3) },
		"checker broken.go ended (exit code 3) before it greeted the judge; a program without judge/kit needs speaks = \"testlib\" or " +
			"\"kattis\", and one with it must not print before kit.Check\nits standard error ends:\nusage: me <in> <out>\n"},
	"waits for input first": {
		"", func() { io.Copy(io.Discard, os.Stdin) },
		"checker broken.go did not greet the judge within PATIENCE; a program without judge/kit needs speaks = \"testlib\" or \"kattis\", and " +
			"one with it must not print before kit.Check",
	},
	"is not a kit program": {"42 is the answer", func() { time.Sleep(time.Hour) },
		"checker broken.go does not speak the kit's protocol: it first wrote \"42 is the answer\";" +
			" a program without judge/kit needs speaks = \"testlib\" or \"kattis\", and one with it must not print before kit.Check"},
	"floods": {strings.Repeat("x", 5000), func() { time.Sleep(time.Hour) },
		"checker broken.go does not speak the kit's protocol: it first wrote \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\";" +
			" a program without judge/kit needs speaks = \"testlib\" or \"kattis\", and one with it must not print before kit.Check"},
	"is of another time": {
		"assay-kit 2 checker", func() { time.Sleep(time.Hour) },
		"checker broken.go speaks version \"2\" of the kit's protocol, the judge speaks 1",
	},
	"is a validator": {
		kit.Hello + " validator", func() { time.Sleep(time.Hour) },
		`checker broken.go calls itself "validator", and should be "checker"`,
	},
}

func TestBrokenPrograms(t *testing.T) {
	for name, row := range bad {
		t.Run("it says so of a program that "+name, func(t *testing.T) {
			t.Parallel()
			limits := judge.Limits{Wall: time.Minute, Output: 4096}
			impatient := strings.Contains(row.want, "PATIENCE")
			if impatient {
				limits.Wall = 50 * time.Millisecond
			}
			p := play(t, name)
			p.Name = "broken.go"
			p.Env = append(p.Env, "KITPROC_TEST_HELLO="+row.hello)
			k, err := kitproc.Start(t.Context(), unboxed.Runner{}, p, "checker", limits)
			for impatient && row.hello != "" && err != nil { // the greeting was too slow on a slow machine
				limits.Wall *= 2
				k, err = kitproc.Start(t.Context(), unboxed.Runner{}, p, "checker", limits)
			}
			if err == nil {
				defer k.Close()
				big := kitproc.Bytes(make([]byte, 1<<20))
				_, _, err = k.Ask(t.Context(), "check", kitproc.Text("x"), big, big, big)
			}
			broken, ok := errors.AsType[*kitproc.BrokenError](err)
			if !ok {
				t.Fatalf("error = %v (%T), want a *BrokenError", err, err)
			}
			want := strings.Replace(row.want, "PATIENCE", limits.Wall.String(), 1)
			if got := broken.Error(); got != want {
				t.Errorf("error = %q\nwant    %q", got, want)
			}
		})
	}
}

func TestStateIsKeptWhileTheProgramRuns(t *testing.T) {
	k := startReader(t)
	for i := range 3 {
		big := bytes.Repeat([]byte("0123456789abcdef"), 1+rand.IntN(100_000))
		out := io.NewSectionReader(bytes.NewReader(big), 7, int64(len(big))-7)
		verdict, message, err := k.Ask(t.Context(), "check", kitproc.Text("a/b"), kitproc.Text(""), out, kitproc.Text("z"))
		want := fmt.Sprintf("%d of %d bytes", i+1, len(big)-7)
		if err != nil || verdict != kit.OK || string(message) != want {
			t.Fatalf("Ask = %q, %q, %v, want ok, %q", verdict, message, err, want)
		}
	}
}

func TestABrokenProgramIsStartedAgain(t *testing.T) {
	k := startReader(t)
	ask := func(ctx context.Context, name string) (string, error) {
		_, message, err := k.Ask(ctx, "check", kitproc.Text(name), kitproc.Text(""), kitproc.Text("12"), kitproc.Text(""))
		return string(message), err
	}
	if got, err := ask(t.Context(), "1"); err != nil || got != "1 of 2 bytes" {
		t.Fatalf("first Ask = %q, %v", got, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ask(ended, "2"); !errors.Is(err, context.Canceled) {
		t.Fatalf("Ask with an ended context = %v, want %v", err, context.Canceled)
	}
	_, _, err := k.Ask(t.Context(), "check") // no parts: the kit answers fail and continues
	if err != nil {
		t.Fatal(err)
	}
	tooMany := make([]kitproc.RequestPart, kit.MaxParts+1)
	for i := range tooMany {
		tooMany[i] = kitproc.Text("")
	}
	if _, _, err := k.Ask(t.Context(), "check", tooMany...); err == nil {
		t.Fatal("Ask with too many parts worked")
	}
	if got, err := ask(t.Context(), "3"); err != nil || got != "2 of 2 bytes" {
		t.Fatalf("Ask after refusals = %q, %v", got, err)
	}
	// A verb with a line feed makes two frames. The second one is invalid.
	_, _, err = k.Ask(t.Context(), "check\n\n")
	if broken, ok := errors.AsType[*kitproc.BrokenError](err); ok && broken.LostAnswers == 0 {
		t.Errorf("Forgot = 0 after answers were given: %v", err)
	} else if !ok {
		ask(t.Context(), "4") // sees the program's exit if the first frame was answered in time
	}
	if got, err := ask(t.Context(), "5"); err != nil || got != "1 of 2 bytes" {
		t.Errorf("Ask of the new program = %q, %v, want its first", got, err)
	}
}

func TestAReaderThatFailsIsTheMachinesFault(t *testing.T) {
	k := startReader(t)
	short := io.NewSectionReader(strings.NewReader("abc"), 0, 10)
	_, _, err := k.Ask(t.Context(), "check", kitproc.Text("x"), kitproc.Text(""), short, kitproc.Text(""))
	if err == nil {
		t.Fatal("Ask with a part that is too short worked")
	}
	if _, ok := errors.AsType[*kitproc.BrokenError](err); ok {
		t.Errorf("the program is blamed: %v", err)
	}
}

func TestTheEndOfTheContextInterrupts(t *testing.T) {
	p := play(t, "is silent")
	p.Env = append(p.Env, "KITPROC_TEST_HELLO="+kit.Hello+" checker")
	ctx, cancel := context.WithCancel(t.Context())
	k, err := kitproc.Start(t.Context(), unboxed.Runner{}, p, "checker", judge.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	read := callback{strings.NewReader("x"), cancel}
	if _, _, err := k.Ask(ctx, "check", read); !errors.Is(err, context.Canceled) {
		t.Errorf("Ask = %v, want %v", err, context.Canceled)
	}
}

// callback is a part that calls a function when it is read.
type callback struct {
	*strings.Reader
	call func()
}

func (c callback) ReadAt(b []byte, off int64) (int, error) {
	c.call()
	return c.Reader.ReadAt(b, off)
}

func startReader(t *testing.T) *kitproc.Proc {
	t.Helper()
	k, err := kitproc.Start(t.Context(), unboxed.Runner{}, play(t, "reader"), "checker", judge.Limits{Wall: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// play returns a program that runs this test binary.
func play(t *testing.T, name string) *judge.Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &judge.Program{
		Name: name, Dir: filepath.Dir(self),
		Argv: []string{judge.ProgramDir + "/" + filepath.Base(self)},
		Env:  []string{"KITPROC_TEST_PLAY=" + name},
	}
}
