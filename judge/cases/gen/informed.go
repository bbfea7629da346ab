package gen

import (
	"context"
	"errors"
	"slices"

	"assay/judge"
	"assay/judge/problem"
)

// An perCaseValidator validator gets different arguments for some cases. It starts one program for each list of arguments,
// when the program is first needed.
type perCaseValidator struct {
	open     func(args []string) (Validator, error)
	args     map[string][]string // by case id; contains only cases with arguments
	standard Validator
	running  []runningValidator
}

// runningValidator is a running validator with its arguments.
type runningValidator struct {
	args []string
	Validator
}

// newPerCaseValidator returns a validator that runs a problem's program. If no case has arguments for the validator, it
// returns the result of NewValidator.
func newPerCaseValidator(
	ctx context.Context, r judge.Runner, program *judge.Program, f *problem.Directory, limits judge.Limits,
) (Validator, error) {
	usual, err := NewValidator(ctx, r, program, f.Validator, limits)
	if err != nil {
		return nil, err
	}
	args := map[string][]string{}
	for _, g := range f.Groups {
		for _, c := range g.Cases {
			if own := slices.Concat(c.ValidatorArgs, c.Args); len(own) > 0 {
				args[c.ID()] = own
			}
		}
	}
	if len(args) == 0 {
		return usual, nil
	}
	open := func(args []string) (Validator, error) {
		part := *f.Validator
		part.Args = slices.Concat(part.Args, args)
		return NewValidator(ctx, r, program, &part, limits)
	}
	return &perCaseValidator{open: open, args: args, standard: usual}, nil
}

// Validate checks an input with the program that was started with the arguments of the case called name.
func (v *perCaseValidator) Validate(ctx context.Context, name string, input []byte) (string, error) {
	args := v.args[name]
	if len(args) == 0 {
		return v.standard.Validate(ctx, name, input)
	}
	for _, t := range v.running {
		if slices.Equal(t.args, args) {
			return t.Validate(ctx, name, input)
		}
	}
	made, err := v.open(args)
	if err != nil {
		return "", err
	}
	v.running = append(v.running, runningValidator{args, made})
	return made.Validate(ctx, name, input)
}

// Close closes all started validators.
func (v *perCaseValidator) Close() error {
	errs := []error{v.standard.Close()}
	for _, t := range v.running {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}
