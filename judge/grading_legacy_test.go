package judge_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"assay/judge"
)

// legacy returns a problem in the legacy form. Its secret data has the groups a and b.
func legacy(change func(root, secret, a, b *judge.Node)) *judge.Problem {
	node := func(name string, children ...*judge.Node) *judge.Node {
		return &judge.Node{Name: name, Children: children, Aggregate: judge.AggregateSum, Legacy: judge.DefaultLegacy()}
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
			root.Legacy.ContinueOnReject, secret.Legacy.ContinueOnReject = true, true
			a.Aggregate, a.Legacy.AcceptScore = judge.AggregateMin, 20
		}, false, "secret/a/2:WA", "1:AC=1 sample:AC=1/1 1:AC=20 2:WA=0 3:SK secret/a:WA=0/20 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:WA=2/22",
			judge.WrongAnswer, "=3/23"},
		{"it always accepts where the flags say so", func(root, secret, a, b *judge.Node) {
			for _, n := range []*judge.Node{root, secret, a, b} {
				n.Legacy.Verdict, n.Legacy.ContinueOnReject = judge.AlwaysAccept, true
			}
			root.Legacy.IgnoreSample = true
		}, false, "secret/a/1:WA secret/b/2:TLE", "1:AC=1 sample:AC=1/1 1:WA=0 2:AC=1 3:AC=1 secret/a:AC=2/3 1:AC=1 2:TLE=0 secret/b:AC=1/2 " +
			"secret:AC=3/5", judge.Accepted, "=3/5"},
		{"it takes the worst error", func(_, _, a, _ *judge.Node) { a.Legacy.ContinueOnReject = true }, false,
			"secret/a/1:WA secret/a/2:RTE secret/a/3:TLE",
			"1:AC=1 sample:AC=1/1 1:WA=0 2:RTE=0 3:TLE=0 secret/a:RTE=0/3 1:SK 2:SK secret/b:SK secret:RTE=0/5", judge.RunTimeError, "=1/6"},
		{"it takes the first error", func(_, _, a, _ *judge.Node) { a.Legacy.ContinueOnReject, a.Legacy.Verdict = true, judge.FirstError },
			false, "secret/a/1:WA secret/a/2:RTE",
			"1:AC=1 sample:AC=1/1 1:WA=0 2:RTE=0 3:AC=1 secret/a:WA=1/3 1:SK 2:SK secret/b:SK secret:WA=1/5", judge.WrongAnswer, "=2/6"},
		{"it accepts if any is accepted", func(_, _, a, _ *judge.Node) {
			a.Legacy.ContinueOnReject, a.Legacy.AnyAccepted, a.Aggregate = true, true, judge.AggregateMax
		}, false, "secret/a/1:WA secret/a/2:RTE",
			"1:AC=1 sample:AC=1/1 1:WA=0 2:RTE=0 3:AC=1 secret/a:AC=1/1 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:AC=3/3", judge.Accepted, "=4/4"},
		{"it takes the average", func(_, _, a, _ *judge.Node) {
			a.Legacy.ContinueOnReject, a.Aggregate, a.Legacy.RejectScore = true, judge.AggregateAverage, -1
		}, false, "secret/a/1:WA",
			"1:AC=1 sample:AC=1/1 1:WA=-1 2:AC=1 3:AC=1 secret/a:WA=0.333333/1 1:SK 2:SK secret/b:SK secret:WA=0.333333/3", judge.WrongAnswer,
			"=1.333333/4"},
		{"it takes the scores of a custom validator", func(_, _, _, _ *judge.Node) {}, true, "secret/a/1:AC=12.5",
			"1:AC=1 sample:AC=1 1:AC=12.5 2:AC=1 3:AC=1 secret/a:AC=14.5 1:AC=1 2:AC=1 secret/b:AC=2 secret:AC=16.5", judge.Accepted, "=17.5"},
		{"it takes no notice of points for an output that is not accepted", func(_, _, a, _ *judge.Node) { a.Legacy.ContinueOnReject = true },
			true, "secret/a/3:WA=5",
			"1:AC=1 sample:AC=1 1:AC=1 2:AC=1 3:WA=0 secret/a:WA=2 1:SK 2:SK secret/b:SK secret:WA=2", judge.WrongAnswer, "=3"},
		{"it refuses scores of a validator that should give none", func(_, _, _, _ *judge.Node) {}, false, "secret/a/3:AC=5",
			"1:AC=1 sample:AC=1/1 1:AC=1 2:AC=1 3:JE secret/a:JE 1:SK 2:SK secret/b:SK secret:JE", judge.JudgeError, ""},
		{"it refuses a score outside the range", func(_, secret, _, _ *judge.Node) { secret.Legacy.High = 4 }, false, "",
			"1:AC=1 sample:AC=1/1 1:AC=1 2:AC=1 3:AC=1 secret/a:AC=3/3 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:JE=5/4", judge.JudgeError, ""},
		{"it takes the ends of the range", func(_, secret, a, b *judge.Node) {
			a.Legacy.Low, b.Legacy.High, secret.Legacy.Low, secret.Legacy.High = 3, 2, 5, 5
		}, false, "", "1:AC=1 sample:AC=1/1 1:AC=1 2:AC=1 3:AC=1 secret/a:AC=3/3 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:AC=5/5", judge.Accepted,
			"=6/6"},
		{"it takes a part of what an accepted case gives", func(_, _, a, _ *judge.Node) { a.Legacy.AcceptScore = 20 }, true, "secret/a/1:AC*0.5",
			"1:AC=1 sample:AC=1 1:AC=10 2:AC=20 3:AC=20 secret/a:AC=50 1:AC=1 2:AC=1 secret/b:AC=2 secret:AC=52", judge.Accepted, "=53"},
		{"it says how much of the range there is", func(root, _, _, _ *judge.Node) { root.Legacy.Low, root.Legacy.High = 0, 10 }, false, "",
			"1:AC=1 sample:AC=1/1 1:AC=1 2:AC=1 3:AC=1 secret/a:AC=3/3 1:AC=1 2:AC=1 secret/b:AC=2/2 secret:AC=5/5", judge.Accepted, "=6/10"},
		{"it asks a grader of the setter's", func(_, _, a, _ *judge.Node) {
			a.Legacy.Grader, a.Legacy.ContinueOnReject = &judge.SetterProgram{}, true
		}, false, "secret/a/1:WA",
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

// TestTheBestScoreOfLegacy checks the maximum score. It follows from the ranges or, if these are unlimited, from
// the scores of accepted cases.
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
			secret.Aggregate = judge.AggregateMin
			secret.Children = append(secret.Children, &judge.Node{Name: "secret/c", Aggregate: judge.AggregateSum, Legacy: judge.DefaultLegacy()})
		}, "3 of 3"},
		{"a checker that gives scores is unknown", func(g *judge.Grading, _ *judge.Node) { g.Custom = true }, "6"},
		{"the grader is unknown", func(g *judge.Grading, _ *judge.Node) { g.Root.Legacy.Grader = &judge.SetterProgram{} }, "102"},
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

