package check

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
)

// A testlib checker uses the protocol of testlib.h for checkers.
type testlib struct {
	*caseRunner
	args    []string
	partial int // exit code for no points; see judge.SetterProgram.PartialFrom
}

func newTestlib(r judge.Runner, p *judge.SetterProgram, program *judge.Program, limits judge.Limits) (Checker, error) {
	c, err := newCaseRunner(r, program, limits)
	if err != nil {
		return nil, err
	}
	return &testlib{c, p.Args, p.PartialFrom}, nil
}

// testlibExits maps testlib's exit codes to verdicts. Any other code is a judge error.
var testlibExits = map[int]judge.Verdict{
	0:             judge.Accepted,
	1:             judge.WrongAnswer,
	2:             judge.WrongAnswer, // invalid format of the output
	4:             judge.WrongAnswer, // data after the end of the output
	testlibPoints: judge.Accepted,
	8:             judge.WrongAnswer, // the output ends early
}

const (
	testlibFault  = 3
	testlibPoints = 7
)

// uncaught matches the message of an uncaught exception in Python, Java, Node.js, Ruby, Lua, OCaml and Haskell. In
// these cases, the runtime exits with a code that means wrong answer in testlib.
var uncaught = pattern.New(
	`(?m)^Traceback \(most recent call last\):$|^Exception in thread "|^Node\.js v[0-9]|^[^ ]+\.rb:[0-9]+:in .*\([A-Z]\w*\)$|` +
		`^stack traceback:$|^Fatal error: exception |^CallStack \(from HasCallStack\):$|^[^ ]+: Prelude\.`,
)

// testlibFullPoints is the number of points for a fully correct output, if exit codes encode partial points.
const testlibFullPoints = 200

func (c *testlib) Check(ctx context.Context, r Request) (judge.Outcome, error) {
	for name, text := range map[string]*io.SectionReader{"input": r.In, "output": r.Out, "answer": r.Ans} {
		if err := c.put(name, text); err != nil {
			return judge.Outcome{}, fmt.Errorf("show the %s to checker %s: %w", name, c.program.Name, err)
		}
	}
	// The output comes before the answer, unlike in other protocols.
	args := append(slices.Concat(c.args, r.Args), caseDir+"/input", caseDir+"/output", caseDir+"/answer")
	command := c.program.Command(c.limits, args...)
	command.Mounts = append(command.Mounts, c.mount("case", caseDir, false))
	exec, stderr, fault, err := c.run(ctx, command)
	if err != nil {
		return judge.Outcome{}, err
	}
	if fault != nil {
		return *fault, nil
	}
	if c.partial > 0 && exec.Exit >= c.partial && exec.Exit <= c.partial+testlibFullPoints {
		share := float64(exec.Exit-c.partial) / testlibFullPoints
		return partialOutcome(judge.Award{By: judge.AwardMultiplier, Value: share}, clean(stderr)), nil
	}
	return testlibOutcome(c.caseRunner, exec, stderr)
}

// partialOutcome returns the outcome for an output to which the checker gives points but no verdict.
func partialOutcome(a judge.Award, message string) judge.Outcome {
	a.Alone = true
	o := judge.Outcome{Verdict: judge.Accepted, Message: message, Award: a}
	if a.Value <= 0 {
		o.Verdict = judge.WrongAnswer
	}
	return o
}

// testlibOutcome reads the exit code.
func testlibOutcome(c *caseRunner, exec judge.Exec, stderr string) (judge.Outcome, error) {
	verdict, ok := testlibExits[exec.Exit]
	if !ok {
		what := "ended in a way that testlib does not know"
		if exec.Exit == testlibFault {
			what = "is at fault"
		}
		what = fmt.Sprintf("%s (%s)", what, exec.Termination())
		if exec.Exit == kattisAccepted || exec.Exit == kattisRejected {
			what += fmt.Sprintf(
				`; accept with exit code 0 and reject with 1 (%d and %d need speaks = "kattis")`,
				kattisAccepted, kattisRejected,
			)
		}
		return *c.fault(what, stderr), nil
	}
	if verdict == judge.WrongAnswer && uncaught().MatchString(stderr) {
		return *c.fault(fmt.Sprintf("ended by an exception that it does not catch (%s)", exec.Termination()), stderr), nil
	}
	message := clean(stderr)
	if exec.Exit == testlibPoints {
		points, rest, _ := strings.Cut(lastLineAfter(stderr, "points"), " ")
		value := scoreOf(points)
		if math.IsNaN(value) {
			return *c.fault("gives points, but not how many", stderr), nil
		}
		return partialOutcome(judge.Award{By: judge.AwardPoints, Value: value}, clean(rest)), nil
	}
	for _, word := range []string{"ok", "wrong answer"} { // words that repeat the verdict
		if rest, cut := strings.CutPrefix(message, word); cut && (rest == "" || rest[0] == ' ') {
			message = strings.TrimSpace(rest)
			break
		}
	}
	return judge.Outcome{Verdict: verdict, Message: message}, nil
}

// lastLineAfter finds the last line that begins with word, and returns the text after the word. If there is no such
// line, it returns the last line of the text. Checkers may print anything before their result.
func lastLineAfter(text, word string) string {
	text = strings.TrimSpace(text)
	for at := len(text); at > 0; {
		at = strings.LastIndexByte(text[:at], '\n')
		if rest, found := strings.CutPrefix(text[at+1:], word+" "); found {
			return rest
		}
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// interactorOutput is the feedback file that an interactor writes for the checker.
const interactorOutput = "output"

func interactorArgv(in, ans string, args []string) []string {
	return append(slices.Clone(args), caseDir+"/"+in, feedbackDir+"/"+interactorOutput, caseDir+"/"+ans)
}
