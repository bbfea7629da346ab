package dispatch

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestManyFlowsOfOneAreAsOne: who asks for many flows has the share of one account.
func TestManyFlowsOfOneAreAsOne(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		bob, err := h.store.NewAccount(t.Context(), "bob", "Bob", store.Person, "")
		h.must(err)
		ask := func(id, owner string) {
			t.Helper()
			options, err := json.Marshal(flow.GolfOptions{Answers: []flow.GolfAnswer{{Name: "a", File: "a.py"}}})
			h.must(err)
			spec, err := json.Marshal(flow.Spec{Kind: flow.Golf, Options: options, Work: job.Work{
				Bundle: digest, Config: digest, Problem: "sum", Program: "sum", Files: []job.File{{Path: "a.py", Digest: digest}}, Folder: true,
			}})
			h.must(err)
			_, err = h.store.NewFlow(t.Context(), id, string(flow.Golf), spec, owner)
			h.must(err)
			h.must(h.plan(t.Context(), id, time.Now()))
		}
		for i := range 20 {
			ask(fmt.Sprint("many ", i), h.owner)
		}
		ask("one", bob.ID)
		specs, err := h.store.Next(t.Context(), job.Practice, h.o.Class, 100)
		h.must(err)
		if len(specs) != 21 {
			t.Fatalf("%d jobs wait", len(specs))
		}
		for i, s := range specs {
			if s.ID == store.JobID("one", flow.ProofKey(0)) && i > 1 {
				t.Errorf("the only job of an account comes after %d of another's", i)
			}
		}
	})
}
