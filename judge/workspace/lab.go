package workspace

import (
	"context"
	"fmt"

	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/cases/stress"
	"assay/judge/running/trial"
)

// Lab runs a solution on test inputs. The caller must close it.
type Lab struct {
	*stress.Lab                // nil if the solution does not compile
	Problem     *Problem       // includes a reference solution, if its cases need answers
	Started     *judge.Started // first event of a report on the solution
	Built       *judge.Built
}

// Lab builds a solution and opens a lab for it. If derived is set, all inputs are generated from the declared
// input format.
func (p *Problem) Lab(ctx context.Context, path, language string, derived bool) (*Lab, error) {
	if p.Kind.Answers {
		return nil, &judge.Misuse{Err: fmt.Errorf("the submissions of %s are outputs: there is no program to test", p.ID)}
	}
	e, err := p.submitted(path, language)
	if err != nil {
		return nil, err
	}
	if _, err := p.Prepared(ctx); err != nil {
		return nil, err
	}
	answering := p
	if !p.Unanswered() { // a program that interacts or runs several times cannot simply print an answer
		if answering, err = p.Answering(ctx); err != nil {
			return nil, err
		}
	}
	made, err := e.build(ctx)
	if err != nil {
		return nil, err
	}
	shown := *answering.Problem
	shown.Groups = nil
	l := &Lab{Problem: answering, Started: p.w.Started(&shown, path, e.language), Built: &judge.Built{Log: made.Log}}
	if !made.OK {
		l.Built.Verdict = judge.CompileError
		return l, nil
	}
	texts := []string{path}
	if answering.Reference != nil {
		texts = append(texts, answering.Reference.Path)
	}
	l.Lab, err = stress.Open(ctx, stress.Setting{
		Folder: answering.Directory, Runner: p.w.Box, Crew: answering.Crew(),
		Solution: made.Program, Stage: func(ctx context.Context, limits judge.Limits) (trial.Bench, error) {
			limited := *answering.Problem
			limited.Limits = limits
			return answering.Bench(ctx, &limited, path, made, trial.Way{})
		}, Literals: gen.Literals(texts...), Derived: derived, Limits: p.w.Config.Setter, Jobs: p.w.Jobs,
	})
	return l, err
}

// Close stops the lab's programs.
func (l *Lab) Close() error {
	if l == nil || l.Lab == nil {
		return nil
	}
	return l.Lab.Close()
}
