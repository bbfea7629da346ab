package feed_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

var runner = feed.Reader{Version: clics.V2026, Role: clics.Balloon}

// frozenWorld returns a contest during its freeze. Teams get balloons for up to bound solved problems.
func frozenWorld(t *testing.T, bound int) *world {
	w := newWorld(t)
	w.set(func(c *store.Contest) { c.Settings.BalloonsInFreeze = bound })
	w.now = start.Add(4 * time.Hour)
	return w
}

// judged creates a submission and judges it.
func (w *world) judged(team int, problem string, v judge.Verdict) {
	w.Helper()
	w.submit(team, problem)
	w.judge(job.ContestPriority, v)
	w.now = w.now.Add(time.Minute)
}

// judgements returns the submissions that have a judgement in the follower's state, and their verdicts.
func (f *follower) judgements(t *testing.T) (all []string) {
	t.Helper()
	for key, data := range f.has {
		if strings.HasPrefix(key, "judgements ") {
			_, rest, _ := strings.Cut(data, `"submission_id":"`)
			id, _, _ := strings.Cut(rest, `"`)
			_, rest, _ = strings.Cut(data, `"judgement_type_id":"`)
			verdict, _, _ := strings.Cut(rest, `"`)
			all = append(all, strings.TrimSpace(id+" "+verdict))
		}
	}
	slices.Sort(all)
	return all
}

// TestRunnersSeeTheirJudgements checks that, during the freeze, a balloon runner sees the judgements of the teams
// that still get balloons. Judgements appear and disappear when another verdict changes the number of solved
// problems. A feed that is resumed from any of its tokens has the same result.
func TestRunnersSeeTheirJudgements(t *testing.T) {
	w := frozenWorld(t, 2)
	registry := &feed.Registry{Intake: w.intake}
	live, cut := &follower{to: runner, has: map[string]string{}}, &follower{to: runner, has: map[string]string{}}
	restarts := 0
	look := func(what, want string) {
		t.Helper()
		c, err := registry.Contest(t.Context(), w.contest)
		w.must(err)
		if live.cursor == nil {
			live.cursor, err = c.NewCursor(t.Context(), runner, "", nil)
			w.must(err)
		}
		live.read(t, 1<<30)
		fresh, err := (&feed.Registry{Intake: w.intake}).Contest(t.Context(), w.contest) // as after a server restart
		w.must(err)
		cut.cursor, err = fresh.NewCursor(t.Context(), runner, cut.token, nil)
		if errors.Is(err, feed.ErrToken) {
			restarts++
			cut.has = map[string]string{}
			cut.cursor, err = fresh.NewCursor(t.Context(), runner, "", nil)
		}
		w.must(err)
		cut.read(t, 1<<30)
		for _, f := range []*follower{live, cut} {
			if got := strings.Join(f.judgements(t), ", "); got != want {
				t.Errorf("%s: a runner knows of %q, want %q", what, got, want)
			}
			if d := difference(f.has, rest(t, c, runner)); d != "" {
				t.Errorf("%s: %s", what, d)
			}
		}
		for key := range live.has {
			if strings.HasPrefix(key, "runs ") {
				t.Errorf("%s: a runner knows of %s", what, key)
			}
		}
	}
	look("nothing", "")
	w.judged(0, "p0", judge.WrongAnswer)
	w.judged(0, "p0", judge.Accepted)
	look("solved one", "1 WA, 2 AC")
	w.submit(0, "p1")
	w.now = w.now.Add(time.Minute)
	w.submit(0, "p2") // number 4
	look("undecided", "1 WA, 2 AC, 3")
	waiting, err := w.store.NextJobs(t.Context(), job.ContestPriority, "main", 2)
	w.must(err)
	slices.SortFunc(waiting, func(a, b *job.Spec) int { return strings.Compare(a.ID, b.ID) })
	fold := func(s *job.Spec, v judge.Verdict) {
		t.Helper()
		_, err := w.store.RecordResult(t.Context(), &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w", State: job.Done,
			Finished: &judge.Finished{Verdict: v}, Rows: []job.CaseRow{{Case: "secret/1", Verdict: v}}}, "")
		w.must(err)
	}
	fold(waiting[1], judge.Accepted)
	look("a hidden verdict", "1 WA, 2 AC, 3")
	fold(waiting[0], judge.WrongAnswer)
	look("room for another one", "1 WA, 2 AC, 3 WA, 4 AC")
	w.judged(4, "p0", judge.Accepted) // a hidden team
	w.judged(1, "p0", judge.Accepted)
	look("other teams", "1 WA, 2 AC, 3 WA, 4 AC, 6 AC")
	if restarts > 0 {
		t.Errorf("a runner read everything again %d times although it lost nothing", restarts)
	}
	w.must(w.store.AddOverride(t.Context(), w.sent[2].ID, w.people[0].ID, store.Override{Verdict: judge.Accepted, Why: "x"}, -1))
	look("the bound is reached earlier", "1 WA, 2 AC, 3 AC, 6 AC")
	w.must(w.store.AddOverride(t.Context(), w.sent[1].ID, w.people[0].ID, store.Override{Ignored: true, Why: "x"}, -1))
	look("one is ignored", "1 WA, 3 AC, 4 AC, 6 AC")
	w.set(func(c *store.Contest) { c.Settings.BalloonsInFreeze = 1 })
	look("another bound", "1 WA, 3 AC, 6 AC")
	w.set(func(c *store.Contest) { c.Settings.BalloonsInFreeze = 0 })
	look("no balloons", "")
	if restarts != 4 {
		t.Errorf("a runner that lost judgements four times read everything again %d times", restarts)
	}
}

