package main

import (
	"context"
	"errors"
	"fmt"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/workspace"
)

// tell checks each submission and shows the results.
func (g *golfing) tell(c *console, contest *workspace.Workspace, id string, files []string, prove func(i int) (*golf.Result, error)) error {
	out, err := g.drawing.open(c)
	if err != nil {
		return err
	}
	results, err := g.proveAll(files, prove)
	if err != nil {
		return errors.Join(err, out.Close())
	}
	if err := g.show(c, contest, out, id, results); err != nil {
		return err
	}
	return golfExit(results)
}

// proveAll checks the submissions.
func (g *golfing) proveAll(files []string, prove func(i int) (*golf.Result, error)) (results []*golf.Result, err error) {
	for i, file := range files {
		r, err := prove(i)
		if unusable, ok := errors.AsType[judge.Blamed](err); ok && unusable.Blame() == judge.Caller && len(files) > 1 {
			// If several files are checked, an unusable one becomes a row of the table instead of an error.
			r, err = golf.NotRun(file, unusable.Error()), nil
		}
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// prove reads and checks one submission.
func (g *golfing) prove(
	ctx context.Context, c *console, contest *workspace.Workspace, stage *golf.Range, file string,
) (*golf.Result, error) {
	o := g.proof
	g.listen(c, file, &o)
	r, err := contest.Prove(ctx, stage, file, g.reading, o)
	c.endNotices()
	if unknown, ok := errors.AsType[*golf.UnknownLanguageError](err); ok {
		err = unknownLanguage(unknown)
	}
	return r, err
}

// unknownLanguage adds the remedy to err.
func unknownLanguage(err *golf.UnknownLanguageError) error {
	return usageError{fmt.Errorf("%w\n    choose the language with --lang", err)}
}
