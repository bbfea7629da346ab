package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// newContest creates a contest with problem nim.
func (h *harness) newContest(slug string) *store.Contest {
	h.tb.Helper()
	c := &store.Contest{
		Slug: slug, Name: "The " + slug, Format: store.ICPC, Starts: h.clock.Now().Add(time.Hour), Length: 2 * time.Hour,
		Freeze:     90 * time.Minute,
		Visibility: store.VisibilityAccounts, Settings: store.Settings{Show: judge.ShowSamples, Languages: []string{"py"}},
	}
	if err := h.NewContest(h.tb.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "nim", Points: 100, Color: "red"}}); err != nil {
		h.tb.Fatal(err)
	}
	return c
}

func TestContests(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		made := h.newContest("spring")
		read := func() *store.Contest {
			t.Helper()
			c, err := h.ContestBySlug(t.Context(), "spring")
			if err != nil {
				t.Fatal(err)
			}
			byID, err := h.Contest(t.Context(), c.ID)
			if err != nil || byID.Slug != "spring" {
				t.Errorf("by its id: %+v, %v", byID, err)
			}
			return c
		}
		got := read()
		made.LastSeq = got.LastSeq
		if diff := cmp.Diff(made, got); diff != "" {
			t.Error(diff)
		}
		if want := got.Starts.Add(2 * time.Hour); !got.Ends().Equal(want) {
			t.Errorf("it ends at %v, want %v", got.Ends(), want)
		}
		again := *made
		if err := h.NewContest(t.Context(), &again, nil); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a second one of the name: %v", err)
		}
		again.Slug = "other"
		if err := h.NewContest(t.Context(), &again, []store.NewContestProblem{{Label: "A", Slug: "none"}}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a problem that is not there: %v", err)
		}
		if _, err := h.ContestBySlug(t.Context(), "other"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("half a contest: %v", err)
		}

		// If two callers change the contest at the same time, one gets an error.
		first, second := read(), read()
		first.Name, first.Starts, first.Freeze, first.Thaw = "First", time.Time{}, 0, h.clock.Now()
		second.Name = "Second"
		if err := h.SetContest(t.Context(), first, []store.NewContestProblem{}); err != nil {
			t.Fatal(err)
		}
		if err := h.SetContest(t.Context(), second, nil); !errors.Is(err, store.ErrChanged) {
			t.Errorf("the second: %v", err)
		}
		got = read()
		first.LastSeq = got.LastSeq
		if diff := cmp.Diff(first, got); diff != "" {
			t.Error(diff)
		}
		if !got.Ends().IsZero() {
			t.Errorf("without a start it ends at %v", got.Ends())
		}
		if all, err := h.ContestProblems(t.Context(), got.ID); err != nil || len(all) != 0 {
			t.Errorf("its problems are %v, %v", all, err)
		}
		if all, err := h.Contests(t.Context()); err != nil || len(all) != 1 || all[0].ID != got.ID {
			t.Errorf("the contests are %v, %v", all, err)
		}
		events, err := h.EventsSince(t.Context(), got.ID, 0, 10)
		if err != nil || len(events) != 2 || events[0].Op != store.OpCreated || events[1].Op != store.OpUpdated ||
			events[1].Kind != store.KindContest {
			t.Errorf("the log is %v, %v", events, err)
		}
	})
}

func TestProblemsOfAContest(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if _, err := h.PutBundle(t.Context(), bundle(h.alice.ID, "hex", "1")); err != nil {
			t.Fatal(err)
		}
		c := h.newContest("spring")
		if err := h.SetContest(t.Context(), c, []store.NewContestProblem{{Label: "Z", Slug: "nim", Points: 1},
			{Label: "A", Slug: "hex", Color: "blue"}}); err != nil {
			t.Fatal(err)
		}
		all, err := h.ContestProblems(t.Context(), c.ID)
		if err != nil || len(all) != 2 || all[0].Label != "Z" || all[0].Slug != "nim" || all[0].Points != 1 || all[1].Slug != "hex" ||
			all[1].Color != "blue" {
			t.Errorf("the problems are %v, %v", all, err)
		}
		if err := h.SetContest(t.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "nim"},
			{Label: "B", Slug: "nim"}}); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a problem twice: %v", err)
		}
		of, err := h.ContestsWithProblem(t.Context(), "hex")
		if err != nil || len(of) != 1 || of[0].ID != c.ID {
			t.Errorf("hex is in %v, %v", of, err)
		}
		if of, err := h.ContestsWithProblem(t.Context(), "none"); err != nil || len(of) != 0 {
			t.Errorf("none is in %v, %v", of, err)
		}
	})
}

