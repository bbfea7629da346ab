package worker

import (
	"context"
	"errors"
	"fmt"

	"assay/judge/host/job"
)

// Warm prepares bundles for upcoming jobs. It fetches and opens them, builds the problem setter's programs, and
// runs the reference solutions on the samples. The error names the bundles that could not be prepared.
func (r *Runner) Warm(ctx context.Context, bundles []job.Bundle) error {
	var errs []error
	for _, b := range bundles {
		if err := r.warm(ctx, b); err != nil {
			errs = append(errs, fmt.Errorf("%s is not ready: %w", b.Problem, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

func (r *Runner) warm(ctx context.Context, b job.Bundle) error {
	p, give, err := r.open(ctx, job.Claim{Bundle: b.Manifest}, problemKey{b.Config, b.Manifest, b.Problem, false})
	if err != nil {
		return err
	}
	defer give()
	return p.BuildAll(ctx)
}
