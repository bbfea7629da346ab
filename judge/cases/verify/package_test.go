package verify

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/packages"
	"assay/judge/problem"
	"assay/judge/running/check"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

func TestRunsAnswer(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	right := &judge.Outcome{Verdict: judge.Accepted}
	for _, row := range []struct {
		it    string
		limit int // CPU limit of the current run, in ms
		old   run
		want  bool
	}{
		{"answers under the same limit", 1000, run{CPU: 1_000_000, Exec: judge.Exec{CPU: ms(5)}, Outcome: right}, true},
		{"answers under the same limit, also where it waited", 1000, run{CPU: 1_000_000, Exec: judge.Exec{Killed: judge.WallTime}}, true},
		{"answers for a longer limit where it was in time", 2000, run{CPU: 1_000_000, Exec: judge.Exec{CPU: ms(5)}, Outcome: right}, true},
		{"answers for a shorter limit where it was in time", 500, run{CPU: 1_000_000, Exec: judge.Exec{CPU: ms(5)}, Outcome: right}, true},
		{"does not answer for a limit that it would not have kept", 500, run{
			CPU: 1_000_000, Exec: judge.Exec{CPU: ms(700)}, Outcome: right,
		}, false},
		{"answers for a shorter limit where it was killed for its time", 500, run{
			CPU: 1_000_000, Exec: judge.Exec{CPU: ms(1001), Killed: judge.CPUTime},
		}, true},
		{"does not answer for a longer limit where it was killed for its time", 2000, run{
			CPU: 1_000_000, Exec: judge.Exec{CPU: ms(1001), Killed: judge.CPUTime},
		}, false},
		{"does not answer for another limit where it waited", 2000, run{CPU: 1_000_000, Exec: judge.Exec{Killed: judge.WallTime}}, false},
		{"answers where it crashed in time", 2000, run{CPU: 1_000_000, Exec: judge.Exec{CPU: ms(5), Exit: 1}}, true},
		{"answers for a dialogue that was in time", 2000, run{CPU: 1_000_000, Exec: judge.Exec{CPU: ms(5)}, Outcome: right, Settled: true}, true},
		{"does not answer for a dialogue that was killed", 500, run{CPU: 1_000_000, Exec: judge.Exec{
			CPU: ms(1001), Killed: judge.CPUTime,
		}, Outcome: right, Settled: true}, false},
	} {
		r := &cachedExecutor{limits: judge.Limits{CPU: ms(row.limit)}}
		if got := r.isValid(&row.old); got != row.want {
			t.Errorf("it %s: answers = %v, want %v", row.it, got, row.want)
		}
	}
}

// bench counts runs and checks.
type bench struct {
	trial.Executor
	tries, checks int
	exec          judge.Exec
	verdict       judge.Verdict
}

func (b *bench) Try(context.Context, *judge.Case) (*judge.Attempt, error) {
	b.tries++
	return &judge.Attempt{Exec: b.exec}, nil
}

func (b *bench) Check(context.Context, *judge.Case, *judge.Attempt) (judge.Outcome, error) {
	b.checks++
	return judge.Outcome{Verdict: b.verdict, Message: "said"}, nil
}

