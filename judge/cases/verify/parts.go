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

// part is one solution or submission in the verification.
type part struct {
	path  string
	early bool // mostly sleeps, and so starts first
	build func(ctx context.Context)
	judge func(ctx context.Context) ([]judge.Event, error)
}

// parts lists the solutions or submissions to judge, in event order.
func (v *Verifier) parts() (all []part) {
	if v.Folder.Package == nil {
		found, _ := v.find() // Checks has reported the faults
		for _, s := range found {
			all = append(all, v.partOfSolution(s))
		}
		return all
	}
	for _, s := range v.Folder.Package.Submissions {
		if v.wanted(s.Path) {
			all = append(all, v.partOfSubmission(&submission{Submission: s}))
		}
	}
	return all
}

// Paths returns the paths of the solutions to judge, in event order.
func (v *Verifier) Paths() (paths []string) {
	for _, p := range v.parts() {
		paths = append(paths, p.path)
	}
	return paths
}

// Run verifies the problem. It reports problem errors as events, and never returns them as errors.
func (v *Verifier) Run(ctx context.Context, listen func(judge.Event)) (*judge.VerifyFinished, error) {
	var told []judge.Event
	hear := once(func(e judge.Event) {
		if _, passing := e.(*judge.Progressed); !passing {
			told = append(told, e)
		}
		listen(e)
	})
	ready, err := v.Checks(ctx, hear)
	if err != nil {
		return nil, err
	}
	if ready {
		if err := v.judgeAll(ctx, v.parts(), hear); err != nil {
			return nil, err
		}
	}
	end, err := v.end(told)
	if err != nil {
		return nil, err
	}
	for _, e := range end {
		listen(e)
	}
	return end[len(end)-1].(*judge.VerifyFinished), nil
}

// judgeAll builds and judges solutions, several concurrently.
func (v *Verifier) judgeAll(ctx context.Context, all []part, listen func(judge.Event)) error {
	builds, bctx := errgroup.WithContext(ctx)
	builds.SetLimit(max(v.Jobs, 1))
	for _, p := range all {
		builds.Go(func() error {
			p.build(bctx)
			return bctx.Err()
		})
	}
	if err := builds.Wait(); err != nil {
		return err
	}
	events := make([][]judge.Event, len(all))
	return v.several(ctx, len(all), func(i int) bool { return all[i].early }, func(ctx context.Context, i int) (err error) {
		events[i], err = all[i].judge(ctx)
		return err
	}, listen, func(i int) {
		for _, e := range events[i] {
			listen(e)
		}
	})
}

// Solution judges the solution or submission at a path, and returns its events. Checks must have reported that the
// cases are correct. Solution is safe for concurrent use.
func (v *Verifier) Solution(ctx context.Context, path string) ([]judge.Event, error) {
	if err := v.prepare(ctx); err != nil {
		return nil, err
	}
	all := v.parts()
	i := slices.IndexFunc(all, func(p part) bool { return filepath.Clean(p.path) == filepath.Clean(path) })
	if i < 0 {
		return nil, fmt.Errorf("judge %s: it is not a solution of %s", path, v.Folder.ID)
	}
	all[i].build(ctx)
	return all[i].judge(ctx)
}

// prepare sets up what all submissions of a package need.
func (v *Verifier) prepare(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.Memory == nil {
		v.Memory = &Memory{}
	}
	if v.Folder.Package == nil || v.judgedBy != "" {
		return nil
	}
	if err := v.judgingPrograms(ctx); err != nil {
		return err
	}
	_, err := v.Entries.Prepared(ctx)
	return err
}

// Fold arranges the events of all parts in the order of Run, and adds the events at the end of the verification.
// The parts may be in any order.
func (v *Verifier) Fold(parts ...[]judge.Event) ([]judge.Event, error) {
	place := map[string]int{}
	for i, p := range v.parts() {
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
	tell := once(func(e judge.Event) { all = append(all, e) })
	for _, e := range slices.Concat(sorted...) {
		tell(e)
	}
	end, err := v.end(all)
	return append(all, end...), err
}

// end returns the events that follow all parts. The last event completes the verification.
func (v *Verifier) end(told []judge.Event) (end []judge.Event, err error) {
	done := &judge.VerifyFinished{}
	accepted, unknown := 0, 0
	var slowest, slow span // of the solutions that must be in time, and of those that must be too slow
	for _, e := range told {
		switch e := e.(type) {
		case *judge.FaultFound:
			done.Faults++
		case *judge.Warned:
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
			took := span{time.Duration(e.TimeMS * float64(time.Millisecond)), e.Path}
			if took.took > slowest.took && v.mustBeInTime(e) {
				slowest = took
			}
			if e.OK && v.measures(&solution{promised: e.Promised}) && (slow.path == "" || took.took < slow.took) {
				slow = took
			}
		}
	}
	end = append(end, v.timeNotes(slowest, slow)...)
	if v.Folder.Package == nil && done.Solutions > 0 && len(v.Only) == 0 && accepted+unknown == 0 && done.Skipped == 0 {
		done.Faults++
		end = append(end, &judge.FaultFound{Fault: v.noneAccepted()})
	}
	if v.Score != nil && len(v.Only) == 0 && done.Faults == 0 && v.Folder.Package == nil {
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
func (v *Verifier) timeNotes(slowest, slow span) (notes []judge.Event) {
	if pkg := v.Folder.Package; pkg != nil {
		if slowest.path != "" {
			slowest.path = pkg.Submission(slowest.path).Name
		}
		slow = span{} // the package format has its own rules
	}
	t := v.timing()
	for _, note := range []string{tight(t, slowest.took, slowest.path), room(t, slowest, slow)} {
		if note != "" {
			notes = append(notes, &judge.Noted{Text: note})
		}
	}
	return notes
}

// timing returns the required relation between the problem's time limit and the running times of its programs.
func (v *Verifier) timing() problem.Timing {
	if v.Folder.Package != nil {
		return v.Folder.Package.Timing
	}
	return problem.Timing{Limit: v.Folder.Limits.CPU, Strict: true, Multiplier: 2}
}

// mustBeInTime reports whether a program got its expected verdict and the time limit must be long enough for it.
func (v *Verifier) mustBeInTime(e *judge.SolutionJudged) bool {
	if !e.OK {
		return false
	}
	if v.Folder.Package == nil {
		return e.Verdict == judge.Accepted
	}
	s := v.Folder.Package.Submission(e.Path)
	return s != nil && about(s, problem.Lower, "")
}
