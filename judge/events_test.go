package judge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
)

// full is a bench whose attempts have all fields set.
type full struct {
	said
	built    judge.Built
	attempts map[string]judge.Attempt // by id
	graded   int                      // number of calls of a setter's grader
}

func (f *full) Build(context.Context) (*judge.Built, error) { return &f.built, nil }

func (f *full) Try(_ context.Context, c *judge.Case) (*judge.Attempt, error) {
	a := f.attempts[c.ID()]
	a.Out = io.NewSectionReader(strings.NewReader(""), 0, 0)
	return &a, nil
}

func (f *full) Grade(ctx context.Context, n *judge.Node, results []judge.Result) (judge.Result, error) {
	f.graded++
	return f.said.Grade(ctx, n, results)
}

func (f *full) Explain(c *judge.Case, _ *judge.Attempt, o judge.Outcome) *judge.Detail {
	return &judge.Detail{Got: judge.Excerpt{Text: c.ID() + " " + string(o.Verdict)}}
}

// stream returns the events of a run, one per line, without progress events.
func stream(t *testing.T, p *judge.Problem, b judge.Executor, o judge.Options) (lines []string) {
	t.Helper()
	_, err := judge.Run(t.Context(), p, b, o, func(e judge.Event) {
		if _, live := e.(*judge.Progressed); live {
			return
		}
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimPrefix(fmt.Sprintf("%T ", e), "*judge.")+string(data))
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestTheWholeStream checks each event of a run with all its fields.
func TestTheWholeStream(t *testing.T) {
	p := &judge.Problem{ID: "p", Groups: groups("sample:1 secret:3")}
	p.Groups[1].Cases[0].Line = "random --max 9"
	b := &full{
		built: judge.Built{Log: "a warning \xff", Millis: 3, Cached: true},
		attempts: map[string]judge.Attempt{
			"sample/1": {Exec: judge.Exec{CPU: 5 * time.Millisecond, Memory: 100}, Stderr: []byte("unseen"), Dialogue: "< unseen", Note: "noted"},
			"secret/1": {Exec: judge.Exec{CPU: 9 * time.Millisecond, Memory: 50}, Stderr: []byte("why \xfe"), Dialogue: "< hello \xfe"},
			"secret/2": {Exec: judge.Exec{CPU: 9 * time.Millisecond, Memory: 80, Exit: 3}},
			"secret/3": {Exec: judge.Exec{CPU: 2 * time.Millisecond}, Outcome: &judge.Outcome{
				Verdict: judge.Accepted, Message: "settled \xfe", Team: "well done",
			}},
		},
	}
	b.cases = map[string]judge.Outcome{"secret/1": {Verdict: judge.WrongAnswer, Message: "want 1", Team: "think \xfe"}}
	lines := stream(t, p, b, judge.Options{ContinueAfterFailure: true})
	const zero = `"cpu_ms":0,"wall_ms":0,"memory_bytes":0,"output_bytes":0`
	exec := func(exit int, cpu string, memory int) string {
		return fmt.Sprintf(`{"exit":%d,`, exit) + strings.Replace(
			strings.Replace(zero, `"cpu_ms":0`, `"cpu_ms":`+cpu, 1), `"memory_bytes":0`,
			fmt.Sprint(`"memory_bytes":`, memory), 1,
		) + "}"
	}
	detail := func(text string) string {
		return `"detail":{"input":{"text":"","first_line":0,"size_bytes":0},"want":{"text":"","first_line":0,"size_bytes":0},"got":{"text":"` +
			text + `","first_line":0,"size_bytes":0}}`
	}
	want := []string{
		`Built {"verdict":"","log":"a warning ` + "\ufffd" + `","build_ms":3,"cached":true}`,
		`CaseJudged {"group":"sample","case":"1","verdict":"AC","exec":` + exec(0, "5", 100) + `,"note":"noted"}`,
		`GroupJudged {"group":"sample","verdict":"AC","passed":1,"cases":1}`,
		`CaseJudged {"group":"secret","case":"1","verdict":"WA","exec":` + exec(0, "9", 50) + `,"message":"want 1","stderr":"why ` + "\ufffd" +
			`","generator":"random --max 9",` + detail("secret/1 WA") + `,"team_message":"think ` + "\ufffd" + `","dialogue":"\u003c hello ` +
			"\ufffd" + `"}`,
		`CaseJudged {"group":"secret","case":"2","verdict":"RTE","exec":` + exec(3, "9", 80) + `,"message":"exit code 3",` +
			detail("secret/2 RTE") + `}`,
		`CaseJudged {"group":"secret","case":"3","verdict":"AC","exec":` + exec(0, "2", 0) + `,"message":"settled ` + "\ufffd" +
			`","team_message":"well done"}`,
		`GroupJudged {"group":"secret","verdict":"RTE","passed":1,"cases":3}`,
		`Finished {"verdict":"WA","passed":2,"judged":4,"cases":4,"first_failure":"secret/1","slowest":"secret/1","time_ms":9,` +
			`"memory_bytes":100}`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("the stream (-want +got):\n%s", diff)
	}

	b.built = judge.Built{Verdict: judge.CompileError}
	lines = stream(t, p, b, judge.Options{})
	if len(lines) != 2 || !strings.HasPrefix(lines[1], `Finished {"verdict":"CE"`) {
		t.Errorf("what does not compile ends with %q", lines)
	}
}

func TestDialoguesOfAcceptedCasesAreToldWhereAsked(t *testing.T) {
	p := &judge.Problem{Groups: groups("sample:1")}
	b := &full{attempts: map[string]judge.Attempt{"sample/1": {Dialogue: "> 1"}}}
	for _, asked := range []bool{false, true} {
		lines := stream(t, p, b, judge.Options{Dialogues: asked})
		if told := strings.Contains(lines[1], "dialogue"); told != asked {
			t.Errorf("Dialogues %v: %s", asked, lines[1])
		}
	}
}

// TestProgressIsTold checks that progress is reported for other cases while one case is still running.
func TestProgressIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{takes: map[string]time.Duration{"a0": time.Minute, "a1": time.Second, "a2": time.Second}}
		var told []string
		_, err := judge.Run(t.Context(), twoGroups(), b, judge.Options{Jobs: 2}, func(e judge.Event) {
			if done, ok := e.(*judge.Progressed); ok {
				told = append(told, fmt.Sprintf("%d/%d", done.Done, done.Total))
			}
		})
		if err != nil || len(told) < 5 || !slices.Equal(told[:3], []string{"1/10", "2/10", "3/10"}) {
			t.Errorf("told %v, %v; want 1/10, 2/10, 3/10 and so on", told, err)
		}
	})
}

