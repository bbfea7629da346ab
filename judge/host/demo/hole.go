package demo

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// A recordedGolf is a golf submission and the result of its check. The result names the problem.
type recordedGolf struct {
	File     string            `json:"file"`
	Language string            `json:"language"` // id
	Source   string            `json:"source"`
	Proved   judge.GolfChecked `json:"proved"`
}

//go:embed hole.jsonl.gz
var recordedGolfData []byte

// createHole opens a hole and adds the teams' golf submissions in order.
func (f *demoData) createHole(ctx context.Context) error {
	all, err := readRecordings[recordedGolf](recordedGolfData)
	if err != nil {
		return err
	}
	slug := all[0].Proved.Problem
	h := &store.Hole{Slug: slug, Name: "The hole of " + slug, ProblemSlug: slug, Visibility: store.VisibilityPublic, ShowSubmissions: true}
	f.clock = f.o.Now.Add(-startedAgo)
	if err := f.store.NewHole(ctx, h); err != nil {
		return err
	}
	for i, s := range all {
		f.clock = f.o.Now.Add(-startedAgo + startedAgo*time.Duration(i+1)/time.Duration(len(all)+1))
		if err := f.addGolfSubmission(ctx, h, f.accounts[i%len(f.accounts)], &s); err != nil {
			return fmt.Errorf("make the answer %s: %w", s.File, err)
		}
	}
	return nil
}

// addGolfSubmission adds a golf submission with its recorded check.
func (f *demoData) addGolfSubmission(ctx context.Context, h *store.Hole, author *store.Account, s *recordedGolf) error {
	source := []byte(s.Source)
	file := job.File{Path: s.File, Size: int64(len(source)), Digest: blob.DigestOf(source)}
	packed, _, err := job.Pack([]judge.Event{&s.Proved})
	if err != nil {
		return err
	}
	events := blob.DigestOf(packed)
	if err := f.storeBlob(ctx, file.Digest, source, "upload"); err != nil {
		return err
	}
	if err := f.storeBlob(ctx, events, packed, "events"); err != nil {
		return err
	}
	a, err := f.store.NewGolfSubmission(ctx, store.NewGolfSubmission{
		Hole: h, Account: author.ID, File: file, Request: []byte("{}"), Spec: []byte("{}"), Kind: string(workflow.Hole),
	})
	if err != nil {
		return err
	}
	if _, err := f.store.FinishWorkflow(ctx, a.Workflow, store.WorkflowDone, ""); err != nil {
		return err
	}
	f.clock = f.clock.Add(5 * time.Second)
	return f.store.RecordGolfOutcome(ctx, store.GolfOutcome{
		Workflow: a.Workflow, Correct: s.Proved.Verdict == judge.GolfCorrect, Checked: &s.Proved, Language: s.Language, Events: events,
		Why: workflow.RejectReason(&s.Proved), Workers: []string{"recorded"},
	})
}
