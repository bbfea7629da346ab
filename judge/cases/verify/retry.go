package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/running/lang"
)

// The expected verdicts of a package were determined on another machine with other toolchains. For example, its
// Python may be many times faster than the default one here. So a submission gets further chances if it misses its
// verdict only because it is too slow.

// extraTime returns the problem's limits, extended by the margin that must lie between the time limit and the
// times of programs that are too slow.
func (v *Verifier) extraTime() judge.Limits {
	limits := v.Directory.Limits
	limits.CPU = time.Duration(float64(limits.CPU) * v.Directory.Package.Timing.Margin)
	limits.Wall += limits.CPU
	return limits
}

// mayNeedTime reports whether a submission missed its expected verdict and was too slow on some case. On a faster
// machine, it might have gotten another verdict.
func (v *Verifier) mayNeedTime(s *submission, r *problem.Result) bool {
	if ok, _ := s.Holds(r); ok || hasBound(s.Submission, problem.Upper) {
		return false
	}
	return slices.ContainsFunc(r.Cases, func(c problem.CaseResult) bool {
		return c.Verdict == judge.TimeLimit || c.Verdict == judge.IdlenessLimit
	})
}

// retry is another way to judge a submission.
type retry struct {
	program     *lang.Result
	limits      judge.Limits
	description string // describes what the submission needs
}

// retries returns the other ways to judge a submission that was too slow, the best first.
func (v *Verifier) retries(ctx context.Context, s *submission) (list []retry, err error) {
	extra := v.extraTime()
	words := fmt.Sprintf("%v of time", extra.CPU)
	faster, err := v.buildFaster(ctx, s.Submission)
	if err != nil {
		return nil, err
	}
	if faster != nil {
		list = append(list, retry{faster, v.Directory.Limits, faster.Program.Language})
	}
	if v.Directory.Package.Timing.Margin <= 1 {
		return list, nil
	}
	list = append(list, retry{s.program, extra, words})
	if faster != nil {
		list = append(list, retry{faster, extra, fmt.Sprintf("%s and %s", faster.Program.Language, words)})
	}
	return list, nil
}

// buildFaster builds a submission with a faster toolchain. It returns nil, nil if there is none, or if the build fails.
func (v *Verifier) buildFaster(ctx context.Context, s *problem.Submission) (*lang.Result, error) {
	made, err := v.Builder.Faster(ctx, s)
	_, missing := errors.AsType[*lang.MissingError](err)
	_, unusable := errors.AsType[*lang.UnusableError](err)
	_, fault := errors.AsType[*judge.ProblemError](err)
	if missing || unusable || fault || err == nil && (made == nil || !made.OK || made.Program == nil) {
		return nil, nil
	}
	return made, err
}

// retrySlow judges a submission with a faster toolchain, or with more time as the format's own tool does. If
// the submission then gets its expected verdict, that verdict counts, and a note tells what was needed.
func (v *Verifier) retrySlow(
	ctx context.Context, s *submission, judged *judge.SolutionJudged, result *problem.Result,
	earlier *judge.Finished,
) (string, *judge.Finished, error) {
	chances, err := v.retries(ctx, s)
	if err != nil {
		return "", earlier, err
	}
	first, own := *judged, s.program
	for _, c := range chances {
		patient := *v.Directory.Problem
		patient.Limits = c.limits
		again := &problem.Result{Groups: map[string]float64{}}
		s.program = c.program
		sum, err := v.judgeOnce(
			ctx, s, &patient, c.limits, judged, again,
			judge.Options{Jobs: v.Jobs, ContinueAfterFailure: !v.oneFailureIsEnough(s)},
		)
		if err != nil || sum == nil {
			return "", sum, err
		}
		if ok, _ := s.Holds(again); ok {
			*result = *again
			return fmt.Sprintf(
				"sensitive to the time limit: it gets %s at %v, and needs %s to get what it must",
				earlier.Verdict, v.Directory.Limits.CPU, c.description,
			), sum, nil
		}
	}
	*judged, s.program = first, own
	return "", earlier, nil
}
