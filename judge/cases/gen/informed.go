package gen

import (
	"context"
	"errors"
	"slices"

	"assay/judge"
	"assay/judge/problem"
)

// An informed validator gets different arguments for some cases. It starts one program for each list of arguments,
// when the program is first needed.
type informed struct {
	open  func(args []string) (Validator, error)
	args  map[string][]string // by case id; contains only cases with arguments
	usual Validator
	all   []started
}

// started is a running validator with its arguments.
type started struct {
	args []string
	Validator
}

// newInformed returns a validator that runs a problem's program. If no case has arguments for the validator, it
// returns the result of NewValidator.
func newInformed(
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
	return &informed{open: open, args: args, usual: usual}, nil
}

// Validate checks an input with the program that was started with the arguments of the case called name.
func (v *informed) Validate(ctx context.Context, name string, input []byte) (string, error) {
	args := v.args[name]
	if len(args) == 0 {
		return v.usual.Validate(ctx, name, input)
	}
	for _, t := range v.all {
		if slices.Equal(t.args, args) {
			return t.Validate(ctx, name, input)
		}
	}
	made, err := v.open(args)
	if err != nil {
		return "", err
	}
	v.all = append(v.all, started{args, made})
	return made.Validate(ctx, name, input)
}

// Close closes all started validators.
func (v *informed) Close() error {
	errs := []error{v.usual.Close()}
	for _, t := range v.all {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}
