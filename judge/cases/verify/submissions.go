package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// submission is a submission of a package that is being verified.
type submission struct {
	*problem.Submission
	program *lang.Result
	err     error // error from building it
}

// submissionTask returns the part that judges and reports a submission.
func (v *Verifier) submissionTask(s *submission) task {
	return task{path: s.Path, build: func(ctx context.Context) {
		s.program, s.err = v.Builder.Submission(ctx, s.Submission)
	}, judge: func(ctx context.Context) ([]judge.Event, error) {
		judged, why, err := v.judgeSubmission(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("judge %s: %w", s.Path, err)
		}
		v.Cache.save()
		if judged.OK {
			return []judge.Event{judged}, nil
		}
		return []judge.Event{
			judged,
			&judge.ProblemErrorFound{
				Fault: &judge.ProblemError{
					File: s.Path, Text: why,
					Hint: fmt.Sprintf("see: judge submit %s %s --all", v.Directory.Dir, s.Path) + v.doubt(judged),
				},
			},
		}, nil
	}}
}

// buildAll builds submissions, several concurrently.
func (v *Verifier) buildAll(ctx context.Context, wanted []*problem.Submission) (built []*submission, err error) {
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(max(v.Jobs, 1))
	for _, w := range wanted {
		s := &submission{Submission: w}
		built = append(built, s)
		group.Go(func() error {
			s.program, s.err = v.Builder.Submission(gctx, s.Submission)
			return gctx.Err()
		})
	}
	return built, group.Wait()
}

// tightLimitNote returns a note if the setter's time limit is too close to the time of the slowest program that must be in
// time. The format defines the required factor; for a problem directory that is not a package, it is two. A close
// limit is not a fault, because another machine may be faster.
func tightLimitNote(t problem.Timing, slowest time.Duration, path string) string {
	least := time.Duration(float64(slowest) * t.Multiplier)
	if !t.Strict || least <= t.Limit {
		return ""
	}
	return fmt.Sprintf("the time limit of %v is tight: the slowest program that must be in time takes %v here (%s), "+
		"and the limit should be %v times that, %v",
		t.Limit, slowest.Round(time.Millisecond), path, t.Multiplier, least.Round(time.Millisecond))
}

// judgeSubmission judges one submission. If the submission does not get its expected result, why is the reason.
func (v *Verifier) judgeSubmission(ctx context.Context, s *submission) (judged *judge.SolutionJudged, note string, err error) {
	judged = &judge.SolutionJudged{Path: s.Path}
	judged.Promised, judged.Expected = s.Promised()
	if s.err != nil {
		return v.unbuiltResult(judged, s)
	}
	result := &problem.Result{Groups: map[string]float64{}}
	p, limits := v.Directory.Problem, v.Directory.Limits
	longer := hasBound(s.Submission, problem.Upper) && !v.Directory.Kind.Interactive && !v.Directory.Kind.MultiPass
	if longer { // test whether the verdict depends on the limit
		limits = v.extraTime()
	}
	sum, err := v.judgeOnce(ctx, s, p, limits, judged, result, judge.Options{Jobs: v.Jobs, ContinueAfterFailure: !v.oneFailureIsEnough(s)})
	if err == nil && sum != nil {
		if ok, _ := s.Holds(result); !ok && !s.Decided(result) && v.oneFailureIsEnough(s) {
			// The format allows a later case to give the expected verdict, so judge all cases.
			sum, err = v.judgeOnce(ctx, s, p, limits, judged, result, judge.Options{Jobs: v.Jobs, ContinueAfterFailure: true})
		}
	}
	extra := ""
	if err == nil && sum != nil && v.mayNeedTime(s, result) {
		extra, sum, err = v.retrySlow(ctx, s, judged, result, sum)
	}
	if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
		judged.Verdict, judged.Note = judge.JudgeError, fault.Error()
		return judged, "the submission cannot be judged: " + fault.Text, nil
	}
	if err != nil {
		return nil, "", err
	}
	if s.program.Program != nil {
		judged.Language = s.program.Program.Language
	}
	judged.Verdict, judged.TimeMS, judged.Memory, judged.Score = sum.Verdict, sum.TimeMS, sum.Memory, sum.Score
	judged.OK, note = s.Holds(result)
	switch {
	case judged.Verdict == judge.JudgeError:
		judged.OK, note = false, "a judge error: "+v.firstMessage(result)
		judged.Note = note
	case judged.Verdict == judge.CompileError && !judged.OK:
		judged.Note = firstLine(s.program.Log)
		note += ": " + judged.Note
	case !judged.OK && v.samplesOnly() && s.Open(result):
		judged.OK, judged.Note = true, fmt.Sprintf("only secret cases can show %s, and there are none", judged.Expected)
	case !judged.OK:
		judged.Note = note
	case extra != "":
		judged.Note = extra
	case longer:
		judged.Note = v.sensitivityNote(judged.TimeMS)
	}
	if !judged.OK {
		note = "not as promised: " + note
	} else if judged.Note == "" {
		judged.Note = resultNote(judged)
	}
	return judged, note, nil
}

