package judge_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/judge"
)

// said is a bench whose checker says of each case what the table has.
type said struct {
	cases  map[string]judge.Outcome // by id; accepted where there is none
	static map[string]judge.Outcome // by node
}

func (s *said) Build(context.Context) (*judge.Built, error) { return &judge.Built{}, nil }

func (s *said) Try(context.Context, *judge.Case) (*judge.Attempt, error) {
	return &judge.Attempt{Out: io.NewSectionReader(strings.NewReader(""), 0, 0)}, nil
}

func (s *said) Check(_ context.Context, c *judge.Case, _ *judge.Attempt) (judge.Outcome, error) {
	return or(s.cases[c.ID()]), nil
}

func (s *said) Static(_ context.Context, n *judge.Node) (judge.Outcome, error) {
	return or(s.static[n.Name]), nil
}

func (s *said) Grade(_ context.Context, _ *judge.Node, results []judge.Result) (judge.Result, error) {
	return judge.Result{Verdict: judge.Accepted, Points: float64(100 + len(results))}, nil
}

func (s *said) Explain(*judge.Case, *judge.Attempt, judge.Outcome) *judge.Detail { return nil }

func or(o judge.Outcome) judge.Outcome {
	if o.Verdict == judge.NotJudged {
		o.Verdict = judge.Accepted
	}
	return o
}

// groups makes groups of cases 1, 2, ... from words such as "secret/a:3".
func groups(words string) (made []judge.Group) {
	for word := range strings.FieldsSeq(words) {
		name, count, _ := strings.Cut(word, ":")
		g := judge.Group{Name: name}
		for i := range int(count[0] - '0') {
			g.Cases = append(g.Cases, judge.Case{Group: name, Name: fmt.Sprint(i + 1)})
		}
		made = append(made, g)
	}
	return made
}

// outcome reads "WA", "AC=3" (points) or "AC*0.5" (a multiplier).
func outcome(word string) (o judge.Outcome) {
	verdict, points, given := strings.Cut(word, "=")
	if given {
		o.Award.By = judge.Points
	} else if verdict, points, given = strings.Cut(word, "*"); given {
		o.Award.By = judge.Multiplier
	}
	if given {
		fmt.Sscan(points, &o.Award.Value)
	}
	o.Verdict = judge.Verdict(verdict)
	return o
}

