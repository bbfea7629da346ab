package judge

import (
	"context"
	"fmt"
	"sync"
)

// round is a call of Run.
type round struct {
	ctx      context.Context
	p        *Problem
	executor Executor
	o        Options
	onEvent  func(Event)
	tally    *tally
	attempts *ordered[*Attempt]

	mu      sync.Mutex
	running map[*Case]context.CancelFunc
}

// runCase runs a case, unless its result is already known not to matter. Cases run concurrently, before it is their
// turn to be judged. If the result stops mattering while the case runs, it is ignored.
func (r *round) runCase(c *Case) (*Attempt, error) {
	if !r.tally.wanted(r.tally.group[c.Group]) {
		return nil, nil
	}
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	r.mu.Lock()
	r.running[c] = cancel
	r.mu.Unlock()
	a, err := r.executor.Try(ctx, c)
	r.mu.Lock()
	delete(r.running, c)
	r.mu.Unlock()
	return a, err
}

// interrupt stops the attempts that are no longer wanted.
func (r *round) interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c, cancel := range r.running {
		if !r.tally.wanted(r.tally.group[c.Group]) {
			cancel()
		}
	}
}

// judgeBranch judges a branch: its static check, its cases, and its child branches.
func (r *round) judgeBranch(b *branch) error {
	if b.Node.Static != nil && r.p.Static != nil {
		if err := r.judgeStatic(b); err != nil {
			return err
		}
	}
	if b.group != nil {
		for k := range b.group.Cases {
			c := &b.group.Cases[k]
			if err := r.judgeNext(b, c); err != nil {
				return fmt.Errorf("case %s: %w", c.ID(), err)
			}
		}
	}
	for _, child := range b.children {
		if err := r.judgeBranch(child); err != nil {
			return err
		}
	}
	var graded *Result
	if b.Legacy.Grader != nil && r.tally.legacy() && len(b.results) > 0 && worstLegacyVerdict(b.results) != JudgeError {
		result, err := r.executor.Grade(r.ctx, b.Node, b.results)
		if err != nil {
			return fmt.Errorf("grade %s: %w", b.Name, err)
		}
		graded = &result
	}
	g := r.tally.close(b, graded)
	if b.parent != nil && (b.group != nil || b.counts.Cases > 0 || b.Node.Static != nil) {
		r.onEvent(g)
	}
	return nil
}

// judgeNext receives the next attempt, which belongs to c, and judges it.
func (r *round) judgeNext(b *branch, c *Case) error {
	a, err := r.attempts.next()
	defer a.release()
	judged := &CaseJudged{Group: c.Group, Case: c.Name, Verdict: Skipped, Line: c.Line}
	if !r.tally.wanted(b) {
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		r.tally.skip(b, judged)
		r.onEvent(judged)
		return nil
	}
	if err != nil {
		return err
	}
	outcome, err := r.judgeAttempt(c, a)
	if err != nil {
		return err
	}
	judged.Verdict, judged.Message, judged.Team = outcome.Verdict, text(outcome.Message), text(outcome.Team)
	judged.Exec, judged.Note = a.Exec, a.Note
	r.tally.recordCase(b, judged, outcome)
	if judged.Verdict != Accepted {
		judged.Stderr = text(string(a.Stderr))
		judged.Detail = r.executor.Explain(c, a, outcome)
		r.interrupt()
	}
	if judged.Verdict != Accepted || r.o.Dialogues {
		judged.Dialogue = text(a.Dialogue)
	}
	r.onEvent(judged)
	return nil
}

// judgeAttempt judges an attempt.
func (r *round) judgeAttempt(c *Case, a *Attempt) (Outcome, error) {
	if a.Outcome != nil {
		return *a.Outcome, nil
	}
	if v := Classify(a.Exec, r.p.Limits); v != NotJudged {
		message := a.Exec.Termination()
		if v == TimeLimit && a.Exec.Killed == NoResource {
			message = "ended by itself, slightly too late"
		}
		return Outcome{Verdict: v, Message: message}, nil
	}
	return r.executor.Check(r.ctx, c, a)
}

// judgeStatic runs the static validator on the submission's files.
func (r *round) judgeStatic(b *branch) error {
	judged := &CaseJudged{Group: b.Name, Case: StaticName, Verdict: Skipped, Static: true}
	if !r.tally.wanted(b) {
		r.tally.skip(b, judged)
		r.onEvent(judged)
		return nil
	}
	outcome, err := r.executor.Static(r.ctx, b.Node)
	if err != nil {
		return fmt.Errorf("static validation of %s: %w", b.Name, err)
	}
	judged.Verdict, judged.Message, judged.Team = outcome.Verdict, text(outcome.Message), text(outcome.Team)
	r.tally.recordCase(b, judged, outcome)
	r.onEvent(judged)
	return nil
}