// samplesOnly reports whether all cases of a package are samples.
func (v *Verifier) samplesOnly() bool {
	return !slices.ContainsFunc(v.Directory.Groups, func(g judge.Group) bool {
		return g.Name != problem.Sample && !strings.HasPrefix(g.Name, problem.Sample+"/")
	})
}

// resultNote describes the result of a submission that got its expected verdict. It returns "" if the expected verdict
// alone determines the result.
func resultNote(s *judge.SolutionJudged) string {
	switch {
	case s.Expected != "" && !strings.Contains(s.Expected, string(s.Verdict)):
		return fmt.Sprintf("it gets %s, which counts as %s", s.Verdict, s.Expected)
	case s.Verdict != judge.Accepted && s.Score != nil && s.Score.Points > 0:
		return fmt.Sprintf("it gets %s points, which is not accepted", s.Score)
	}
	return ""
}

// unbuiltResult returns the result for a submission that could not be built.
func (v *Verifier) unbuiltResult(judged *judge.SolutionJudged, s *submission) (*judge.SolutionJudged, string, error) {
	if missing, ok := errors.AsType[*lang.MissingError](s.err); ok {
		judged.Verdict, judged.OK, judged.Note = judge.Skipped, true, missing.Error()
		return judged, "", nil
	}
	if unusable, ok := errors.AsType[*lang.UnusableError](s.err); ok && v.isUnsupportedLanguage(s, unusable) {
		judged.Verdict, judged.OK, judged.Note = judge.Skipped, true, unusable.Fault.Text
		return judged, "", nil
	} else if ok {
		// Treat a file that cannot be a program like a program that does not compile.
		judged.Verdict = judge.CompileError
		var why string
		judged.OK, why = s.Holds(&problem.Result{Final: judge.CompileError})
		judged.Note = unusable.Fault.Text
		return judged, why + ": " + unusable.Fault.Text, nil
	}
	if fault, ok := errors.AsType[*judge.ProblemError](s.err); ok {
		judged.Verdict, judged.Note = judge.JudgeError, fault.Error()
		return judged, fault.Text, nil
	}
	return nil, "", s.err
}

// isUnsupportedLanguage reports whether a submission is in a language of the package format that this judge does not
// support.
func (v *Verifier) isUnsupportedLanguage(s *submission, unusable *lang.UnusableError) bool {
	text := unusable.Fault.Text
	return (strings.HasPrefix(text, lang.NoLanguage) || strings.HasPrefix(text, lang.NoProgram)) &&
		v.Directory.Package.KnownLanguage(s.Submission)
}

