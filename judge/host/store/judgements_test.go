package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestWhatCountsOfSeveralJudgings runs judgements step by step. A step is a worker and its verdict, followed by
// "?" if its time is near the limit. The workers g1 and g2 are untrusted. Between steps the submission is pending,
// and workers that must not judge it next are excluded.
func TestWhatCountsOfSeveralJudgings(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for _, name := range []string{"w1", "w2", "g1", "g2"} {
			if _, err := h.AdmitWorker(t.Context(), store.NewWorker{Name: name, Class: "main", Key: name,
				Untrusted: strings.HasPrefix(name, "g")}); err != nil {
				t.Fatal(err)
			}
		}
		if names, err := h.UntrustedWorkers(t.Context(), "main"); err != nil || !slices.Equal(names, []string{"g1", "g2"}) {
			t.Fatalf("the guests are %v, %v", names, err)
		}
		events := 0
		for _, tt := range []struct {
			steps string
			logs  int    // number of events after the submission
			want  string // the verdict, its worker, and the untrusted runs to compare with
		}{
			{"w1 AC", 1, "AC w1"},
			{"w1 TLE", 1, "TLE w1"},
			{"w1 TLE?, w2 AC", 3, "AC w2"},
			{"w1 TLE?, w2 WA", 3, "WA w2"},
			{"w1 TLE?, w2 TLE", 3, "TLE w1"},
			{"w1 TLE?, w2 TLE?, w3 AC", 5, "AC w3"},
			{"w1 TLE?, w2 TLE?, w3 TLE", 5, "TLE w1"},
			{"w1 TLE?, w2 JE", 3, "TLE w1"},
			{"w1 TLE?, w2 fails", 3, "TLE w1"},
			{"w1 TLE?, cancel", 3, "TLE w1"},
			{"w1 TLE? 50, w2 TLE 70", 3, "TLE w2"},
			{"w1 TLE? 50, w2 WA 30", 3, "TLE w1"},
			{"g1 AC, w1 AC", 3, "AC w1, g1 said AC"},
			{"g1 AC, w1 WA", 3, "WA w1, g1 said AC"},
			{"g1 AC, g2 AC, w1 AC", 5, "AC w1, g1 said AC, g2 said AC"},
			{"g1 TLE?, w1 TLE?, w2 AC", 5, "AC w2, g1 said TLE"},
			{"g1 AC, w1 fails", 3, "JE w1, g1 said AC"},
			{"g1 AC, cancel", 3, "cancelled"},
		} {
			t.Run(tt.steps, func(t *testing.T) {
				a := h.submit()
				var ran []string
				var last store.RecordedResult
				steps := strings.Split(tt.steps, ", ")
				for i, step := range steps {
					spec := h.next()[0]
					if spec.Retime != (i > 0 && strings.Contains(steps[i-1], "?") && !strings.HasPrefix(steps[i-1], "g")) {
						t.Errorf("before %s it is given out as %+v", step, spec.Work)
					}
					if i > 0 && strings.HasPrefix(steps[i-1], "g") && !slices.Equal(spec.Exclude, []string{"g1", "g2"}) {
						t.Errorf("after a guest %v are excluded", spec.Exclude)
					}
					for _, w := range []store.Worker{{Name: "g1", Untrusted: true}, {Name: "w1"}} {
						_, err := h.AssignedWorkFor(t.Context(), &w, spec.ID, spec.Token)
						if not := w.Untrusted && slices.Contains(spec.Exclude, w.Name); errors.Is(err, store.ErrNotFound) != not || err != nil && !not {
							t.Errorf("before %s %s may not have the files of a job that excludes %v: %v", step, w.Name, spec.Exclude, err)
						}
					}
					if i > 0 && strings.Contains(steps[i-1], "?") && !strings.HasPrefix(steps[i-1], "g") {
						want := append(slices.Clone(ran), "g1", "g2")
						if !slices.Equal(spec.Exclude, want) {
							t.Errorf("before %s %v are excluded, want %v", step, spec.Exclude, want)
						}
					}
					if s, err := h.Submission(t.Context(), a.ID); err != nil || s.State != store.JobWaiting || s.Verdict != "" || s.Judgement != spec.ID {
						t.Errorf("before %s the submission is %+v, %v", step, s, err)
					}
					if step == "cancel" {
						if done, err := h.CancelJob(t.Context(), spec.ID); err != nil || !done {
							t.Fatal(done, err)
						}
						continue
					}
					words := strings.Fields(step)
					verdict, doubtful := strings.CutSuffix(words[1], "?")
					if !strings.HasPrefix(step, "g") {
						ran = append(ran, words[0])
					}
					r := h.result(spec, judge.Verdict(verdict))
					r.Worker = words[0]
					if len(words) > 2 {
						points, err := strconv.ParseFloat(words[2], 64)
						if err != nil {
							t.Fatal(err)
						}
						r.Finished.Score = &judge.Score{Points: points, Of: 100}
					}
					var doubt *store.Doubt
					if doubtful {
						doubt = &store.Doubt{Why: "a/b took 1.1s", Exclude: ran}
					}
					if verdict == "fails" {
						for r.State, r.Finished = job.Failed, nil; last.Outcome != store.GaveUp; r.Generation++ {
							last = h.fold(r, map[bool]store.Outcome{true: store.GaveUp, false: store.Retried}[r.Generation == 5])
						}
						continue
					}
					var err error
					if last, err = h.RecordDoubtfulResult(t.Context(), r, blob.DigestOf(r.Events), doubt); err != nil ||
						last.Outcome != store.Counted || last.NeedsRepeat != (i < len(steps)-1) {
						t.Fatalf("after %s: %+v, %v", step, last, err)
					}
				}
				j, err := h.Judgement(t.Context(), a.ID)
				if err != nil {
					t.Fatal(err)
				}
				got := string(j.State)
				if j.Verdict != "" {
					got = fmt.Sprint(j.Verdict, " ", j.Worker)
				}
				for _, g := range last.UntrustedRuns {
					got += fmt.Sprintf(", %s said %s", g.Worker, g.Verdict)
				}
				if got != tt.want {
					t.Errorf("what counts is %q, want %q", got, tt.want)
				}
				if s, err := h.Submission(t.Context(), a.ID); err != nil || s.Judgement != j.ID || s.Ended.IsZero() {
					t.Errorf("the submission is %+v, %v", s, err)
				}
				runs, err := h.Runs(t.Context(), a.Job)
				if err != nil || len(runs) != len(steps) {
					t.Errorf("%d runs are kept of %d, %v", len(runs), len(steps), err)
				}
				if left, err := h.PendingRejudges(t.Context()); err != nil || len(left) != 0 || len(h.next()) != 0 {
					t.Errorf("open still: %v, %v", left, err)
				}
				events += 1 + tt.logs
				checkLog(t, h.Store, events)
			})
		}
	})
}

