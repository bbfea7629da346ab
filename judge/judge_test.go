package judge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge"
)

// bench is a fake judge.Executor. Its programs take time only according to the clock of synctest.
type bench struct {
	built judge.Built
	// verdicts by case name; cases without an entry are accepted. RTE and TLE come from the attempt, WA and JE
	// from the check.
	verdicts map[string]judge.Verdict
	takes    map[string]time.Duration
	tryErr   error

	open, tried atomic.Int32
	checking    atomic.Int32
	checked     []string
}

func (b *bench) Build(context.Context) (*judge.Built, error) { return &b.built, nil }

func (b *bench) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	b.tried.Add(1)
	select {
	case <-time.After(b.takes[c.Name]):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if b.tryErr != nil {
		return nil, b.tryErr
	}
	b.open.Add(1)
	a := &judge.Attempt{Out: io.NewSectionReader(strings.NewReader("x"), 0, 1), Close: func() { b.open.Add(-1) }}
	switch b.verdicts[c.Name] {
	case judge.RunTimeError:
		a.Exec.Exit = 1
	case judge.TimeLimit:
		a.Exec.Killed = judge.CPUTime
	}
	return a, nil
}

func (b *bench) Check(_ context.Context, c *judge.Case, _ *judge.Attempt) (judge.Outcome, error) {
	if b.checking.Add(1) != 1 {
		panic("two checks at once")
	}
	defer b.checking.Add(-1)
	b.checked = append(b.checked, c.Name)
	if v := b.verdicts[c.Name]; v != judge.NotJudged {
		return judge.Outcome{Verdict: v, Message: "message"}, nil
	}
	return judge.Outcome{Verdict: judge.Accepted}, nil
}

func (b *bench) Explain(*judge.Case, *judge.Attempt, judge.Outcome) *judge.Detail {
	return &judge.Detail{}
}

func (b *bench) Static(_ context.Context, n *judge.Node) (judge.Outcome, error) {
	return judge.Outcome{Verdict: judge.Accepted}, nil
}

func (b *bench) Grade(context.Context, *judge.Node, []judge.Result) (judge.Result, error) {
	return judge.Result{Verdict: judge.Accepted, Points: 7}, nil
}

// twoGroups returns a problem with the cases a0..a4 and b0..b4.
func twoGroups() *judge.Problem {
	p := &judge.Problem{ID: "p"}
	for _, name := range []string{"a", "b"} {
		g := judge.Group{Name: name}
		for i := range 5 {
			g.Cases = append(g.Cases, judge.Case{Group: name, Name: fmt.Sprint(name, i)})
		}
		p.Groups = append(p.Groups, g)
	}
	return p
}

