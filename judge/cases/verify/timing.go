package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/running/lang"
)

// If a package sets no time limit, submissions that must be in time are measured with searchLimit as their limit.
const (
	searchLimit  = 30 * time.Second
	defaultLimit = 10 * time.Second // used if none of them can be run
)

// Prepared contains what Prepare had to determine about a package, because the package does not define it. The
// package is changed accordingly, once, before anything is judged.
type Prepared struct {
	Graders judge.ProblemErrors // of graders that cannot be built here and were dropped
	Limit   string              // describes how the time limit was determined; empty if the package sets one
}

// Prepare drops the graders that cannot be built, and determines a time limit if the package sets none.
func (v *Verifier) Prepare(ctx context.Context) (p *Prepared, err error) {
	p = &Prepared{}
	if v.Directory.Package == nil {
		return p, nil
	}
	if p.Graders, err = v.DropGraders(ctx); err != nil {
		return nil, err
	}
	if p.Limit, err = v.findTimeLimit(ctx); err != nil {
		return nil, fmt.Errorf("find the time limit: %w", err)
	}
	return p, nil
}

// findTimeLimit determines the time limit of a package. If the package sets none, it measures the submissions that
// must be in time. Description describes the method, and is empty if the package sets a limit.
func (v *Verifier) findTimeLimit(ctx context.Context) (description string, err error) {
	p := v.Directory.Package
	if p.Timing.Limit > 0 {
		p.SetTime(p.Timing.Limit)
		return "", nil
	}
	defer v.Cache.save()
	if err := v.judgingPrograms(ctx); err != nil {
		return "", err
	}
	p.SetTime(searchLimit)
	slowest, who, count := time.Duration(0), "", 0
	inTime := slices.DeleteFunc(slices.Clone(p.Submissions), func(s *problem.Submission) bool { return !hasBound(s, problem.Lower) })
	all, err := v.buildAll(ctx, inTime)
	if err != nil {
		return "", err
	}
	none := func(int) bool { return false }
	took, inLimit := make([]time.Duration, len(all)), make([]bool, len(all))
	if err := v.judgeConcurrently(ctx, len(all), none, func(ctx context.Context, i int) (err error) {
		took[i], inLimit[i], err = v.slowest(ctx, all[i])
		return err
	}, func(judge.Event) {}, func(i int) {
		if !inLimit[i] {
			return
		}
		count++
		if took[i] > slowest || who == "" {
			slowest, who = took[i], all[i].Name
		}
	}); err != nil {
		return "", err
	}
	if count == 0 {
		p.SetTime(defaultLimit)
		return fmt.Sprintf(
			"the package sets no time limit, and has no submission to find it out by: it is taken to be %v",
			defaultLimit,
		), nil
	}
	limit := timeLimit(p.Timing, slowest)
	p.SetTime(limit)
	return fmt.Sprintf("the package sets no time limit: %v, as the slowest of %d submissions that must be in time takes %v (%s)",
		limit, count, slowest.Round(time.Millisecond), who), nil
}

// timeLimit returns the smallest multiple of the resolution that is at least t.Multiplier times the slowest run
// that must be in time.
func timeLimit(t problem.Timing, slowest time.Duration) time.Duration {
	parts := math.Ceil(float64(slowest)*t.Multiplier/float64(t.Resolution) - 1e-9)
	return time.Duration(max(parts, 1)) * t.Resolution
}

// hasBound reports whether any rule of a submission sets a bound b on the time limit.
func hasBound(s *problem.Submission, b problem.Bound) bool {
	return slices.ContainsFunc(s.Rules, func(r problem.Rule) bool { return r.Bound == b })
}

// slowest returns the longest time of a submission on the cases whose times are lower bounds for the time limit.
// It returns false if the submission cannot be run or is never in time.
func (v *Verifier) slowest(ctx context.Context, s *submission) (time.Duration, bool, error) {
	took, ok, err := v.slowestOfBuild(ctx, s.Submission, s.program, s.err)
	if err != nil || !ok && (s.program == nil || !s.program.OK) || ok && took < quick {
		return took, ok, err
	}
	faster, err := v.buildFaster(ctx, s.Submission)
	if faster == nil || err != nil {
		return took, ok, err
	}
	if less, fine, err := v.slowestOfBuild(ctx, s.Submission, faster, nil); err != nil || fine && (!ok || less < took) {
		return less, fine, err
	}
	return took, ok, nil
}

// quick is the running time below which a faster toolchain makes no difference.
const quick = 500 * time.Millisecond

// slowestOfBuild returns the longest time of a submission, as slowest does, for one build of it. The parameters made and err
// are the result of that build.
func (v *Verifier) slowestOfBuild(
	ctx context.Context, s *problem.Submission, program *lang.Result, err error,
) (time.Duration, bool, error) {
	if err != nil {
		_, missing := errors.AsType[*lang.MissingError](err)
		_, fault := errors.AsType[*judge.ProblemError](err)
		if missing || fault {
			return 0, false, nil // verifying the submission reports the error
		}
		return 0, false, err
	}
	if !program.OK {
		return 0, false, nil
	}
	took, bad := time.Duration(0), false
	_, err = v.judgeProgram(ctx, v.Directory.Problem, s, program, v.Directory.Limits, judge.Options{
		ContinueAfterFailure: true, Jobs: v.Jobs, MaxFailures: 1, MaxTimeouts: 1,
	}, func(e judge.Event) {
		if e, ok := e.(*judge.CaseJudged); ok && appliesTo(s, problem.Lower, e.ID()) {
			took = max(took, e.Exec.CPU)
			bad = bad || e.Verdict == judge.TimeLimit || e.Verdict == judge.IdlenessLimit || e.Verdict == judge.JudgeError
		}
	})
	if _, ok := errors.AsType[*judge.ProblemError](err); ok {
		return 0, false, nil
	}
	return took, err == nil && !bad, err
}

// appliesTo reports whether a bound of a submission applies to a case. An empty id means any case.
func appliesTo(s *problem.Submission, b problem.Bound, id string) bool {
	return slices.ContainsFunc(s.Rules, func(r problem.Rule) bool { return r.Bound == b && r.About(id) })
}

// DropGraders checks whether the programs that grade groups can be built here. It replaces those that cannot with
// the default grader. Many graders are in Python 2, and the verdicts of most submissions are the same without
// them.
func (v *Verifier) DropGraders(ctx context.Context) (faults judge.ProblemErrors, err error) {
	if v.Directory.Grading == nil {
		return nil, nil
	}
	broken := map[*judge.SetterProgram]bool{}
	var walk func(n *judge.Node) error
	walk = func(n *judge.Node) error {
		if p := n.Legacy.Grader; p != nil {
			if _, known := broken[p]; !known {
				_, err := v.Programs.BuildProgram(ctx, p)
				fault, ok := errors.AsType[*judge.ProblemError](err)
				if err != nil && !ok {
					return err
				}
				if broken[p] = ok; ok {
					faults = append(faults, fault)
				}
			}
			if broken[p] {
				n.Legacy.Grader = nil
			}
		}
		for _, child := range n.Children {
			if err := walk(child); err != nil {
				return err
			}
		}
		return nil
	}
	err = walk(v.Directory.Grading.Root)
	// Groups have separate Parts that may refer to the same file, so its fault may occur several times.
	return slices.CompactFunc(faults, func(a, b *judge.ProblemError) bool { return *a == *b }), err
}
