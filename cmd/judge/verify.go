package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/workspace"
)

// verifyOptions holds the flags of judge verify.
type verifyOptions struct {
	runOptions
	outputOptions
	only   []string
	all    bool
	fresh  bool
	server string // a server

	anyMatch bool // a solution matches only
}

func verifyCommand(c *console) *cobra.Command {
	var v verifyOptions
	cmd := &cobra.Command{
		Use:   "verify [problem...]",
		Short: "check a problem directory: its cases, answers, programs and solutions",
		Long: `Verify lints the directory, validates every input, checks every answer and manifest, and
judges every program under solutions/ against the verdict of its directory. Without an
argument it verifies every problem of the contest. A problem may also be a package in the
ICPC format: its directory, or its archive.

` + exitHelp,
		Example: "  judge verify\n  judge verify wythoff\n  judge verify wythoff --only wrong_answer/\n  judge verify path/to/package --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if v.server != "" {
				if err := rejectLocalFlags(cmd, "on", "on", "only", "all", "fresh", "json", "junit", "html", "color"); err != nil {
					return err
				}
			}
			return v.run(cmd.Context(), c, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&v.server, "on", "", serverFlagHelp)
	f.StringArrayVar(&v.only, "only", nil, "judge only solutions whose path contains this text (repeatable)")
	f.BoolVar(&v.all, "all", false, "judge every solution on every case (default: stop once its verdict is known)")
	f.BoolVar(&v.fresh, "fresh", false, "run everything again (default: reuse results of unchanged submissions of a package)")
	v.runOptions.flags(c, f)
	v.outputOptions.flags(f)
	return cmd
}

func (v *verifyOptions) run(ctx context.Context, c *console, names []string) (err error) {
	out, err := v.outputOptions.open(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if v.server != "" {
		err = v.verifyAllOnServer(ctx, c, names, out.Event)
	} else {
		err = v.eachProblem(names, func(contest *workspace.Workspace, at *workspace.Location) (bool, error) {
			return v.verifyProblem(ctx, contest, at, out.Event)
		})
	}
	if err == nil && len(v.only) > 0 && !v.anyMatch {
		err = &judge.UsageError{Err: fmt.Errorf("no solution has %s in its path: nothing was judged", quotedOr(v.only))}
	}
	return err
}

// quotedOr joins quoted texts with "or".
func quotedOr(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = strconv.Quote(t)
	}
	return strings.Join(quoted, " or ")
}

// verifyProblem verifies one problem and reports whether the problem has no errors.
func (v *verifyOptions) verifyProblem(
	ctx context.Context, c *workspace.Workspace, location *workspace.Location, listen func(judge.Event),
) (bool, error) {
	verifier, faults, err := v.startVerification(ctx, c, location, listen)
	if err != nil {
		return false, err
	}
	if faults > 0 {
		listen(&judge.VerifyFinished{Faults: faults})
		return false, nil
	}
	done, err := verifier.Run(ctx, verifier.Handle)
	if err != nil {
		return false, err
	}
	return done.OK, nil
}

// startVerification begins to verify a problem.
func (v *verifyOptions) startVerification(
	ctx context.Context, c *workspace.Workspace, location *workspace.Location, listen func(judge.Event),
) (
	*workspace.Verification, int, error,
) {
	verifier, faults, err := location.StartVerification(ctx, workspace.VerifyOptions{Only: v.only, All: v.all, Fresh: v.fresh}, listen)
	if verifier != nil {
		v.anyMatch = v.anyMatch || len(verifier.Paths()) > 0
		verifier.Score = func() (string, error) { return mutationScore(c, verifier.Problem) }
	}
	return verifier, faults, err
}
