package dispatch

import (
	"context"
	"encoding/json"
	"fmt"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/workflow"
)

// recordGolfCheck records the result of checking a golf submission.
func (d *Dispatcher) recordGolfCheck(ctx context.Context, id string, a *workflow.GolfOutcome) (err error) {
	if a.Unreadable != "" {
		return d.o.Store.RecordGolfOutcome(ctx, store.GolfOutcome{Workflow: id, Why: a.Unreadable})
	}
	s := store.GolfOutcome{
		Workflow: id, Correct: a.Correct, Toolchain: a.Toolchain, Workers: a.Workers,
		Why: "no worker could check it: submit it again, or ask the administrators",
	}
	if a.Deciding != nil {
		if s.Checked, err = d.GolfResult(a.Deciding.Events); err != nil {
			return err
		}
		switch {
		case s.Checked == nil && a.Output.Misuse != "": // the file cannot be read
			s.Checked = &judge.GolfChecked{Verdict: judge.GolfCannotRun, Log: a.Output.Misuse}
		case s.Checked == nil || s.Checked.Verdict != a.Output.Verdict:
			s.Checked, s.Correct = nil, false
			return d.o.Store.RecordGolfOutcome(ctx, s)
		}
		s.Language, s.Events, s.Why = a.Output.Language, a.Deciding.Events, workflow.RejectReason(s.Checked)
	}
	return d.o.Store.RecordGolfOutcome(ctx, s)
}

// GolfResult decodes the last event of a check. It returns nil, nil if there is no readable event.
func (d *Dispatcher) GolfResult(events blob.Digest) (*judge.GolfChecked, error) {
	lines, err := d.ReadLines(events)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		if e, err := judge.DecodeEvent(l); err == nil {
			if p, is := e.(*judge.GolfChecked); is {
				return p, nil
			}
		}
	}
	return nil, nil
}

// recheckOutdated starts a recheck of each valid golf submission that was checked with a different toolchain from the
// one that the workers have now.
func (d *Dispatcher) recheckOutdated(ctx context.Context) error {
	old, err := d.o.Store.OutdatedGolfSubmissions(ctx, d.o.Class)
	if err != nil {
		return err
	}
	_, err = d.recheck(ctx, old)
	return err
}

// Recheck starts a check of all valid submissions to a hole, and returns their number. It skips submissions that
// are already being rechecked. If it fails, another call starts the missing checks.
func (d *Dispatcher) Recheck(ctx context.Context, hole string) (int, error) {
	valid, err := d.o.Store.ValidGolfSubmissions(ctx, hole, d.o.Class)
	if err != nil {
		return 0, err
	}
	return d.recheck(ctx, valid)
}

// recheck starts a check of each given submission that is still valid and is not being checked. It returns the
// number of started checks.
func (d *Dispatcher) recheck(ctx context.Context, submissions []store.RecheckCandidate) (n int, err error) {
	for _, o := range submissions {
		kind, spec, err := GolfCheckSpec(&o.Problem, o.File, o.Request, o.Toolchain)
		if err != nil {
			return n, err
		}
		id, err := d.o.Store.RecheckGolfSubmission(ctx, o.ID, o.Account, kind, spec)
		if err != nil {
			return n, err
		}
		if id != "" {
			n++
			d.o.Log.Info("a golf submission is rechecked", "submission", o.ID, "toolchain", o.Toolchain)
			d.PlanWorkflow(id)
		}
	}
	return n, nil
}

// GolfCheckSpec returns the kind and the encoded spec of the workflow that checks a golf submission. The argument asked
// is a workflow.GolfSubmissionOptions in JSON. The argument again has the same meaning as in workflow.NewHoleSpec.
func GolfCheckSpec(p *store.Problem, f job.File, options []byte, toolchain string) (kind string, encoded []byte, err error) {
	var how workflow.GolfSubmissionOptions
	if err := json.Unmarshal(options, &how); err != nil {
		return "", nil, fmt.Errorf("read how a golf submission is called: %w", err)
	}
	proof, err := how.CheckOptions(f.Path)
	if err != nil {
		return "", nil, &judge.UsageError{Err: err}
	}
	spec, err := workflow.NewHoleSpec(job.Work{Bundle: p.Bundle, Config: p.Config, Problem: p.Slug, Program: p.Slug,
		Files: []job.File{f}, IsDir: true}, proof, toolchain)
	if err != nil {
		return "", nil, err
	}
	encoded, err = json.Marshal(spec)
	return string(spec.Kind), encoded, err
}
