package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// newWorkflow stores a workflow that needs one job.
func (h *harness) newWorkflow(id, owner string) {
	h.Helper()
	options, err := json.Marshal(workflow.GolfOptions{Submissions: []workflow.GolfFile{{Name: "a", File: "a.py"}}})
	h.must(err)
	spec, err := json.Marshal(workflow.Spec{Kind: workflow.Golf, Options: options, Work: job.Work{
		Bundle: digest, Config: digest, Problem: "sum", Program: "sum", Files: []job.File{{Path: "a.py", Digest: digest}}, IsDir: true,
	}})
	h.must(err)
	_, err = h.store.NewWorkflow(h.Context(), id, string(workflow.Golf), spec, owner)
	h.must(err)
}

// TestAPlanThatWaitedForTheDisk checks that planning that was slow because of the disk delays the next plan only
// for a moment, and not for ten times as long.
func TestAPlanThatWaitedForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, false)
		ctx, cancel := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() { h.planLoop(ctx) })
		defer done.Wait()
		defer cancel()
		planned := func(n int) {
			t.Helper()
			h.until(fmt.Sprintf("%d workflows are planned", n), func() bool {
				waiting, _ := h.states(job.PracticePriority, h.o.Class)
				return waiting == n
			})
		}
		h.newWorkflow("first", h.owner)
		h.slow.Store(int64(10 * time.Second))
		h.PlanWorkflow("first")
		planned(1)
		h.slow.Store(0)
		h.newWorkflow("second", h.owner)
		h.PlanWorkflow("second")
		began := time.Now()
		if planned(2); time.Since(began) > maxPause+time.Second {
			t.Errorf("a plan that had waited for ten seconds kept the next one waiting for %v", time.Since(began))
		}
	})
}

// TestManyWorkflowsOfOneAreAsOne checks that many workflows of one account get the share of one account.
func TestManyWorkflowsOfOneAreAsOne(t *testing.T) {
	run(t, func(t *testing.T, h *harness) {
		bob, err := h.store.NewAccount(t.Context(), "bob", "Bob", store.PersonAccount, "")
		h.must(err)
		ask := func(id, owner string) {
			t.Helper()
			h.newWorkflow(id, owner)
			h.must(h.plan(t.Context(), id, time.Now()))
		}
		for i := range 20 {
			ask(fmt.Sprint("many ", i), h.owner)
		}
		ask("one", bob.ID)
		specs, err := h.store.NextJobs(t.Context(), job.PracticePriority, h.o.Class, 100)
		h.must(err)
		if len(specs) != 21 {
			t.Fatalf("%d jobs wait", len(specs))
		}
		for i, s := range specs {
			if s.ID == store.WorkflowJobID("one", workflow.GolfCheckKey(0)) && i > 1 {
				t.Errorf("the only job of an account comes after %d of another's", i)
			}
		}
	})
}

// TestNoKindByName checks that this package does not compare with any kind of job or workflow. Only job.Kind and
// workflow.NextJobs decide how a kind is handled and how it ends.
func TestNoKindByName(t *testing.T) {
	kinds := map[string]bool{}
	for _, file := range []string{"../job/kind.go", "../workflow/workflow.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		from := parsed.Name.Name
		ast.Inspect(parsed, func(n ast.Node) bool {
			if v, is := n.(*ast.ValueSpec); is {
				if of, is := v.Type.(*ast.Ident); is && of.Name == "Kind" {
					kinds[from+"."+v.Names[0].Name] = true
				}
			}
			return true
		})
	}
	if len(kinds) < 20 {
		t.Fatalf("only the kinds %v are known", kinds)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, is := n.(*ast.SelectorExpr); is {
				if of, is := s.X.(*ast.Ident); is && kinds[of.Name+"."+s.Sel.Name] {
					t.Errorf("%s names the kind %s.%s", set.Position(s.Pos()), of.Name, s.Sel.Name)
				}
			}
			return true
		})
	}
}