// TestEnter checks that an account gets only one team, even if it enters repeatedly or concurrently.
func TestEnter(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("spring")
		if _, err := h.TeamOf(t.Context(), c.ID, h.alice.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("before: %v", err)
		}
		bob := h.account("bob")
		var all sync.WaitGroup
		for range 4 {
			for _, a := range []*store.Account{h.alice, bob} {
				all.Go(func() {
					if _, err := h.Enter(t.Context(), c.ID, a); err != nil {
						t.Error(err)
					}
				})
			}
		}
		all.Wait()
		teams, err := h.Teams(t.Context(), c.ID)
		if err != nil || len(teams) != 2 || teams[0].Number != 1 || teams[1].Number != 2 {
			t.Fatalf("the teams are %v, %v", teams, err)
		}
		team, err := h.TeamOf(t.Context(), c.ID, h.alice.ID)
		if err != nil || team.Name != h.alice.Display {
			t.Fatalf("got %+v, %v", team, err)
		}
		team.Name, team.Hidden, team.ExtraTime, team.ExtraPenalty = "The A team", true, time.Hour, 20*time.Minute
		if err := h.SetTeam(t.Context(), team, ""); err != nil {
			t.Fatal(err)
		}
		if got, err := h.TeamOf(t.Context(), c.ID, h.alice.ID); err != nil || !cmp.Equal(got, team) {
			t.Errorf("got %+v, %v; want %+v", got, err, team)
		}
		// If two callers change the team after reading it, the second one gets an error.
		read, again := team.Revision(), *team
		again.ExtraTime = 2 * time.Hour
		if err := h.SetTeam(t.Context(), &again, read); err != nil {
			t.Fatal(err)
		}
		team.Name = "A"
		if err := h.SetTeam(t.Context(), team, read); !errors.Is(err, store.ErrChanged) {
			t.Errorf("a team that changed meanwhile: %v", err)
		}
		if got, err := h.TeamOf(t.Context(), c.ID, h.alice.ID); err != nil || !cmp.Equal(got, &again) {
			t.Errorf("got %+v, %v; want %+v", got, err, &again)
		}
		team = &again
		// Numbers and logs are separate for each contest.
		n := h.submission("")
		n.Contest, n.Team, n.Priority = c.ID, team.ID, job.ContestPriority
		first, err := h.Submit(t.Context(), n)
		if err != nil || first.Number != 1 {
			t.Fatalf("got %+v, %v", first, err)
		}
		got, err := h.SubmissionByNumber(t.Context(), c.ID, 1)
		if err != nil || got.ID != first.ID || got.Contest != c.ID || got.Team != team.ID || got.Display != h.alice.Display {
			t.Errorf("got %+v, %v", got, err)
		}
		for contest, want := range map[string]int{"": 0, c.ID: 1} {
			for _, f := range []store.SubmissionFilter{{Contest: contest}, {Contest: contest, Account: h.alice.ID},
				{Contest: contest, Problem: "nim"}} {
				if all, err := h.Submissions(t.Context(), f); err != nil || len(all) != want {
					t.Errorf("%+v: %d submissions, %v; want %d", f, len(all), err, want)
				}
			}
		}
		practised := h.submit()
		for _, account := range []string{"", h.alice.ID} {
			all, err := h.LatestSubmissions(t.Context(), account, "nim", "", 10)
			if err != nil || len(all) != 2 || all[0].ID != practised.ID || all[1].ID != first.ID {
				t.Errorf("the latest of %q are %+v, %v", account, all, err)
			}
			if all, err = h.LatestSubmissions(t.Context(), account, "", practised.ID, 10); err != nil || len(all) != 1 || all[0].ID != first.ID {
				t.Errorf("those of %q before are %+v, %v", account, all, err)
			}
		}
		// The limit per minute applies. A repeated key does not count as another submission.
		n.PerMinute, n.Key = 2, "once"
		for i, want := range []error{nil, nil, store.ErrRateLimit} {
			if i == 2 {
				n.Key = "another"
			}
			if err := h.CheckSubmissionRate(t.Context(), c.ID, h.alice.ID, n.Key, 2); !errors.Is(err, want) {
				t.Errorf("before submission %d within a minute: %v, want %v", i+2, err, want)
			}
			if _, err := h.Submit(t.Context(), n); !errors.Is(err, want) {
				t.Errorf("submission %d within a minute: %v, want %v", i+2, err, want)
			}
		}
		h.clock.add(time.Minute + time.Millisecond) // times in a contest are at least 1 µs apart
		n.Key = "a minute later"
		second, err := h.Submit(t.Context(), n)
		if err != nil || second.Number != 3 {
			t.Errorf("a minute later: %+v, %v", second, err)
		}
		events, err := h.EventsSince(t.Context(), c.ID, 0, 100)
		last := events[len(events)-1]
		if err != nil || last.Kind != store.KindSubmission || last.Object != second.ID || last.Seq != int64(len(events)) {
			t.Errorf("the log is %v, %v", events, err)
		}
		// Submissions received while the clock was an hour ahead do not count toward the limit.
		h.clock.add(-time.Hour)
		for i := range 3 {
			n.Key = fmt.Sprint("an hour back ", i)
			if err := h.CheckSubmissionRate(t.Context(), c.ID, h.alice.ID, n.Key, 2); err != nil {
				t.Errorf("an hour back: %v", err)
			}
			if _, err := h.Submit(t.Context(), n); err != nil {
				t.Errorf("an hour back: %v", err)
			}
		}
	})
}

