package workspace

import (
	"context"
	"fmt"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/cases/stress"
	"assay/judge/running/trial"
)

// SolutionTester runs a solution on test inputs. The caller must close it.
type SolutionTester struct {
	*stress.Tester                // nil if the solution does not compile
	Problem        *Problem       // includes a reference solution, if its cases need answers
	Started        *judge.Started // first event of a report on the solution
	Built          *judge.Built
}

// TestSolution builds a solution and opens a lab for it. If fromFormat is set, all inputs are generated from the declared
// input format.
func (p *Problem) TestSolution(ctx context.Context, path, language string, fromFormat bool) (*SolutionTester, error) {
	if p.Kind.OutputOnly {
		return nil, &judge.UsageError{Err: fmt.Errorf("the submissions of %s are outputs: there is no program to test", p.ID)}
	}
	e, err := p.findSubmission(path, language)
	if err != nil {
		return nil, err
	}
	if _, err := p.Prepared(ctx); err != nil {
		return nil, err
	}
	answering := p
	if !p.LacksAnswers() { // a program that interacts or runs several times cannot simply print an answer
		if answering, err = p.WithReference(ctx); err != nil {
			return nil, err
		}
	}
	built, err := e.build(ctx)
	if err != nil {
		return nil, err
	}
	shown := *answering.Problem
	shown.Groups = nil
	l := &SolutionTester{Problem: answering, Started: p.w.StartedEvent(&shown, path, e.language), Built: &judge.Built{Log: built.Log}}
	if !built.OK {
		l.Built.Verdict = judge.CompileError
		return l, nil
	}
	texts := []string{path}
	if answering.Reference != nil {
		texts = append(texts, answering.Reference.Path)
	}
	l.Tester, err = stress.Open(ctx, stress.Setting{
		Directory: answering.Directory, Runner: p.w.Sandbox, Programs: answering.SetterPrograms(),
		Solution: built.Program, Stage: func(ctx context.Context, limits judge.Limits) (trial.Executor, error) {
			limited := *answering.Problem
			limited.Limits = limits
			return answering.Executor(ctx, &limited, path, built, trial.RunMode{})
		}, Literals: gen.Literals(texts...), FromFormat: fromFormat, Limits: p.w.Config.Setter, Jobs: p.w.Jobs,
	})
	return l, err
}

// Close stops the lab's programs.
func (l *SolutionTester) Close() error {
	if l == nil || l.Tester == nil {
		return nil
	}
	return l.Tester.Close()
}
