package ladder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"assay/judge/contests/arena"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// rulesFlow returns the id of the workflow that reads the rules of a ladder.
func rulesFlow(l *store.Ladder) string { return "rules" + store.JobID(l.ID, "rules") }

// work returns the parts that all jobs of a ladder share.
func work(l *store.Ladder) job.Work {
	return job.Work{Bundle: l.Bundle, Config: l.Config, Problem: l.Problem, Program: l.Slug}
}

// choice returns the chosen rules. A ladder replaces their schedule with its own.
func choice(l *store.Ladder) (c arena.Choice, err error) {
	if err = json.Unmarshal(l.Choice, &c); err != nil {
		err = fmt.Errorf("read the new rules of the ladder %s: %w", l.Slug, err)
	}
	return c, err
}

// rules lets a worker read the rules, and stores them.
func (k *Keeper) rules(ctx context.Context, l *store.Ladder) error {
	if l.Wrong != "" {
		return nil
	}
	f, err := k.o.Store.Flow(ctx, rulesFlow(l))
	if errors.Is(err, store.ErrNotFound) {
		asked, err := choice(l)
		if err != nil {
			return err
		}
		spec, err := flow.NewTrial(work(l), asked, nil)
		if err != nil {
			return err
		}
		return k.begin(ctx, rulesFlow(l), spec, l.Owner)
	}
	if err != nil || f.State == store.FlowRunning {
		return err
	}
	tried, reason, err := k.tried(ctx, f)
	switch {
	case err != nil:
		return err
	case tried == nil:
		return k.o.Store.SetLadderRules(ctx, l.ID, nil, reason)
	case tried.Misuse != "":
		return k.o.Store.SetLadderRules(ctx, l.ID, nil, tried.Misuse)
	}
	tried.Rules.Format = arena.OpenLadder
	data, err := json.Marshal(tried.Rules)
	if err != nil {
		return err
	}
	return k.o.Store.SetLadderRules(ctx, l.ID, data, "")
}

// begin stores a workflow and starts it.
func (k *Keeper) begin(ctx context.Context, id string, spec *flow.Spec, owner string) error {
	data, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	if _, err := k.o.Store.NewFlow(ctx, id, string(spec.Kind), data, owner); err != nil {
		return err
	}
	k.o.Dispatch.Plan(id)
	return nil
}

// tried returns the output of a workflow that tests a bot. If the workflow failed, it returns nil and the reason.
func (k *Keeper) tried(ctx context.Context, f *store.Flow) (*flow.Tried, string, error) {
	p, reason, err := k.part(ctx, f)
	if err != nil || p == nil {
		return nil, reason, err
	}
	t := &flow.Tried{}
	if err := json.Unmarshal(p.Result.Output, t); err != nil {
		return nil, "", fmt.Errorf("read what a trial came to: %w", err)
	}
	if t.Misuse == "" && (t.Rules == nil || t.Rules.Games < 1) {
		return nil, "the worker gave no rules", nil
	}
	return t, "", nil
}

// part returns the only part of a finished workflow. If there is none, it returns nil and the reason.
func (k *Keeper) part(ctx context.Context, f *store.Flow) (*store.Part, string, error) {
	if f.State != store.FlowDone {
		return nil, f.Reason, nil
	}
	parts, err := k.o.Store.Parts(ctx, f.ID)
	if err != nil {
		return nil, "", err
	}
	for _, p := range parts {
		if p.Result.State == job.Done {
			return p, "", nil
		}
	}
	return nil, "no worker could do it", nil
}

// Enter adds a bot to a ladder. The bot plays after it has passed its test.
func (k *Keeper) Enter(ctx context.Context, l *store.Ladder, b *store.Bot) error {
	asked, err := choice(l)
	if err != nil {
		return err
	}
	b.Ladder = l.ID
	err = k.o.Store.NewBot(ctx, b, string(flow.Trial), func(b *store.Bot) ([]byte, error) {
		p := player(b)
		spec, err := flow.NewTrial(work(l), asked, &p)
		if err != nil {
			return nil, err
		}
		return json.Marshal(spec)
	})
	if err == nil {
		k.o.Dispatch.Plan(b.Flow)
	}
	return err
}

// player returns a bot as workers see it: with its number instead of the name that its author chose.
func player(b *store.Bot) flow.Player {
	return flow.Player{Number: b.Number, Name: fmt.Sprintf("bot-%d", b.Number), File: b.File, Files: b.Files}
}

// checks stores the results of finished tests.
func (k *Keeper) checks(ctx context.Context, l *store.Ladder) error {
	all, err := k.o.Store.CheckedBots(ctx, l.ID)
	if err != nil {
		return err
	}
	for _, b := range all {
		f, err := k.o.Store.Flow(ctx, b.Flow)
		if errors.Is(err, store.ErrNotFound) {
			f, err = &store.Flow{State: store.FlowFailed, Reason: "the trial is not there any more"}, nil
		}
		if err != nil {
			return err
		}
		if f.State == store.FlowRunning {
			continue
		}
		tried, reason, err := k.tried(ctx, f)
		if err != nil {
			return err
		}
		if tried == nil {
			tried = &flow.Tried{}
			b.Reason = "the server could not try it: " + reason + "; send it again"
		} else if b.Reason = tried.Misuse; b.Reason == "" && !tried.OK {
			b.Reason = wrongWith(tried)
		}
		if b.State = store.BotRefused; b.Reason == "" {
			b.State = store.BotActive
		}
		if b.Told, err = json.Marshal(tried); err != nil {
			return err
		}
		if err := k.o.Store.EndCheck(ctx, b); err != nil && !errors.Is(err, store.ErrEnded) {
			return err
		}
	}
	return nil
}

// wrongWith returns the first error that a test found.
func wrongWith(t *flow.Tried) string {
	for _, p := range t.Positions {
		if len(p.Wrong) > 0 {
			return p.Name + ": " + p.Wrong[0]
		}
	}
	if t.Finished != nil && len(t.Finished.Wrong) > 0 {
		return t.Finished.Wrong[0]
	}
	return "something is wrong with it"
}
