package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"assay/judge"
)

// kattis speaks the protocol of the ICPC problem package format for output
// validators.
type kattis struct {
	*perCase
	args []string
}

func newKattis(r judge.Runner, p *judge.Program, args []string, limits judge.Limits) (Checker, error) {
	c, err := newPerCase(r, p, limits)
	if err != nil {
		return nil, err
	}
	return &kattis{c, args}, nil
}

// The exit codes. Everything else is a judge error, 0 too: a program that does not
// know the protocol ends with that.
const (
	kattisRight = 42
	kattisWrong = 43
)

func (c *kattis) Check(ctx context.Context, r Request) (judge.Outcome, error) {
	exec, stderr, fault, err := c.validate(ctx, r)
	if err != nil {
		return judge.Outcome{}, err
	}
	if fault != nil {
		return *fault, nil
	}
	message, _, err := c.feedback("judgemessage.txt")
	if err != nil {
		return judge.Outcome{}, fmt.Errorf("read the message of checker %s: %w", c.program.Name, err)
	}
	message = clean(message)
	_, again, err := c.feedback("nextpass.in")
	if err != nil {
		return judge.Outcome{}, fmt.Errorf("look for another pass of checker %s: %w", c.program.Name, err)
	}
	switch {
	case again:
		return *c.fault("asks for another pass (nextpass.in), which this kind of problem does not have", stderr), nil
	case exec.Exit == kattisRight:
		return judge.Outcome{Verdict: judge.Accepted, Message: message}, nil
	case exec.Exit == kattisWrong:
		return judge.Outcome{Verdict: judge.WrongAnswer, Message: message}, nil
	}
	what := fmt.Sprintf("ended with neither %d nor %d (%s)", kattisRight, kattisWrong, exec.Fate())
	if message != "" {
		what += ": " + message
	}
	return *c.fault(what, stderr), nil
}

// validate runs the program on one case.
func (c *kattis) validate(ctx context.Context, r Request) (exec judge.Exec, stderr string, fault *judge.Outcome, err error) {
	for name, text := range map[string]*io.SectionReader{"input": r.In, "answer": r.Ans, "output": r.Out} {
		if err := c.put(name, text); err != nil {
			return exec, "", nil, fmt.Errorf("show the %s to checker %s: %w", name, c.program.Name, err)
		}
	}
	if err := c.emptyFeedback(); err != nil {
		return exec, "", nil, fmt.Errorf("empty the feedback folder of checker %s: %w", c.program.Name, err)
	}
	args := slices.Concat([]string{caseDir + "/input", caseDir + "/answer", feedbackDir + "/"}, c.args)
	command := c.program.Command(c.limits, args...)
	command.Mounts = append(command.Mounts, c.mount("case", caseDir, false), c.mount("feedback", feedbackDir, true))
	out, err := os.Open(filepath.Join(c.dir, "case", "output"))
	if err != nil {
		return exec, "", nil, fmt.Errorf("open the output for checker %s: %w", c.program.Name, err)
	}
	command.Stdin = out
	exec, stderr, fault, err = c.run(ctx, command)
	return exec, stderr, fault, errors.Join(err, out.Close())
}