// TestAGuestEndsNothing checks that a job does not end if an untrusted worker fails or gives the job up. Other
// workers must then run the job. Results of untrusted workers for jobs of workflows must not count either.
func TestAGuestEndsNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if _, err := h.AdmitWorker(t.Context(), store.NewWorker{Name: "g", Class: "main", Key: "g", Untrusted: true}); err != nil {
			t.Fatal(err)
		}
		for _, state := range []job.State{job.Failed, job.GivenUp} {
			h.submit()
			for range 7 { // more often than a job may fail
				r := h.result(h.next()[0], "")
				r.State, r.Finished, r.Worker, r.Blame = state, nil, "g", judge.Setter
				h.fold(r, store.Retried)
			}
			spec := h.next()[0]
			if !slices.Equal(spec.Exclude, []string{"g"}) {
				t.Errorf("%v are excluded", spec.Exclude)
			}
			h.fold(h.result(spec, judge.Accepted), store.Counted)
		}
		if _, err := h.NewWorkflow(t.Context(), "workflow", "golf", []byte("{}"), h.alice.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := h.AddWorkflowJobs(t.Context(), "workflow",
			store.WorkflowJob{Key: "k", Work: work(), Priority: job.PracticePriority, Class: "main", Cost: time.Second}); err != nil {
			t.Fatal(err)
		}
		r := h.result(h.next()[0], judge.Accepted)
		r.Worker = "g"
		h.fold(r, store.Retried)
		r = h.result(h.next()[0], judge.Accepted)
		h.fold(r, store.Counted)
		if parts, err := h.TaskResults(t.Context(), "workflow"); err != nil || len(parts) != 1 || parts[0].Result.Worker != "w1" {
			t.Errorf("got %v, %v", parts, err)
		}
	})
}

