package feed_test

import (
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

// outsider reports whether a role must not see frozen or unverified verdicts.
func outsider(r clics.Role) bool {
	return slices.Contains([]clics.Role{clics.Public, clics.Team, clics.Balloon, clics.Proxy, clics.Analyst}, r)
}

// TestUnverifiedVerdictsAreSecret checks that two contests that differ only in unverified verdicts are
// byte-for-byte the same for all roles that must not see them. This includes the submitting team, and also holds
// after a rejudging.
func TestUnverifiedVerdictsAreSecret(t *testing.T) {
	type told map[feed.Reader][]string
	play := func(first, second judge.Verdict) (told, string) {
		w := newWorld(t)
		registry, feeds, all := &feed.Registry{Intake: w.intake}, map[feed.Reader]*follower{}, told{}
		look := func() {
			for _, to := range w.readers() { // the team is the one that submitted
				is := feed.Reader{Version: to.Version, Role: to.Role}
				all[is] = append(all[is], w.shown(registry, to, feeds))
			}
		}
		for _, label := range []string{"A", "B"} {
			w.must(w.store.SetVerify(t.Context(), w.contest, label, store.VerifyBefore))
		}
		w.now = start.Add(time.Hour)
		for i, v := range []judge.Verdict{first, second} {
			w.submit(0, []string{"p0", "p1"}[i])
			look()
			w.judge(job.ContestPriority, v)
			look()
		}
		r, _, err := w.store.Rejudge(t.Context(), store.NewRejudging{Filter: store.SubmissionFilter{Contest: w.contest}, Why: "x",
			Account: w.people[0].ID})
		w.must(err)
		for _, v := range []judge.Verdict{second, first} {
			waiting, err := w.store.NextJobs(t.Context(), job.BackgroundPriority, "main", 1)
			w.must(err)
			if len(waiting) != 1 {
				t.Fatalf("%d jobs wait", len(waiting))
			}
			w.judge(job.BackgroundPriority, v)
		}
		w.must(w.store.ApplyRejudging(t.Context(), r.ID))
		look()
		public := w.shown(registry, feed.Reader{Version: clics.V2026, Role: clics.Public}, map[feed.Reader]*follower{})
		return all, public
	}
	one, ends := play(judge.Accepted, judge.WrongAnswer)
	two, other := play(judge.TimeLimit, judge.Accepted)
	if ends != other {
		t.Errorf("who connects afterwards reads\n%s\nand\n%s", ends, other)
	}
	for to, said := range one {
		if same := slices.Equal(said, two[to]); same != outsider(to.Role) {
			for i := range said {
				if said[i] != two[to][i] {
					t.Logf("%d\n%s\n%s", i, said[i], two[to][i])
				}
			}
			t.Errorf("%s in %s is told the same: %v", to.Role, to.Version, same)
		}
	}
}

// TestEntryPoint checks that the entry point names a file of the submission. If a primary does not show the files
// of a submission, the submission has no entry point.
func TestEntryPoint(t *testing.T) {
	w := newWorld(t)
	w.now = start.Add(time.Hour)
	w.submitAt(0, "p0", w.now)
	_, err := w.store.Submit(t.Context(), store.NewSubmission{
		Contest: w.contest, Account: w.people[0].ID, Team: w.teams[0].ID, Problem: "p0", Priority: job.ContestPriority, Class: "main",
		Unjudged: true, At: w.now,
		Work: job.Work{Kind: job.Submission, Bundle: digest, Config: digest, Problem: "p0", Program: "no files", Language: "python3"},
	})
	w.must(err)
	registry := &feed.Registry{Intake: w.intake}
	c, err := registry.Contest(t.Context(), w.contest)
	w.must(err)
	lines, err := c.List(feed.Reader{Version: clics.V2026, Role: clics.Judge}, clics.Submissions)
	w.must(err)
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprint(strings.Contains(string(l.Data), `"entry_point":"a.py"`), strings.Contains(string(l.Data), "entry_point")))
	}
	if want := []string{"true true", "false false"}; !slices.Equal(got, want) {
		t.Errorf("entry points %v, want %v", got, want)
	}
}
