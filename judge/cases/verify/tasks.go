package verify

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/problem"
)

// A verification consists of parts that can be run separately, in any order, by several workers: Checks, and
// Solution for each solution. Run runs them all. Fold combines their events into those of Run.

// task is one solution or submission in the verification.
type task struct {
	path   string
	sleeps bool // mostly sleeps, and so starts first
	build  func(ctx context.Context)
	judge  func(ctx context.Context) ([]judge.Event, error)
}

// tasks lists the solutions or submissions to judge, in event order.
func (v *Verifier) tasks() (list []task) {
	if v.Directory.Package == nil {
		found, _ := v.findSolutions() // Checks has reported the faults
		for _, s := range found {
			list = append(list, v.solutionTask(s))
		}
		return list
	}
	for _, s := range v.Directory.Package.Submissions {
		if v.wanted(s.Path) {
			list = append(list, v.submissionTask(&submission{Submission: s}))
		}
	}
	return list
}

// Paths returns the paths of the solutions to judge, in event order.
func (v *Verifier) Paths() (paths []string) {
	for _, p := range v.tasks() {
		paths = append(paths, p.path)
	}
	return paths
}

// Run verifies the problem. It reports problem errors as events, and never returns them as errors.
func (v *Verifier) Run(ctx context.Context, onEvent func(judge.Event)) (*judge.VerifyFinished, error) {
	var told []judge.Event
	hear := withoutRepeats(func(e judge.Event) {
		if _, passing := e.(*judge.Progressed); !passing {
			told = append(told, e)
		}
		onEvent(e)
	})
	ready, err := v.Checks(ctx, hear)
	if err != nil {
		return nil, err
	}
	if ready {
		if err := v.judgeAll(ctx, v.tasks(), hear); err != nil {
			return nil, err
		}
	}
	end, err := v.finalEvents(told)
	if err != nil {
		return nil, err
	}
	for _, e := range end {
		onEvent(e)
	}
	return end[len(end)-1].(*judge.VerifyFinished), nil
}

// judgeAll builds and judges solutions, several concurrently.
func (v *Verifier) judgeAll(ctx context.Context, tasks []task, onEvent func(judge.Event)) error {
	builds, bctx := errgroup.WithContext(ctx)
	builds.SetLimit(max(v.Jobs, 1))
	for _, p := range tasks {
		builds.Go(func() error {
			p.build(bctx)
			return bctx.Err()
		})
	}
	if err := builds.Wait(); err != nil {
		return err
	}
	events := make([][]judge.Event, len(tasks))
	return v.judgeConcurrently(ctx, len(tasks), func(i int) bool { return tasks[i].sleeps }, func(ctx context.Context, i int) (err error) {
		events[i], err = tasks[i].judge(ctx)
		return err
	}, onEvent, func(i int) {
		for _, e := range events[i] {
			onEvent(e)
		}
	})
}

// Solution judges the solution or submission at a path, and returns its events. Checks must have reported that the
// cases are correct. Solution is safe for concurrent use.
func (v *Verifier) Solution(ctx context.Context, path string) ([]judge.Event, error) {
	if err := v.prepare(ctx); err != nil {
		return nil, err
	}
	all := v.tasks()
	i := slices.IndexFunc(all, func(p task) bool { return filepath.Clean(p.path) == filepath.Clean(path) })
	if i < 0 {
		return nil, fmt.Errorf("judge %s: it is not a solution of %s", path, v.Directory.ID)
	}
	all[i].build(ctx)
	return all[i].judge(ctx)
}

// prepare sets up what all submissions of a package need.
func (v *Verifier) prepare(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.Cache == nil {
		v.Cache = &Cache{}
	}
	if v.Directory.Package == nil || v.judgedBy != "" {
		return nil
	}
	if err := v.judgingPrograms(ctx); err != nil {
		return err
	}
	_, err := v.Builder.Prepared(ctx)
	return err
}

