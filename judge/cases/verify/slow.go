package verify

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/running/trial"
)

// A solution that must be too slow may run longer than the time limit, to measure how much too slow it is.
const (
	maxSlowRun = 1.5  // runs may take this multiple of the time limit
	slowEnough = 1.25 // the solution should exceed this multiple of the time limit
)

// A slowExecutor is a bench for a solution that must be too slow. Its runs may use more CPU time than the problem
// allows. The bench strict applies the problem's limits.
type slowExecutor struct {
	trial.Executor
	strict trial.Executor
	limits judge.Limits // limits of the problem
}

// newSlowExecutor returns the bench for a solution. A solution that must be too slow may run longer if its verdict depends
// only on its time.
func (v *Verifier) newSlowExecutor(ctx context.Context, s *solution, mode trial.RunMode) (trial.Executor, error) {
	p := v.Directory.Problem
	strict, err := v.Builder.Executor(ctx, p, s.path, s.program, mode)
	if err != nil || !v.mayExceedLimit(s) {
		return strict, err
	}
	longer := *p
	longer.Limits.CPU = time.Duration(float64(p.Limits.CPU) * maxSlowRun)
	bench, err := v.Builder.Executor(ctx, &longer, s.path, s.program, mode)
	if err != nil {
		return nil, errors.Join(err, strict.Close())
	}
	return &slowExecutor{Executor: bench, strict: strict, limits: p.Limits}, nil
}

// mayExceedLimit reports whether a solution may run longer than the time limit.
func (v *Verifier) mayExceedLimit(s *solution) bool {
	return s.expected == judge.TimeLimit && !v.Directory.Kind.Interactive && !v.Directory.Kind.MultiPass && v.Directory.Limits.CPU > 0
}

// Build builds the solution for both benches.
func (m *slowExecutor) Build(ctx context.Context) (*judge.Built, error) {
	if built, err := m.strict.Build(ctx); err != nil || built.Verdict != judge.NotJudged {
		return built, err
	}
	return m.Executor.Build(ctx)
}

// Try runs the solution. If the longer run exceeded another limit after the time limit, Try repeats the run under
// the problem's limits, so that the verdict is unaffected.
func (m *slowExecutor) Try(ctx context.Context, c *judge.Case) (*judge.Attempt, error) {
	a, err := m.Executor.Try(ctx, c)
	if err != nil || a.Exec.CPU <= m.limits.CPU || judge.Classify(a.Exec, m.limits) == judge.TimeLimit {
		return a, err
	}
	if a.Close != nil {
		a.Close()
	}
	took := a.Exec.CPU
	if a, err = m.strict.Try(ctx, c); err == nil && judge.Classify(a.Exec, m.limits) == judge.TimeLimit {
		a.Exec.CPU = max(a.Exec.CPU, took)
	}
	return a, err
}

// Close closes both benches.
func (m *slowExecutor) Close() error { return errors.Join(m.Executor.Close(), m.strict.Close()) }

// marginNote returns a note if a solution that must be too slow would not be too slow under a slightly larger limit.
// Took is the longest time that the solution needs on any test case.
func marginNote(limit, took time.Duration) string {
	if took >= time.Duration(float64(limit)*slowEnough) {
		return ""
	}
	return fmt.Sprintf("it needs only %s, less than %g times the time limit of %s: a faster machine may accept it",
		seconds(took), slowEnough, seconds(limit))
}

// longest returns the longest time of a solution on any case. After the first case that is too slow, it tries only
// a few more.
func (v *Verifier) longest(ctx context.Context, s *solution, mode trial.RunMode) (longest time.Duration, err error) {
	bench, err := v.newSlowExecutor(ctx, s, mode)
	if err != nil {
		return 0, err
	}
	o := judge.Options{ContinueAfterFailure: true, Jobs: v.Jobs, MaxFailures: enoughFailures, MaxTimeouts: enoughSlow}
	_, err = judge.Run(ctx, v.Directory.Problem, bench, o.WithExtraJobs(), func(e judge.Event) {
		if e, ok := e.(*judge.CaseJudged); ok {
			longest = max(longest, e.Exec.CPU)
		}
	})
	return longest, errors.Join(err, bench.Close())
}

// runningTime is a running time and the solution that took it.
type runningTime struct {
	duration time.Duration
	path     string
}

// limitRangeNote describes the time limits that leave room both for the slowest accepted solution and for the fastest
// solution that must be too slow. It returns "" if one of these two is missing.
func limitRangeNote(t problem.Timing, accepted, slow runningTime) string {
	if accepted.path == "" || slow.path == "" {
		return ""
	}
	least := time.Duration(float64(accepted.duration) * t.Multiplier)
	most := time.Duration(float64(slow.duration) / slowEnough)
	if least > most {
		return fmt.Sprintf("no time limit separates the solutions well: accepted ones need up to %s (%s), "+
			"and one that must be too slow only %s (%s); a limit should be %g times the first, and the second %g times the limit",
			seconds(accepted.duration), accepted.path, seconds(slow.duration), slow.path, t.Multiplier, slowEnough)
	}
	return fmt.Sprintf(
		"time limit %s: accepted solutions need up to %s, too slow ones at least %s; limits from %s to %s leave room for both",
		seconds(t.Limit), seconds(accepted.duration), seconds(slow.duration), seconds(least), seconds(most),
	)
}

// seconds formats a time for messages, such as 0.4 s or 12 s.
func seconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%g ms", float64(d.Round(100*time.Microsecond))/float64(time.Millisecond))
	}
	return fmt.Sprintf("%g s", d.Round(10*time.Millisecond).Seconds())
}