// judged runs the outcomes, written "secret/a/1:WA secret/b/2:AC=3", and returns
// what became of the cases and groups, and the last event.
func judged(t testing.TB, p *judge.Problem, outcomes string, o judge.Options) (string, *judge.Finished) {
	t.Helper()
	s := &said{cases: map[string]judge.Outcome{}, static: map[string]judge.Outcome{}}
	for word := range strings.FieldsSeq(outcomes) {
		id, what, _ := strings.Cut(word, ":")
		if node, static := strings.CutSuffix(id, "/static"); static {
			s.static[node] = outcome(what)
		} else {
			s.cases[id] = outcome(what)
		}
	}
	var words []string
	sum, err := judge.Run(t.Context(), p, s, o, func(e judge.Event) {
		switch e := e.(type) {
		case *judge.CaseJudged:
			if e.Verdict != judge.Accepted || e.Score != nil {
				words = append(words, e.Case+":"+string(e.Verdict)+points(e.Score))
			}
		case *judge.GroupJudged:
			words = append(words, fmt.Sprintf("%s:%s%s", e.Group, e.Verdict, points(e.Score)))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(words, " "), sum
}

func points(s *judge.Score) string {
	if s == nil {
		return ""
	}
	return "=" + strings.ReplaceAll(s.String(), " of ", "/")
}

// current is a problem of the form of 2025-09.
func current(secret judge.Node, words string) *judge.Problem {
	secret.Name = "secret"
	return &judge.Problem{
		Static: &judge.Part{},
		Groups: groups(words),
		Grading: &judge.Grading{Form: judge.Format2025, Scored: true, Root: &judge.Node{Children: []*judge.Node{
			{Name: "sample"}, &secret,
		}}},
	}
}

func TestScoresOf2025(t *testing.T) {
	sumOf := func(most float64, children ...*judge.Node) judge.Node {
		return judge.Node{Aggregate: judge.Sum, MaxScore: most, Children: children}
	}
	group := func(name string, a judge.Aggregate, most float64, requires ...string) *judge.Node {
		return &judge.Node{Name: "secret/" + name, Aggregate: a, MaxScore: most, RequirePass: requires}
	}
	withStatic := func(n *judge.Node, s judge.StaticCheck) *judge.Node { n.Static = &s; return n }
	open := judge.Node{Aggregate: judge.Sum, Unbounded: true}
	two := sumOf(100, group("a", judge.PassFail, 40), group("b", judge.PassFail, 60))
	for _, test := range []struct {
		name    string
		secret  judge.Node
		cases   string
		said    string
		events  string
		verdict judge.Verdict
		score   string
	}{
		{"it gives a group that passes its maximum", two, "sample:1 secret/a:2 secret/b:2", "secret/a/1:WA",
			"sample:AC 1:WA 2:SK secret/a:WA=0/40 secret/b:AC=60/60 secret:WA=60/100", judge.WrongAnswer, "=60/100"},
		{"it does not count the samples", two, "sample:2 secret/a:1 secret/b:1", "sample/1:WA",
			"1:WA 2:SK sample:WA secret/a:AC=40/40 secret/b:AC=60/60 secret:AC=100/100", judge.WrongAnswer, "=100/100"},
		{"it shares a sum among the cases", sumOf(100), "sample:1 secret:4", "secret/2:TLE secret/4:AC*0.5",
			"sample:AC 1:AC=25/25 2:TLE=0/25 3:AC=25/25 4:AC=12.5/25 secret:TLE=62.5/100", judge.TimeLimit, "=62.5/100"},
		{"it takes the minimum of a group", sumOf(100, group("a", judge.Min, 100)), "secret/a:3", "secret/a/2:AC*0.3",
			"1:AC=100/100 2:AC=30/100 3:AC=100/100 secret/a:AC=30/100 secret:AC=30/100", judge.Accepted, "=30/100"},
		{"it stops a minimum at 0", sumOf(100, group("a", judge.Min, 100)), "secret/a:3", "secret/a/2:WA",
			"1:AC=100/100 2:WA=0/100 3:SK secret/a:WA=0/100 secret:WA=0/100", judge.WrongAnswer, "=0/100"},
		{"it takes any points where there is no maximum", open, "secret:2", "secret/1:AC=5 secret/2:AC=1000.5",
			"1:AC=5 2:AC=1000.5 secret:AC=1005.5", judge.Accepted, "=1005.5"},
		{"it skips a group whose required group fails, and what requires that", sumOf(100, group("a", judge.PassFail, 10), group("b", judge.PassFail, 20, "secret/a"), group("c", judge.PassFail, 30, "secret/b"), group("d", judge.Sum, 40, "sample")),
			"sample:1 secret/a:1 secret/b:1 secret/c:1 secret/d:1", "secret/a/1:WA",
			"sample:AC 1:WA secret/a:WA=0/10 1:SK secret/b:SK=0/20 1:SK secret/c:SK=0/30 1:AC=40/40 secret/d:AC=40/40 secret:WA=40/100", judge.WrongAnswer, "=40/100"},
		{"it passes or fails as a whole", judge.Node{Aggregate: judge.PassFail, MaxScore: 50, Children: two.Children}, "secret/a:1 secret/b:2", "secret/b/1:WA",
			"secret/a:AC=40/40 1:WA 2:SK secret/b:WA=0/60 secret:WA=0/50", judge.WrongAnswer, "=0/50"},
		{"it takes the static check's points from the cases' share", judge.Node{Aggregate: judge.Sum, MaxScore: 100, Static: &judge.StaticCheck{Score: 40}}, "secret:3", "secret/static:AC=30 secret/3:WA",
			"static-validation:AC=30/40 1:AC=20/20 2:AC=20/20 3:WA=0/20 secret:WA=70/100", judge.WrongAnswer, "=70/100"},
		{"it fails a group whose static check fails", sumOf(50, withStatic(group("a", judge.PassFail, 50), judge.StaticCheck{PassFail: true})), "secret/a:1", "secret/a/static:WA",
			"static-validation:WA 1:SK secret/a:WA=0/50 secret:WA=0/50", judge.WrongAnswer, "=0/50"},

		{"it skips the static check of a group that nothing can save", sumOf(50, group("a", judge.PassFail, 20), withStatic(group("b", judge.Sum, 30, "secret/a"), judge.StaticCheck{Score: 30})), "secret/a:1", "secret/a/1:WA",
			"1:WA secret/a:WA=0/20 static-validation:SK secret/b:SK=0/30 secret:WA=0/50", judge.WrongAnswer, "=0/50"},
		{"it has a static check over groups", judge.Node{Aggregate: judge.Sum, MaxScore: 100, Static: &judge.StaticCheck{Score: 30}, Children: []*judge.Node{group("a", judge.PassFail, 70)}}, "secret/a:1", "secret/static:AC*0.5",
			"static-validation:AC=15/30 secret/a:AC=70/70 secret:AC=85/100", judge.Accepted, "=85/100"},

		{"it refuses an accepted output without points where there is no maximum", open, "secret:1", "", "1:JE secret:JE=0", judge.JudgeError, ""},
		{"it refuses points for an output that is not accepted", sumOf(10), "secret:1", "secret/1:WA=1", "1:JE secret:JE=0/10", judge.JudgeError, ""},
		{"it gives nothing for a case that could not be judged", sumOf(10), "secret:2", "secret/1:JE", "1:JE 2:AC=5/5 secret:JE=5/10", judge.JudgeError, ""},
		{"it refuses a multiplier where there is no maximum", open, "secret:1", "secret/1:AC*1", "1:JE secret:JE=0", judge.JudgeError, ""},
		{"it refuses a multiplier above 1", sumOf(10), "secret:1", "secret/1:AC*1.1", "1:JE secret:JE=0/10", judge.JudgeError, ""},
		{"it refuses points above the case's maximum", sumOf(10), "secret:2", "secret/1:AC=5.1", "1:JE 2:AC=5/5 secret:JE=5/10", judge.JudgeError, ""},
		{"it refuses points below 0", sumOf(10), "secret:1", "secret/1:AC=-1", "1:JE secret:JE=0/10", judge.JudgeError, ""},
		{"it refuses points in a group that passes or fails", two, "secret/a:1 secret/b:1", "secret/a/1:AC=1", "1:JE secret/a:JE=0/40 secret/b:AC=60/60 secret:JE=60/100", judge.JudgeError, ""},
		{"it refuses points and multipliers beside each other", sumOf(10), "secret:2", "secret/1:AC=1 secret/2:AC*1", "1:AC=1/5 2:JE secret:JE=1/10", judge.JudgeError, ""},
		{"it refuses groups that give more than there is", sumOf(50, two.Children...), "secret/a:1 secret/b:1", "", "secret/a:AC=40/40 secret/b:AC=60/60 secret:JE=100/50", judge.JudgeError, ""},
		{"it takes no notice of points in a sample", two, "sample:1 secret/a:1 secret/b:1", "sample/1:AC=7", "sample:AC secret/a:AC=40/40 secret/b:AC=60/60 secret:AC=100/100", judge.Accepted, "=100/100"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, jobs := range []int{1, 3} {
				events, sum := judged(t, current(test.secret, test.cases), test.said, judge.Options{Jobs: jobs})
				if events != test.events || sum.Verdict != test.verdict || points(sum.Score) != test.score {
					t.Errorf("got  %s\nwant %s\n%s%s, want %s%s", events, test.events, sum.Verdict, points(sum.Score), test.verdict, test.score)
				}
			}
		})
	}
}

// legacy is a problem in the legacy form. Its secret data has the groups a and b.
func legacy(change func(root, secret, a, b *judge.Node)) *judge.Problem {
	node := func(name string, children ...*judge.Node) *judge.Node {
		return &judge.Node{Name: name, Children: children, Aggregate: judge.Sum, Legacy: judge.UsualLegacy()}
	}
	a, b := node("secret/a"), node("secret/b")
	secret := node("secret", a, b)
	root := node("", node("sample"), secret)
	change(root, secret, a, b)
	return &judge.Problem{
		Groups:  groups("sample:1 secret/a:3 secret/b:2"),
		Grading: &judge.Grading{Form: judge.FormatLegacy, Scored: true, Root: root},
	}
}

func TestScoresOfLegacy(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(root, secret, a, b *judge.Node)
		custom  bool
		said    string
		events  string
		verdict judge.Verdict
		score   string
	}{
		{"it breaks off at the first failure, and so do the groups around it", func(_, _, _, _ *judge.Node) {}, false, "secret/a/2:WA",
			"1:AC=1 sample:AC=1/1 1:AC=1 2:WA=0 3:SK secret/a:WA=1/3 1:SK 2:SK secret/b:SK secret:WA=1/5", judge.WrongAnswer, "=2/6"},
		{"it breaks off only the group whose on_reject says so", func(root, secret, a, _ *judge.Node) {
			root.Legacy.GoOn, secret.Legacy.GoOn = true, true
			a.Aggregate, a.Legacy.AcceptScore = judge.Min, 20
		}, false, "secret/a/2:WA", "1:AC=1 sample:AC=1/1 1:AC=20 2:WA=0 3:SK secret/a:WA=0/20 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:WA=2/22", judge.WrongAnswer, "=3/23"},
		{"it always accepts where the flags say so", func(root, secret, a, b *judge.Node) {
			for _, n := range []*judge.Node{root, secret, a, b} {
				n.Legacy.Verdict, n.Legacy.GoOn = judge.AlwaysAccept, true
			}
			root.Legacy.IgnoreSample = true
		}, false, "secret/a/1:WA secret/b/2:TLE", "1:AC=1 sample:AC=1/1 1:WA=0 2:AC=1 3:AC=1 secret/a:AC=2/3 1:AC=1 2:TLE=0 secret/b:AC=1/2 secret:AC=3/5", judge.Accepted, "=3/5"},
		{"it takes the worst error", func(_, _, a, _ *judge.Node) { a.Legacy.GoOn = true }, false, "secret/a/1:WA secret/a/2:RTE secret/a/3:TLE",
			"1:AC=1 sample:AC=1/1 1:WA=0 2:RTE=0 3:TLE=0 secret/a:RTE=0/3 1:SK 2:SK secret/b:SK secret:RTE=0/5", judge.RunTimeError, "=1/6"},
		{"it takes the first error", func(_, _, a, _ *judge.Node) { a.Legacy.GoOn, a.Legacy.Verdict = true, judge.FirstError }, false, "secret/a/1:WA secret/a/2:RTE",
			"1:AC=1 sample:AC=1/1 1:WA=0 2:RTE=0 3:AC=1 secret/a:WA=1/3 1:SK 2:SK secret/b:SK secret:WA=1/5", judge.WrongAnswer, "=2/6"},
		{"it accepts if any is accepted", func(_, _, a, _ *judge.Node) { a.Legacy.GoOn, a.Legacy.AnyAccepted, a.Aggregate = true, true, judge.Max }, false, "secret/a/1:WA secret/a/2:RTE",
			"1:AC=1 sample:AC=1/1 1:WA=0 2:RTE=0 3:AC=1 secret/a:AC=1/1 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:AC=3/3", judge.Accepted, "=4/4"},
		{"it takes the average", func(_, _, a, _ *judge.Node) {
			a.Legacy.GoOn, a.Aggregate, a.Legacy.RejectScore = true, judge.Average, -1
		}, false, "secret/a/1:WA",
			"1:AC=1 sample:AC=1/1 1:WA=-1 2:AC=1 3:AC=1 secret/a:WA=0.333333/1 1:SK 2:SK secret/b:SK secret:WA=0.333333/3", judge.WrongAnswer, "=1.333333/4"},
		{"it takes the scores of a custom validator", func(_, _, _, _ *judge.Node) {}, true, "secret/a/1:AC=12.5",
			"1:AC=1 sample:AC=1 1:AC=12.5 2:AC=1 3:AC=1 secret/a:AC=14.5 1:AC=1 2:AC=1 secret/b:AC=2 secret:AC=16.5", judge.Accepted, "=17.5"},
		{"it takes no notice of points for an output that is not accepted", func(_, _, a, _ *judge.Node) { a.Legacy.GoOn = true }, true, "secret/a/3:WA=5",
			"1:AC=1 sample:AC=1 1:AC=1 2:AC=1 3:WA=0 secret/a:WA=2 1:SK 2:SK secret/b:SK secret:WA=2", judge.WrongAnswer, "=3"},
		{"it refuses scores of a validator that should give none", func(_, _, _, _ *judge.Node) {}, false, "secret/a/3:AC=5",
			"1:AC=1 sample:AC=1/1 1:AC=1 2:AC=1 3:JE secret/a:JE 1:SK 2:SK secret/b:SK secret:JE", judge.JudgeError, ""},
		{"it refuses a score outside the range", func(_, secret, _, _ *judge.Node) { secret.Legacy.High = 4 }, false, "",
			"1:AC=1 sample:AC=1/1 1:AC=1 2:AC=1 3:AC=1 secret/a:AC=3/3 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:JE=5/4", judge.JudgeError, ""},
		{"it takes the ends of the range", func(_, secret, a, b *judge.Node) {
			a.Legacy.Low, b.Legacy.High, secret.Legacy.Low, secret.Legacy.High = 3, 2, 5, 5
		}, false, "", "1:AC=1 sample:AC=1/1 1:AC=1 2:AC=1 3:AC=1 secret/a:AC=3/3 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:AC=5/5", judge.Accepted, "=6/6"},
		{"it takes a part of what an accepted case gives", func(_, _, a, _ *judge.Node) { a.Legacy.AcceptScore = 20 }, true, "secret/a/1:AC*0.5",
			"1:AC=1 sample:AC=1 1:AC=10 2:AC=20 3:AC=20 secret/a:AC=50 1:AC=1 2:AC=1 secret/b:AC=2 secret:AC=52", judge.Accepted, "=53"},
		{"it says how much of the range there is", func(root, _, _, _ *judge.Node) { root.Legacy.Low, root.Legacy.High = 0, 10 }, false, "",
			"1:AC=1 sample:AC=1/1 1:AC=1 2:AC=1 3:AC=1 secret/a:AC=3/3 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:AC=5/5", judge.Accepted, "=6/10"},
		{"it asks a grader of the setter's", func(_, _, a, _ *judge.Node) { a.Legacy.Grader, a.Legacy.GoOn = &judge.Part{}, true }, false, "secret/a/1:WA",
			"1:AC=1 sample:AC=1/1 1:WA=0 2:AC=1 3:AC=1 secret/a:AC=103 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:AC=105/2", judge.Accepted, "=106/3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := legacy(test.change)
			p.Grading.Custom = test.custom
			events, sum := judged(t, p, test.said, judge.Options{Jobs: 2})
			if events != test.events || sum.Verdict != test.verdict || points(sum.Score) != test.score {
				t.Errorf("got  %s\nwant %s\n%s%s, want %s%s", events, test.events, sum.Verdict, points(sum.Score), test.verdict, test.score)
			}
		})
	}
}

