package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/suggest"
	"assay/judge/internal/tail"
	"assay/judge/problem"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// A solution's verdict is known after its first failure. If more than the verdict matters, judging continues until
// there are enoughFailures failures. It stops earlier after enoughSlow slow failures, because each of these takes
// the whole time limit.
const (
	enoughFailures = 10
	enoughSlow     = 3
)

// solution is a program in solutions/<problem>, with the verdict that its directory requires.
type solution struct {
	path     string
	expected judge.Verdict
	program  *lang.Result
	err      error               // error from building it
	crash    *judge.ProblemError // crash of the program that judges it, or why that cannot be built; may be nil
}

// findSolutions lists the solutions, grouped by directory in the order of the verdicts.
func (v *Verifier) findSolutions() (found []*solution, faults judge.ProblemErrors) {
	entries, err := os.ReadDir(v.Solutions)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, judge.ProblemErrors{{File: v.Solutions, Text: err.Error()}}
	}
	var folders []string
	for _, verdict := range judge.Verdicts() {
		if verdict.Dir() != "" {
			folders = append(folders, verdict.Dir())
		}
	}
	for _, e := range entries {
		if _, ok := judge.VerdictOfDir(e.Name()); !ok && e.IsDir() && e.Name() != problem.Bots && !problem.Leftover(e.Name()) {
			faults = append(faults, &judge.ProblemError{
				File: filepath.Join(v.Solutions, e.Name()),
				Text: fmt.Sprintf("%q is not a verdict that a solution can be promised", e.Name()),
				Hint: suggest.Hint(e.Name(), folders),
			})
		}
	}
	for _, folder := range folders {
		verdict, _ := judge.VerdictOfDir(folder)
		dir := filepath.Join(v.Solutions, folder)
		entries, _ := os.ReadDir(dir) // if the directory is missing, there are no solutions in it
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if !strings.HasPrefix(e.Name(), ".") && !problem.Leftover(e.Name()) && v.wanted(path) {
				found = append(found, &solution{path: path, expected: verdict})
			}
		}
	}
	return found, faults
}

// wanted reports whether the user selected the solution.
func (v *Verifier) wanted(path string) bool {
	for _, part := range v.Only {
		if strings.Contains(filepath.ToSlash(path), filepath.ToSlash(part)) {
			return true
		}
	}
	return len(v.Only) == 0
}

// solutionTask returns the part that judges and reports a solution.
func (v *Verifier) solutionTask(s *solution) task {
	return task{path: s.path, sleeps: v.Jobs > 1 && s.expected == judge.IdlenessLimit, build: func(ctx context.Context) {
		if !v.Directory.Kind.OutputOnly {
			s.program, s.err = v.Builder.Solution(ctx, s.path)
		}
	}, judge: func(ctx context.Context) ([]judge.Event, error) {
		judged, err := v.judge(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("judge %s: %w", s.path, err)
		}
		if judged.OK {
			return []judge.Event{judged}, nil
		}
		if s.crash != nil {
			return []judge.Event{judged, &judge.ProblemErrorFound{Fault: s.crash}}, nil
		}
		return []judge.Event{judged, &judge.ProblemErrorFound{Fault: v.wrongVerdict(s, judged)}}, nil
	}}
}

// wrongVerdict returns the fault of a solution whose verdict differs from the one that its directory requires. If
// the solution does not compile, the fault is at the line that the compiler names.
func (v *Verifier) wrongVerdict(s *solution, judged *judge.SolutionJudged) *judge.ProblemError {
	f := &judge.ProblemError{File: s.path, Hint: v.hint(s, judged), Text: fmt.Sprintf(
		"the solution gets %s, its directory promises %s", judged.Verdict, s.expected,
	)}
	if judged.Verdict != judge.CompileError || s.program == nil {
		return f
	}
	f.Hint = strings.TrimRight(f.Hint+"\n"+s.program.Log, "\n")
	if file, line := tail.SourcePosition(s.program.Log, tail.Sources(s.path)); line > 0 {
		f.File, f.Line = file, line
	}
	return f
}

// noneAccepted returns the fault for a problem without an accepted solution.
func (v *Verifier) noneAccepted() *judge.ProblemError {
	return &judge.ProblemError{File: v.Solutions, Text: "no solution is accepted", Hint: "add at least one to " + filepath.Join(
		v.Solutions, judge.Accepted.Dir(),
	)}
}

// options returns the options for judging a solution.
func (v *Verifier) options(s *solution) judge.Options {
	o := judge.Options{ContinueAfterFailure: v.All, Jobs: v.Jobs}
	if !v.All && (v.Several || v.Directory.Loosely && s.expected != judge.Accepted) {
		o.ContinueAfterFailure, o.MaxFailures, o.MaxTimeouts = true, enoughFailures, enoughSlow
		if s.expected == judge.TimeLimit || s.expected == judge.IdlenessLimit {
			o.MaxTimeouts = 1 // a failure confirms the verdict, and another would take the whole time limit
		}
	}
	if !o.ContinueAfterFailure && s.expected != judge.Accepted {
		o.Jobs = 1 // the first failure ends judging, so concurrent runs would be wasted
	}
	return o
}

