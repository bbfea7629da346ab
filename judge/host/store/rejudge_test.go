package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// judged creates a submission for each verdict and records the verdict. A submission with an empty verdict stays
// pending.
func (h *harness) judged(verdicts ...judge.Verdict) (all []*store.StoredSubmission) {
	h.tb.Helper()
	for _, v := range verdicts {
		a := h.submit()
		all = append(all, a)
		if v == "" {
			continue
		}
		for _, spec := range h.next() {
			if spec.ID == a.Job {
				h.fold(h.result(spec, v), store.Counted)
			}
		}
	}
	return all
}

// rejudge starts a rejudging and fails the test unless it leaves out the given number of submissions.
func (h *harness) rejudge(left int) *store.Rejudging {
	h.tb.Helper()
	r, n, err := h.Rejudge(h.tb.Context(), store.NewRejudging{Why: "a case was wrong", Account: h.alice.ID})
	if err != nil || n != left || r.State != store.RejudgingRunning || r.Login != "alice" || r.Why != "a case was wrong" {
		h.tb.Fatalf("%+v, %d left, %v; want %d left", r, n, err, left)
	}
	return r
}

// standing returns the current verdicts, ordered by submission number.
func (h *harness) standing() (verdicts []string) {
	h.tb.Helper()
	all, err := h.Submissions(h.tb.Context(), store.SubmissionFilter{Limit: 1000})
	if err != nil {
		h.tb.Fatal(err)
	}
	for _, s := range slices.Backward(all) {
		v := string(s.Verdict)
		if s.Ended.IsZero() {
			v = "open"
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// TestRejudging runs rejudgings step by step. A step is a worker's verdict for the first waiting job, followed by
// "?" if its time is near the limit, or an action.
func TestRejudging(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps string
		want  string // current verdicts after the steps
		err   string // of applying
	}{
		{"all is judged and applied", "w1 AC, w1 WA, apply", "AC WA open", ""},
		{"another run counts", "w1 TLE?, w1 WA, w2 AC, apply", "AC WA open", ""},
		{"it is applied too early", "w1 AC, apply", "WA AC open", "1 submissions are still being judged; the first is 2"},
		{"a verdict would be lost", "w1 AC, w1 JE, apply", "WA AC open",
			"1 submissions would lose their verdict to a judge error; the first is 2"},
		{"it is cancelled", "w1 AC, forget", "WA AC open", ""},
		{"it is cancelled, then applied", "w1 AC, w1 AC, forget, apply", "WA AC open", "it has ended"},
		{"it is applied twice", "w1 AC, w1 WA, apply, apply", "AC WA open", "it has ended"},
		{"the server starts again", "w1 AC, again, w1 WA, apply", "AC WA open", ""},
		{"the results are final", "w1 AC, w1 WA, final, apply", "WA AC open", "the results of the contest are final"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, dsn string) {
				h := newHarness(t, dsn)
				h.judged(judge.WrongAnswer, judge.Accepted, "")
				r := h.rejudge(1)
				var err error
				for step := range strings.SplitSeq(tt.steps, ", ") {
					switch step {
					case "apply":
						err = h.ApplyRejudging(t.Context(), r.ID)
					case "forget":
						waiting := h.background()
						jobs, ferr := h.CancelRejudging(t.Context(), r.ID)
						if ferr != nil || len(jobs) != len(waiting) || len(h.background()) != 0 {
							t.Fatalf("cancelled %v of %d waiting, %v", jobs, len(waiting), ferr)
						}
						for _, late := range waiting {
							h.fold(h.result(late, judge.RunTimeError), store.Dropped)
						}
					case "again":
						h.Store = open(t, store.Options{DSN: dsn, Now: h.clock.Now})
					case "final":
						c, cerr := h.Contest(t.Context(), store.Practice)
						if cerr != nil {
							t.Fatal(cerr)
						}
						c.Finalized = h.clock.Now()
						if cerr := h.SetContest(t.Context(), c, nil); cerr != nil {
							t.Fatal(cerr)
						}
					default:
						worker, verdict, _ := strings.Cut(step, " ")
						spec := h.background()[0]
						verdict, doubtful := strings.CutSuffix(verdict, "?")
						result := h.result(spec, judge.Verdict(verdict))
						result.Worker = worker
						var doubt *store.Doubt
						if doubtful {
							doubt = &store.Doubt{Why: "a/b took 1.1s", Exclude: []string{worker}}
						}
						if f, ferr := h.RecordDoubtfulResult(t.Context(), result, blob.DigestOf(result.Events), doubt); ferr != nil ||
							f.Outcome != store.Counted {
							t.Fatalf("%+v, %v", f, ferr)
						}
						if got := strings.Join(h.standing(), " "); got != "WA AC open" {
							t.Fatalf("before it is applied %s stands", got)
						}
					}
				}
				if got := strings.Join(h.standing(), " "); got != tt.want {
					t.Errorf("at the end %s stands, want %s", got, tt.want)
				}
				if tt.err == "" && err != nil || tt.err != "" && (err == nil || err.Error() != "apply a rejudging: "+tt.err) {
					t.Errorf("applying it: %v, want %q", err, tt.err)
				}
			})
		})
	}
}

