package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/kitproc"
	"assay/judge/kit"
)

// A kitChecker runs one process for all cases with the same arguments. It starts the process for the first such
// case.
type kitChecker struct {
	name    string
	newProc func(args []string) *kitproc.Proc // returns a process that is not started yet
	procs   map[string]*kitproc.Proc          // by the additional arguments of cases
}

func newKit(r judge.Runner, p *judge.SetterProgram, program *judge.Program, limits judge.Limits) (Checker, error) {
	newProc := func(args []string) *kitproc.Proc {
		// The process outlives the case that starts it. Close stops it.
		return kitproc.New(context.Background(), r, program, "checker", limits, slices.Concat(p.Args, args)...)
	}
	return &kitChecker{name: program.Name, newProc: newProc, procs: map[string]*kitproc.Proc{}}, nil
}

func (c *kitChecker) Check(ctx context.Context, r Request) (judge.Outcome, error) {
	if err := context.Cause(ctx); err != nil {
		return judge.Outcome{}, err
	}
	key := strings.Join(r.Args, "\x00")
	proc := c.procs[key]
	if proc == nil {
		proc = c.newProc(r.Args)
		c.procs[key] = proc
	}
	verdict, message, err := proc.Ask(ctx, "check", kitproc.Text(r.Case), r.In, r.Out, r.Ans)
	if err != nil {
		return c.blame(ctx, err)
	}
	o := judge.Outcome{Verdict: judge.Accepted, Message: clean(string(message))}
	switch verdict {
	case kit.WA:
		o.Verdict = judge.WrongAnswer
	case kit.Fail:
		return *programFault("checker "+c.name, "is at fault: "+o.Message, ""), nil
	}
	return o, nil
}

// blame returns an outcome for an error of the program, and an error for anything else.
func (c *kitChecker) blame(ctx context.Context, err error) (judge.Outcome, error) {
	if cause := context.Cause(ctx); cause != nil {
		return judge.Outcome{}, cause
	}
	if broken, ok := errors.AsType[*kitproc.BrokenError](err); ok {
		what := broken.Reason
		if broken.LostAnswers > 0 {
			what += fmt.Sprintf("; it is started again, and has lost its state from %s", judge.Quantity(broken.LostAnswers, "case"))
		}
		return *programFault("checker "+c.name, what, broken.Stderr), nil
	}
	if refused, ok := errors.AsType[*judge.ExecError](err); ok {
		return *programFault("checker "+c.name, "cannot be run: "+refused.Reason, ""), nil
	}
	return judge.Outcome{}, err
}

func (c *kitChecker) Close() (err error) {
	for _, proc := range c.procs {
		err = errors.Join(err, proc.Close())
	}
	return err
}