// hint returns a hint about what to look at first.
func (v *Verifier) hint(s *solution, judged *judge.SolutionJudged) string {
	see := fmt.Sprintf("see: judge submit %s %s", v.Directory.ID, s.path)
	switch {
	case judged.Verdict == judge.Accepted:
		return "a case is missing that it fails"
	case len(judged.Killers) > 0:
		return "it fails " + judged.Killers[0] + "; " + see + v.doubt(judged)
	}
	return see
}

// doubt returns a hint for a solution that must be accepted but gets wrong answer. The hint names the answer file
// to correct if the solution's output is correct. If there is a reference solution, doubt returns "", because an
// earlier check has compared the answer files with the reference solution.
func (v *Verifier) doubt(judged *judge.SolutionJudged) string {
	if judged.Promised != judge.Accepted || judged.Verdict != judge.WrongAnswer || len(judged.Killers) == 0 ||
		v.Directory.Reference != nil || v.Directory.Kind.Interactive || v.Directory.Kind.MultiPass {
		return ""
	}
	for _, g := range v.Directory.Groups {
		for _, c := range g.Cases {
			if c.ID() == judged.Killers[0] && c.Ans != "" {
				return fmt.Sprintf("\nif its output is correct, correct %s", c.Ans)
			}
		}
	}
	return ""
}

// judge judges one solution on every case.
func (v *Verifier) judge(ctx context.Context, s *solution) (*judge.SolutionJudged, error) {
	judged := &judge.SolutionJudged{Path: s.path, Promised: s.expected}
	if missing, ok := errors.AsType[*lang.MissingError](s.err); ok {
		judged.Verdict, judged.OK, judged.Note = judge.Skipped, true, missing.Error()
		return judged, nil
	}
	if unusable, ok := errors.AsType[*lang.UnusableError](s.err); ok { // as for a contestant
		judged.Verdict, judged.OK, judged.Note = judge.CompileError, s.expected == judge.CompileError, unusable.Fault.Text
		s.crash = unusable.Fault
		return judged, nil
	}
	if fault, ok := errors.AsType[*judge.ProblemError](s.err); ok {
		judged.Verdict, judged.Note = judge.JudgeError, fault.Error()
		return judged, nil
	}
	if s.err != nil {
		return nil, s.err
	}
	// Do not rerun a solution that must wait or be too slow to confirm its verdict.
	way := trial.RunMode{Retime: s.expected != judge.IdlenessLimit, KnownSlow: s.expected == judge.TimeLimit}
	bench, err := v.newSlowExecutor(ctx, s, way)
	if err != nil {
		return nil, err
	}
	defer bench.Close()
	options := v.options(s)
	loosely := false // whether some case gets the verdict of the directory
	sum, err := judge.Run(ctx, v.Directory.Problem, bench, options.WithExtraJobs(), func(e judge.Event) {
		switch e := e.(type) {
		case *judge.CaseJudged:
			loosely = loosely || v.Directory.Loosely && s.expected != judge.Accepted && problem.Same(e.Verdict, s.expected)
			if e.Verdict != judge.Accepted && e.Verdict != judge.Skipped {
				judged.Killers = append(judged.Killers, e.ID())
			}
			if e.Verdict == judge.JudgeError && s.crash == nil {
				if s.crash = v.crashOf(e.Message); s.crash != nil {
					s.crash.Hint = strings.TrimRight(fmt.Sprintf("it fails on case %s of %s\n%s", e.ID(), s.path, s.crash.Hint), "\n")
					judged.Note, _, _ = strings.Cut(e.Message, "\n")
				}
			}
		case *judge.GroupJudged:
			judged.Groups = append(judged.Groups, *e)
		}
	})
	if fault, ok := errors.AsType[*judge.ProblemError](err); ok {
		judged.Verdict, judged.Note = judge.JudgeError, fault.Error()
		return judged, nil
	}
	if err != nil {
		return nil, err
	}
	judged.Score = sum.Score
	if s.program != nil && s.program.Program != nil {
		judged.Language = s.program.Program.Language
	}
	judged.Verdict, judged.TimeMS, judged.Memory = sum.Verdict, sum.TimeMS, sum.Memory
	if sum.Verdict != judge.JudgeError {
		s.crash, judged.Note = nil, ""
	}
	judged.OK = sum.Verdict == s.expected || loosely && sum.Verdict != judge.JudgeError
	if took := time.Duration(sum.TimeMS * float64(time.Millisecond)); judged.OK && v.mayExceedLimit(s) &&
		marginNote(v.Directory.Limits.CPU, took) != "" {
		longest, err := v.longest(ctx, s, way) // another case may take longer
		if err != nil {
			return nil, err
		}
		judged.Note = marginNote(v.Directory.Limits.CPU, max(took, longest))
		judged.TimeMS = float64(max(took, longest).Microseconds()) / 1000
	}
	return judged, nil
}
