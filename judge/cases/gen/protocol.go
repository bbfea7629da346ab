package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/judge"
	"assay/judge/internal/kitproc"
	"assay/judge/internal/tail"
	"assay/judge/kit"
	"assay/judge/problem"
)

// Generator makes inputs from the words of a generator line.
type Generator interface {
	// Generate makes one input. If the program violates the protocol of generators, it returns a *judge.ProblemError
	// without a position.
	Generate(ctx context.Context, seed string, args []string) ([]byte, error)
	Close() error
}

// A Validator checks inputs by the constraints of a problem.
type Validator interface {
	// Validate returns what is wrong with an input, or "" if it is valid.
	Validate(ctx context.Context, name string, input []byte) (string, error)
	Close() error
}

// NewGenerator returns a Generator that runs a program. The limits apply to each case. The caller must close the
// Generator.
func NewGenerator(
	ctx context.Context, r judge.Runner, program *judge.Program, part *judge.SetterProgram, limits judge.Limits,
) (Generator, error) {
	if part.Protocol == "kit" {
		proc, err := kitproc.Start(ctx, r, program, "generator", limits, part.Args...)
		if err != nil {
			return nil, asSetterError(err)
		}
		return kitGenerator{proc}, nil
	}
	return plainGenerator{r, program, part.Args, limits}, nil
}

// NewValidator returns a Validator that runs a program. The limits apply to each case. The caller must close the
// Validator.
func NewValidator(
	ctx context.Context, r judge.Runner, program *judge.Program, part *judge.SetterProgram, limits judge.Limits,
) (Validator, error) {
	if program.Interpret != nil {
		check, err := program.Interpret(part.Args)
		return scriptValidator{check}, err
	}
	switch part.Protocol {
	case "kit":
		proc, err := kitproc.Start(ctx, r, program, "validator", limits, part.Args...)
		if err != nil {
			return nil, asSetterError(err)
		}
		return kitValidator{proc}, nil
	}
	valid := 0
	if part.Protocol == "kattis" {
		valid = kattisValid
	}
	return plainValidator{r, program, part.Args, limits, valid}, nil
}

// kattisValid is the exit code with which a validator of the ICPC problem package format accepts an input.
const kattisValid = 42

// asSetterError converts the error of a broken kit program to a fault of the problem setter.
func asSetterError(err error) error {
	if broken, ok := errors.AsType[*kitproc.BrokenError](err); ok {
		return &judge.ProblemError{
			Text: "the " + broken.Role + " " + broken.Reason,
			Hint: stderrWithHint(broken.Stderr, "fix the "+broken.Role),
		}
	}
	return err
}

// fixLine is the hint if a generator produces no input from a line.
const fixLine = "fix the line or the generator"

// stderrWithHint returns what the program wrote to standard error, followed by a hint.
func stderrWithHint(stderr, hint string) string {
	return strings.TrimLeft(strings.TrimRight(stderr, " \n")+"\n"+hint, "\n")
}

type kitGenerator struct{ *kitproc.Proc }

func (g kitGenerator) Generate(ctx context.Context, seed string, args []string) ([]byte, error) {
	parts := []kitproc.RequestPart{kitproc.Text(seed)}
	for _, a := range args {
		parts = append(parts, kitproc.Text(a))
	}
	verdict, reply, err := g.Ask(ctx, "generate", parts...)
	if err != nil {
		return nil, asSetterError(err)
	}
	if verdict != kit.OK {
		return nil, &judge.ProblemError{Text: "the generator refuses: " + string(reply), Hint: fixLine}
	}
	return reply, nil
}

type kitValidator struct{ *kitproc.Proc }

func (v kitValidator) Validate(ctx context.Context, name string, input []byte) (string, error) {
	verdict, reply, err := v.Ask(ctx, "validate", kitproc.Text(name), kitproc.Bytes(input))
	switch {
	case err != nil:
		return "", asSetterError(err)
	case verdict == kit.Fail:
		return "", &judge.ProblemError{Text: "the validator fails: " + string(reply), Hint: "fix the validator"}
	case verdict == kit.OK:
		return "", nil
	case len(reply) == 0:
		return "not valid", nil
	}
	return string(reply), nil
}

// A plainGenerator starts the program for each case. The words of the line are its arguments, and the seed is a
// number in an environment variable, which any language can read. This number also replaces "{seed}" in arguments.
type plainGenerator struct {
	runner  judge.Runner
	program *judge.Program
	args    []string
	limits  judge.Limits
}

func (g plainGenerator) Generate(ctx context.Context, seed string, args []string) ([]byte, error) {
	number := problem.SeedNumber(seed)
	all := append([]string{}, g.args...)
	for _, a := range args {
		all = append(all, strings.ReplaceAll(a, problem.SeedWord, number))
	}
	cmd := g.program.Command(g.limits, all...)
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], kit.SeedEnv+"="+number)
	out, x, tail, err := runPlain(ctx, g.runner, cmd, nil)
	if err != nil {
		return nil, err
	}
	if v := judge.Classify(x, g.limits); v != judge.NotJudged {
		return nil, &judge.ProblemError{
			Text: fmt.Sprintf("the generator ended badly (%s, %s)", v.Words(), x.Termination()),
			Hint: stderrWithHint(tail, fixLine),
		}
	}
	return out, nil
}

func (plainGenerator) Close() error { return nil }

// plainValidator starts the program for each case, with the input on standard input.
type plainValidator struct {
	runner  judge.Runner
	program *judge.Program
	args    []string
	limits  judge.Limits
	valid   int // exit code for a valid input
}

func (v plainValidator) Validate(ctx context.Context, name string, input []byte) (string, error) {
	_, x, tail, err := runPlain(ctx, v.runner, v.program.Command(v.limits, v.args...), bytes.NewReader(input))
	switch {
	case err != nil:
		return "", err
	case x.Killed == judge.NoResource && x.Signal == "" && x.Exit == v.valid:
		return "", nil
	case v.valid == 0 && (x.Killed == judge.CPUTime || x.Killed == judge.WallTime): // in packages, exceeding a time limit means invalid
		return "", &judge.ProblemError{Text: "the validator ended badly (" + x.Termination() + ")", Hint: stderrWithHint(
			tail, "fix the validator: it must come to an end on every input",
		)}
	case x.Killed == judge.NoResource && x.Signal != "":
		return strings.TrimSpace(SignalPrefix + x.Signal + "\n" + tail), nil
	case x.Killed == judge.NoResource && x.Exit == kattisValid:
		return fmt.Sprintf(`not valid: exit code %d accepts only with speaks = "kattis"`, kattisValid), nil
	case strings.TrimSpace(tail) != "":
		return strings.TrimSpace(tail), nil
	case x.Killed == judge.NoResource && x.Exit == 0:
		return fmt.Sprintf(`not valid: exit code 0, but %d accepts (0 needs speaks = "testlib")`, kattisValid), nil
	}
	return "not valid: " + x.Termination(), nil
}

// SignalPrefix is the prefix of Validate's result if a signal killed the validator.
const SignalPrefix = "not valid: signal "

func (plainValidator) Close() error { return nil }

// runPlain runs a setter's program once. It returns the program's output and the end of its standard error.
func runPlain(ctx context.Context, r judge.Runner, cmd *judge.Command, in io.Reader) ([]byte, judge.Exec, string, error) {
	var out bytes.Buffer
	var stderr tail.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &out, &stderr
	x, err := r.Run(ctx, cmd)
	return out.Bytes(), x, string(stderr.Bytes()), err
}
