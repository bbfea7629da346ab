package dispatch

import (
	"context"
	"encoding/json"
	"fmt"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/flow"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// settle records the result of checking a golf submission.
func (d *Dispatcher) settle(ctx context.Context, id string, a *flow.Answered) (err error) {
	if a.Unread != "" {
		return d.o.Store.Settle(ctx, store.Settled{Flow: id, Why: a.Unread})
	}
	s := store.Settled{
		Flow: id, Right: a.Right, Toolchain: a.Toolchain, Workers: a.Workers,
		Why: "no worker could check it: submit it again, or ask the administrators",
	}
	if a.Part != nil {
		if s.Proved, err = d.Proved(a.Part.Events); err != nil {
			return err
		}
		switch {
		case s.Proved == nil && a.Proved.Misuse != "": // the file cannot be read
			s.Proved = &judge.GolfProved{Verdict: judge.GolfCannotRun, Log: a.Proved.Misuse}
		case s.Proved == nil || s.Proved.Verdict != a.Proved.Verdict:
			s.Proved, s.Right = nil, false
			return d.o.Store.Settle(ctx, s)
		}
		s.Language, s.Events, s.Why = a.Proved.Language, a.Part.Events, flow.Why(s.Proved)
	}
	return d.o.Store.Settle(ctx, s)
}

// Proved decodes the last event of a check. It returns nil, nil if there is no readable event.
func (d *Dispatcher) Proved(events blob.Digest) (*judge.GolfProved, error) {
	lines, err := d.Lines(events)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		if e, err := judge.DecodeEvent(l); err == nil {
			if p, is := e.(*judge.GolfProved); is {
				return p, nil
			}
		}
	}
	return nil, nil
}

// proveAgain starts a recheck of each valid golf submission that was checked with a different toolchain from the
// one that the workers have now.
func (d *Dispatcher) proveAgain(ctx context.Context) error {
	old, err := d.o.Store.Outdated(ctx, d.o.Class)
	if err != nil {
		return err
	}
	_, err = d.recheck(ctx, old)
	return err
}

// Recheck starts a check of all valid submissions to a hole, and returns their number. It skips submissions that
// are already being rechecked. If it fails, another call starts the missing checks.
func (d *Dispatcher) Recheck(ctx context.Context, hole string) (int, error) {
	valid, err := d.o.Store.Valid(ctx, hole, d.o.Class)
	if err != nil {
		return 0, err
	}
	return d.recheck(ctx, valid)
}

// recheck starts a check of each given submission that is still valid and is not being checked. It returns the
// number of started checks.
func (d *Dispatcher) recheck(ctx context.Context, all []store.Outdated) (n int, err error) {
	for _, o := range all {
		kind, spec, err := HoleSpec(&o.Problem, o.File, o.Asked, o.Now)
		if err != nil {
			return n, err
		}
		id, err := d.o.Store.ProveAgain(ctx, o.ID, o.Account, kind, spec)
		if err != nil {
			return n, err
		}
		if id != "" {
			n++
			d.o.Log.Info("a golf submission is rechecked", "submission", o.ID, "toolchain", o.Now)
			d.Plan(id)
		}
	}
	return n, nil
}

// HoleSpec returns the kind and the encoded spec of the workflow that checks a golf submission. The argument asked
// is a flow.HoleAnswer in JSON. The argument again has the same meaning as in flow.NewHole.
func HoleSpec(p *store.Problem, f job.File, asked []byte, again string) (kind string, encoded []byte, err error) {
	var how flow.HoleAnswer
	if err := json.Unmarshal(asked, &how); err != nil {
		return "", nil, fmt.Errorf("read how a golf submission is called: %w", err)
	}
	proof, err := how.Proof(f.Path)
	if err != nil {
		return "", nil, &judge.Misuse{Err: err}
	}
	spec, err := flow.NewHole(job.Work{Bundle: p.Bundle, Config: p.Config, Problem: p.Slug, Program: p.Slug,
		Files: []job.File{f}, Folder: true}, proof, again)
	if err != nil {
		return "", nil, err
	}
	encoded, err = json.Marshal(spec)
	return string(spec.Kind), encoded, err
}