// TestTheBestScoreOfLegacy: what a score is "of" follows from the ranges, and where they
// are open from what accepted cases give.
func TestTheBestScoreOfLegacy(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(g *judge.Grading, secret *judge.Node)
		want   string
	}{
		{"all cases accepted", func(*judge.Grading, *judge.Node) {}, "6 of 6"},
		{"the upper end", func(g *judge.Grading, _ *judge.Node) { g.Root.Legacy.Low, g.Root.Legacy.High = 2, 10 }, "6 of 10"},
		{"the lower end, where less is better", func(g *judge.Grading, _ *judge.Node) {
			g.Minimize, g.Root.Legacy.Low, g.Root.Legacy.High = true, 2, 10
		}, "6 of 2"},
		{"all cases accepted, where less is better and there is no least", func(g *judge.Grading, _ *judge.Node) { g.Minimize = true }, "6 of 6"},
		{"nothing of a group without cases", func(_ *judge.Grading, secret *judge.Node) {
			secret.Aggregate = judge.Min
			secret.Children = append(secret.Children, &judge.Node{Name: "secret/c", Aggregate: judge.Sum, Legacy: judge.UsualLegacy()})
		}, "3 of 3"},
		{"nobody knows of a checker that gives scores", func(g *judge.Grading, _ *judge.Node) { g.Custom = true }, "6"},
		{"nobody knows of a grader", func(g *judge.Grading, _ *judge.Node) { g.Root.Legacy.Grader = &judge.Part{} }, "102"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := legacy(func(_, _, _, _ *judge.Node) {})
			test.change(p.Grading, p.Grading.Root.Children[1])
			if _, sum := judged(t, p, "", judge.Options{}); sum.Score == nil || sum.Score.String() != test.want {
				t.Errorf("the score is %v, want %s", sum.Score, test.want)
			}
		})
	}
}

