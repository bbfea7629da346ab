package main

import (
	"context"
	"errors"
	"fmt"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/workspace"
)

// checkAndShow checks each submission and shows the results.
func (g *golfOptions) checkAndShow(
	c *console, contest *workspace.Workspace, id string, files []string, check func(i int) (*golf.Result, error),
) error {
	out, err := g.outputOptions.open(c)
	if err != nil {
		return err
	}
	results, err := g.checkAll(files, check)
	if err != nil {
		return errors.Join(err, out.Close())
	}
	if err := g.show(c, contest, out, id, results); err != nil {
		return err
	}
	return worstResult(results)
}

// checkAll checks the submissions.
func (g *golfOptions) checkAll(files []string, check func(i int) (*golf.Result, error)) (results []*golf.Result, err error) {
	for i, file := range files {
		r, err := check(i)
		if unusable, ok := errors.AsType[judge.Blamed](err); ok && unusable.Blame() == judge.Caller && len(files) > 1 {
			// If several files are checked, an unusable one becomes a row of the table instead of an error.
			r, err = golf.CannotRunResult(file, unusable.Error()), nil
		}
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// checkOne reads and checks one submission.
func (g *golfOptions) checkOne(
	ctx context.Context, c *console, contest *workspace.Workspace, stage *golf.SubmissionChecker, file string,
) (*golf.Result, error) {
	o := g.checks
	g.progressListener(c, file, &o)
	r, err := contest.CheckGolf(ctx, stage, file, g.reading, o)
	c.endNotices()
	if unknown, ok := errors.AsType[*golf.UnknownLanguageError](err); ok {
		err = unknownLanguageError(unknown)
	}
	return r, err
}

// unknownLanguageError adds the remedy to err.
func unknownLanguageError(err *golf.UnknownLanguageError) error {
	return usageError{fmt.Errorf("%w\n    choose the language with --lang", err)}
}