// TestRejudgedAtMostOnce checks that a submission is in at most one running rejudging, but may be in a later one.
// Runs of a rejudging are not listed as pending repetitions.
func TestRejudgedAtMostOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if _, _, err := h.Rejudge(t.Context(), store.NewRejudging{Account: h.alice.ID}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a rejudging of nothing: %v", err)
		}
		h.judged(judge.WrongAnswer)
		first := h.rejudge(0)
		h.judged(judge.WrongAnswer)
		second := h.rejudge(1)
		if _, left, err := h.Rejudge(t.Context(), store.NewRejudging{Account: h.alice.ID}); !errors.Is(err, store.ErrNotFound) || left != 2 {
			t.Errorf("a third one: %v, %d left", err, left)
		}
		if repeats, err := h.PendingRejudges(t.Context()); err != nil || len(repeats) != 0 {
			t.Errorf("what waits for another worker: %v, %v", repeats, err)
		}
		if _, err := h.CancelRejudging(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		h.rejudge(1)
		all, err := h.Rejudgings(t.Context(), store.Practice)
		if err != nil || len(all) != 3 || all[1].ID != second.ID || all[1].Submissions != 1 || all[1].Pending != 1 ||
			all[2].State != store.RejudgingCancelled || all[2].Pending != 0 {
			t.Errorf("the rejudgings: %+v, %v", all, err)
		}
		again, err := h.JuryJudgements(t.Context(), store.JudgementFilter{Origin: store.OriginRejudge})
		if err != nil || len(again) != 3 {
			t.Errorf("the judgings of rejudgings: %v, %v", again, err)
		}
	})
}

