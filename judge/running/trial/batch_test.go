package trial_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/check"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// runner is a judge.Runner whose programs are functions.
type runner func(in string, out, stderr io.Writer) (judge.Exec, error)

func (r runner) Run(_ context.Context, c *judge.Command) (judge.Exec, error) {
	in, err := io.ReadAll(c.Stdin)
	if err != nil {
		return judge.Exec{}, err
	}
	return r(string(in), c.Stdout, c.Stderr)
}

func (runner) Start(context.Context, *judge.Command) (judge.Process, error) {
	return nil, errors.New("not here")
}

// newBatch returns a bench for one case with this input and answer.
func newBatch(t *testing.T, in, ans string, r runner) (*trial.Batch, *judge.Case) {
	t.Helper()
	dir := t.TempDir()
	c := &judge.Case{Group: "g", Name: "c", In: filepath.Join(dir, "c.in"), Ans: filepath.Join(dir, "c.ans")}
	for path, text := range map[string]string{c.In: in, c.Ans: ans} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	checker, err := check.Builtin("tokens", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { checker.Close() })
	b := &trial.Batch{
		Runner:  r,
		Checker: checker,
		TempDir: dir,
		BuildSubmission: func(context.Context) (*lang.Result, error) {
			return &lang.Result{OK: true, Program: &judge.Program{Argv: []string{"/program/x"}}}, nil
		},
	}
	if built, err := b.Build(t.Context()); err != nil || built.Verdict != judge.NotJudged {
		t.Fatalf("Build = %+v, %v", built, err)
	}
	return b, c
}

func TestBatch(t *testing.T) {
	long := strings.Repeat("0123456789\n", 1<<18) // more than is kept in memory
	tests := []struct {
		name    string
		ans     string
		program runner
		want    judge.Verdict
		stderr  string
	}{
		{"it accepts what the checker accepts", "3 4\n", func(in string, out, _ io.Writer) (judge.Exec, error) {
			io.WriteString(out, in)
			return judge.Exec{}, nil
		}, judge.Accepted, ""},
		{"it keeps outputs that do not fit into memory", long, func(_ string, out, _ io.Writer) (judge.Exec, error) {
			for chunk := range bytes.Lines([]byte(long)) {
				out.Write(chunk)
			}
			return judge.Exec{}, nil
		}, judge.Accepted, ""},
		{"it refuses what the checker refuses", "5\n", func(_ string, out, _ io.Writer) (judge.Exec, error) {
			io.WriteString(out, "6\n")
			return judge.Exec{}, nil
		}, judge.WrongAnswer, ""},
		{"it keeps the end of what a failing program says", "5\n", func(_ string, _, stderr io.Writer) (judge.Exec, error) {
			io.WriteString(stderr, strings.Repeat("noise\n", 1000)+"the end")
			return judge.Exec{Exit: 1}, nil
		}, judge.RunTimeError, "the end"},
		{"it blames the contestant for a program that cannot be executed", "5\n", func(string, io.Writer, io.Writer) (judge.Exec, error) {
			return judge.Exec{}, &judge.ExecError{Argv0: "/program/x", Reason: "not executable"}
		}, judge.RunTimeError, "not executable"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, c := newBatch(t, "3 4\n", test.ans, test.program)
			a, err := b.Try(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			verdict := judge.Classify(a.Exec, b.Limits)
			if verdict == judge.NotJudged {
				o, err := b.Check(t.Context(), c, a)
				if err != nil {
					t.Fatal(err)
				}
				verdict = o.Verdict
			}
			if verdict != test.want || !strings.HasSuffix(strings.TrimSpace(string(a.Stderr)), test.stderr) {
				t.Errorf("verdict %q with %q, want %q with %q", verdict, a.Stderr, test.want, test.stderr)
			}
			if len(a.Stderr) > 3<<10 {
				t.Errorf("kept %d bytes of standard error", len(a.Stderr))
			}
			if names, _ := filepath.Glob(filepath.Join(b.TempDir, "assay-output-*")); len(names) > 0 {
				t.Errorf("the output has a name that can stay behind: %q", names)
			}
		})
	}
}