// TestRunnersDoNotLoseSilently checks that the feed ends if a runner loses a judgement between the request and the
// first lines of the feed. The runner's token is then no longer valid.
func TestRunnersDoNotLoseSilently(t *testing.T) {
	w := frozenWorld(t, 1)
	c, err := (&feed.Registry{Intake: w.intake}).Contest(t.Context(), w.contest)
	w.must(err)
	w.judged(0, "p0", judge.WrongAnswer)
	w.judged(0, "p1", judge.Accepted)
	w.must(c.Refresh(t.Context(), 0))
	f := &follower{to: runner, has: map[string]string{}}
	f.cursor, err = c.NewCursor(t.Context(), runner, "", nil)
	w.must(err)
	f.read(t, 1<<30)
	again, err := c.NewCursor(t.Context(), runner, f.token, nil)
	w.must(err)
	w.must(w.store.AddOverride(t.Context(), w.sent[0].ID, w.people[0].ID, store.Override{Verdict: judge.Accepted, Why: "x"}, -1))
	w.must(c.Refresh(t.Context(), 0))
	if _, err := again.Next(); !errors.Is(err, feed.ErrToken) {
		t.Errorf("the feed goes on: %v", err)
	}
	if _, err := c.NewCursor(t.Context(), runner, f.token, nil); !errors.Is(err, feed.ErrToken) {
		t.Errorf("its token is taken: %v", err)
	}
	if b, err := f.cursor.Next(); err != nil || !slices.ContainsFunc(b.Lines,
		func(l feed.Line) bool { return l.Type == clics.Judgements && l.Data == nil }) {
		t.Errorf("a feed that is open does not tell: %v", err)
	}
}

// TestEarlierSubmissionHides checks that a submission that arrives late but was received earlier may hide a
// judgement.
func TestEarlierSubmissionHides(t *testing.T) {
	w := frozenWorld(t, 1)
	w.now = w.now.Add(10 * time.Minute)
	w.judged(0, "p0", judge.Accepted)
	c, err := (&feed.Registry{Intake: w.intake}).Contest(t.Context(), w.contest)
	w.must(err)
	f := &follower{to: runner, has: map[string]string{}}
	f.cursor, err = c.NewCursor(t.Context(), runner, "", nil)
	w.must(err)
	f.read(t, 1<<30)
	if got := fmt.Sprint(f.judgements(t)); got != "[1 AC]" {
		t.Errorf("a runner knows of %s", got)
	}
	w.submitAt(0, "p1", start.Add(4*time.Hour))
	w.must(c.Refresh(t.Context(), 0))
	if _, err := c.NewCursor(t.Context(), runner, f.token, nil); !errors.Is(err, feed.ErrToken) {
		t.Errorf("the token is taken: %v", err)
	}
}

