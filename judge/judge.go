// Package judge holds the words that all parts of Assay share, and the one
// pipeline of every submission. Read this file first.
//
//	problem directory --problem--> Problem --+
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
// The package does no input or output, starts no process, imports nothing else of the
// project, and does not know how a problem directory, a language or a sandbox looks.
package judge

import (
	"context"
	"strings"
	"time"
)

// Bench runs one submission on one problem: the steps of the pipeline with side effects.
type Bench interface {
	// Build makes the submission ready to run. If it does not compile, Built.Verdict says so, and there is no
	// error.
	Build(ctx context.Context) (*Built, error)
	// Try runs the program on one case. It is called for several cases at the same time.
	Try(ctx context.Context, c *Case) (*Attempt, error)
	// Check judges the output of an attempt that ended properly and is not settled. It is called in judging
	// order, and never concurrently, so that a checker may keep state across the cases of a submission.
	Check(ctx context.Context, c *Case, a *Attempt) (Outcome, error)
	// Explain collects what a report shows of a case that failed.
	Explain(c *Case, a *Attempt, o Outcome) *Detail
	// Static runs the static validator on the submission's files, for one node of the grading.
	Static(ctx context.Context, n *Node) (Outcome, error)
	// Grade runs the node's own grader on the results of its children.
	Grade(ctx context.Context, n *Node, results []Result) (Result, error)
}

// Options say how a submission is judged.
type Options struct {
	All  bool // continue after the first failure, except for cases that a grading with scores skips
	Jobs int  // cases that run at the same time; at least 1
	// Failures and Slow, if not zero, are how many cases may fail, or exceed their time limit, before the
	// rest is skipped although All is set.
	Failures, Slow int
	Dialogues      bool // include the dialogue of accepted cases

	// Preparing, if not nil, returns the name of a language that builds wait for, or "".
	Preparing func() string

	sleepers int // cases that are started in addition to Jobs
}

func (o Options) preparing() string {
	if o.Preparing == nil {
		return ""
	}
	return o.Preparing()
}

// Lending returns o for a runner that limits concurrency itself and does not count sleeping programs. More
// cases are started at the same time.
func (o Options) Lending() Options {
	if o.Jobs > 1 {
		o.sleepers = 3 * o.Jobs
	}
	return o
}

// Run judges a submission: it builds the submission, runs it on every case of the problem, and sends the
// events to listen, in order. It returns the last event.
//
// The verdict is that of the first case, in judging order, that is not accepted. So it depends neither on
// Jobs nor on All. Only a judge error has precedence. A Grading may define another verdict; it also says
// which cases no longer count after others have failed.
//
// An error means that the judge or the machine is at fault, that ctx ended, or, as a *Fault, that the
// setter's programs are at fault.
func Run(ctx context.Context, p *Problem, bench Bench, o Options, listen func(Event)) (*Finished, error) {
	sum := &Finished{Cases: p.Count()}
	var built *Built
	var err error
	While(func() { built, err = bench.Build(ctx) }, func(time.Duration) { listen(&Progressed{Of: sum.Cases, Preparing: o.preparing()}) })
	if err != nil {
		return nil, err
	}
	built.Log, built.Command = text(built.Log), text(built.Command)
	listen(built)
	if built.Verdict != NotJudged {
		sum.Verdict = built.Verdict
		listen(sum)
		return sum, nil
	}
	if sum.Cases == 0 {
		return nil, &Fault{
			File: p.Dir, Text: "no cases to judge",
			Hint: "add <name>.in and <name>.ans to cases/sample, or generator lines to problem.toml and run: judge generate " + p.ID,
		}
	}
	t, err := newTally(p, o, sum)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &round{ctx: ctx, p: p, bench: bench, o: o, listen: listen, tally: t, running: map[*Case]context.CancelFunc{}}
	r.attempts = inOrder(allCases(p), o.Jobs, o.sleepers, r.try, (*Attempt).release, func(done int) {
		listen(&Progressed{Done: done, Of: sum.Cases})
	})
	defer r.attempts.stop(cancel)
	if err := r.branch(t.root); err != nil {
		return nil, err
	}
	t.finish()
	listen(sum)
	return sum, nil
}

// goesOn reports whether another case is to be judged.
func (o Options) goesOn(sum *Finished) bool {
	if sum.First == "" {
		return true
	}
	failed := sum.Judged - sum.Passed
	return o.All && (o.Failures == 0 || failed < o.Failures) && (o.Slow == 0 || sum.slow < o.Slow)
}

// text makes the output of a program valid UTF-8 for an event, which must be the same when it is saved as
// JSON and read again.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// add counts a judged case.
func (sum *Finished) add(c *CaseJudged) {
	if !c.Static {
		sum.Judged++
	}
	if ms := millis(c.Exec.CPU); !c.Static && (sum.Slowest == "" || ms > sum.TimeMS) {
		sum.Slowest, sum.TimeMS = c.ID(), ms
	}
	sum.Memory = max(sum.Memory, c.Exec.Memory)
	if c.Verdict == TimeLimit || c.Verdict == IdlenessLimit {
		sum.slow++
	}
	switch {
	case c.Verdict == Accepted && c.Static:
	case c.Verdict == Accepted:
		sum.Passed++
	case sum.First == "", c.Verdict == JudgeError && sum.Verdict != JudgeError:
		sum.First, sum.Verdict = c.ID(), c.Verdict
	}
}
