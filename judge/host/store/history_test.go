package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/host/store"
)

// TestJudgementsOf checks that the history of a submission lists its first judgement and its rejudgings, newest
// first, and no judgements of other submissions.
func TestJudgementsOf(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		first, other := h.submit(), h.submit()
		for _, spec := range h.next() {
			h.fold(h.result(spec, judge.WrongAnswer), store.Counted)
		}
		history := func() (all []string) {
			t.Helper()
			past, err := h.JudgementsOf(t.Context(), first.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range past {
				all = append(all, fmt.Sprintf("%s %s %s %q %s %s by %q", j.Origin, j.State, j.Verdict, j.Why, j.RejudgingState, j.Bundle, j.Worker))
				if (j.Rejudging == "") != (j.Origin == store.OriginFirst) || j.Started.IsZero() || j.Ended.IsZero() != (j.Verdict == "") {
					t.Errorf("it is %+v", j)
				}
			}
			return all
		}
		r, _, err := h.Rejudge(t.Context(), store.NewRejudging{Filter: store.SubmissionFilter{Number: first.Number}, Why: "a test was wrong",
			Account: h.alice.ID})
		if err != nil || r.Submissions != 1 {
			t.Fatal(r, err)
		}
		one := fmt.Sprintf(`first done WA ""  %s by "w1"`, digest("nim1"))
		if d := cmp.Diff([]string{fmt.Sprintf(`rejudge waiting  "a test was wrong" running %s by ""`, digest("nim1")), one}, history()); d != "" {
			t.Error(d)
		}
		if past, err := h.JudgementsOf(t.Context(), other.ID); err != nil || len(past) != 1 {
			t.Errorf("of the other one: %+v, %v", past, err)
		}
	})
}
