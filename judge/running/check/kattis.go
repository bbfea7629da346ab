package check

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
)

// A kattis checker uses the protocol for output validators of the ICPC problem package format.
type kattis struct{ *Validator }

func newKattis(r judge.Runner, p *judge.SetterProgram, program *judge.Program, limits judge.Limits) (Checker, error) {
	v, err := NewValidator(r, program, "kattis", p.Args, limits)
	return kattis{v}, err
}

// The exit codes of the protocol. Any other code is a judge error, even 0, because a program that does not know
// the protocol exits with 0.
const (
	kattisAccepted = 42
	kattisRejected = 43
)

func (c kattis) Check(ctx context.Context, r Request) (o judge.Outcome, err error) {
	s, err := c.Open(r)
	if err != nil {
		return o, err
	}
	defer s.Close()
	if o, err = s.Run(ctx, r.Out); err != nil {
		return o, err
	}
	again, o, err := s.WantsPass(o)
	if again {
		return *s.fault("asks for another pass ("+nextPass+"), which this kind of problem does not have", ""), nil
	}
	return o, err
}

func kattisArgv(in, ans string, args []string) []string {
	return slices.Concat([]string{caseDir + "/" + in, caseDir + "/" + ans, feedbackDir + "/"}, args)
}

// kattisOutcome reads the exit code and the feedback files.
func kattisOutcome(c *caseRunner, exec judge.Exec, stderr string) (o judge.Outcome, err error) {
	texts := map[string]string{}
	given := map[string]bool{}
	for _, name := range []string{"judgemessage.txt", "teammessage.txt", "judgeerror.txt", "score.txt", "score_multiplier.txt"} {
		if texts[name], given[name], err = c.feedback(name); err != nil {
			return o, fmt.Errorf("read the feedback of checker %s: %w", c.program.Name, err)
		}
	}
	o.Message, o.Team = clean(texts["judgemessage.txt"]), clean(texts["teammessage.txt"])
	switch exec.Exit {
	case kattisAccepted:
		o.Verdict = judge.Accepted
	case kattisRejected:
		o.Verdict = judge.WrongAnswer
	default:
		what := fmt.Sprintf("ended with neither %d nor %d (%s)", kattisAccepted, kattisRejected, exec.Termination())
		for _, message := range []string{o.Message, clean(texts["judgeerror.txt"])} {
			if message != "" {
				what += ": " + message
			}
		}
		if _, known := testlibExits[exec.Exit]; (known || exec.Exit == testlibFault) && !uncaught().MatchString(stderr) {
			what += fmt.Sprintf(
				`; accept with exit code %d and reject with %d (0 and 1 need speaks = "testlib")`,
				kattisAccepted, kattisRejected,
			)
		}
		return *c.fault(what, stderr), nil
	}
	switch {
	case given["score.txt"] && given["score_multiplier.txt"]:
		return *c.fault("leaves both a score.txt and a score_multiplier.txt", stderr), nil
	case given["score.txt"]:
		o.Award = judge.Award{By: judge.AwardPoints, Value: scoreOf(texts["score.txt"])}
	case given["score_multiplier.txt"]:
		o.Award = judge.Award{By: judge.AwardMultiplier, Value: scoreOf(texts["score_multiplier.txt"])}
	}
	return o, nil
}

// scoreOf parses a decimal number. It returns NaN for anything else. It does not check whether the score is within
// its bounds, nor whether it is used.
func scoreOf(text string) float64 {
	text = strings.TrimSpace(text)
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) || strings.Trim(text, "0123456789+-.eE") != "" {
		return math.NaN()
	}
	return x
}
