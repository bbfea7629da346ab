package check

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"assay/judge"
)

// testlib speaks testlib.h's protocol for checkers.
type testlib struct {
	*perCase
	args []string
}

func newTestlib(r judge.Runner, p *judge.Program, args []string, limits judge.Limits) (Checker, error) {
	c, err := newPerCase(r, p, limits)
	if err != nil {
		return nil, err
	}
	return &testlib{c, args}, nil
}

// testlibExits are testlib's exit codes. What is not here is a judge error.
var testlibExits = map[int]judge.Verdict{
	0: judge.Accepted,
	1: judge.WrongAnswer,
	2: judge.WrongAnswer, // the format of the output is wrong
	4: judge.WrongAnswer, // there is something behind it
	8: judge.WrongAnswer, // it ends early
}

// testlibFaults say more about codes that are judge errors.
var testlibFaults = map[int]string{
	3: "is at fault",
	7: "gives points, which are not judged here",
}

func (c *testlib) Check(ctx context.Context, r Request) (judge.Outcome, error) {
	for name, text := range map[string]*io.SectionReader{"input": r.In, "output": r.Out, "answer": r.Ans} {
		if err := c.put(name, text); err != nil {
			return judge.Outcome{}, fmt.Errorf("show the %s to checker %s: %w", name, c.program.Name, err)
		}
	}
	// Output before answer, unlike everybody else.
	args := append(slices.Clone(c.args), caseDir+"/input", caseDir+"/output", caseDir+"/answer")
	command := c.program.Command(c.limits, args...)
	command.Mounts = append(command.Mounts, c.mount("case", caseDir, false))
	exec, stderr, fault, err := c.run(ctx, command)
	if err != nil {
		return judge.Outcome{}, err
	}
	if fault != nil {
		return *fault, nil
	}
	verdict, ok := testlibExits[exec.Exit]
	if !ok {
		what := testlibFaults[exec.Exit]
		if what == "" {
			what = "ended in a way that testlib does not know"
		}
		return *c.fault(fmt.Sprintf("%s (%s)", what, exec.Fate()), stderr), nil
	}
	message := clean(stderr)
	for _, word := range []string{"ok", "wrong answer"} { // the verdict says so already
		if rest, cut := strings.CutPrefix(message, word); cut && (rest == "" || rest[0] == ' ') {
			message = strings.TrimSpace(rest)
			break
		}
	}
	return judge.Outcome{Verdict: verdict, Message: message}, nil
}
