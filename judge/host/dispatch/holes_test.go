package dispatch

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// proves returns the result of a worker that checked a golf submission.
func proves(t *testing.T, s *job.Spec, v judge.GolfVerdict, toolchain string) *job.Result {
	t.Helper()
	p := &judge.GolfChecked{Format: judge.EventFormat, Language: "Python", Verdict: v, GolfSize: judge.GolfSize{Bytes: 7, Chars: 7}}
	if v == judge.GolfIncorrect {
		p.Wrong = []judge.GolfWrongInput{{In: "5 5", Gave: "1", Why: "it is 10"}}
	}
	line, err := judge.EncodeEvent(p)
	if err != nil {
		t.Fatal(err)
	}
	r := &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, State: job.Done, Version: "test"}
	if r.Events, err = job.PackLines([][]byte{line}); err != nil {
		t.Fatal(err)
	}
	if r.Output, err = json.Marshal(workflow.GolfCheckOutput{Verdict: v, Language: "py", Toolchain: toolchain}); err != nil {
		t.Fatal(err)
	}
	return r
}

// newAnswer stores a golf submission to a new hole.
func (h *harness) newAnswer() *store.GolfSubmission {
	h.Helper()
	o := &store.Hole{Slug: "sum", Name: "Sum", ProblemSlug: "sum", Visibility: store.VisibilityPublic}
	h.must(h.store.NewHole(h.Context(), o))
	p, err := h.store.Problem(h.Context(), "sum")
	h.must(err)
	f := job.File{Path: "answer.py", Size: 7, Digest: digest}
	kind, spec, err := GolfCheckSpec(p, f, []byte(`{}`), "")
	h.must(err)
	a, err := h.store.NewGolfSubmission(h.Context(),
		store.NewGolfSubmission{Hole: o, Account: h.owner, File: f, Request: []byte(`{}`), Spec: spec, Kind: kind})
	h.must(err)
	return a
}

// now returns the current state of a golf submission.
func (h *harness) now(a *store.GolfSubmission) *store.GolfSubmission {
	h.Helper()
	got, err := h.store.GolfSubmission(h.Context(), a.Hole, a.Number)
	h.must(err)
	return got
}

// TestAnAnswerIsProvedAndProvedAgain checks a golf submission with samples and edge cases, then with all inputs,
// and again with a different toolchain. If one worker then finds it wrong, it remains valid until another worker
// agrees.
func TestAnAnswerIsProvedAndProvedAgain(t *testing.T) {
	for name, tt := range map[string]struct {
		second judge.GolfVerdict
		state  store.GolfState
	}{
		"two find it wrong":      {judge.GolfIncorrect, store.GolfInvalidated},
		"another finds it right": {judge.GolfCorrect, store.GolfValid},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, h *harness) {
				h.o.Class = class
				h.folding()
				one := h.join("one", class, 1)
				a := h.newAnswer()
				// does lets a worker run the next job of the workflow.
				does := func(f *fake, id, key string, priority job.Priority, v judge.GolfVerdict, toolchain string) {
					t.Helper()
					h.must(h.plan(t.Context(), id, time.Now()))
					h.give(priority, class, 1)
					l := f.take()
					if l.Spec.ID != store.WorkflowJobID(id, key) {
						t.Fatalf("the next job is %+v, not that of %s", l.Spec, key)
					}
					h.must(l.Finish(t.Context(), proves(t, l.Spec, v, toolchain)))
					h.until(key+" is there", func() bool {
						parts, err := h.store.TaskResults(t.Context(), id)
						return err == nil && slices.ContainsFunc(parts, func(p *store.TaskResult) bool { return p.Key == key })
					})
					h.must(h.plan(t.Context(), id, time.Now()))
				}
				does(one, a.Workflow, workflow.SamplesKey, job.PracticePriority, judge.GolfCorrect, "Python 3.14")
				if got := h.now(a); got.State != store.GolfChecking {
					t.Fatalf("after samples and edges it is %+v", got)
				}
				does(one, a.Workflow, workflow.ExhaustiveKey, job.GolfPriority, judge.GolfCorrect, "Python 3.14")
				got := h.now(a)
				if got.State != store.GolfValid || got.Toolchain != "Python 3.14" || got.Language != "py" || got.Bytes != 7 {
					t.Fatalf("proved it is %+v", got)
				}
				if p, err := h.GolfResult(got.Events); err != nil || p == nil || p.Verdict != judge.GolfCorrect {
					t.Errorf("its proof tells %+v, %v", p, err)
				}
				h.must(h.recheckOutdated(t.Context()))
				if h.now(a).Workflow != "" {
					t.Fatal("it is proved again, and nothing has changed")
				}

				_, err := h.store.CreateClass(t.Context(), class, job.Capabilities{Languages: map[string]string{"py": "Python 3.15"}})
				h.must(err)
				h.must(h.recheckOutdated(t.Context()))
				again := h.now(a).Workflow
				if again == "" {
					t.Fatal("it is not proved again with another tool chain")
				}
				does(one, again, workflow.ExhaustiveKey, job.GolfPriority, judge.GolfIncorrect, "Python 3.15")
				if got := h.now(a); got.State != store.GolfValid || got.Workflow != again {
					t.Fatalf("one worker finds it wrong, and it is %+v", got)
				}
				if not := h.spec(store.WorkflowJobID(again, workflow.SecondKey)).Exclude; !slices.Contains(not, "one") {
					t.Errorf("who found it wrong may say so again: %v", not)
				}
				two := h.join("two", class, 1)
				does(two, again, workflow.SecondKey, job.GolfPriority, tt.second, "Python 3.15")
				if got := h.now(a); got.State != tt.state || got.Workflow != "" || got.Toolchain != "Python 3.15" ||
					got.State == store.GolfInvalidated && got.Why != "5 5 gave 1: it is 10" {
					t.Errorf("two have proved it, and it is %+v", got)
				}
				h.must(h.recheckOutdated(t.Context()))
				if h.now(a).Workflow != "" {
					t.Error("it is proved once more, and nothing has changed")
				}
			})
		})
	}
}

