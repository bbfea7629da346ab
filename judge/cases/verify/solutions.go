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
	promised judge.Verdict
	made     *lang.Result
	err      error        // error from building it
	crash    *judge.Fault // crash of the program that judges it, or why that cannot be built; may be nil
}

// find lists the solutions, grouped by directory in the order of the verdicts.
func (v *Verifier) find() (found []*solution, faults judge.Faults) {
	entries, err := os.ReadDir(v.Solutions)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, judge.Faults{{File: v.Solutions, Text: err.Error()}}
	}
	var folders []string
	for _, verdict := range judge.Verdicts() {
		if verdict.Dir() != "" {
			folders = append(folders, verdict.Dir())
		}
	}
	for _, e := range entries {
		if _, ok := judge.VerdictOfDir(e.Name()); !ok && e.IsDir() && e.Name() != problem.Bots && !problem.Leftover(e.Name()) {
			faults = append(faults, &judge.Fault{
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
				found = append(found, &solution{path: path, promised: verdict})
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

// partOfSolution returns the part that judges and reports a solution.
func (v *Verifier) partOfSolution(s *solution) part {
	return part{path: s.path, early: v.Jobs > 1 && s.promised == judge.IdlenessLimit, build: func(ctx context.Context) {
		if !v.Folder.Kind.Answers {
			s.made, s.err = v.Entries.Solution(ctx, s.path)
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
			return []judge.Event{judged, &judge.FaultFound{Fault: s.crash}}, nil
		}
		return []judge.Event{judged, &judge.FaultFound{Fault: v.brokenPromise(s, judged)}}, nil
	}}
}

// brokenPromise returns the fault of a solution whose verdict differs from the one that its directory requires. If
// the solution does not compile, the fault is at the line that the compiler names.
func (v *Verifier) brokenPromise(s *solution, judged *judge.SolutionJudged) *judge.Fault {
	f := &judge.Fault{File: s.path, Hint: v.hint(s, judged), Text: fmt.Sprintf(
		"the solution gets %s, its directory promises %s", judged.Verdict, s.promised,
	)}
	if judged.Verdict != judge.CompileError || s.made == nil {
		return f
	}
	f.Hint = strings.TrimRight(f.Hint+"\n"+s.made.Log, "\n")
	if file, line := tail.Place(s.made.Log, tail.Sources(s.path)); line > 0 {
		f.File, f.Line = file, line
	}
	return f
}

// noneAccepted returns the fault for a problem without an accepted solution.
func (v *Verifier) noneAccepted() *judge.Fault {
	return &judge.Fault{File: v.Solutions, Text: "no solution is accepted", Hint: "add at least one to " + filepath.Join(
		v.Solutions, judge.Accepted.Dir(),
	)}
}

// options returns the options for judging a solution.
func (v *Verifier) options(s *solution) judge.Options {
	o := judge.Options{All: v.All, Jobs: v.Jobs}
	if !v.All && (v.Several || v.Folder.Loosely && s.promised != judge.Accepted) {
		o.All, o.Failures, o.Slow = true, enoughFailures, enoughSlow
		if s.promised == judge.TimeLimit || s.promised == judge.IdlenessLimit {
			o.Slow = 1 // a failure confirms the verdict, and another would take the whole time limit
		}
	}
	if !o.All && s.promised != judge.Accepted {
		o.Jobs = 1 // the first failure ends judging, so concurrent runs would be wasted
	}
	return o
}

// hint returns a hint about what to look at first.
func (v *Verifier) hint(s *solution, judged *judge.SolutionJudged) string {
	see := fmt.Sprintf("see: judge submit %s %s", v.Folder.ID, s.path)
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
		v.Folder.Reference != nil || v.Folder.Kind.Interactive || v.Folder.Kind.MultiPass {
		return ""
	}
	for _, g := range v.Folder.Groups {
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
	judged := &judge.SolutionJudged{Path: s.path, Promised: s.promised}
	if missing, ok := errors.AsType[*lang.MissingError](s.err); ok {
		judged.Verdict, judged.OK, judged.Note = judge.Skipped, true, missing.Error()
		return judged, nil
	}
	if unusable, ok := errors.AsType[*lang.UnusableError](s.err); ok { // as for a contestant
		judged.Verdict, judged.OK, judged.Note = judge.CompileError, s.promised == judge.CompileError, unusable.Fault.Text
		s.crash = unusable.Fault
		return judged, nil
	}
	if fault, ok := errors.AsType[*judge.Fault](s.err); ok {
		judged.Verdict, judged.Note = judge.JudgeError, fault.Error()
		return judged, nil
	}
	if s.err != nil {
		return nil, s.err
	}
	// Do not rerun a solution that must wait or be too slow to confirm its verdict.
	way := trial.Way{Retime: s.promised != judge.IdlenessLimit, Slow: s.promised == judge.TimeLimit}
	bench, err := v.measure(ctx, s, way)
	if err != nil {
		return nil, err
	}
	defer bench.Close()
	options := v.options(s)
	loosely := false // whether some case gets the verdict of the directory
	sum, err := judge.Run(ctx, v.Folder.Problem, bench, options.Lending(), func(e judge.Event) {
		switch e := e.(type) {
		case *judge.CaseJudged:
			loosely = loosely || v.Folder.Loosely && s.promised != judge.Accepted && problem.Same(e.Verdict, s.promised)
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
	if fault, ok := errors.AsType[*judge.Fault](err); ok {
		judged.Verdict, judged.Note = judge.JudgeError, fault.Error()
		return judged, nil
	}
	if err != nil {
		return nil, err
	}
	judged.Score = sum.Score
	if s.made != nil && s.made.Program != nil {
		judged.Language = s.made.Program.Language
	}
	judged.Verdict, judged.TimeMS, judged.Memory = sum.Verdict, sum.TimeMS, sum.Memory
	if sum.Verdict != judge.JudgeError {
		s.crash, judged.Note = nil, ""
	}
	judged.OK = sum.Verdict == s.promised || loosely && sum.Verdict != judge.JudgeError
	if took := time.Duration(sum.TimeMS * float64(time.Millisecond)); judged.OK && v.measures(s) && barely(v.Folder.Limits.CPU, took) != "" {
		longest, err := v.longest(ctx, s, way) // another case may take longer
		if err != nil {
			return nil, err
		}
		judged.Note = barely(v.Folder.Limits.CPU, max(took, longest))
		judged.TimeMS = float64(max(took, longest).Microseconds()) / 1000
	}
	return judged, nil
}
