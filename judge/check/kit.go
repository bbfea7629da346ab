package check

import (
	"context"
	"errors"
	"fmt"

	"assay/judge"
	"assay/judge/internal/kitproc"
	"assay/judge/kit"
)

// kitChecker asks one process about all cases. It starts it at the first one.
type kitChecker struct {
	name  string
	start func(ctx context.Context) (*kitproc.Proc, error)
	stop  context.CancelFunc
	proc  *kitproc.Proc
}

func newKit(r judge.Runner, p *judge.Program, args []string, limits judge.Limits) (Checker, error) {
	// The process outlives the context of the case at which it starts.
	life, stop := context.WithCancel(context.Background())
	start := func(ctx context.Context) (*kitproc.Proc, error) {
		defer context.AfterFunc(ctx, stop)() // while it starts, that context counts
		return kitproc.Start(life, r, p, "checker", limits, args...)
	}
	return &kitChecker{name: p.Name, start: start, stop: stop}, nil
}

func (c *kitChecker) Check(ctx context.Context, r Request) (judge.Outcome, error) {
	if err := context.Cause(ctx); err != nil {
		return judge.Outcome{}, err
	}
	if c.proc == nil {
		proc, err := c.start(ctx)
		if err != nil {
			return c.blame(ctx, err)
		}
		c.proc = proc
	}
	verdict, message, err := c.proc.Ask(ctx, "check", kitproc.Text(r.Case), r.In, r.Out, r.Ans)
	if err != nil {
		return c.blame(ctx, err)
	}
	o := judge.Outcome{Verdict: judge.Accepted, Message: clean(string(message))}
	switch verdict {
	case kit.WA:
		o.Verdict = judge.WrongAnswer
	case kit.Fail:
		return *programFault(c.name, "is at fault: "+o.Message, ""), nil
	}
	return o, nil
}

// blame finds out whose fault an error is.
func (c *kitChecker) blame(ctx context.Context, err error) (judge.Outcome, error) {
	if cause := context.Cause(ctx); cause != nil {
		return judge.Outcome{}, cause
	}
	if broken, ok := errors.AsType[*kitproc.BrokenError](err); ok {
		what := broken.What
		if broken.Forgot > 0 {
			what += fmt.Sprintf("; it is started again, and what it knew of %s before is lost", plural(int64(broken.Forgot), "case"))
		}
		return *programFault(c.name, what, broken.Stderr), nil
	}
	if refused, ok := errors.AsType[*judge.ExecError](err); ok {
		return *programFault(c.name, "cannot be run: "+refused.Reason, ""), nil
	}
	return judge.Outcome{}, err
}

func (c *kitChecker) Close() error {
	defer c.stop()
	if c.proc == nil {
		return nil
	}
	return c.proc.Close()
}
