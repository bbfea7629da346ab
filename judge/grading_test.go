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

// said is a bench whose checker returns the outcomes in a table.
type said struct {
	cases  map[string]judge.Outcome // by id; accepted if missing
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

// groups returns groups with cases 1, 2, ... for words such as "secret/a:3".
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

// outcome parses "WA", "AC=3" (points) or "AC*0.5" (a multiplier).
func outcome(word string) (o judge.Outcome) {
	verdict, points, given := strings.Cut(word, "=")
	if given {
		o.Award.By = judge.AwardPoints
	} else if verdict, points, given = strings.Cut(word, "*"); given {
		o.Award.By = judge.AwardMultiplier
	}
	if given {
		fmt.Sscan(points, &o.Award.Value)
	}
	o.Verdict = judge.Verdict(verdict)
	return o
}

// judged runs a problem with outcomes such as "secret/a/1:WA secret/b/2:AC=3". It returns the results of the cases
// and groups, and the last event.
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

// current returns a problem in the form of 2025-09.
func current(secret judge.Node, words string) *judge.Problem {
	secret.Name = "secret"
	return &judge.Problem{
		Static: &judge.SetterProgram{},
		Groups: groups(words),
		Grading: &judge.Grading{Form: judge.Format2025, Scored: true, Root: &judge.Node{Children: []*judge.Node{
			{Name: "sample"}, &secret,
		}}},
	}
}

func TestScoresOf2025(t *testing.T) {
	sumOf := func(most float64, children ...*judge.Node) judge.Node {
		return judge.Node{Aggregate: judge.AggregateSum, MaxScore: most, Children: children}
	}
	group := func(name string, a judge.Aggregate, most float64, requires ...string) *judge.Node {
		return &judge.Node{Name: "secret/" + name, Aggregate: a, MaxScore: most, RequirePass: requires}
	}
	withStatic := func(n *judge.Node, s judge.StaticCheck) *judge.Node { n.Static = &s; return n }
	open := judge.Node{Aggregate: judge.AggregateSum, Unbounded: true}
	two := sumOf(100, group("a", judge.AggregatePassFail, 40), group("b", judge.AggregatePassFail, 60))
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
		{"it takes the minimum of a group", sumOf(100, group("a", judge.AggregateMin, 100)), "secret/a:3", "secret/a/2:AC*0.3",
			"1:AC=100/100 2:AC=30/100 3:AC=100/100 secret/a:AC=30/100 secret:AC=30/100", judge.Accepted, "=30/100"},
		{"it stops a minimum at 0", sumOf(100, group("a", judge.AggregateMin, 100)), "secret/a:3", "secret/a/2:WA",
			"1:AC=100/100 2:WA=0/100 3:SK secret/a:WA=0/100 secret:WA=0/100", judge.WrongAnswer, "=0/100"},
		{"it takes any points where there is no maximum", open, "secret:2", "secret/1:AC=5 secret/2:AC=1000.5",
			"1:AC=5 2:AC=1000.5 secret:AC=1005.5", judge.Accepted, "=1005.5"},
		{"it skips a group whose required group fails, and what requires that", sumOf(100, group("a", judge.AggregatePassFail, 10), group(
			"b", judge.AggregatePassFail, 20, "secret/a",
		), group("c", judge.AggregatePassFail, 30, "secret/b"), group("d", judge.AggregateSum, 40, "sample")),
			"sample:1 secret/a:1 secret/b:1 secret/c:1 secret/d:1", "secret/a/1:WA",
			"sample:AC 1:WA secret/a:WA=0/10 1:SK secret/b:SK=0/20 1:SK secret/c:SK=0/30 1:AC=40/40 secret/d:AC=40/40 secret:WA=40/100",
			judge.WrongAnswer, "=40/100"},
		{"it passes or fails as a whole", judge.Node{
			Aggregate: judge.AggregatePassFail, MaxScore: 50, Children: two.Children,
		}, "secret/a:1 secret/b:2", "secret/b/1:WA",
			"secret/a:AC=40/40 1:WA 2:SK secret/b:WA=0/60 secret:WA=0/50", judge.WrongAnswer, "=0/50"},
		{"it takes the static check's points from the cases' share", judge.Node{
			Aggregate: judge.AggregateSum, MaxScore: 100, Static: &judge.StaticCheck{Score: 40},
		}, "secret:3", "secret/static:AC=30 secret/3:WA",
			"static-validation:AC=30/40 1:AC=20/20 2:AC=20/20 3:WA=0/20 secret:WA=70/100", judge.WrongAnswer, "=70/100"},
		{"it fails a group whose static check fails", sumOf(
			50, withStatic(group("a", judge.AggregatePassFail, 50), judge.StaticCheck{PassFail: true}),
		), "secret/a:1", "secret/a/static:WA",
			"static-validation:WA 1:SK secret/a:WA=0/50 secret:WA=0/50", judge.WrongAnswer, "=0/50"},

		{"it skips the static check of a group that nothing can save", sumOf(50, group("a", judge.AggregatePassFail, 20), withStatic(
			group("b", judge.AggregateSum, 30, "secret/a"), judge.StaticCheck{Score: 30},
		)), "secret/a:1", "secret/a/1:WA",
			"1:WA secret/a:WA=0/20 static-validation:SK secret/b:SK=0/30 secret:WA=0/50", judge.WrongAnswer, "=0/50"},
		{"it has a static check over groups", judge.Node{
			Aggregate: judge.AggregateSum, MaxScore: 100, Static: &judge.StaticCheck{Score: 30},
			Children: []*judge.Node{group("a", judge.AggregatePassFail, 70)},
		}, "secret/a:1", "secret/static:AC*0.5",
			"static-validation:AC=15/30 secret/a:AC=70/70 secret:AC=85/100", judge.Accepted, "=85/100"},

		{
			"it refuses an accepted output without points where there is no maximum", open, "secret:1", "",
			"1:JE secret:JE=0", judge.JudgeError, "",
		},
		{
			"it refuses points for an output that is not accepted", sumOf(10), "secret:1", "secret/1:WA=1",
			"1:JE secret:JE=0/10", judge.JudgeError, "",
		},
		{
			"it gives nothing for a case that could not be judged", sumOf(10), "secret:2", "secret/1:JE",
			"1:JE 2:AC=5/5 secret:JE=5/10", judge.JudgeError, "",
		},
		{"it refuses a multiplier where there is no maximum", open, "secret:1", "secret/1:AC*1", "1:JE secret:JE=0", judge.JudgeError, ""},
		{"it refuses a multiplier above 1", sumOf(10), "secret:1", "secret/1:AC*1.1", "1:JE secret:JE=0/10", judge.JudgeError, ""},
		{
			"it refuses points above the case's maximum", sumOf(10), "secret:2", "secret/1:AC=5.1",
			"1:JE 2:AC=5/5 secret:JE=5/10", judge.JudgeError, "",
		},
		{"it refuses points below 0", sumOf(10), "secret:1", "secret/1:AC=-1", "1:JE secret:JE=0/10", judge.JudgeError, ""},
		{
			"it refuses points in a group that passes or fails", two, "secret/a:1 secret/b:1",
			"secret/a/1:AC=1", "1:JE secret/a:JE=0/40 secret/b:AC=60/60 secret:JE=60/100", judge.JudgeError, "",
		},
		{
			"it refuses points and multipliers beside each other", sumOf(10), "secret:2",
			"secret/1:AC=1 secret/2:AC*1", "1:AC=1/5 2:JE secret:JE=1/10", judge.JudgeError, "",
		},
		{
			"it refuses groups that give more than there is", sumOf(50, two.Children...),
			"secret/a:1 secret/b:1", "", "secret/a:AC=40/40 secret/b:AC=60/60 secret:JE=100/50",
			judge.JudgeError, "",
		},
		{
			"it takes no notice of points in a sample", two, "sample:1 secret/a:1 secret/b:1", "sample/1:AC=7",
			"sample:AC secret/a:AC=40/40 secret/b:AC=60/60 secret:AC=100/100", judge.Accepted, "=100/100",
		},
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

// TestPartsOfAScore checks that the scores of groups are reported if the total is their sum.
func TestPartsOfAScore(t *testing.T) {
	leaf := func(name string, a judge.Aggregate, most float64) *judge.Node {
		return &judge.Node{Name: "secret/" + name, Aggregate: a, MaxScore: most}
	}
	sum := func(name string, most float64, children ...*judge.Node) *judge.Node {
		return &judge.Node{Name: "secret/" + name, Aggregate: judge.AggregateSum, MaxScore: most, Children: children}
	}
	a, b, c := leaf("a", judge.AggregatePassFail, 20), leaf("b", judge.AggregateMin, 30), leaf("d/c", judge.AggregateSum, 50)
	secret := func(aggregate judge.Aggregate, static *judge.StaticCheck, children ...*judge.Node) *judge.Problem {
		return current(
			judge.Node{Aggregate: aggregate, MaxScore: 100, Static: static, Children: children},
			"sample:1 secret/a:2 secret/b:2 secret/d/c:2",
		)
	}
	usual := func(_, _, _, _ *judge.Node) {}
	for _, test := range []struct {
		name    string
		problem *judge.Problem
		said    string
		want    string
	}{
		{"each group is a part", secret(judge.AggregateSum, nil, a, b, sum("d", 50, c)), "", "[20 30 50]"},
		{"a part that fails is 0", secret(judge.AggregateSum, nil, a, b, sum("d", 50, c)), "secret/a/1:WA secret/d/c/2:TLE", "[0 30 25]"},
		{"a group that is no sum is one part", secret(judge.AggregateSum, nil, a, b, &judge.Node{
			Name: "secret/d", Aggregate: judge.AggregatePassFail, MaxScore: 50, Children: []*judge.Node{c},
		}), "", "[20 30 50]"},
		{"what is no sum has no parts", secret(judge.AggregateMin, nil, a, b, sum("d", 50, c)), "", "[]"},
		{"nor has what a static check adds to", secret(judge.AggregateSum, &judge.StaticCheck{Score: 0}, a, b, sum("d", 50, c)), "", "[]"},
		{"one group is the whole", current(judge.Node{Aggregate: judge.AggregateSum, MaxScore: 20, Children: []*judge.Node{a}}, "secret/a:2"),
			"", "[]"},
		{"no score needs parts", secret(judge.AggregateSum, nil, a, b, sum("d", 50, c)), "secret/a/1:JE", "[]"},
		{"a legacy score adds the samples", legacy(usual), "", "[1 3 2]"},
		{"unless they are ignored", legacy(func(root, _, _, _ *judge.Node) { root.Legacy.IgnoreSample = true }), "", "[3 2]"},
		{"what was not judged any more is 0", legacy(usual), "secret/a/2:WA", "[1 1 0]"},
		{"a grader of the setter's does not add", legacy(func(
			_, secret, _, _ *judge.Node,
		) {
			secret.Legacy.Grader = &judge.SetterProgram{}
		}), "", "[1 102]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, sum := judged(t, test.problem, test.said, judge.Options{}); fmt.Sprint(sum.ScoreParts) != test.want {
				t.Errorf("got %v of %v, want %s", sum.ScoreParts, sum.Score, test.want)
			}
		})
	}
}