// complainer is a bench whose grader finds fault with what it is to grade.
type complainer struct{ said }

func (c *complainer) Grade(context.Context, *judge.Node, []judge.Result) (judge.Result, error) {
	return judge.Result{Verdict: judge.JudgeError, Message: "the grader does not understand"}, nil
}

// TestWhatIsWrongWithAScoreIsSaid: by the group whose score it is.
func TestWhatIsWrongWithAScoreIsSaid(t *testing.T) {
	for want, change := range map[string]func(root, secret, a, b *judge.Node){
		"secret/a: the grader does not understand":               func(_, _, a, _ *judge.Node) { a.Legacy.Grader = &judge.Part{} },
		"secret/a: its score 3 is not in its range, 4 to 9":      func(_, _, a, _ *judge.Node) { a.Legacy.Low, a.Legacy.High = 4, 9 },
		"secret/b: its score 2 is not in its range, -Inf to 1.5": func(_, _, _, b *judge.Node) { b.Legacy.High = 1.5 },
	} {
		var got []string
		s := &complainer{said{cases: map[string]judge.Outcome{}}}
		sum, err := judge.Run(t.Context(), legacy(change), s, judge.Options{}, func(e judge.Event) {
			if g, ok := e.(*judge.GroupJudged); ok && g.Message != "" {
				got = append(got, g.Group+": "+g.Message)
			}
		})
		if err != nil || sum.Verdict != judge.JudgeError || strings.Join(got, "\n") != want {
			t.Errorf("got %q, %v, %v; want %q", got, sum, err, want)
		}
	}
}