// TestRejudgedWithTheActiveVersion checks that a rejudging uses the active version of the problem, and that it
// lists the submissions whose verdicts would change.
func TestRejudgedWithTheActiveVersion(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.judged(judge.WrongAnswer, judge.Accepted)
		if _, err := h.PutBundle(t.Context(), bundle(h.alice.ID, "nim", "2")); err != nil {
			t.Fatal(err)
		}
		r := h.rejudge(0)
		for i, spec := range h.background() {
			if spec.Bundle != digest("nim2") || spec.Priority != job.BackgroundPriority {
				t.Errorf("it is given out as %+v", spec)
			}
			result := h.result(spec, judge.Accepted)
			result.Finished.Score = &judge.Score{Points: float64(40 + i), Of: 100}
			h.fold(result, store.Counted)
		}
		all, err := h.RejudgedSubmissions(t.Context(), r.ID)
		if err != nil || len(all) != 2 {
			t.Fatal(all, err)
		}
		var got []string
		for _, one := range all {
			got = append(got, fmt.Sprint(one.Number, one.Problem, one.Login, one.OldVerdict, one.Verdict, one.Score, one.Ended,
				one.ChangesResult(), one.LosesVerdict()))
		}
		want := []string{"1nimaliceWAAC40 of 100true true false", "2nimaliceACAC41 of 100true true false"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRejudgedSeveralTimes checks rejudgings with several runs per submission. All runs must end, the best one
// counts, and differences between the runs are reported.
func TestRejudgedSeveralTimes(t *testing.T) {
	for _, tt := range []struct {
		runs       string // verdicts of the runs of the only submission
		want       string // current verdict after applying
		differ     bool
		lost, wait string // errors of ApplyRejudging
	}{
		{"AC AC AC", "AC", false, "", ""},
		{"TLE AC TLE", "AC", true, "", ""},
		{"AC TLE TLE", "AC", true, "", ""},
		{"RTE WA", "RTE", true, "", ""},
		{"JE AC", "AC", true, "", ""},
		{"JE JE", "WA", false, "1 submissions would lose their verdict", ""},
		{"AC ?", "WA", false, "", "1 submissions are still being judged"},
	} {
		t.Run(tt.runs, func(t *testing.T) {
			onBoth(t, func(t *testing.T, dsn string) {
				h := newHarness(t, dsn)
				h.judged(judge.WrongAnswer)
				verdicts := strings.Fields(tt.runs)
				r, left, err := h.Rejudge(t.Context(), store.NewRejudging{Why: "x", Account: h.alice.ID, Repeats: len(verdicts)})
				if err != nil || left != 0 || r.Repeats != len(verdicts) || r.Submissions != 1 || r.Pending != 1 {
					t.Fatalf("%+v, %d left, %v", r, left, err)
				}
				specs := h.background()
				if len(specs) != len(verdicts) {
					t.Fatalf("%d jobs for %d runs", len(specs), len(verdicts))
				}
				ended := 0
				for i, v := range verdicts {
					if v != "?" {
						h.fold(h.result(specs[i], judge.Verdict(v)), store.Counted)
						ended++
					}
				}
				all, err := h.RejudgedSubmissions(t.Context(), r.ID)
				if err != nil || len(all) != 1 || len(all[0].Runs) != ended || all[0].RunsDiffer() != tt.differ || all[0].Ended != (tt.wait == "") {
					t.Errorf("%+v, %v", all[0], err)
				}
				err = h.ApplyRejudging(t.Context(), r.ID)
				if want := tt.lost + tt.wait; want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("applied: %v, want %q", err, want)
				}
				if got := strings.Join(h.standing(), " "); got != tt.want {
					t.Errorf("%s stands, want %s", got, tt.want)
				}
			})
		})
	}
}

// TestRejudgedWithAVersion checks that a rejudging can use a candidate, a version that is not active, with its own
// limits.
func TestRejudgedWithAVersion(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.judged(judge.WrongAnswer)
		candidate := bundle(h.alice.ID, "nim", "2")
		candidate.Config, candidate.Candidate = digest("other limits"), true
		p, err := h.PutBundle(t.Context(), candidate)
		if err != nil || p.Bundle != digest("nim1") || p.Config != digest("config") {
			t.Fatalf("%+v, %v", p, err)
		}
		versions, err := h.BundleVersions(t.Context(), p)
		if err != nil || len(versions) != 2 {
			t.Fatal(versions, err)
		}
		if named, err := h.ReferencedBlobs(t.Context()); err != nil || !named[digest("nim2")] {
			t.Errorf("the candidate would be removed: %v, %v", named, err)
		} else if _, kept := named[digest("other limits")]; !kept {
			t.Errorf("the limits of the candidate would be removed: %v", named)
		}
		unknown := bundle(h.alice.ID, "hex", "1")
		unknown.Candidate = true
		if _, err := h.PutBundle(t.Context(), unknown); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a candidate of no problem: %v", err)
		}
		others := bundle(h.account("bob").ID, "nim", "3")
		others.Candidate = true
		if _, err := h.PutBundle(t.Context(), others); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a candidate of another account: %v", err)
		}
		asked := store.NewRejudging{Why: "x", Account: h.alice.ID, Bundle: digest("nim9")}
		if _, _, err := h.Rejudge(t.Context(), asked); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("with a version that is not there: %v", err)
		}
		asked.Bundle = digest("nim2")
		r, _, err := h.Rejudge(t.Context(), asked)
		if err != nil || r.Bundle != digest("nim2") {
			t.Fatalf("%+v, %v", r, err)
		}
		spec := h.background()[0]
		if spec.Bundle != digest("nim2") || spec.Config != digest("other limits") {
			t.Errorf("judged with %s and %s", spec.Bundle, spec.Config)
		}
		h.fold(h.result(spec, judge.Accepted), store.Counted)
		if err := h.ApplyRejudging(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
		if all, err := h.Submissions(t.Context(), store.SubmissionFilter{Bundle: digest("nim2")}); err != nil || len(all) != 1 {
			t.Errorf("judged with the candidate: %v, %v", all, err)
		}
	})
}