// TestAGolfSubmissionThatNoWorkerCanCheck checks that an unreadable submission is rejected with the reason. If machines
// fail or contradict each other, the submission is not reported as wrong.
func TestAGolfSubmissionThatNoWorkerCanCheck(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		spec, err := workflow.NewHoleSpec(job.Work{}, workflow.GolfCheckOptions{}, "")
		h.must(err)
		output, err := json.Marshal(workflow.GolfCheckOutput{Misuse: "unknown language \"Klingon\""})
		h.must(err)
		wrong, err := json.Marshal(workflow.GolfCheckOutput{Verdict: judge.GolfIncorrect})
		h.must(err)
		put := func(data []byte, err error) blob.Digest {
			h.must(err)
			d := blob.DigestOf(data)
			h.must(h.o.Blobs.Put(d, int64(len(data)), bytes.NewReader(data)))
			return d
		}
		right := put(proves(t, &job.Spec{}, judge.GolfCorrect, "").Events, nil)
		const unchecked = "no worker could check it: submit it again, or ask the administrators"
		for what, tt := range map[string]struct {
			want string
			part workflow.TaskResult
		}{
			"unreadable":   {"unknown language \"Klingon\"", workflow.TaskResult{State: job.Done, Output: output}},
			"failed":       {unchecked, workflow.TaskResult{State: job.Failed, Reason: "no disk"}},
			"silent":       {unchecked, workflow.TaskResult{State: job.Done, Output: wrong}},
			"contradicted": {unchecked, workflow.TaskResult{State: job.Done, Output: wrong, Events: right}},
			"noise": {unchecked, workflow.TaskResult{State: job.Done, Output: wrong,
				Events: put(job.PackLines([][]byte{[]byte("no event")}))}},
		} {
			part, want := tt.part, tt.want
			part.Key, part.Worker = workflow.SamplesKey, "one"
			o := &store.Hole{Slug: what, Name: "Sum", ProblemSlug: "sum", Visibility: store.VisibilityPublic}
			h.must(h.store.NewHole(t.Context(), o))
			a, err := h.store.NewGolfSubmission(t.Context(),
				store.NewGolfSubmission{Hole: o, Account: h.owner, File: job.File{Path: "answer.md", Digest: digest}, Request: []byte(`{}`),
					Spec: []byte(`{}`), Kind: string(workflow.Hole)})
			h.must(err)
			step, err := workflow.Next(spec, []workflow.TaskResult{part})
			h.must(err)
			h.must(h.recordGolfCheck(t.Context(), a.Workflow, step.GolfCheck))
			if got := h.now(a); got.State != store.GolfRejected || got.Why != want {
				t.Errorf("%s: it is %+v, want %q", what, got, want)
			}
		}
	})
}