// TestWhatDecidesInLegacy: the first failure is told where it counts, and a judge error
// stays one although the group broke off before it.
func TestWhatDecidesInLegacy(t *testing.T) {
	for _, test := range []struct {
		mode    judge.VerdictMode
		said    string
		verdict judge.Verdict
		first   string
	}{
		{judge.WorstError, "", judge.Accepted, ""},
		{judge.WorstError, "secret/a/1:WA secret/b/1:TLE", judge.WrongAnswer, "secret/a/1"},
		{judge.WorstError, "secret/a/1:WA secret/b/1:JE", judge.JudgeError, "secret/b/1"},
		{judge.AlwaysAccept, "secret/a/1:WA secret/b/1:TLE", judge.Accepted, ""},
	} {
		p := legacy(func(root, secret, a, b *judge.Node) {
			for _, n := range []*judge.Node{root, secret, a, b} {
				n.Legacy.Verdict = test.mode
			}
		})
		p.Grading.Scored = false
		if _, sum := judged(t, p, test.said, judge.Options{All: true}); sum.Verdict != test.verdict || sum.First != test.first {
			t.Errorf("%s, %q: %s at %q, want %s at %q", test.mode, test.said, sum.Verdict, sum.First, test.verdict, test.first)
		}
	}
}

// TestGroupsOfGroupsAreTold, so that a reader does not count their cases twice.
func TestGroupsOfGroupsAreTold(t *testing.T) {
	inner := map[string]bool{}
	p := current(judge.Node{Aggregate: judge.Sum, MaxScore: 1, Children: []*judge.Node{{Name: "secret/a", Aggregate: judge.PassFail, MaxScore: 1}}}, "sample:1 secret/a:1")
	if _, err := judge.Run(t.Context(), p, &said{}, judge.Options{}, func(e judge.Event) {
		if g, ok := e.(*judge.GroupJudged); ok {
			inner[g.Group] = g.Inner
		}
	}); err != nil {
		t.Fatal(err)
	}
	if want := map[string]bool{"sample": false, "secret/a": false, "secret": true}; !maps.Equal(inner, want) {
		t.Errorf("groups of groups: %v, want %v", inner, want)
	}
}