// TestNotAccepted checks that a filter for submissions that were not accepted leaves out canceled ones, which have
// no verdict.
func TestNotAccepted(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.judged(judge.Accepted, judge.WrongAnswer, "")
		canceled := h.submit()
		if done, err := h.CancelJob(t.Context(), canceled.Job); err != nil || !done {
			t.Fatal(done, err)
		}
		all, err := h.Submissions(t.Context(), store.SubmissionFilter{Verdict: store.NotAccepted})
		if err != nil || len(all) != 1 || all[0].Number != 2 {
			t.Errorf("%v, %v", all, err)
		}
	})
}

// TestDisputed checks that each submission about which workers disagree is listed once, in its contest only.
func TestDisputed(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.judged(judge.WrongAnswer)
		second := h.submit()
		spec := h.next()[0]
		h.fold(h.result(spec, judge.Accepted), store.Counted)
		for range 2 {
			h.fold(h.result(spec, judge.WrongAnswer), store.Disagreement)
		}
		if err := h.Audit(t.Context(), store.AuditEntry{Actor: "audit", Action: "workers disagree", Object: second.ID}); err != nil {
			t.Fatal(err)
		}
		if got, err := h.DisputedSubmissions(t.Context(), store.Practice); err != nil || !slices.Equal(got, []int64{2}) {
			t.Errorf("%v, %v", got, err)
		}
		if got, err := h.DisputedSubmissions(t.Context(), "none"); err != nil || len(got) != 0 {
			t.Errorf("of another contest: %v, %v", got, err)
		}
	})
}