// transcript runs b and returns the events, one word per event.
func transcript(t *testing.T, b *bench, o judge.Options) (string, *judge.Finished) {
	t.Helper()
	var words []string
	var sum *judge.Finished
	synctest.Test(t, func(t *testing.T) {
		got, err := judge.Run(t.Context(), twoGroups(), b, o, func(e judge.Event) {
			switch e := e.(type) {
			case *judge.CaseJudged:
				words = append(words, e.Case+":"+string(e.Verdict))
			case *judge.GroupJudged:
				words = append(words, fmt.Sprintf("%s:%s:%d/%d", e.Group, e.Verdict, e.Passed, e.Cases))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		sum = got
	})
	if n := b.open.Load(); n != 0 {
		t.Errorf("%d attempts were not given back", n)
	}
	return strings.Join(words, " "), sum
}

func TestRun(t *testing.T) {
	tests := []struct {
		name     string
		verdicts map[string]judge.Verdict
		options  judge.Options
		want     string
		verdict  judge.Verdict
		first    string
	}{
		{"it accepts when every case is accepted", nil, judge.Options{},
			"a0:AC a1:AC a2:AC a3:AC a4:AC a:AC:5/5 b0:AC b1:AC b2:AC b3:AC b4:AC b:AC:5/5", judge.Accepted, ""},
		{"it stops at the first failure", map[string]judge.Verdict{"a3": judge.WrongAnswer, "b0": judge.TimeLimit}, judge.Options{},
			"a0:AC a1:AC a2:AC a3:WA a4:SK a:WA:3/5 b0:SK b1:SK b2:SK b3:SK b4:SK b:SK:0/5", judge.WrongAnswer, "a/a3"},
		{"it goes on with All, and the first failure still decides", map[string]judge.Verdict{
			"a3": judge.WrongAnswer, "b0": judge.TimeLimit,
		}, judge.Options{ContinueAfterFailure: true},
			"a0:AC a1:AC a2:AC a3:WA a4:AC a:WA:4/5 b0:TLE b1:AC b2:AC b3:AC b4:AC b:TLE:4/5", judge.WrongAnswer, "a/a3"},
		{"it loses patience with slow cases", map[string]judge.Verdict{
			"a1": judge.TimeLimit, "a3": judge.TimeLimit,
		}, judge.Options{ContinueAfterFailure: true, MaxTimeouts: 2},
			"a0:AC a1:TLE a2:AC a3:TLE a4:SK a:TLE:2/5 b0:SK b1:SK b2:SK b3:SK b4:SK b:SK:0/5", judge.TimeLimit, "a/a1"},
		{"it stops after enough failures", map[string]judge.Verdict{
			"a1": judge.WrongAnswer, "a3": judge.RunTimeError, "b0": judge.WrongAnswer,
		}, judge.Options{ContinueAfterFailure: true, MaxFailures: 2},
			"a0:AC a1:WA a2:AC a3:RTE a4:SK a:RTE:2/5 b0:SK b1:SK b2:SK b3:SK b4:SK b:SK:0/5", judge.WrongAnswer, "a/a1"},
		{"it lets a judge error go before everything", map[string]judge.Verdict{
			"a1": judge.RunTimeError, "b4": judge.JudgeError,
		}, judge.Options{ContinueAfterFailure: true},
			"a0:AC a1:RTE a2:AC a3:AC a4:AC a:RTE:4/5 b0:AC b1:AC b2:AC b3:AC b4:JE b:JE:4/5", judge.JudgeError, "b/b4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, jobs := range []int{1, 2, 7, 100} {
				// The first cases take longest, so that they finish last if there are many jobs.
				takes := map[string]time.Duration{}
				for i, name := range strings.Fields("a0 a1 a2 a3 a4 b0 b1 b2 b3 b4") {
					takes[name] = time.Duration(10-i) * time.Second
				}
				b := &bench{verdicts: test.verdicts, takes: takes}
				test.options.Jobs = jobs
				got, sum := transcript(t, b, test.options)
				if got != test.want {
					t.Errorf("%d jobs:\n got %s\nwant %s", jobs, got, test.want)
				}
				if sum.Verdict != test.verdict || sum.First != test.first {
					t.Errorf("%d jobs: verdict %q at %q, want %q at %q", jobs, sum.Verdict, sum.First, test.verdict, test.first)
				}
			}
		})
	}
}

func TestRunChecksInOrder(t *testing.T) {
	b := &bench{takes: map[string]time.Duration{"a0": time.Hour}}
	transcript(t, b, judge.Options{Jobs: 10})
	if got, want := strings.Join(b.checked, " "), "a0 a1 a2 a3 a4 b0 b1 b2 b3 b4"; got != want {
		t.Errorf("checked %s, want %s", got, want)
	}
}

// TestLending checks that more cases than Jobs are started if the runner limits concurrency itself.
func TestLending(t *testing.T) {
	b := &bench{takes: map[string]time.Duration{}}
	for _, g := range twoGroups().Groups {
		for _, c := range g.Cases {
			b.takes[c.Name] = time.Hour
		}
	}
	for _, row := range []struct {
		o    judge.Options
		want time.Duration
	}{
		{judge.Options{Jobs: 2}, 5 * time.Hour},
		{judge.Options{Jobs: 2}.WithExtraJobs(), 2 * time.Hour}, // first 8 of the 10 cases, then 2
		{judge.Options{Jobs: 1}.WithExtraJobs(), 10 * time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			if _, err := judge.Run(t.Context(), twoGroups(), b, row.o, func(judge.Event) {}); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != row.want {
				t.Errorf("%+v: took %v, want %v", row.o, took, row.want)
			}
		})
	}
}

func TestRunDoesNotRunFarAhead(t *testing.T) {
	b := &bench{verdicts: map[string]judge.Verdict{"a0": judge.WrongAnswer}}
	transcript(t, b, judge.Options{Jobs: 1})
	if n := b.tried.Load(); n > 7 {
		t.Errorf("tried %d cases after the first had failed", n)
	}
}

func TestRunOfWhatDoesNotCompile(t *testing.T) {
	b := &bench{built: judge.Built{Verdict: judge.CompileError, Log: "x.c:1: error"}}
	got, sum := transcript(t, b, judge.Options{Jobs: 2})
	if got != "" || sum.Verdict != judge.CompileError || b.tried.Load() != 0 {
		t.Errorf("events %q, verdict %q, %d tries; want none, CE, none", got, sum.Verdict, b.tried.Load())
	}
}

func TestRunErrors(t *testing.T) {
	t.Run("it passes on what goes wrong with the machine", func(t *testing.T) {
		broken := errors.New("disk on fire")
		b := &bench{tryErr: broken}
		_, err := judge.Run(t.Context(), twoGroups(), b, judge.Options{Jobs: 3}, func(judge.Event) {})
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "a/a0") {
			t.Errorf("got %v, want %v with the case", err, broken)
		}
	})
	t.Run("it ends with its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			b := &bench{takes: map[string]time.Duration{"a2": time.Hour}}
			_, err := judge.Run(ctx, twoGroups(), b, judge.Options{Jobs: 2}, func(judge.Event) {})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want the deadline", err)
			}
			if n := b.open.Load(); n != 0 {
				t.Errorf("%d attempts were not given back", n)
			}
		})
	})
	t.Run("it does not wait for what runs when it fails", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := &bench{takes: map[string]time.Duration{"a1": time.Hour}, tryErr: errors.New("disk on fire")}
			start := time.Now()
			if _, err := judge.Run(t.Context(), twoGroups(), b, judge.Options{Jobs: 2}, func(judge.Event) {}); err == nil ||
				time.Since(start) > time.Minute {
				t.Errorf("got %v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("it has nothing to say without cases", func(t *testing.T) {
		_, err := judge.Run(t.Context(), &judge.Problem{ID: "p"}, &bench{}, judge.Options{}, func(judge.Event) {})
		if _, ok := errors.AsType[*judge.ProblemError](err); !ok {
			t.Errorf("got %v, want a fault", err)
		}
	})
}

