package dispatch

import (
	"slices"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestAudit holds that another worker judges a submission again, that the first verdict
// stands, and that a worker is drained of which another says otherwise.
func TestAudit(t *testing.T) {
	for name, tt := range map[string]struct {
		second judge.Verdict
		state  store.WorkerState
	}{
		"the same":  {judge.Accepted, store.Active},
		"otherwise": {judge.WrongAnswer, store.Drained},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.o.Audit, h.o.Class = 1, class
			h.folding()
			for _, worker := range []string{"one", "two"} {
				_, err := h.store.Enrol(t.Context(), store.NewWorker{Name: worker, Class: class, Key: "key of " + worker, Offer: job.Offer{}})
				h.must(err)
			}
			_, err := h.store.Enrol(t.Context(), store.NewWorker{Name: "guest", Class: class, Key: "key of guest", Guest: true})
			h.must(err)
			one := h.join("one", class, 1)
			ids := h.submit(job.Practice, class, 1)
			h.give(job.Practice, class, 1)
			// While nobody else is there, nobody else is asked.
			l := one.take()
			h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
			h.until("the job has ended", func() bool { return h.judgement(ids[0]).State == store.Done })
			if flows, err := h.store.Flows(t.Context()); err != nil || len(flows) != 0 {
				t.Fatalf("%d flows, %v", len(flows), err)
			}

			two := h.join("two", class, 1)
			ids = h.submit(job.Practice, class, 1)
			h.give(job.Practice, class, 1)
			l = one.take()
			h.must(l.Finish(t.Context(), says(l.Spec, judge.Accepted)))
			audit := store.JobID("audit", ids[0])
			h.until("another is to be asked", func() bool { f, err := h.store.Flow(t.Context(), audit); return err == nil && f.Owner == h.owner })
			h.must(h.plan(t.Context(), audit))
			if not := h.spec(store.JobID(audit, "again")).Exclude; !slices.Equal(not, []string{"one", "guest"}) {
				t.Errorf("%v must not be asked", not)
			}
			h.give(job.Background, class, 1)
			one.none("it judged the submission")
			l = two.take()
			h.must(l.Finish(t.Context(), says(l.Spec, tt.second)))
			h.until("the other has judged", func() bool { parts, err := h.store.Parts(t.Context(), audit); return err == nil && len(parts) == 1 })
			h.must(h.plan(t.Context(), audit))
			w, err := h.store.Worker(t.Context(), "one")
			if err != nil || w.State != tt.state {
				t.Errorf("the first is %+v, %v", w, err)
			}
			if j := h.judgement(ids[0]); j.Verdict != judge.Accepted {
				t.Errorf("the verdict is %s", j.Verdict)
			}
			entries, err := h.store.Audited(t.Context(), "", 10)
			h.must(err)
			said := len(entries) == 1 && strings.Contains(entries[0].Detail, "one says AC of the submission") && strings.Contains(entries[0].Detail, "two says WA")
			if said != (tt.state == store.Drained) {
				t.Errorf("the staff is told %+v", entries)
			}
			if tt.state == store.Drained {
				h.until("the first is told to take no more jobs", func() bool {
					select {
					case o := <-one.Orders():
						return o.Kind == job.Drain
					default:
						return false
					}
				})
			}
		})
	}
}

// TestTheFirstThatSolvesIsJudgedTwice: whatever the part is that is judged again, the first
// accepted submission to a problem is, and no other one.
func TestTheFirstThatSolvesIsJudgedTwice(t *testing.T) {
	h := newHouse(t)
	h.o.Audit, h.o.Class = 1e-15, class
	h.folding()
	for _, worker := range []string{"one", "two"} {
		_, err := h.store.Enrol(t.Context(), store.NewWorker{Name: worker, Class: class, Key: "key of " + worker, Offer: job.Offer{}})
		h.must(err)
	}
	one := h.join("one", class, 1)
	h.join("two", class, 1)
	var audited []bool
	var last string
	verdicts := []judge.Verdict{judge.WrongAnswer, judge.Accepted, judge.Accepted, judge.WrongAnswer}
	for _, v := range verdicts {
		id := h.submit(job.Practice, class, 1)[0]
		h.give(job.Practice, class, 1)
		l := one.take()
		h.must(l.Finish(t.Context(), says(l.Spec, v)))
		h.until("the job has ended", func() bool { return h.judgement(id).State == store.Done })
		if last != "" { // results are folded one after the other, so this one is seen to
			_, err := h.store.Flow(t.Context(), last)
			audited = append(audited, err == nil)
		}
		last = store.JobID("audit", id)
	}
	if want := []bool{false, true, false}; !slices.Equal(audited, want) {
		t.Errorf("judged again are %v, want %v of %v", audited, want, verdicts)
	}
}