func TestUnscoredGradings(t *testing.T) {
	t.Run("it goes on with All where a legacy group would break off, and folds what counts", func(t *testing.T) {
		p := legacy(func(_, _, _, _ *judge.Node) {})
		p.Grading.Scored = false
		events, sum := judged(t, p, "secret/a/1:WA secret/a/2:RTE", judge.Options{All: true})
		if want := "sample:AC 1:WA 2:RTE secret/a:WA secret/b:AC secret:WA"; events != want || sum.Verdict != judge.WrongAnswer || sum.Score != nil {
			t.Errorf("got  %s, %s\nwant %s", events, sum.Verdict, want)
		}
	})
	t.Run("it refuses a checker that gives nothing but points", func(t *testing.T) {
		p := &judge.Problem{Groups: groups("secret:1")}
		s := &said{cases: map[string]judge.Outcome{"secret/1": {Verdict: judge.Accepted, Award: judge.Award{By: judge.Points, Value: 3, Alone: true}}}}
		sum, err := judge.Run(t.Context(), p, s, judge.Options{}, func(judge.Event) {})
		if err != nil || sum.Verdict != judge.JudgeError {
			t.Errorf("got %+v, %v", sum, err)
		}
	})
	t.Run("it refuses a validator that accepts and gives no points, where it has to give them", func(t *testing.T) {
		p := legacy(func(_, _, _, _ *judge.Node) {})
		p.Grading.Custom, p.Grading.Must = true, true
		if _, sum := judged(t, p, "", judge.Options{}); sum.Verdict != judge.JudgeError {
			t.Errorf("got %s, want a judge error", sum.Verdict)
		}
	})
	t.Run("it refuses groups that have no place in the tree", func(t *testing.T) {
		p := legacy(func(_, _, _, _ *judge.Node) {})
		p.Groups = append(p.Groups, judge.Group{Name: "secret/c"})
		if _, err := judge.Run(t.Context(), p, &said{}, judge.Options{}, func(judge.Event) {}); err == nil {
			t.Error("no error")
		}
	})
	t.Run("a part of the cases has no grading", func(t *testing.T) {
		p := legacy(func(_, _, _, _ *judge.Node) {})
		if p.Select([]string{"secret/a"}, nil).Grading != nil || p.Select(nil, nil).Grading == nil {
			t.Error("the grading is where it should not be, or not where it should")
		}
	})
}