func TestSelect(t *testing.T) {
	tests := []struct {
		name          string
		groups, cases []string
		want          string
	}{
		{"everything", nil, nil, "a/a0 a/a1 a/a2 a/a3 a/a4 b/b0 b/b1 b/b2 b/b3 b/b4"},
		{"a group", []string{"b"}, nil, "b/b0 b/b1 b/b2 b/b3 b/b4"},
		{"cases by name and by id", nil, []string{"a1", "b/b2", "a/b2"}, "a/a1 b/b2"},
		{"a case of another group", []string{"a"}, []string{"b2"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var ids []string
			p := twoGroups().Select(test.groups, test.cases)
			for _, g := range p.Groups {
				if len(g.Cases) == 0 {
					t.Errorf("Select(%q, %q) keeps the group %s without cases", test.groups, test.cases, g.Name)
				}
				for _, c := range g.Cases {
					ids = append(ids, c.ID())
				}
			}
			if got := strings.Join(ids, " "); got != test.want || p.CaseCount() != len(ids) {
				t.Errorf("Select(%q, %q) = %q (count %d), want %q", test.groups, test.cases, got, p.CaseCount(), test.want)
			}
		})
	}
}

func TestEventsSurviveBeingSaved(t *testing.T) {
	exec := judge.Exec{
		Exit: 3, Signal: "SIGSEGV", Killed: judge.CPUTime, CPU: 1234567 * time.Microsecond,
		Wall: 2 * time.Second, Memory: 5 << 20, Output: 17,
	}
	events := []judge.Event{
		&judge.Started{Format: judge.EventFormat, Problem: "p", Groups: []string{"a"}, Unenforced: []string{"memory"}},
		&judge.Built{Verdict: judge.CompileError, Log: "a\nb"},
		&judge.CaseJudged{Group: "a", Case: "x", Verdict: judge.WrongAnswer, Exec: exec, Detail: &judge.Detail{Place: &judge.Position{Line: 2}}},
		&judge.GroupJudged{Group: "a", Verdict: judge.Accepted},
		&judge.Finished{Verdict: judge.Accepted, TimeMS: 1.5},
		&judge.Noted{Text: "a <b> & \uFFFD"},
		&judge.ProblemErrorFound{Fault: &judge.ProblemError{File: "f", Line: 3, Text: "t", Hint: "h"}},
		&judge.SolutionJudged{Path: "s", Groups: []judge.GroupJudged{{Group: "a"}}},
		&judge.VerifyFinished{OK: true},
	}
	for _, e := range events {
		first, err := judge.EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := judge.DecodeEvent(first)
		if err != nil {
			t.Fatalf("DecodeEvent(%s): %v", first, err)
		}
		second, err := judge.EncodeEvent(back)
		if err != nil || string(first) != string(second) {
			t.Errorf("saved as %s, read and saved again as %s (%v)", first, second, err)
		}
	}
}

// TestEventsOfOtherJudges checks that an unknown event is saved again unchanged. It also checks that events in a
// newer format and malformed events are rejected.
func TestEventsOfOtherJudges(t *testing.T) {
	later := `{"event":"later","format":1,"more":[2]}`
	e, err := judge.DecodeEvent([]byte(later))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := judge.EncodeEvent(e); err != nil || string(again) != later {
		t.Errorf("read and saved again as %s, %v", again, err)
	}
	for line, want := range map[string]string{
		`{"event":"started","format":99}`:  "by a newer judge",
		`{"event":"later","format":99}`:    "by a newer judge",
		`{"event":"started","format":"1"}`: "not an event",
		`{"event":"started","cases":"1"}`:  `event "started"`,
		`{"event":""}`:                     `no member "event"`,
		`{"format":99}`:                    `no member "event"`,
		`[]`:                               "not an event",
	} {
		if e, err := judge.DecodeEvent([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("DecodeEvent(%s) = %v, %v; want an error with %q", line, e, err, want)
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add([]byte(`{"event":"case","group":"a","exec":{"cpu_ms":1.5}}`))
	f.Add([]byte(`{"event":"started","format":99}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := judge.DecodeEvent(line)
		if (e == nil) == (err == nil) {
			t.Errorf("DecodeEvent(%q) = %v, %v", line, e, err)
		}
	})
}
