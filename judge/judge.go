// Package judge holds the words that all parts of Assay share, and the one
// pipeline that every submission goes through. Read this file first.
//
//	problem folder --problem--> Problem --+
//	                                      v
//	solution --lang--> Program --> Bench.Try (sandbox: Exec and output; many at once)
//	                                      |
//	                              Classify, and then
//	                              Bench.Check (a checker; in judging order)
//	                                      |
//	                                      v
//	             events --> reports (terminal, JSON, JUnit, HTML)
//
// Facts are kept apart from judgement: an Exec is what happened to a process, a
// Verdict is what we think of it. Whose fault it is decides the path: a
// contestant's is a Verdict and never an error, a setter's is a *Fault, and
// anything else is an error.
//
// The package does no input or output, starts no process, and imports nothing
// else of the project; it does not know how a problem folder, a language or a
// sandbox looks.
package judge

import (
	"context"
	"fmt"
	"strings"
)

// Bench is where one submission is tried on one problem: the steps of the
// pipeline that touch the world.
type Bench interface {
	// Build makes the submission ready to run. A program that does not compile
	// is no error: Built.Verdict says so.
	Build(ctx context.Context) (*Built, error)
	// Try runs the program on one case. It is called for many cases at once.
	Try(ctx context.Context, c *Case) (*Attempt, error)
	// Check judges the output of an attempt that ended well. It is called in
	// judging order, never twice at once, so that a checker may hold state
	// across the cases of a submission.
	Check(ctx context.Context, c *Case, a *Attempt) (Outcome, error)
	// Explain gathers what a report shows of a case that failed.
	Explain(c *Case, a *Attempt, o Outcome) *Detail
}

// Options say how a submission is judged.
type Options struct {
	All  bool // go on after the first failure
	Jobs int  // cases that run at one time; at least 1
	// Failures and Slow, where they are not 0, are how many cases may fail, or run
	// into their time limit, before the rest is skipped although All is set.
	Failures, Slow int
}

// Run judges a submission: it builds it, runs it on every case of the problem,
// and sends what happens to listen, in order. What it returns is the last event.
//
// The verdict is that of the first case, in judging order, that is not accepted;
// so it depends neither on Jobs nor on All. Only a judge error goes before it.
//
// The error is for the judge's or the machine's faults, for a *Fault of the
// setter's programs, and for the end of ctx.
func Run(ctx context.Context, p *Problem, bench Bench, o Options, listen func(Event)) (*Finished, error) {
	sum := &Finished{Cases: p.Count()}
	built, err := bench.Build(ctx)
	if err != nil {
		return nil, err
	}
	built.Log = text(built.Log)
	listen(built)
	if built.Verdict != NotJudged {
		sum.Verdict = built.Verdict
		listen(sum)
		return sum, nil
	}
	if sum.Cases == 0 {
		return nil, &Fault{File: p.Dir, Text: "no cases to judge", Hint: "add <name>.in and <name>.ans to cases/sample, or generator lines to problem.toml and run: judge generate " + p.ID}
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	try := func(c *Case) (*Attempt, error) { return bench.Try(ctx, c) }
	attempts := inOrder(allCases(p), o.Jobs, try, (*Attempt).release, func(done int) {
		listen(&Progressed{Done: done, Of: sum.Cases})
	})
	defer attempts.stop(cancel)

	for i := range p.Groups {
		group := &GroupJudged{Group: p.Groups[i].Name, Cases: len(p.Groups[i].Cases)}
		for k := range p.Groups[i].Cases {
			c := &p.Groups[i].Cases[k]
			judged := &CaseJudged{Group: c.Group, Case: c.Name, Verdict: Skipped, Line: c.Line}
			if o.goesOn(sum) {
				if judged, err = judgeCase(ctx, p, bench, c, attempts.next); err != nil {
					return nil, fmt.Errorf("case %s: %w", c.ID(), err)
				}
			}
			sum.add(judged)
			group.add(judged)
			listen(judged)
		}
		listen(group)
	}
	if sum.Verdict == NotJudged {
		sum.Verdict = Accepted
	}
	listen(sum)
	return sum, nil
}

// goesOn says whether another case is to be judged.
func (o Options) goesOn(sum *Finished) bool {
	if sum.First == "" {
		return true
	}
	failed := sum.Judged - sum.Passed
	return o.All && (o.Failures == 0 || failed < o.Failures) && (o.Slow == 0 || sum.slow < o.Slow)
}

// judgeCase takes the next attempt, which is the one of this case, and judges it.
func judgeCase(ctx context.Context, p *Problem, bench Bench, c *Case, next func() (*Attempt, error)) (*CaseJudged, error) {
	a, err := next()
	if err != nil {
		return nil, err
	}
	defer a.release()
	judged := &CaseJudged{Group: c.Group, Case: c.Name, Line: c.Line, Exec: a.Exec, Note: a.Note}
	outcome := Outcome{Verdict: Classify(a.Exec, p.Limits), Message: a.Exec.Fate()}
	if outcome.Verdict == NotJudged {
		if outcome, err = bench.Check(ctx, c, a); err != nil {
			return nil, err
		}
	}
	judged.Verdict, judged.Message = outcome.Verdict, text(outcome.Message)
	if judged.Verdict != Accepted {
		judged.Stderr = text(string(a.Stderr))
		judged.Detail = bench.Explain(c, a, outcome)
	}
	return judged, nil
}

// text makes what a program has said fit for an event, which may be saved as JSON
// and must be the same when it is read again.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// add counts a judged case.
func (sum *Finished) add(c *CaseJudged) {
	if c.Verdict == Skipped {
		return
	}
	sum.Judged++
	if ms := millis(c.Exec.CPU); sum.Slowest == "" || ms > sum.TimeMS {
		sum.Slowest, sum.TimeMS = c.ID(), ms
	}
	sum.Memory = max(sum.Memory, c.Exec.Memory)
	sum.Instructions = max(sum.Instructions, c.Exec.Instructions)
	if c.Verdict == TimeLimit || c.Verdict == IdlenessLimit {
		sum.slow++
	}
	switch {
	case c.Verdict == Accepted:
		sum.Passed++
	case sum.First == "", c.Verdict == JudgeError && sum.Verdict != JudgeError:
		sum.First, sum.Verdict = c.ID(), c.Verdict
	}
}

// add counts a judged case.
func (g *GroupJudged) add(c *CaseJudged) {
	g.Verdict = Worst(g.Verdict, c.Verdict)
	if c.Verdict == Accepted {
		g.Passed++
	}
}
