package demo

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// A recordedAnswer is a golf submission and the result of its check. The result names the problem.
type recordedAnswer struct {
	File     string           `json:"file"`
	Language string           `json:"language"` // id
	Source   string           `json:"source"`
	Proved   judge.GolfProved `json:"proved"`
}

//go:embed hole.jsonl.gz
var recordedAnswers []byte

// hole opens a hole and adds the teams' golf submissions in order.
func (f *filling) hole(ctx context.Context) error {
	all, err := recordings[recordedAnswer](recordedAnswers)
	if err != nil {
		return err
	}
	slug := all[0].Proved.Problem
	h := &store.Hole{Slug: slug, Name: "The hole of " + slug, ProblemSlug: slug, Visibility: store.Public, Shown: true}
	f.clock = f.o.Now.Add(-since)
	if err := f.store.NewHole(ctx, h); err != nil {
		return err
	}
	for i, s := range all {
		f.clock = f.o.Now.Add(-since + since*time.Duration(i+1)/time.Duration(len(all)+1))
		if err := f.answer(ctx, h, f.accounts[i%len(f.accounts)], &s); err != nil {
			return fmt.Errorf("make the answer %s: %w", s.File, err)
		}
	}
	return nil
}

// answer adds a golf submission with its recorded check.
func (f *filling) answer(ctx context.Context, h *store.Hole, author *store.Account, s *recordedAnswer) error {
	source := []byte(s.Source)
	file := job.File{Path: s.File, Size: int64(len(source)), Digest: blob.Of(source)}
	packed, _, err := job.Pack([]judge.Event{&s.Proved})
	if err != nil {
		return err
	}
	events := blob.Of(packed)
	if err := f.put(ctx, file.Digest, source, "upload"); err != nil {
		return err
	}
	if err := f.put(ctx, events, packed, "events"); err != nil {
		return err
	}
	a, err := f.store.NewAnswer(ctx, store.NewAnswer{
		Hole: h, Account: author.ID, File: file, Asked: []byte("{}"), Spec: []byte("{}"), Kind: string(flow.Hole),
	})
	if err != nil {
		return err
	}
	if _, err := f.store.FinishFlow(ctx, a.Flow, store.FlowDone, ""); err != nil {
		return err
	}
	f.clock = f.clock.Add(5 * time.Second)
	return f.store.Settle(ctx, store.Settled{
		Flow: a.Flow, Right: s.Proved.Verdict == judge.GolfRight, Proved: &s.Proved, Language: s.Language, Events: events,
		Why: flow.Why(&s.Proved), Workers: []string{"recorded"},
	})
}