// TestJudgings checks that the jury can list pending and finished repetitions of judgements, and the judgements
// made by a given worker.
func TestJudgings(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		once := h.submit()
		h.fold(h.result(h.next()[0], judge.WrongAnswer), store.Counted)
		twice := h.submit()
		r := h.result(h.next()[0], judge.TimeLimit)
		r.Finished.First, r.Finished.TimeMS = "a/b", 9
		if _, err := h.RecordDoubtfulResult(t.Context(), r, blob.DigestOf(r.Events),
			&store.Doubt{Why: "a/b took 1.1s on w1", Exclude: []string{"w1"}}); err != nil {
			t.Fatal(err)
		}
		repeats, err := h.PendingRejudges(t.Context())
		if err != nil || len(repeats) != 1 || repeats[0].Submission != twice.ID || !slices.Equal(repeats[0].Exclude, []string{"w1"}) ||
			repeats[0].Priority != job.PracticePriority || repeats[0].Class != "main" {
			t.Fatalf("got %+v, %v", repeats, err)
		}
		r = h.result(h.next()[0], judge.Accepted)
		r.Worker, r.Finished.TimeMS = "w2", 8
		h.fold(r, store.Counted)
		read := func(f store.JudgementFilter) (all []string) {
			t.Helper()
			for {
				page, err := h.JuryJudgements(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					return all
				}
				for _, j := range page {
					what := map[string]string{once.Job: "once", twice.Job: "twice"}[j.Root]
					all = append(all, fmt.Sprintf("%s %d %s %s %s %s %v %q %v stands %v", what, j.Number, j.Problem, j.Origin, j.Worker, j.Verdict,
						j.Time, j.Case, j.Why, j.Current))
					f.Before = j.ID
				}
			}
		}
		first := `once 1 nim first w1 WA 0s "" {} stands true`
		late := `twice 2 nim first w1 TLE 3µs "a/b" {} stands false`
		again := `twice 2 nim near-limit w2 AC 8ms "" {a/b took 1.1s on w1} stands true`
		clear := func(s string) string { return strings.NewReplacer("{", "", "}", "").Replace(s) }
		for name, tt := range map[string]struct {
			f    store.JudgementFilter
			want []string
		}{
			"all":                {store.JudgementFilter{}, []string{again, late, first}},
			"page by page":       {store.JudgementFilter{Limit: 1}, []string{again, late, first}},
			"of a worker":        {store.JudgementFilter{Worker: "w1"}, []string{late, first}},
			"near the limit":     {store.JudgementFilter{Origin: store.OriginNearLimit}, []string{again, late}},
			"both":               {store.JudgementFilter{Origin: store.OriginNearLimit, Worker: "w2"}, []string{again}},
			"of untrusted: none": {store.JudgementFilter{Origin: store.OriginUntrusted}, nil},
		} {
			for i := range tt.want {
				tt.want[i] = clear(tt.want[i])
			}
			if d := cmp.Diff(tt.want, read(tt.f)); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	})
}
