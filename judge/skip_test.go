package judge_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"assay/judge"
)

// crowd is a bench that counts how many of its programs run at the same time. Each runs for a second.
type crowd struct {
	bench
	running, most atomic.Int32
}

func (c *crowd) Try(ctx context.Context, of *judge.Case) (*judge.Attempt, error) {
	c.most.Store(max(c.most.Load(), c.running.Add(1)))
	defer c.running.Add(-1)
	return c.bench.Try(ctx, of)
}

// TestJobsBoundWhatRuns checks that exactly Jobs programs run at the same time, whatever the number of cases is.
func TestJobsBoundWhatRuns(t *testing.T) {
	takes := map[string]time.Duration{}
	for _, g := range twoGroups().Groups {
		for _, c := range g.Cases {
			takes[c.Name] = time.Second
		}
	}
	for jobs, want := range map[int]struct {
		most    int32
		seconds int
	}{0: {1, 10}, 1: {1, 10}, 2: {2, 5}, 3: {3, 4}, 7: {7, 2}, 10: {10, 1}, 50: {10, 1}} {
		t.Run(fmt.Sprint(jobs), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &crowd{bench: bench{takes: takes}}
				start := time.Now()
				if _, err := judge.Run(t.Context(), twoGroups(), c, judge.Options{Jobs: jobs}, func(judge.Event) {}); err != nil {
					t.Fatal(err)
				}
				if got := c.most.Load(); got != want.most {
					t.Errorf("%d programs ran at one time, want %d", got, want.most)
				}
				if took := time.Since(start); took != time.Duration(want.seconds)*time.Second {
					t.Errorf("ten cases of a second took %v, want %d s", took, want.seconds)
				}
			})
		})
	}
}

// TestWhatIsDecidedIsBrokenOff checks that the judge does not wait for a running case if an earlier case decides
// the result.
func TestWhatIsDecidedIsBrokenOff(t *testing.T) {
	for name, grading := range map[string]*judge.Grading{
		"without scores": nil,
		"with scores": {Form: judge.Format2025, Scored: true,
			Root: &judge.Node{Children: []*judge.Node{{Name: "secret", Aggregate: judge.AggregateSum, MaxScore: 2, Children: []*judge.Node{
				{Name: "a", Aggregate: judge.AggregatePassFail, MaxScore: 1}, {Name: "b", Aggregate: judge.AggregatePassFail, MaxScore: 1},
			}}}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := twoGroups()
				p.Grading = grading
				b := &bench{verdicts: map[string]judge.Verdict{"a0": judge.WrongAnswer}, takes: map[string]time.Duration{
					"a0": time.Second, "a1": time.Hour,
				}}
				start := time.Now()
				sum, err := judge.Run(t.Context(), p, b, judge.Options{Jobs: 2}, func(judge.Event) {})
				if took := time.Since(start); err != nil || sum.Verdict != judge.WrongAnswer || took > time.Minute {
					t.Errorf("got %+v, %v after %v", sum, err, took)
				}
				if n := b.open.Load(); n != 0 {
					t.Errorf("%d attempts were not given back", n)
				}
			})
		})
	}
}

// failer contains the methods common to *testing.T and *rapid.T that are used here.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// skipped returns the cases of a run that were not judged.
func skipped(t failer, p *judge.Problem, s *said, o judge.Options) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	_, err := judge.Run(context.Background(), p, s, o, func(e judge.Event) {
		if c, ok := e.(*judge.CaseJudged); ok && c.Verdict == judge.Skipped {
			out[c.ID()] = true
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameCases(t failer, got, want map[string]bool) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Fatalf("skipped %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// TestALegacyGroupBreaksOff compares the skipped cases in the legacy format with a tree walk that follows the
// specification of on_reject.
func TestALegacyGroupBreaksOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, s := &judge.Problem{}, &said{cases: map[string]judge.Outcome{}}
		root := legacyTree(t, "data", 2, p, s)
		p.Grading = &judge.Grading{Form: judge.FormatLegacy, Scored: rapid.Bool().Draw(t, "scored"), Root: root}
		if p.CaseCount() == 0 {
			t.Skip("no cases")
		}
		o := judge.Options{Jobs: rapid.IntRange(1, 4).Draw(t, "jobs"), ContinueAfterFailure: rapid.Bool().Draw(t, "all")}
		want := map[string]bool{}
		var walk func(n *judge.Node, broken bool) (ran bool)
		walk = func(n *judge.Node, broken bool) (ran bool) {
			after := func(v judge.Verdict) { broken = broken || v != judge.Accepted && !n.Legacy.ContinueOnReject }
			for _, g := range p.Groups {
				for _, c := range g.Cases {
					switch {
					case g.Name != n.Name:
					case broken && (p.Grading.Scored || !o.ContinueAfterFailure):
						want[c.ID()] = true
					default:
						ran = true
						after(s.cases[c.ID()].Verdict)
					}
				}
			}
			for _, child := range n.Children {
				if walk(child, broken) {
					r, _ := gradeSlowly(child, p, s)
					after(r.Verdict)
					ran = true
				}
			}
			return ran
		}
		walk(root, false)
		sameCases(t, skipped(t, p, s, o), want)
	})
}

// TestWhatDecidesAScore compares the skipped cases in the format 2025-09 with the rule: after a failure, the rest
// of a group is judged only if it can still change the score.
func TestWhatDecidesAScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		aggregates := rapid.SampledFrom([]judge.Aggregate{judge.AggregatePassFail, judge.AggregateSum, judge.AggregateMin})
		accepted := rapid.Custom(func(t *rapid.T) bool { return rapid.IntRange(0, 3).Draw(t, "fails") > 0 })
		s := &said{cases: map[string]judge.Outcome{}}
		words := ""
		draw := func(name string) {
			count := rapid.IntRange(1, 3).Draw(t, name+" cases")
			words += fmt.Sprintf(" %s:%d", name, count)
			for i := range count {
				if !accepted.Draw(t, "accepted") {
					s.cases[fmt.Sprint(name, "/", i+1)] = judge.Outcome{Verdict: judge.WrongAnswer}
				}
			}
		}
		draw("sample")
		secret := judge.Node{Aggregate: aggregates.Draw(t, "aggregate"), MaxScore: 1e6}
		for i := range rapid.IntRange(1, 3).Draw(t, "groups") {
			n := &judge.Node{Name: fmt.Sprint("secret/", i), Aggregate: aggregates.Draw(t, "group's aggregate"), MaxScore: 10}
			secret.Children = append(secret.Children, n)
			draw(n.Name)
		}
		p := current(secret, words)
		o := judge.Options{Jobs: rapid.IntRange(1, 4).Draw(t, "jobs"), ContinueAfterFailure: rapid.Bool().Draw(t, "all")}
		want := map[string]bool{}
		everything := false // whether the result of secret is decided
		for _, g := range p.Groups {
			decides := g.Name == "sample"
			for _, n := range secret.Children {
				decides = decides || n.Name == g.Name && n.Aggregate != judge.AggregateSum
			}
			decided := everything
			for _, c := range g.Cases {
				if decided && !o.ContinueAfterFailure {
					want[c.ID()] = true
					continue
				}
				if _, fails := s.cases[c.ID()]; fails {
					decided = decided || decides || g.Name != "sample" && secret.Aggregate == judge.AggregatePassFail
					everything = everything || g.Name != "sample" && secret.Aggregate == judge.AggregatePassFail
				}
			}
		}
		sameCases(t, skipped(t, p, s, o), want)
	})
}