// oneFailureIsEnough reports whether the first rejected case determines the submission's result. This is the case
// in the legacy formats.
func (v *Verifier) oneFailureIsEnough(s *submission) bool {
	if v.All {
		return false
	}
	return slices.ContainsFunc(s.Rules, func(r problem.Rule) bool { return len(r.Final) > 0 }) ||
		len(s.Rules) == 1 && len(s.Rules[0].Permitted) == 1 && s.Rules[0].Cases == ""
}

// judgeOnce judges a submission once, and records its results.
func (v *Verifier) judgeOnce(
	ctx context.Context, s *submission, p *judge.Problem, limits judge.Limits, judged *judge.SolutionJudged,
	result *problem.Result, o judge.Options,
) (*judge.Finished, error) {
	if o.ContinueAfterFailure && !v.All {
		o.MaxFailures, o.MaxTimeouts = enoughFailures, enoughSlow
		if hasBound(s.Submission, problem.Upper) {
			o.MaxTimeouts = 1 // a failure confirms the verdict, and another would take the whole time limit
		}
	}
	result.Cases, judged.Killers, judged.Groups = nil, nil, nil
	result.Whole = true
	sum, err := v.judgeProgram(ctx, p, s.Submission, s.program, limits, o, func(e judge.Event) {
		switch e := e.(type) {
		case *judge.CaseJudged:
			if e.Verdict == judge.Skipped {
				result.Whole = false
				break
			}
			result.Cases = append(result.Cases, problem.CaseResult{ID: e.ID(), Verdict: e.Verdict, Message: e.Message})
			if e.Verdict != judge.Accepted {
				judged.Killers = append(judged.Killers, e.ID())
			}
		case *judge.GroupJudged:
			judged.Groups = append(judged.Groups, *e)
			if e.Score != nil {
				result.Groups[e.Group] = e.Score.Points
			}
		}
	})
	if err != nil {
		return nil, err
	}
	result.Final, result.Score = sum.Verdict, sum.Score
	return sum, nil
}

// judgeProgram judges a program. The parameter limits applies to its runs, but the problem's limits decide whether a run is
// too slow. A program that must be too slow is not rerun to confirm that it is.
func (v *Verifier) judgeProgram(
	ctx context.Context, p *judge.Problem, s *problem.Submission, build *lang.Result, limits judge.Limits,
	o judge.Options, onEvent func(judge.Event),
) (*judge.Finished, error) {
	running := *p
	running.Limits = limits
	way := trial.RunMode{Retime: !hasBound(s, problem.Upper)}
	bench, err := v.Builder.Executor(ctx, &running, s.Path, build, way)
	if err != nil {
		return nil, err
	}
	program := "none"
	if build.Program != nil {
		program = build.Program.Key
	}
	words := append([]any{
		v.judgedBy, v.Directory.Kind, running.Passes, running.Reruns, running.NoFiles, running.AllOutput,
		running.InFile, running.OutFile, fmt.Sprintf("%q", v.Directory.Checker.Args), v.Directory.Checker.Name,
	}, v.Isolation)
	sum, err := judge.Run(ctx, p, v.Cache.wrap(bench, program, limits, words...), o.WithExtraJobs(), onEvent)
	return sum, errors.Join(err, bench.Close())
}

// sensitivityNote returns a note if the verdict of a submission that must be too slow depends on the exact limit.
func (v *Verifier) sensitivityNote(ms float64) string {
	t := v.Directory.Package.Timing
	limit := v.Directory.Limits.CPU
	most := time.Duration(float64(limit) * t.Margin)
	if took := time.Duration(ms * float64(time.Millisecond)); took > limit && took < most {
		return fmt.Sprintf("sensitive to the time limit: it takes %v, and would be in time at %v", took.Round(time.Millisecond), most)
	}
	return ""
}

// firstMessage returns the message of the first judge error.
func (v *Verifier) firstMessage(r *problem.Result) string {
	for _, c := range r.Cases {
		if c.Verdict == judge.JudgeError {
			return c.ID + ": " + c.Message
		}
	}
	return "the scores of a group"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
