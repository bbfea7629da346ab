package gen

import (
	"context"

	"assay/judge"
)

// scriptValidator is a validator that the judge interprets itself, without a process.
type scriptValidator struct{ check judge.InputCheckFunc }

func (v scriptValidator) Validate(ctx context.Context, name string, input []byte) (string, error) {
	return v.check(ctx, input)
}

func (scriptValidator) Close() error { return nil }
