package ladder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"assay/judge/contests/arena"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// rulesWorkflowID returns the id of the workflow that reads the rules of a ladder.
func rulesWorkflowID(l *store.Ladder) string { return "rules" + store.WorkflowJobID(l.ID, "rules") }

// baseWork returns the parts that all jobs of a ladder share.
func baseWork(l *store.Ladder) job.Work {
	return job.Work{Bundle: l.Bundle, Config: l.Config, Problem: l.Problem, Program: l.Slug}
}

// rulesChoice returns the chosen rules. A ladder replaces their schedule with its own.
func rulesChoice(l *store.Ladder) (c arena.RulesChoice, err error) {
	if err = json.Unmarshal(l.ChosenRules, &c); err != nil {
		err = fmt.Errorf("read the new rules of the ladder %s: %w", l.Slug, err)
	}
	return c, err
}

// readRules lets a worker read the rules, and stores them.
func (k *Service) readRules(ctx context.Context, l *store.Ladder) error {
	if l.RulesError != "" {
		return nil
	}
	f, err := k.o.Store.Workflow(ctx, rulesWorkflowID(l))
	if errors.Is(err, store.ErrNotFound) {
		asked, err := rulesChoice(l)
		if err != nil {
			return err
		}
		spec, err := workflow.NewTrialSpec(baseWork(l), asked, nil)
		if err != nil {
			return err
		}
		return k.startWorkflow(ctx, rulesWorkflowID(l), spec, l.Owner)
	}
	if err != nil || f.State == store.WorkflowRunning {
		return err
	}
	tried, reason, err := k.trialOutput(ctx, f)
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

// startWorkflow stores a workflow and starts it.
func (k *Service) startWorkflow(ctx context.Context, id string, spec *workflow.Spec, owner string) error {
	data, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	if _, err := k.o.Store.NewWorkflow(ctx, id, string(spec.Kind), data, owner); err != nil {
		return err
	}
	k.o.Dispatch.PlanWorkflow(id)
	return nil
}

// trialOutput returns the output of a workflow that tests a bot. If the workflow failed, it returns nil and the reason.
func (k *Service) trialOutput(ctx context.Context, f *store.Workflow) (*workflow.TrialOutput, string, error) {
	p, reason, err := k.taskResult(ctx, f)
	if err != nil || p == nil {
		return nil, reason, err
	}
	t := &workflow.TrialOutput{}
	if err := json.Unmarshal(p.Result.Output, t); err != nil {
		return nil, "", fmt.Errorf("read what a trial came to: %w", err)
	}
	if t.Misuse == "" && (t.Rules == nil || t.Rules.Games < 1) {
		return nil, "the worker gave no rules", nil
	}
	return t, "", nil
}

// taskResult returns the result of the only task of a finished workflow. If there is none, it returns nil and the reason.
func (k *Service) taskResult(ctx context.Context, f *store.Workflow) (*store.TaskResult, string, error) {
	if f.State != store.WorkflowDone {
		return nil, f.Reason, nil
	}
	parts, err := k.o.Store.TaskResults(ctx, f.ID)
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

// AddBot adds a bot to a ladder. The bot plays after it has passed its test.
func (k *Service) AddBot(ctx context.Context, l *store.Ladder, b *store.Bot) error {
	asked, err := rulesChoice(l)
	if err != nil {
		return err
	}
	b.Ladder = l.ID
	err = k.o.Store.NewBot(ctx, b, string(workflow.Trial), func(b *store.Bot) ([]byte, error) {
		p := playerFor(b)
		spec, err := workflow.NewTrialSpec(baseWork(l), asked, &p)
		if err != nil {
			return nil, err
		}
		return json.Marshal(spec)
	})
	if err == nil {
		k.o.Dispatch.PlanWorkflow(b.Workflow)
	}
	return err
}

// playerFor returns a bot as workers see it: with its number instead of the name that its author chose.
func playerFor(b *store.Bot) workflow.Player {
	return workflow.Player{Number: b.Number, Name: fmt.Sprintf("bot-%d", b.Number), File: b.File, Files: b.Files}
}

// recordTrials stores the results of finished tests.
func (k *Service) recordTrials(ctx context.Context, l *store.Ladder) error {
	all, err := k.o.Store.BotsInCheck(ctx, l.ID)
	if err != nil {
		return err
	}
	for _, b := range all {
		f, err := k.o.Store.Workflow(ctx, b.Workflow)
		if errors.Is(err, store.ErrNotFound) {
			f, err = &store.Workflow{State: store.WorkflowFailed, Reason: "the trial is not there any more"}, nil
		}
		if err != nil {
			return err
		}
		if f.State == store.WorkflowRunning {
			continue
		}
		tried, reason, err := k.trialOutput(ctx, f)
		if err != nil {
			return err
		}
		if tried == nil {
			tried = &workflow.TrialOutput{}
			b.Reason = "the server could not try it: " + reason + "; send it again"
		} else if b.Reason = tried.Misuse; b.Reason == "" && !tried.OK {
			b.Reason = firstError(tried)
		}
		if b.State = store.BotRejected; b.Reason == "" {
			b.State = store.BotActive
		}
		if b.TestOutput, err = json.Marshal(tried); err != nil {
			return err
		}
		if err := k.o.Store.EndBotCheck(ctx, b); err != nil && !errors.Is(err, store.ErrEnded) {
			return err
		}
	}
	return nil
}

// firstError returns the first error that a test found.
func firstError(t *workflow.TrialOutput) string {
	for _, p := range t.Positions {
		if len(p.Errors) > 0 {
			return p.Name + ": " + p.Errors[0]
		}
	}
	if t.Finished != nil && len(t.Finished.Errors) > 0 {
		return t.Finished.Errors[0]
	}
	return "something is wrong with it"
}