func TestMemory(t *testing.T) {
	dir := t.TempDir()
	c := &judge.Case{Group: "g", Name: "c", In: filepath.Join(dir, "c.in"), Ans: filepath.Join(dir, "c.ans")}
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(c.In, "1\n")
	put(c.Ans, "1\n")
	limits := judge.Limits{CPU: time.Second, Memory: 1 << 20}
	once := func(verdict judge.Verdict, program string, limits judge.Limits, fresh bool) (ran bool, said judge.Verdict) {
		t.Helper()
		m := &Cache{Dir: filepath.Join(dir, "memory"), IgnoreStored: fresh}
		inner := &bench{verdict: verdict}
		b := m.wrap(inner, program, limits, "judged by")
		a, err := b.Try(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		o, err := b.Check(t.Context(), c, a)
		if err != nil {
			t.Fatal(err)
		}
		m.save()
		return inner.tries+inner.checks > 0, o.Verdict
	}
	other := limits
	other.Memory *= 2
	for _, row := range []struct {
		it      string
		change  func()
		program string
		limits  judge.Limits
		fresh   bool
		ran     bool
	}{
		{"runs what it does not know", nil, "a", limits, false, true},
		{"remembers a run", nil, "a", limits, false, false},
		{"runs another program", nil, "b", limits, false, true},
		{"runs under another memory limit", nil, "a", other, false, true},
		{"runs again where that is asked for", nil, "a", limits, true, true},
		{"runs again where the input changed", func() { put(c.In, "2\n") }, "a", limits, false, true},
		{"runs again where the answer changed", func() { put(c.Ans, "2\n") }, "a", limits, false, true},
		{"runs again where the arguments changed", func() { c.CheckerArgs = []string{"case_sensitive"} }, "a", limits, false, true},
		{"goes by content, not by name", func() { put(c.In, "1\n"); put(c.Ans, "1\n"); c.Name, c.CheckerArgs = "d", nil }, "a", limits, false,
			false},
	} {
		if row.change != nil {
			row.change()
		}
		ran, said := once(judge.WrongAnswer, row.program, row.limits, row.fresh)
		if ran != row.ran || said != judge.WrongAnswer {
			t.Errorf("it %s: ran %v with %q, want %v with WA", row.it, ran, said, row.ran)
		}
	}
	t.Run("a judge error is not remembered", func(t *testing.T) {
		for range 2 {
			if ran, said := once(judge.JudgeError, "broken", limits, false); !ran || said != judge.JudgeError {
				t.Errorf("ran %v with %q", ran, said)
			}
		}
	})
	t.Run("a damaged file is forgotten", func(t *testing.T) {
		files, err := filepath.Glob(filepath.Join(dir, "memory", "*", "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files: %v", err)
		}
		for _, f := range files {
			put(f, "{not JSON")
		}
		if ran, _ := once(judge.WrongAnswer, "a", limits, false); !ran {
			t.Error("a damaged memory answered")
		}
	})
}

func TestTimeLimit(t *testing.T) {
	old := problem.Timing{Multiplier: 5, Resolution: time.Second}
	now := problem.Timing{Multiplier: 2, Resolution: 500 * time.Millisecond}
	for _, row := range []struct {
		it      string
		timing  problem.Timing
		slowest time.Duration
		want    time.Duration
	}{
		{"legacy: at least one second", old, time.Millisecond, time.Second},
		{"legacy: five times the slowest, rounded up", old, 410 * time.Millisecond, 3 * time.Second},
		{"legacy: exactly a multiple is enough", old, 400 * time.Millisecond, 2 * time.Second},
		{"2025: the smallest multiple of the resolution", now, 300 * time.Millisecond, time.Second},
		{"2025: at least one of them", now, 0, 500 * time.Millisecond},
	} {
		if got := timeLimit(row.timing, row.slowest); got != row.want {
			t.Errorf("%s: timeLimit(%v) = %v, want %v", row.it, row.slowest, got, row.want)
		}
	}
}

func TestFew(t *testing.T) {
	var faults judge.ProblemErrors
	for range 100 {
		faults = append(faults, &judge.ProblemError{Text: "the same"})
	}
	faults = append(faults, &judge.ProblemError{Text: "another"})
	kept := limitPerText(faults)
	if len(kept) != 6 || kept[0].Hint != "100 files are so" || kept[5].Text != "another" {
		t.Errorf("few kept %d faults:\n%v", len(kept), kept)
	}
}

// slow is a bench for a program that takes a fixed time and gets a fixed verdict.
type slow struct {
	trial.Executor
	took    time.Duration
	verdict judge.Verdict
}

func (s *slow) Build(context.Context) (*judge.Built, error) { return &judge.Built{}, nil }
func (s *slow) Close() error                                { return nil }
func (s *slow) Try(context.Context, *judge.Case) (*judge.Attempt, error) {
	return &judge.Attempt{Exec: judge.Exec{CPU: s.took}}, nil
}
func (s *slow) Check(context.Context, *judge.Case, *judge.Attempt) (judge.Outcome, error) {
	return judge.Outcome{Verdict: s.verdict}, nil
}

func TestExtraTime(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "1")
	if err := os.WriteFile(file, []byte("1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := &judge.Problem{Dir: dir, Limits: judge.Limits{CPU: time.Second}, Groups: []judge.Group{
		{Name: "secret", Cases: []judge.Case{{Group: "secret", Name: "1", In: file, Ans: file}}},
	}}
	pkg, err := packages.Formats.Assemble(p)
	if err != nil {
		t.Fatal(err)
	}
	pkg.Timing.Margin = 2
	only := func(v judge.Verdict) problem.Rule {
		return problem.Rule{From: "its directory", Final: []judge.Verdict{v}}
	}
	slowest := only(judge.TimeLimit)
	slowest.Bound = problem.Upper
	for _, row := range []struct {
		it      string
		rule    problem.Rule
		bench   slow
		verdict judge.Verdict
		ok      bool
		noted   bool
		faster  *slow
	}{
		{"takes a fast one as it is", only(judge.WrongAnswer), slow{
			took: time.Millisecond, verdict: judge.WrongAnswer,
		}, judge.WrongAnswer, true, false, nil},
		{"gives one that is a little too slow extra time", only(judge.WrongAnswer), slow{
			took: 1500 * time.Millisecond, verdict: judge.WrongAnswer,
		}, judge.WrongAnswer, true, true, nil},
		{"gives an accepted one extra time", only(judge.Accepted), slow{
			took: 1500 * time.Millisecond, verdict: judge.Accepted,
		}, judge.Accepted, true, true, nil},
		{"says what it got at the limit where that does not help", only(judge.WrongAnswer), slow{
			took: 1500 * time.Millisecond, verdict: judge.Accepted,
		}, judge.TimeLimit, false, true, nil},
		{"has a limit to the extra time", only(judge.WrongAnswer), slow{
			took: 2500 * time.Millisecond, verdict: judge.WrongAnswer,
		}, judge.TimeLimit, false, true, nil},
		{"tries a faster toolchain", only(judge.WrongAnswer), slow{
			took: 9 * time.Second, verdict: judge.WrongAnswer,
		}, judge.WrongAnswer, true, true, &slow{took: time.Second, verdict: judge.WrongAnswer}},
		{"tries a faster toolchain with extra time", only(judge.WrongAnswer), slow{
			took: 9 * time.Second, verdict: judge.WrongAnswer,
		}, judge.WrongAnswer, true, true, &slow{took: 2 * time.Second, verdict: judge.WrongAnswer}},
		{"does not ask it about one that is fast", only(judge.Accepted), slow{
			took: time.Millisecond, verdict: judge.WrongAnswer,
		}, judge.WrongAnswer, false, true, &slow{verdict: judge.Accepted}},
		{"gives none to what must be too slow", slowest, slow{
			took: 500 * time.Millisecond, verdict: judge.Accepted,
		}, judge.Accepted, false, true, nil},
		{"says that one which must be too slow hangs on the limit", slowest, slow{
			took: 1500 * time.Millisecond, verdict: judge.Accepted,
		}, judge.TimeLimit, true, true, nil},
	} {
		v := &Verifier{
			Directory: &problem.Directory{Problem: p, Package: pkg}, Cache: &Cache{},
			Programs: &check.SetterPrograms{Problem: p}, onEvent: func(judge.Event) {},
		}
		v.Builder = entries{usual: &row.bench, faster: row.faster}
		s := &submission{Submission: &problem.Submission{Path: file, Name: "a/1", Rules: []problem.Rule{row.rule}},
			program: &lang.Result{OK: true}}
		judged, _, err := v.judgeSubmission(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if judged.Verdict != row.verdict || judged.OK != row.ok || (judged.Note != "") != row.noted {
			t.Errorf(
				"it %s: %s, ok %v, note %q; want %s, %v, a note %v", row.it, judged.Verdict, judged.OK,
				judged.Note, row.verdict, row.ok, row.noted,
			)
		}
	}
}

// entries uses one bench for programs built as usual, and another for programs built with a faster toolchain. If
// faster is nil, there is no faster toolchain.
type entries struct {
	Builder
	usual, faster *slow
}

func (e entries) Faster(context.Context, *problem.Submission) (*lang.Result, error) {
	if e.faster == nil {
		return nil, nil
	}
	return &lang.Result{OK: true, Program: &judge.Program{Language: "other", Key: "other"}}, nil
}

func (e entries) Executor(_ context.Context, _ *judge.Problem, _ string, made *lang.Result, _ trial.RunMode) (trial.Executor, error) {
	if made.Program != nil {
		return e.faster, nil
	}
	return e.usual, nil
}

func TestSeen(t *testing.T) {
	for _, row := range []struct {
		it     string
		judged judge.SolutionJudged
		want   string
	}{
		{"has nothing to add to what was promised", judge.SolutionJudged{Expected: "WA", Verdict: judge.WrongAnswer}, ""},
		{"nor where several verdicts will do", judge.SolutionJudged{Expected: "WA or TLE", Verdict: judge.TimeLimit}, ""},
		{"tells another verdict", judge.SolutionJudged{Expected: "TLE", Verdict: judge.OutputLimit}, "it gets OLE, which counts as TLE"},
		{"tells points of what is not accepted", judge.SolutionJudged{
			Expected: "WA", Verdict: judge.WrongAnswer, Score: &judge.Score{Points: 34, Of: 100},
		}, "it gets 34 of 100 points, which is not accepted"},
		{"and no points of what is", judge.SolutionJudged{Expected: "AC", Verdict: judge.Accepted, Score: &judge.Score{Points: 34, Of: 100}}, ""},
	} {
		if got := resultNote(&row.judged); got != row.want {
			t.Errorf("it %s: %q, want %q", row.it, got, row.want)
		}
	}
}

// TestSlow checks that a solution that must be too slow keeps its verdict, whatever it does after the time limit.
// There must be a note if it is not slow enough.
func TestSlow(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "1")
	write(t, file, "1\n")
	cases := []judge.Case{{Group: "edge", Name: "1", In: file, Ans: file}, {Group: "edge", Name: "2", In: file, Ans: file}}
	p := &judge.Problem{Dir: dir, Limits: judge.Limits{CPU: time.Second, Output: 100}, Groups: []judge.Group{{Name: "edge", Cases: cases}}}
	const ms = time.Millisecond
	for _, row := range []struct {
		it      string
		took    []judge.Exec // runs by case, without a time limit
		kind    judge.Kind
		verdict judge.Verdict
		note    string
	}{
		{"is quiet about one that is far too slow", []judge.Exec{{CPU: 9000 * ms}, {}}, judge.Kind{}, judge.TimeLimit, ""},
		{
			"notes one that is a little too slow", []judge.Exec{{CPU: 1100 * ms}, {}}, judge.Kind{},
			judge.TimeLimit,
			"it needs only 1.1 s, less than 1.25 times the time limit of 1 s: a faster machine may accept it",
		},
		{"is quiet at 1.25 times the limit", []judge.Exec{{CPU: 1250 * ms}, {}}, judge.Kind{}, judge.TimeLimit, ""},
		{"looks at the other cases", []judge.Exec{{CPU: 1100 * ms}, {CPU: 1400 * ms}}, judge.Kind{}, judge.TimeLimit, ""},
		{"says the most of all cases", []judge.Exec{
			{CPU: 1100 * ms}, {CPU: 1200 * ms},
		}, judge.Kind{}, judge.TimeLimit, "it needs only 1.2 s, less than 1.25 times the time limit of 1 s: a faster machine may accept it"},
		{"accepts one at the limit", []judge.Exec{{CPU: 1000 * ms}, {}}, judge.Kind{}, judge.Accepted, ""},
		{"does not see what it prints after the limit", []judge.Exec{{CPU: 1400 * ms, Output: 101}, {}}, judge.Kind{}, judge.TimeLimit, ""},
		{"does not see that it needs memory after the limit", []judge.Exec{
			{CPU: 1400 * ms, Killed: judge.Memory}, {},
		}, judge.Kind{}, judge.TimeLimit, ""},
		{"sees what it prints before the limit", []judge.Exec{{CPU: 900 * ms, Output: 101}, {}}, judge.Kind{}, judge.OutputLimit, ""},
		{"ends one that talks at the limit", []judge.Exec{{CPU: 1100 * ms}, {}}, judge.Kind{Interactive: true}, judge.TimeLimit, ""},
		{"ends one of several passes at the limit", []judge.Exec{{CPU: 1100 * ms}, {}}, judge.Kind{MultiPass: true}, judge.TimeLimit, ""},
	} {
		p.Kind = row.kind
		tries = 0
		v := &Verifier{Directory: &problem.Directory{Problem: p}, Builder: timed(row.took), onEvent: func(judge.Event) {}}
		s := &solution{path: file, expected: judge.TimeLimit, program: &lang.Result{OK: true}}
		judged, err := v.judge(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if judged.Verdict != row.verdict || judged.Note != row.note || judged.OK != (row.verdict == judge.TimeLimit) {
			t.Errorf("it %s: %s, ok %v, note %q; want %s, %q", row.it, judged.Verdict, judged.OK, judged.Note, row.verdict, row.note)
		}
		if row.took[0].CPU > 2*time.Second && tries != 1 {
			t.Errorf("it %s: it runs %d times, want once", row.it, tries)
		}
	}
}

// tries counts the runs on the first case.
var tries int

// timed holds the runs of a solution without a time limit, by case number.
type timed []judge.Exec

func (timed) Faster(context.Context, *problem.Submission) (*lang.Result, error)     { return nil, nil }
func (timed) Solution(context.Context, string) (*lang.Result, error)                { return nil, nil }
func (timed) Submission(context.Context, *problem.Submission) (*lang.Result, error) { return nil, nil }
func (timed) Prepared(context.Context) (*Prepared, error)                           { return nil, nil }
func (e timed) Executor(_ context.Context, p *judge.Problem, _ string, _ *lang.Result, _ trial.RunMode) (trial.Executor, error) {
	return &timedBench{limits: p.Limits, runs: e}, nil
}

// timedBench stops a run at the CPU limit, so that later effects of the program are not seen.
type timedBench struct {
	slow
	limits judge.Limits
	runs   timed
}

func (b *timedBench) Try(_ context.Context, c *judge.Case) (*judge.Attempt, error) {
	if c.Name == "1" { // other cases may run concurrently
		tries++
	}
	x := b.runs[c.Name[0]-'1']
	if x.CPU > b.limits.CPU {
		x = judge.Exec{CPU: b.limits.CPU + time.Millisecond, Killed: judge.CPUTime}
	}
	return &judge.Attempt{Exec: x}, nil
}

func (b *timedBench) Explain(*judge.Case, *judge.Attempt, judge.Outcome) *judge.Detail { return nil }

func (b *timedBench) Check(context.Context, *judge.Case, *judge.Attempt) (judge.Outcome, error) {
	return judge.Outcome{Verdict: judge.Accepted}, nil
}

func TestRoom(t *testing.T) {
	const ms = time.Millisecond
	limits := problem.Timing{Limit: 2 * time.Second, Multiplier: 2}
	for _, row := range []struct {
		accepted, slow runningTime
		want           string
	}{
		{
			runningTime{400 * ms, "a"}, runningTime{3000 * ms, "s"},
			"time limit 2 s: accepted solutions need up to 0.4 s, too slow ones at least 3 s; limits from 0.8 s to 2.4 s leave room for both",
		},
		{
			runningTime{1200 * ms, "a"}, runningTime{3000 * ms, "s"},
			"time limit 2 s: accepted solutions need up to 1.2 s, too slow ones at least 3 s; limits from 2.4 s to 2.4 s leave room for both",
		},
		{runningTime{1201 * ms, "a"}, runningTime{3000 * ms, "s"},
			"no time limit separates the solutions well: accepted ones need up to 1.2 s (a), and one that must be too slow only 3 s (s);" +
				" a limit should be 2 times the first, and the second 1.25 times the limit"},
		{runningTime{400 * ms, "a"}, runningTime{}, ""},
		{runningTime{}, runningTime{3000 * ms, "s"}, ""},
	} {
		if got := limitRangeNote(limits, row.accepted, row.slow); got != row.want {
			t.Errorf("room(%v, %v) = %q, want %q", row.accepted, row.slow, got, row.want)
		}
	}
	judged := func(path string, promised, got judge.Verdict, took float64) judge.Event {
		return &judge.SolutionJudged{Path: path, Promised: promised, Verdict: got, OK: promised == got, TimeMS: took}
	}
	v := &Verifier{Only: []string{"a.c"}, Directory: &problem.Directory{
		Problem: &judge.Problem{ID: "p", Limits: judge.Limits{CPU: 2 * time.Second}},
	}}
	told := []judge.Event{
		judged("a", judge.Accepted, judge.Accepted, 300), judged("b", judge.Accepted, judge.Accepted, 400),
		judged("w", judge.WrongAnswer, judge.WrongAnswer, 900), judged("i", judge.IdlenessLimit, judge.IdlenessLimit, 1),
		judged(
			"s", judge.TimeLimit, judge.TimeLimit, 3000,
		), judged("t", judge.TimeLimit, judge.TimeLimit, 2900), judged("u", judge.TimeLimit, judge.Accepted, 10),
	}
	end, err := v.finalEvents(told)
	if err != nil || len(end) != 2 {
		t.Fatal(end, err)
	}
	if got, want := end[0].(*judge.Noted).Text, "time limit 2 s: accepted solutions need up to 0.4 s, too slow ones at least 2.9 s;"+
		" limits from 0.8 s to 2.32 s leave room for both"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v.Directory.Kind.Interactive = true // so it is unknown how much too slow the solutions are
	if end, err := v.finalEvents(told); err != nil || len(end) != 1 {
		t.Error(end, err)
	}
}

func TestTight(t *testing.T) {
	given := problem.Timing{Limit: time.Second, Strict: true, Multiplier: 2}
	found := given
	found.Strict = false
	for _, row := range []struct {
		it      string
		timing  problem.Timing
		slowest time.Duration
		want    bool
	}{
		{"exactly the multiple is enough", given, 500 * time.Millisecond, false},
		{"says that the limit is tight", given, 501 * time.Millisecond, true},
		{"has no such rule where the format has none", found, time.Second, false},
	} {
		if got := tightLimitNote(row.timing, row.slowest, "accepted/a.c"); (got != "") != row.want {
			t.Errorf("it %s: tight(%+v, %v) = %q", row.it, row.timing, row.slowest, got)
		}
	}
	// In a problem directory that is not a package, the limit should be at least twice the slowest accepted time.
	v := &Verifier{Only: []string{"a.c"}, Directory: &problem.Directory{Problem: &judge.Problem{ID: "p",
		Limits: judge.Limits{CPU: time.Second}}}}
	for _, row := range []struct {
		it     string
		judged judge.SolutionJudged
		want   int // notes
	}{
		{"says nothing of half", judge.SolutionJudged{Path: "accepted/a.c", Verdict: judge.Accepted, OK: true, TimeMS: 500}, 0},
		{"notes more", judge.SolutionJudged{Path: "accepted/a.c", Verdict: judge.Accepted, OK: true, TimeMS: 501}, 1},
		{"asks nothing of what must be too slow", judge.SolutionJudged{
			Path: "time_limit_exceeded/a.c", Promised: judge.TimeLimit, Verdict: judge.TimeLimit, OK: true,
			TimeMS: 1000,
		}, 0},
		{"nor of what breaks its promise", judge.SolutionJudged{Path: "accepted/a.c", Verdict: judge.TimeLimit, TimeMS: 1000}, 0},
	} {
		if end, err := v.finalEvents([]judge.Event{&row.judged}); err != nil || len(end) != 1+row.want {
			t.Errorf("it %s: %v, %v", row.it, end, err)
		}
	}
}