// TestFilters checks each field of a filter alone, and several together.
func TestFilters(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.newContest("spring")
		c, err := h.ContestBySlug(t.Context(), "spring")
		if err != nil {
			t.Fatal(err)
		}
		bob := h.account("bob")
		judgedBy := map[judge.Verdict]string{judge.TimeLimit: "w2"}
		send := func(a *store.Account, name, language string, v judge.Verdict) {
			t.Helper()
			team, err := h.Enter(t.Context(), c.ID, a)
			if err != nil {
				t.Fatal(err)
			}
			n := h.submission("")
			n.Contest, n.Team, n.Account, n.Work.Language = c.ID, team.ID, a.ID, language
			n.Work.Program, n.Work.Files[0].Path = name, name
			made, err := h.Submit(t.Context(), n)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range h.next() {
				if v != "" && spec.ID == made.Job {
					result := h.result(spec, v)
					if other := judgedBy[v]; other != "" {
						result.Worker = other
					}
					h.fold(result, store.Counted)
				}
			}
			h.clock.add(time.Second)
		}
		send(h.alice, "a.py", "", judge.Accepted)          // 1
		send(bob, "a.PY", "", judge.WrongAnswer)           // 2
		send(bob, "a.c", "", judge.Accepted)               // 3
		send(h.alice, "a.py", "pypy", judge.WrongAnswer)   // 4
		send(h.alice, "a.%", "", judge.Accepted)           // 5
		send(h.alice, "a.cpp", "", "")                     // 6
		send(h.alice, "README", "python", judge.TimeLimit) // 7
		practice := h.submit()                             // its verdict also occurs in the contest
		for _, spec := range h.next() {
			if spec.ID == practice.Job {
				h.fold(h.result(spec, judge.WrongAnswer), store.Counted)
			}
		}
		began := h.clock.Now().Add(-7 * time.Second)
		at := func(n int) time.Time { return began.Add(time.Duration(n) * time.Second) } // when the submission n+1 was received
		teams, err := h.Teams(t.Context(), c.ID)
		if err != nil || len(teams) != 2 {
			t.Fatal(teams, err)
		}
		for i, groups := range [][]string{{"north", "first"}, {"south", "first"}} {
			if teams[i].Groups = groups; h.SetTeam(t.Context(), teams[i], "") != nil {
				t.Fatal("set the groups of a team")
			}
		}
		for name, tt := range map[string]struct {
			f    store.SubmissionFilter
			want []int64
		}{
			"all":                      {store.SubmissionFilter{}, []int64{7, 6, 5, 4, 3, 2, 1}},
			"a login":                  {store.SubmissionFilter{Submitter: "bob"}, []int64{3, 2}},
			"the name of a team":       {store.SubmissionFilter{Submitter: "BOB"}, []int64{3, 2}},
			"the number of a team":     {store.SubmissionFilter{Submitter: "1"}, []int64{7, 6, 5, 4, 1}},
			"an unknown submitter":     {store.SubmissionFilter{Submitter: "3"}, nil},
			"a verdict":                {store.SubmissionFilter{Verdict: "WA"}, []int64{4, 2}},
			"without a verdict":        {store.SubmissionFilter{Verdict: store.Unjudged}, []int64{6}},
			"a language and endings":   {store.SubmissionFilter{Language: "python", Extensions: []string{"py", "py3"}}, []int64{7, 2, 1}},
			"a language without":       {store.SubmissionFilter{Language: "pypy"}, []int64{4}},
			"an ending within another": {store.SubmissionFilter{Language: "c", Extensions: []string{"c"}}, []int64{3}},
			"a problem":                {store.SubmissionFilter{Problem: "nim", Verdict: "AC"}, []int64{5, 3, 1}},
			"another problem":          {store.SubmissionFilter{Problem: "hex", Verdict: "AC"}, nil},
			"several": {store.SubmissionFilter{Problem: "nim", Verdict: "WA", Submitter: "bob", Language: "python",
				Extensions: []string{"py"}}, []int64{2}},
			"the next page":            {store.SubmissionFilter{Verdict: "AC", Before: 5, Limit: 1}, []int64{3}},
			"a group":                  {store.SubmissionFilter{Group: "south"}, []int64{3, 2}},
			"a group of both":          {store.SubmissionFilter{Group: "first", Verdict: "WA"}, []int64{4, 2}},
			"no group":                 {store.SubmissionFilter{Group: "none"}, nil},
			"with any verdict":         {store.SubmissionFilter{Verdict: store.Judged}, []int64{7, 5, 4, 3, 2, 1}},
			"without AC":               {store.SubmissionFilter{Verdict: store.NotAccepted}, []int64{7, 4, 2}},
			"without AC of an account": {store.SubmissionFilter{Verdict: store.NotAccepted, Submitter: "alice"}, []int64{7, 4}},
			"a worker":                 {store.SubmissionFilter{Worker: "w2"}, []int64{7}},
			"a worker and a verdict":   {store.SubmissionFilter{Worker: "w1", Verdict: "WA"}, []int64{4, 2}},
			"no such worker":           {store.SubmissionFilter{Worker: "w3"}, nil},
			"a version":                {store.SubmissionFilter{Bundle: digest("nim1"), Submitter: "bob"}, []int64{3, 2}},
			"another version":          {store.SubmissionFilter{Bundle: digest("nim2")}, nil},
			"the judged of alice":      {store.SubmissionFilter{Verdict: store.Judged, Submitter: "alice"}, []int64{7, 5, 4, 1}},
			"since then":               {store.SubmissionFilter{Since: at(5)}, []int64{7, 6}},
			"until then":               {store.SubmissionFilter{Until: at(2)}, []int64{2, 1}},
			"in between":               {store.SubmissionFilter{Since: at(2), Until: at(4)}, []int64{4, 3}},
			"one":                      {store.SubmissionFilter{Number: 3}, []int64{3}},
			"one of another":           {store.SubmissionFilter{Number: 3, Submitter: "alice"}, nil},
			"one with a verdict":       {store.SubmissionFilter{Number: 3, Verdict: "AC"}, []int64{3}},
			"an account":               {store.SubmissionFilter{Account: bob.ID, Verdict: "AC"}, []int64{3}},
			"a team":                   {store.SubmissionFilter{Team: teams[1].ID}, []int64{3, 2}},
			"a team before":            {store.SubmissionFilter{Team: teams[0].ID, Before: 6, Limit: 2}, []int64{5, 4}},
			"a team in a language":     {store.SubmissionFilter{Team: teams[1].ID, Language: "c", Extensions: []string{"c"}}, []int64{3}},
			"a team with another":      {store.SubmissionFilter{Team: teams[1].ID, Group: "north"}, nil},
		} {
			tt.f.Contest = c.ID
			list, err := h.Submissions(t.Context(), tt.f)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, s := range list {
				got = append(got, s.Number)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", name, got, tt.want)
			}
		}
	})
}