// TestHiddenFromRunners checks that two contests are byte-for-byte the same for a balloon runner if they differ
// only in verdicts of teams with too many solved problems.
func TestHiddenFromRunners(t *testing.T) {
	play := func(known, hidden judge.Verdict) (all []string) {
		w := frozenWorld(t, 1)
		registry, feeds := &feed.Registry{Intake: w.intake}, map[feed.Reader]*follower{}
		for i, v := range []judge.Verdict{known, hidden, hidden, known} {
			w.submit([]int{0, 0, 0, 1}[i], []string{"p0", "p1", "p2", "p0"}[i])
			all = append(all, w.shown(registry, runner, feeds))
			w.judge(job.ContestPriority, v)
			w.now = w.now.Add(time.Minute)
			all = append(all, w.shown(registry, runner, feeds))
		}
		r, _, err := w.store.Rejudge(t.Context(), store.NewRejudging{
			Filter: store.SubmissionFilter{Contest: w.contest, Problem: "p2"}, Why: "x", Account: w.people[0].ID,
		})
		w.must(err)
		w.judge(job.BackgroundPriority, hidden)
		w.must(w.store.ApplyRejudging(t.Context(), r.ID))
		return append(all, w.shown(registry, runner, feeds), w.shown(registry, runner, map[feed.Reader]*follower{}))
	}
	one := play(judge.Accepted, judge.Accepted)
	for _, hidden := range []judge.Verdict{judge.WrongAnswer, judge.JudgeError, judge.CompileError} {
		for i, said := range play(judge.Accepted, hidden) {
			if said != one[i] {
				t.Errorf("%d, %s instead of AC:\n%s\n%s", i, hidden, one[i], said)
			}
		}
	}
	if slices.Equal(one, play(judge.TimeLimit, judge.Accepted)) {
		t.Error("a runner learns nothing of a verdict that it may know")
	}
}

// TestTokensOfRunnersHold checks that the token of a runner becomes invalid only if the runner may have lost a
// judgement.
func TestTokensOfRunnersHold(t *testing.T) {
	mark := func(w *world, i int) {
		w.must(w.store.AddOverride(w.Context(), w.sent[i].ID, w.people[0].ID, store.Override{Verdict: judge.Accepted, Why: "x"}, -1))
	}
	hour := 4 * time.Hour // when the freeze begins
	for _, tt := range []struct {
		name   string
		bound  int
		before func(w *world)
		change func(w *world)
		good   bool
	}{
		{"from before the freeze", 1, func(w *world) {
			w.now = start.Add(time.Hour)
			w.judged(0, "p0", judge.WrongAnswer)
			w.now = start.Add(hour)
		},
			func(w *world) { mark(w, 0) }, true},
		{"another verdict of what it knows", 1, func(w *world) { w.judged(0, "p0", judge.WrongAnswer) }, func(w *world) { mark(w, 0) }, true},
		{"another verdict of what it does not know", 1,
			func(w *world) { w.judged(0, "p0", judge.Accepted); w.judged(0, "p1", judge.WrongAnswer) },
			func(w *world) { mark(w, 1) }, false},
		{"another verdict of another team", 1, func(w *world) {
			w.judged(0, "p0", judge.Accepted)
			w.judged(0, "p1", judge.WrongAnswer)
			w.judged(1, "p0", judge.WrongAnswer)
		},
			func(w *world) { mark(w, 2) }, true},
		{"a later submission", 1, func(w *world) { w.judged(0, "p0", judge.Accepted); w.judged(0, "p1", judge.Accepted) },
			func(w *world) { w.judged(0, "p2", judge.Accepted) }, true},
		{"a later one and an earlier one", 1,
			func(w *world) {
				w.now = w.now.Add(time.Minute)
				w.judged(0, "p0", judge.Accepted)
				w.judged(0, "p1", judge.Accepted)
			},
			func(w *world) { w.submitAt(0, "p2", start.Add(hour)); w.submit(0, "p2") }, false},
		{"no balloons in the freeze", 0, func(w *world) { w.judged(0, "p0", judge.Accepted) }, func(w *world) { mark(w, 0) }, true},
		{"not frozen any more", 1, func(w *world) {
			w.judged(0, "p0", judge.Accepted)
			w.judged(0, "p1", judge.Accepted)
			w.now = start.Add(6 * time.Hour)
			w.set(func(c *store.Contest) { c.Thaw = w.now })
		}, func(w *world) { mark(w, 1) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := frozenWorld(t, tt.bound)
			tt.before(w)
			c, err := (&feed.Registry{Intake: w.intake}).Contest(t.Context(), w.contest)
			w.must(err)
			f := &follower{to: runner, has: map[string]string{}}
			f.cursor, err = c.NewCursor(t.Context(), runner, "", nil)
			w.must(err)
			f.read(t, 1<<30)
			tt.change(w)
			w.must(c.Refresh(t.Context(), 0))
			if _, err := c.NewCursor(t.Context(), runner, f.token, nil); (err == nil) != tt.good {
				t.Errorf("the token: %v", err)
			}
		})
	}
}