// TestScoresAgainstTheSpecification holds the score of random problems against one
// that is computed from the whole table at once, as the format's text reads.
func TestScoresAgainstTheSpecification(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		aggregates := rapid.SampledFrom([]judge.Aggregate{judge.PassFail, judge.Sum, judge.Min})
		verdicts := rapid.SampledFrom([]judge.Verdict{judge.Accepted, judge.Accepted, judge.Accepted, judge.WrongAnswer, judge.TimeLimit})
		secret := judge.Node{Aggregate: judge.Sum, MaxScore: 1e6}
		words, s := "sample:1", &said{cases: map[string]judge.Outcome{"sample/1": {Verdict: verdicts.Draw(t, "sample")}}}
		passed := map[string]bool{"sample": s.cases["sample/1"].Verdict == judge.Accepted}
		want := 0.0
		for g := range rapid.IntRange(1, 5).Draw(t, "groups") {
			n := &judge.Node{Name: fmt.Sprint("secret/", g), Aggregate: aggregates.Draw(t, "aggregate"), MaxScore: float64(rapid.IntRange(0, 50).Draw(t, "max"))}
			runs := true
			for _, name := range slices.Sorted(func(yield func(string) bool) {
				for name := range passed {
					if !yield(name) {
						return
					}
				}
			}) {
				if rapid.IntRange(0, 3).Draw(t, "requires "+name) == 0 {
					n.RequirePass = append(n.RequirePass, name)
					runs = runs && passed[name]
				}
			}
			count := rapid.IntRange(1, 4).Draw(t, "cases")
			words += fmt.Sprintf(" %s:%d", n.Name, count)
			all, total, least := true, 0.0, math.Inf(1)
			for i := range count {
				o := judge.Outcome{Verdict: verdicts.Draw(t, "verdict")}
				worth := 0.0
				if o.Verdict == judge.Accepted {
					worth = 1
					if n.Aggregate != judge.PassFail && rapid.Bool().Draw(t, "partial") {
						worth = float64(rapid.IntRange(0, 4).Draw(t, "quarters")) / 4
						o.Award = judge.Award{By: judge.Multiplier, Value: worth}
					}
				}
				s.cases[fmt.Sprint(n.Name, "/", i+1)] = o
				all, total, least = all && o.Verdict == judge.Accepted, total+worth, min(least, worth)
			}
			passed[n.Name] = runs && all
			switch {
			case !runs:
			case n.Aggregate == judge.Sum:
				want += total * n.MaxScore / float64(count)
			case n.Aggregate == judge.Min:
				want += least * n.MaxScore
			case all:
				want += n.MaxScore
			}
			secret.Children = append(secret.Children, n)
		}
		p := current(secret, words)
		o := judge.Options{All: rapid.Bool().Draw(t, "all"), Jobs: rapid.IntRange(1, 4).Draw(t, "jobs")}
		sum, err := judge.Run(context.Background(), p, s, o, func(judge.Event) {})
		if err != nil {
			t.Fatal(err)
		}
		if sum.Score == nil || math.Abs(sum.Score.Points-want) > 1e-6 {
			t.Fatalf("score %v, want %v\n%v", sum.Score, want, s.cases)
		}
	})
}