// TestWhatDecidesInLegacy checks that the first failure is reported if it determines the verdict. A judge error
// must be reported as a judge error even if its group has already failed.
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
		if _, sum := judged(t, p, test.said, judge.Options{ContinueAfterFailure: true}); sum.Verdict != test.verdict || sum.First != test.first {
			t.Errorf("%s, %q: %s at %q, want %s at %q", test.mode, test.said, sum.Verdict, sum.First, test.verdict, test.first)
		}
	}
}

// legacyTree draws a random tree of groups with cases, and the outcome of each case.
func legacyTree(t *rapid.T, name string, depth int, p *judge.Problem, s *said) *judge.Node {
	n := &judge.Node{Name: name, Legacy: judge.DefaultLegacy()}
	n.Aggregate = rapid.SampledFrom([]judge.Aggregate{judge.AggregateSum, judge.AggregateMin, judge.AggregateMax,
		judge.AggregateAverage}).Draw(t, name+" aggregate")
	n.Legacy.Verdict = rapid.SampledFrom([]judge.VerdictMode{judge.WorstError, judge.FirstError, judge.AlwaysAccept}).Draw(t, name+" mode")
	n.Legacy.ContinueOnReject = rapid.Bool().Draw(t, name+" goes on")
	n.Legacy.AnyAccepted = rapid.IntRange(0, 3).Draw(t, name+" any") == 0
	n.Legacy.AcceptScore = float64(rapid.IntRange(0, 9).Draw(t, name+" accept"))
	n.Legacy.RejectScore = float64(rapid.IntRange(-2, 0).Draw(t, name+" reject"))
	if cases := rapid.IntRange(0, 3).Draw(t, name+" cases"); cases > 0 {
		made := groups(fmt.Sprintf("%s:%d", name, cases))[0]
		p.Groups = append(p.Groups, made)
		for _, c := range made.Cases {
			v := rapid.SampledFrom([]judge.Verdict{
				judge.Accepted, judge.Accepted, judge.WrongAnswer, judge.RunTimeError, judge.TimeLimit,
			}).Draw(t, c.ID())
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

// gradeSlowly grades a tree exactly as the text of the format describes. It collects the results of all direct
// children, up to the first that is not accepted if the node stops there.
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
	if i := slices.IndexFunc(results, bad); i >= 0 && !n.Legacy.ContinueOnReject {
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
	case judge.AggregateMin:
		all.Points = slices.Min(scores)
	case judge.AggregateMax:
		all.Points = slices.Max(scores)
	default:
		for _, x := range scores {
			all.Points += x
		}
		if n.Aggregate == judge.AggregateAverage {
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
