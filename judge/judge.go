// Package judge defines the types that all parts of Assay share, and the pipeline that judges every submission.
// Read this file first.
//
//	problem directory --problem--> Problem --+
//	                                      v
//	solution --lang--> Program --> Executor.Try (sandbox: Exec and output; many at once)
//	                                      |
//	                              Classify, and then
//	                              Executor.Check (a checker; in judging order)
//	                                      |
//	                                      v
//	             events --> reports (terminal, JSON, JUnit, HTML)
//
// Facts and decisions are separate types: an Exec describes what a process did, and a Verdict is the judge's
// decision about it. A mistake by the contestant is a Verdict and never an error. A mistake by the setter is a
// *Fault. Any other failure is an ordinary error.
//
// The package does no input or output, starts no processes, and imports nothing else of the project. It does not
// know the formats of problem directories, languages or sandboxes.
package judge

import (
	"context"
	"strings"
	"time"
)

// Executor runs one submission on one problem. It implements the steps of the pipeline that have side effects.
type Executor interface {
	// Build makes the submission ready to run. If the submission does not compile, Build sets Built.Verdict and
	// returns no error.
	Build(ctx context.Context) (*Built, error)
	// Try runs the program on one case. It is called concurrently for several cases.
	Try(ctx context.Context, c *Case) (*Attempt, error)
	// Check judges the output of an attempt that ended normally and has no verdict yet. It is called in judging
	// order, and never concurrently, so a checker may keep state across the cases of a submission.
	Check(ctx context.Context, c *Case, a *Attempt) (Outcome, error)
	// Explain collects the details of a failed case for a report.
	Explain(c *Case, a *Attempt, o Outcome) *Detail
	// Static runs the static validator on the submission's files for one node of the grading.
	Static(ctx context.Context, n *Node) (Outcome, error)
	// Grade runs the grader of the node n on the results of the children of n.
	Grade(ctx context.Context, n *Node, results []Result) (Result, error)
}

// Options control how a submission is judged.
type Options struct {
	ContinueAfterFailure bool // continue after the first failure, except for cases that scoring skips
	Jobs                 int  // maximum number of cases that run concurrently; at least 1
	// MaxFailures and Slow limit the number of cases that may fail or exceed their time limit before the other cases
	// are skipped, even if All is set. Zero means no limit.
	MaxFailures, MaxTimeouts int
	Dialogues                bool // include the dialogue of accepted cases

	// Preparing, if not nil, returns the name of the language that is being prepared while builds wait for it. If
	// no build is waiting, it returns an empty string.
	Preparing func() string

	extraJobs int // number of cases started in addition to Jobs
}

func (o Options) preparing() string {
	if o.Preparing == nil {
		return ""
	}
	return o.Preparing()
}

// WithExtraJobs returns options for a runner that limits concurrency itself and does not count sleeping programs. With
// these options, more cases are started concurrently.
func (o Options) WithExtraJobs() Options {
	if o.Jobs > 1 {
		o.extraJobs = 3 * o.Jobs
	}
	return o
}

// Run judges a submission. It builds the submission, runs it on every case of the problem, and passes the events
// to listen in order. It returns the last event.
//
// The verdict is the verdict of the first case in judging order that is not accepted, so it depends neither on
// Jobs nor on All. Only a judge error takes precedence. A Grading may define another verdict, and determines which
// cases are skipped after others have failed.
//
// Run returns a *Fault if the setter's programs are at fault. It returns another error if the judge or the machine
// is at fault, or if ctx is done.
func Run(ctx context.Context, p *Problem, executor Executor, o Options, onEvent func(Event)) (*Finished, error) {
	sum := &Finished{Cases: p.CaseCount()}
	var built *Built
	var err error
	CallWithTicks(
		func() { built, err = executor.Build(ctx) },
		func(time.Duration) { onEvent(&Progressed{Total: sum.Cases, Preparing: o.preparing()}) },
	)
	if err != nil {
		return nil, err
	}
	built.Log, built.Command = text(built.Log), text(built.Command)
	onEvent(built)
	if built.Verdict != NotJudged {
		sum.Verdict = built.Verdict
		onEvent(sum)
		return sum, nil
	}
	if sum.Cases == 0 {
		return nil, &ProblemError{
			File: p.Dir, Text: "no cases to judge",
			Hint: "add <name>.in and <name>.ans to cases/sample, or generator lines to problem.toml and run: judge generate " + p.ID,
		}
	}
	t, err := newTally(p, o, sum)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &round{ctx: ctx, p: p, executor: executor, o: o, onEvent: onEvent, tally: t, running: map[*Case]context.CancelFunc{}}
	r.attempts = inOrder(allCases(p), o.Jobs, o.extraJobs, r.runCase, (*Attempt).release, func(done int) {
		onEvent(&Progressed{Done: done, Total: sum.Cases})
	})
	defer r.attempts.stop(cancel)
	if err := r.judgeBranch(t.root); err != nil {
		return nil, err
	}
	t.finish()
	onEvent(sum)
	return sum, nil
}

// shouldContinue reports whether to judge another case.
func (o Options) shouldContinue(sum *Finished) bool {
	if sum.First == "" {
		return true
	}
	failed := sum.Judged - sum.Passed
	return o.ContinueAfterFailure && (o.MaxFailures == 0 || failed < o.MaxFailures) && (o.MaxTimeouts == 0 || sum.slow < o.MaxTimeouts)
}

// text converts the output of a program to valid UTF-8 for an event, so that the event does not change when it is
// saved as JSON and read again.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// add counts a judged case in the totals.
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