func TestBatchErrors(t *testing.T) {
	quiet := runner(func(string, io.Writer, io.Writer) (judge.Exec, error) { return judge.Exec{}, nil })
	t.Run("a missing input is the setter's fault", func(t *testing.T) {
		b, c := newBatch(t, "", "", quiet)
		os.Remove(c.In)
		_, err := b.Try(t.Context(), c)
		if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || fault.File != c.In {
			t.Errorf("got %v, want a fault of %s", err, c.In)
		}
	})
	t.Run("a missing answer is the setter's fault", func(t *testing.T) {
		b, c := newBatch(t, "", "", quiet)
		os.Remove(c.Ans)
		a, err := b.Try(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Check(t.Context(), c, a)
		if fault, ok := errors.AsType[*judge.ProblemError](err); !ok || fault.File != c.Ans {
			t.Errorf("got %v, want a fault of %s", err, c.Ans)
		}
	})
	t.Run("a machine that fails causes no verdict", func(t *testing.T) {
		broken := errors.New("no more processes")
		b, c := newBatch(t, "", "", func(string, io.Writer, io.Writer) (judge.Exec, error) { return judge.Exec{}, broken })
		if _, err := b.Try(t.Context(), c); !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	})
	t.Run("outputs are kept where they are asked for", func(t *testing.T) {
		b, c := newBatch(t, "", "x\n", func(_ string, out, _ io.Writer) (judge.Exec, error) {
			io.WriteString(out, "x\n")
			return judge.Exec{}, nil
		})
		kept := ""
		b.KeepOutput = func(c *judge.Case, out *io.SectionReader) error {
			data, err := io.ReadAll(out)
			kept = c.ID() + ":" + string(data)
			return err
		}
		a, err := b.Try(t.Context(), c)
		if err != nil || kept != "g/c:x\n" {
			t.Errorf("kept %q, %v", kept, err)
		}
		// The kept output can still be checked.
		if o, err := b.Check(t.Context(), c, a); err != nil || o.Verdict != judge.Accepted {
			t.Errorf("Check = %+v, %v", o, err)
		}
	})
}

// timed returns a runner whose runs end like the given results, in order.
func timed(ends ...judge.Exec) runner {
	var next atomic.Int32
	return func(string, io.Writer, io.Writer) (judge.Exec, error) {
		return ends[next.Add(1)-1], nil
	}
}

func TestRetime(t *testing.T) {
	limits := judge.Limits{CPU: time.Second, Wall: 3 * time.Second}
	slow := judge.Exec{CPU: 1150 * time.Millisecond}
	hopeless := judge.Exec{CPU: 1201 * time.Millisecond, Killed: judge.CPUTime}
	starved := judge.Exec{CPU: 900 * time.Millisecond, Wall: 3 * time.Second, Killed: judge.WallTime}
	asleep := judge.Exec{CPU: time.Millisecond, Wall: 3 * time.Second, Killed: judge.WallTime}
	idle := judge.Exec{CPU: time.Millisecond, Wall: 3 * time.Second, Killed: judge.WallTime, Asleep: true}
	good := judge.Exec{CPU: 950 * time.Millisecond}
	again, late := trial.RunMode{Retime: true}, trial.RunMode{Retime: true, KnownSlow: true}
	tests := []struct {
		name  string
		way   trial.RunMode
		runs  []judge.Exec
		want  judge.Verdict
		noted bool
	}{
		{"a run within its limit stands", again, []judge.Exec{good}, judge.NotJudged, false},
		{"a run that was a little slow beside others is repeated", again, []judge.Exec{slow, good}, judge.NotJudged, true},
		{"a run that is slow alone too is too slow", again, []judge.Exec{slow, slow}, judge.TimeLimit, true},
		{"a hopeless run is not repeated", again, []judge.Exec{hopeless}, judge.TimeLimit, false},
		{"a run that got too little of the processor is repeated", again, []judge.Exec{starved, good}, judge.NotJudged, true},
		{"a run that waited by itself is idle when it does so alone", again, []judge.Exec{asleep, asleep}, judge.IdlenessLimit, true},
		{"a run of which is known that it waited by itself is not repeated", again, []judge.Exec{idle}, judge.IdlenessLimit, false},
		{"a run that others kept waiting is repeated", again, []judge.Exec{asleep, good}, judge.NotJudged, true},
		{"nothing is repeated where that is off", trial.RunMode{}, []judge.Exec{slow}, judge.TimeLimit, false},
		{"a run that is to be too slow is not repeated where it is", late, []judge.Exec{slow}, judge.TimeLimit, false},
		{"a run that is to be too slow and waited is repeated", late, []judge.Exec{asleep, slow}, judge.TimeLimit, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, c := newBatch(t, "", "", timed(test.runs...))
			b.Limits, b.RunMode = limits, test.way
			a, err := b.Try(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if got := judge.Classify(a.Exec, limits); got != test.want || (a.Note != "") != test.noted {
				t.Errorf("verdict %q with the note %q, want %q", got, a.Note, test.want)
			}
		})
	}
}

// limited is a runner that records the CPU time limit of each run.
type limited struct {
	runner
	cpu *[]time.Duration
}

func (l limited) Run(ctx context.Context, c *judge.Command) (judge.Exec, error) {
	*l.cpu = append(*l.cpu, c.Limits.CPU)
	return l.runner.Run(ctx, c)
}

// TestHowNearItWas checks that a run may continue slightly beyond its limit, repeated or not, so that its time
// shows by how much it was too slow. If runs are not repeated, or the program is known to be too slow, the run is
// killed at its limit.
func TestHowNearItWas(t *testing.T) {
	for way, want := range map[trial.RunMode][]time.Duration{
		{Retime: true}:                  {1200 * time.Millisecond, 1200 * time.Millisecond},
		{}:                              {time.Second},
		{Retime: true, KnownSlow: true}: {time.Second},
	} {
		b, c := newBatch(t, "", "", timed(judge.Exec{CPU: 1150 * time.Millisecond}, judge.Exec{CPU: 1150 * time.Millisecond}))
		var cpu []time.Duration
		b.Limits, b.RunMode = judge.Limits{CPU: time.Second}, way
		b.Runner = limited{b.Runner.(runner), &cpu}
		if _, err := b.Try(t.Context(), c); err != nil || !slices.Equal(cpu, want) {
			t.Errorf("%+v: the limits were %v, %v; want %v", way, cpu, err, want)
		}
	}
}

// TestRunAgainAlone checks that a repeated run waits for the runs of other benches that share the ExclusiveLock. In the
// test, another bench's run lasts until the repeated run starts, but at most 200 ms, because the repeated run
// should wait.
func TestRunAgainAlone(t *testing.T) {
	var quiet trial.ExclusiveLock
	otherRuns, again := make(chan struct{}), make(chan struct{})
	var busy, overlapped atomic.Bool
	other, otherCase := newBatch(t, "", "", func(string, io.Writer, io.Writer) (judge.Exec, error) {
		busy.Store(true)
		defer busy.Store(false)
		close(otherRuns)
		select {
		case <-again:
		case <-time.After(200 * time.Millisecond):
		}
		return judge.Exec{}, nil
	})
	runs := 0
	b, c := newBatch(t, "", "", func(string, io.Writer, io.Writer) (judge.Exec, error) {
		if runs++; runs == 1 {
			<-otherRuns
			return judge.Exec{CPU: 1050 * time.Millisecond}, nil // slightly too slow, so it is repeated
		}
		overlapped.Store(busy.Load())
		close(again)
		return judge.Exec{}, nil
	})
	b.Limits, b.Retime = judge.Limits{CPU: time.Second}, true
	b.Exclusive, other.Exclusive = &quiet, &quiet
	ended := make(chan error, 1)
	go func() {
		_, err := other.Try(t.Context(), otherCase)
		ended <- err
	}()
	if _, err := b.Try(t.Context(), c); err != nil || runs != 2 {
		t.Fatalf("%d runs, %v; want the second one alone", runs, err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if overlapped.Load() {
		t.Error("what was to run again alone ran beside another bench's run")
	}
}