// MergeEvents arranges the events of all parts in the order of Run, and adds the events at the end of the verification.
// The tasks may be in any order.
func (v *Verifier) MergeEvents(parts ...[]judge.Event) ([]judge.Event, error) {
	place := map[string]int{}
	for i, p := range v.tasks() {
		place[p.path] = i + 1
	}
	of := func(events []judge.Event) int { // returns zero for the events of Checks
		for _, e := range events {
			if s, ok := e.(*judge.SolutionJudged); ok {
				return place[s.Path]
			}
		}
		return 0
	}
	sorted := slices.Clone(parts)
	slices.SortStableFunc(sorted, func(a, b []judge.Event) int { return of(a) - of(b) })
	var all []judge.Event
	tell := withoutRepeats(func(e judge.Event) { all = append(all, e) })
	for _, e := range slices.Concat(sorted...) {
		tell(e)
	}
	end, err := v.finalEvents(all)
	return append(all, end...), err
}

// finalEvents returns the events that follow all parts. The last event completes the verification.
func (v *Verifier) finalEvents(events []judge.Event) (end []judge.Event, err error) {
	done := &judge.VerifyFinished{}
	accepted, unknown := 0, 0
	var slowest, slow runningTime // of the solutions that must be in time, and of those that must be too slow
	for _, e := range events {
		switch e := e.(type) {
		case *judge.ProblemErrorFound:
			done.Faults++
		case *judge.WarningFound:
			done.Warnings++
		case *judge.SolutionJudged:
			done.Solutions++
			switch e.Verdict {
			case judge.Skipped:
				done.Skipped++
			case judge.JudgeError:
				unknown++ // the solution may be correct
			case judge.Accepted:
				accepted++
			}
			took := runningTime{time.Duration(e.TimeMS * float64(time.Millisecond)), e.Path}
			if took.duration > slowest.duration && v.mustBeInTime(e) {
				slowest = took
			}
			if e.OK && v.mayExceedLimit(&solution{expected: e.Promised}) && (slow.path == "" || took.duration < slow.duration) {
				slow = took
			}
		}
	}
	end = append(end, v.timeNotes(slowest, slow)...)
	if v.Directory.Package == nil && done.Solutions > 0 && len(v.Only) == 0 && accepted+unknown == 0 && done.Skipped == 0 {
		done.Faults++
		end = append(end, &judge.ProblemErrorFound{Fault: v.noneAccepted()})
	}
	if v.Score != nil && len(v.Only) == 0 && done.Faults == 0 && v.Directory.Package == nil {
		text, err := v.Score()
		if err != nil {
			return nil, err
		}
		if text != "" {
			end = append(end, &judge.Noted{Text: text})
		}
	}
	done.OK = done.Faults == 0
	return append(end, done), nil
}

// timeNotes compares the time limit with two running times: that of the slowest program that must be in time, and
// that of the fastest program that must be too slow.
func (v *Verifier) timeNotes(slowest, slow runningTime) (notes []judge.Event) {
	if pkg := v.Directory.Package; pkg != nil {
		if slowest.path != "" {
			slowest.path = pkg.Submission(slowest.path).Name
		}
		slow = runningTime{} // the package format has its own rules
	}
	t := v.timing()
	for _, note := range []string{tightLimitNote(t, slowest.duration, slowest.path), limitRangeNote(t, slowest, slow)} {
		if note != "" {
			notes = append(notes, &judge.Noted{Text: note})
		}
	}
	return notes
}

// timing returns the required relation between the problem's time limit and the running times of its programs.
func (v *Verifier) timing() problem.Timing {
	if v.Directory.Package != nil {
		return v.Directory.Package.Timing
	}
	return problem.Timing{Limit: v.Directory.Limits.CPU, Strict: true, Multiplier: 2}
}

// mustBeInTime reports whether a program got its expected verdict and the time limit must be long enough for it.
func (v *Verifier) mustBeInTime(e *judge.SolutionJudged) bool {
	if !e.OK {
		return false
	}
	if v.Directory.Package == nil {
		return e.Verdict == judge.Accepted
	}
	s := v.Directory.Package.Submission(e.Path)
	return s != nil && appliesTo(s, problem.Lower, "")
}