// legacyTree draws a tree of groups with cases, and what is said of each case.
func legacyTree(t *rapid.T, name string, depth int, p *judge.Problem, s *said) *judge.Node {
	n := &judge.Node{Name: name, Legacy: judge.UsualLegacy()}
	n.Aggregate = rapid.SampledFrom([]judge.Aggregate{judge.Sum, judge.Min, judge.Max, judge.Average}).Draw(t, name+" aggregate")
	n.Legacy.Verdict = rapid.SampledFrom([]judge.VerdictMode{judge.WorstError, judge.FirstError, judge.AlwaysAccept}).Draw(t, name+" mode")
	n.Legacy.GoOn = rapid.Bool().Draw(t, name+" goes on")
	n.Legacy.AnyAccepted = rapid.IntRange(0, 3).Draw(t, name+" any") == 0
	n.Legacy.AcceptScore = float64(rapid.IntRange(0, 9).Draw(t, name+" accept"))
	n.Legacy.RejectScore = float64(rapid.IntRange(-2, 0).Draw(t, name+" reject"))
	if cases := rapid.IntRange(0, 3).Draw(t, name+" cases"); cases > 0 {
		made := groups(fmt.Sprintf("%s:%d", name, cases))[0]
		p.Groups = append(p.Groups, made)
		for _, c := range made.Cases {
			v := rapid.SampledFrom([]judge.Verdict{judge.Accepted, judge.Accepted, judge.WrongAnswer, judge.RunTimeError, judge.TimeLimit}).Draw(t, c.ID())
			s.cases[c.ID()] = judge.Outcome{Verdict: v}
		}
	}
	for i := range rapid.IntRange(0, 3).Draw(t, name+" children") {
		if depth > 0 {
			n.Children = append(n.Children, legacyTree(t, fmt.Sprint(name, "/", i), depth-1, p, s))
		}
	}
	return n
}

// gradeSlowly folds a tree as the format's text reads: all results of the direct
// children, cut off behind the first that is not accepted where it breaks off.
func gradeSlowly(n *judge.Node, p *judge.Problem, s *said) (judge.Result, bool) {
	var results []judge.Result
	for _, g := range p.Groups {
		for _, c := range g.Cases {
			if g.Name == n.Name {
				r := judge.Result{Verdict: s.cases[c.ID()].Verdict, Points: n.Legacy.RejectScore}
				if r.Verdict == judge.Accepted {
					r.Points = n.Legacy.AcceptScore
				}
				results = append(results, r)
			}
		}
	}
	for _, child := range n.Children {
		if r, any := gradeSlowly(child, p, s); any {
			results = append(results, r)
		}
	}
	bad := func(r judge.Result) bool { return r.Verdict != judge.Accepted }
	if i := slices.IndexFunc(results, bad); i >= 0 && !n.Legacy.GoOn {
		results = results[:i+1]
	}
	if len(results) == 0 {
		return judge.Result{}, false
	}
	order := []judge.Verdict{judge.RunTimeError, judge.TimeLimit, judge.WrongAnswer, judge.Accepted}
	all := judge.Result{Verdict: judge.Accepted}
	var scores []float64
	for _, r := range results {
		scores = append(scores, r.Points)
		if slices.Index(order, r.Verdict) < slices.Index(order, all.Verdict) {
			all.Verdict = r.Verdict
		}
	}
	if first := slices.IndexFunc(results, bad); n.Legacy.Verdict == judge.FirstError && first >= 0 {
		all.Verdict = results[first].Verdict
	}
	accepted := slices.ContainsFunc(results, func(r judge.Result) bool { return !bad(r) })
	if n.Legacy.Verdict == judge.AlwaysAccept || n.Legacy.AnyAccepted && accepted {
		all.Verdict = judge.Accepted
	}
	switch n.Aggregate {
	case judge.Min:
		all.Points = slices.Min(scores)
	case judge.Max:
		all.Points = slices.Max(scores)
	default:
		for _, x := range scores {
			all.Points += x
		}
		if n.Aggregate == judge.Average {
			all.Points /= float64(len(scores))
		}
	}
	return all, true
}

func TestLegacyAgainstTheSpecification(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, s := &judge.Problem{}, &said{cases: map[string]judge.Outcome{}}
		p.Grading = &judge.Grading{Form: judge.FormatLegacy, Scored: true, Root: legacyTree(t, "data", 2, p, s)}
		want, any := gradeSlowly(p.Grading.Root, p, s)
		if !any {
			t.Skip("no cases")
		}
		sum, err := judge.Run(context.Background(), p, s, judge.Options{Jobs: rapid.IntRange(1, 4).Draw(t, "jobs")}, func(judge.Event) {})
		if err != nil {
			t.Fatal(err)
		}
		if sum.Verdict != want.Verdict || sum.Score == nil || math.Abs(sum.Score.Points-want.Points) > 1e-9 {
			t.Fatalf("%s %v, want %+v", sum.Verdict, sum.Score, want)
		}
	})
}