// slowBuild is a bench whose build takes some time.
type slowBuild struct {
	bench
	takes time.Duration
}

func (b *slowBuild) Build(ctx context.Context) (*judge.Built, error) {
	time.Sleep(b.takes)
	return b.bench.Build(ctx)
}

// TestALongBuildIsTold checks that a long build is reported every second.
func TestALongBuildIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		b := &slowBuild{takes: 3500 * time.Millisecond}
		_, err := judge.Run(t.Context(), twoGroups(), b, judge.Options{}, func(e judge.Event) {
			switch e := e.(type) {
			case *judge.Progressed:
				told = append(told, fmt.Sprintf("%d/%d", e.Done, e.Total))
			case *judge.Built:
				told = append(told, "built")
			}
		})
		if want := []string{"0/10", "0/10", "0/10", "built", "1/10"}; err != nil || len(told) < 5 || !slices.Equal(told[:5], want) {
			t.Errorf("told %v, %v; want %v first", told, err, want)
		}
	})
}

func TestLimitsScaled(t *testing.T) {
	l := judge.Limits{CPU: 2 * time.Second, Wall: 5 * time.Second, Memory: 3, Output: 4, Processes: 5, Files: 6, Scratch: 7}
	got := l.Scaled(1.5)
	l.CPU, l.Wall = 3*time.Second, 7500*time.Millisecond
	if got != l {
		t.Errorf("Scaled(1.5) = %+v, want %+v", got, l)
	}
}

// TestAGraderIsAskedOnce checks that a node's grader is called only if a case below the node was judged without a
// judge error.
func TestAGraderIsAskedOnce(t *testing.T) {
	for _, test := range []struct {
		said string
		want int
	}{{"", 1}, {"sample/1:WA", 0}, {"secret/a/1:WA", 1}, {"secret/a/1:JE", 0}} {
		p := legacy(func(_, _, a, _ *judge.Node) { a.Legacy.Grader = &judge.SetterProgram{} })
		b := &full{}
		b.cases = map[string]judge.Outcome{}
		for word := range strings.FieldsSeq(test.said) {
			id, what, _ := strings.Cut(word, ":")
			b.cases[id] = outcome(what)
		}
		stream(t, p, b, judge.Options{})
		if b.graded != test.want {
			t.Errorf("with %q the grader was asked %d times, want %d", test.said, b.graded, test.want)
		}
	}
}

// TestComplaintsAboutScores checks the messages for scores that a checker must not give.
func TestComplaintsAboutScores(t *testing.T) {
	bounded := judge.Node{Aggregate: judge.AggregateSum, MaxScore: 10}
	open := judge.Node{Aggregate: judge.AggregateSum, Unbounded: true}
	for _, test := range []struct {
		secret judge.Node
		said   string
		want   string
	}{
		{bounded, "AC=11", "the checker gives 11 points to a case that has at most 10"},
		{bounded, "AC=10", ""},
		{bounded, "AC=-0.5", "the checker gives -0.5 points, which is below 0"},
		{bounded, "AC*1.5", "the checker gives the multiplier 1.5, which is not from 0 to 1"},
		{bounded, "AC*-0.1", "the checker gives the multiplier -0.1, which is not from 0 to 1"},
		{bounded, "AC*1", ""},
		{bounded, "AC*0", ""},
		{bounded, "AC=0", ""},
		{bounded, "AC=0.5", ""},
		{judge.Node{Aggregate: judge.AggregateSum, MaxScore: 1e6}, "AC=1000000.0001", ""}, // may differ by rounding
		{judge.Node{Aggregate: judge.AggregateSum, MaxScore: 1e6}, "AC=1000001",
			"the checker gives 1000001 points to a case that has at most 1000000"},
		{open, "AC*1", "the checker gives the multiplier 1, though the case's group has no maximum"},
	} {
		for _, message := range []string{"", "look here"} {
			var got string
			o := outcome(test.said)
			o.Message = message
			b := &full{}
			b.cases = map[string]judge.Outcome{"secret/1": o}
			_, err := judge.Run(t.Context(), current(test.secret, "secret:1"), b, judge.Options{}, func(e judge.Event) {
				if c, ok := e.(*judge.CaseJudged); ok {
					got = c.Message
				}
			})
			want := test.want
			if want != "" && message != "" {
				want += "\n"
			}
			if want += message; err != nil || got != want {
				t.Errorf("%s %q: %q, %v; want %q", test.said, message, got, err, want)
			}
		}
	}
}