// complainer is a bench whose grader returns an error.
type complainer struct{ said }

func (c *complainer) Grade(context.Context, *judge.Node, []judge.Result) (judge.Result, error) {
	return judge.Result{Verdict: judge.JudgeError, Message: "the grader does not understand"}, nil
}

// TestWhatIsWrongWithAScoreIsSaid checks that an invalid score is reported with the name of its group.
func TestWhatIsWrongWithAScoreIsSaid(t *testing.T) {
	for want, change := range map[string]func(root, secret, a, b *judge.Node){
		"secret/a: the grader does not understand":               func(_, _, a, _ *judge.Node) { a.Legacy.Grader = &judge.SetterProgram{} },
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

// TestGroupsOfGroupsAreTold checks that groups of groups are marked, so that their cases are not counted twice.
func TestGroupsOfGroupsAreTold(t *testing.T) {
	inner := map[string]bool{}
	p := current(
		judge.Node{Aggregate: judge.AggregateSum, MaxScore: 1,
			Children: []*judge.Node{{Name: "secret/a", Aggregate: judge.AggregatePassFail, MaxScore: 1}}},
		"sample:1 secret/a:1",
	)
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
		events, sum := judged(t, p, "secret/a/1:WA secret/a/2:RTE", judge.Options{ContinueAfterFailure: true})
		if want := "sample:AC 1:WA 2:RTE secret/a:WA secret/b:AC secret:WA"; events != want ||
			sum.Verdict != judge.WrongAnswer || sum.Score != nil {
			t.Errorf("got  %s, %s\nwant %s", events, sum.Verdict, want)
		}
	})
	t.Run("it refuses a checker that gives nothing but points", func(t *testing.T) {
		p := &judge.Problem{Groups: groups("secret:1")}
		s := &said{
			cases: map[string]judge.Outcome{"secret/1": {Verdict: judge.Accepted, Award: judge.Award{By: judge.AwardPoints, Value: 3, Alone: true}}},
		}
		sum, err := judge.Run(t.Context(), p, s, judge.Options{}, func(judge.Event) {})
		if err != nil || sum.Verdict != judge.JudgeError {
			t.Errorf("got %+v, %v", sum, err)
		}
	})
	t.Run("it refuses a validator that accepts and gives no points, where it has to give them", func(t *testing.T) {
		p := legacy(func(_, _, _, _ *judge.Node) {})
		p.Grading.Custom, p.Grading.ScoreRequired = true, true
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

// TestScoresAgainstTheSpecification compares the scores of random problems with scores computed directly from the
// text of the format.
func TestScoresAgainstTheSpecification(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		aggregates := rapid.SampledFrom([]judge.Aggregate{judge.AggregatePassFail, judge.AggregateSum, judge.AggregateMin})
		verdicts := rapid.SampledFrom([]judge.Verdict{judge.Accepted, judge.Accepted, judge.Accepted, judge.WrongAnswer, judge.TimeLimit})
		secret := judge.Node{Aggregate: judge.AggregateSum, MaxScore: 1e6}
		words, s := "sample:1", &said{cases: map[string]judge.Outcome{"sample/1": {Verdict: verdicts.Draw(t, "sample")}}}
		passed := map[string]bool{"sample": s.cases["sample/1"].Verdict == judge.Accepted}
		want := 0.0
		for g := range rapid.IntRange(1, 5).Draw(t, "groups") {
			n := &judge.Node{
				Name: fmt.Sprint("secret/", g), Aggregate: aggregates.Draw(t, "aggregate"),
				MaxScore: float64(rapid.IntRange(0, 50).Draw(t, "max")),
			}
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
					if n.Aggregate != judge.AggregatePassFail && rapid.Bool().Draw(t, "partial") {
						worth = float64(rapid.IntRange(0, 4).Draw(t, "quarters")) / 4
						o.Award = judge.Award{By: judge.AwardMultiplier, Value: worth}
					}
				}
				s.cases[fmt.Sprint(n.Name, "/", i+1)] = o
				all, total, least = all && o.Verdict == judge.Accepted, total+worth, min(least, worth)
			}
			passed[n.Name] = runs && all
			switch {
			case !runs:
			case n.Aggregate == judge.AggregateSum:
				want += total * n.MaxScore / float64(count)
			case n.Aggregate == judge.AggregateMin:
				want += least * n.MaxScore
			case all:
				want += n.MaxScore
			}
			secret.Children = append(secret.Children, n)
		}
		p := current(secret, words)
		o := judge.Options{ContinueAfterFailure: rapid.Bool().Draw(t, "all"), Jobs: rapid.IntRange(1, 4).Draw(t, "jobs")}
		sum, err := judge.Run(context.Background(), p, s, o, func(judge.Event) {})
		if err != nil {
			t.Fatal(err)
		}
		if sum.Score == nil || math.Abs(sum.Score.Points-want) > 1e-6 {
			t.Fatalf("score %v, want %v\n%v", sum.Score, want, s.cases)
		}
	})
}