// TestWhatABoardKnows checks that a scoreboard gets exactly the submissions of teams to problems in the contest,
// with their current verdicts. Reading all of them at once must give the same result as reading each from its
// event in the log.
func TestWhatABoardKnows(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if _, err := h.PutBundle(t.Context(), bundle(h.alice.ID, "other", "1")); err != nil {
			t.Fatal(err)
		}
		c := h.newContest("spring")
		team, err := h.Enter(t.Context(), c.ID, h.alice)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []store.NewSubmission{{Team: team.ID, Problem: "nim"}, {Problem: "nim"}, {Team: team.ID, Problem: "other"},
			{Team: team.ID, Problem: "nim"}} {
			n.Contest, n.Account, n.Work, n.Priority, n.Class = c.ID, h.alice.ID, work(), job.PracticePriority, "main"
			if _, err := h.Submit(t.Context(), n); err != nil {
				t.Fatal(err)
			}
		}
		specs := h.next()
		r := h.result(specs[0], judge.WrongAnswer)
		r.Finished.Score, r.Finished.ScoreParts = &judge.Score{Points: 100.0 / 3, Of: 100}, []float64{30, 10.0 / 3}
		h.fold(r, store.Counted)
		h.fold(h.result(specs[1], judge.Accepted), store.Counted)

		cancelled := store.NewSubmission{Contest: c.ID, Team: team.ID, Account: h.alice.ID, Problem: "nim", Work: work(),
			Priority: job.PracticePriority, Class: "main"}
		a, err := h.Submit(t.Context(), cancelled)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.CancelJob(t.Context(), a.Job); err != nil {
			t.Fatal(err)
		}

		all, err := h.ScoredSubmissions(t.Context(), c.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := []store.ScoredSubmission{
			{Number: 1, Team: team.ID, Label: "A", Verdict: judge.WrongAnswer, Score: r.Finished.Score, Parts: r.Finished.ScoreParts},
			{Number: 4, Team: team.ID, Label: "A"},
			{Number: 5, Team: team.ID, Label: "A", Cancelled: true},
		}
		for i := range all {
			if all[i].Received.IsZero() || i > 0 && !all[i].Received.After(all[i-1].Received) {
				t.Errorf("received at %v", all[i].Received)
			}
			if i < len(want) {
				want[i].Received = all[i].Received
			}
		}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Error(diff)
		}

		events, err := h.EventsSince(t.Context(), c.ID, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		told := map[int64]store.ScoredSubmission{}
		for _, e := range events {
			if e.Kind != store.KindSubmission && e.Kind != store.KindJudgement {
				continue
			}
			s, err := h.EventScoredSubmission(t.Context(), e)
			if err != nil {
				t.Fatal(err)
			}
			if s != nil {
				told[s.Number] = *s
			}
		}
		if diff := cmp.Diff(map[int64]store.ScoredSubmission{1: want[0], 4: want[1], 5: want[2]}, told); diff != "" {
			t.Error(diff)
		}
	})
}
