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

// verification holds the flags of judge verify.
type verification struct {
	running
	drawing
	only  []string
	all   bool
	fresh bool
	on    string // a server

	matched bool // a solution matches only
}

func verifyCommand(c *console) *cobra.Command {
	var v verification
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
			if v.on != "" {
				if err := hereOnly(cmd, "on", "on", "only", "all", "fresh", "json", "junit", "html", "color"); err != nil {
					return err
				}
			}
			return v.run(cmd.Context(), c, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&v.on, "on", "", onHelp)
	f.StringArrayVar(&v.only, "only", nil, "judge only solutions whose path contains this text (repeatable)")
	f.BoolVar(&v.all, "all", false, "judge every solution on every case (default: stop once its verdict is known)")
	f.BoolVar(&v.fresh, "fresh", false, "run everything again (default: reuse results of unchanged submissions of a package)")
	v.running.flags(c, f)
	v.drawing.flags(f)
	return cmd
}

func (v *verification) run(ctx context.Context, c *console, names []string) (err error) {
	out, err := v.drawing.open(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if v.on != "" {
		err = v.eachOn(ctx, c, names, out.Event)
	} else {
		err = v.each(names, func(contest *workspace.Workspace, at *workspace.Location) (bool, error) {
			return v.one(ctx, contest, at, out.Event)
		})
	}
	if err == nil && len(v.only) > 0 && !v.matched {
		err = &judge.Misuse{Err: fmt.Errorf("no solution has %s in its path: nothing was judged", quotedOr(v.only))}
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

// one verifies one problem and reports whether the problem has no errors.
func (v *verification) one(ctx context.Context, c *workspace.Workspace, at *workspace.Location, listen func(judge.Event)) (bool, error) {
	verifier, faults, err := v.begin(ctx, c, at, listen)
	if err != nil {
		return false, err
	}
	if faults > 0 {
		listen(&judge.VerifyFinished{Faults: faults})
		return false, nil
	}
	done, err := verifier.Run(ctx, verifier.Hear)
	if err != nil {
		return false, err
	}
	return done.OK, nil
}

// begin begins to verify a problem.
func (v *verification) begin(ctx context.Context, c *workspace.Workspace, at *workspace.Location, listen func(judge.Event)) (
	*workspace.Verification, int, error,
) {
	verifier, faults, err := at.Verification(ctx, workspace.Verifying{Only: v.only, All: v.all, Fresh: v.fresh}, listen)
	if verifier != nil {
		v.matched = v.matched || len(verifier.Paths()) > 0
		verifier.Score = func() (string, error) { return scoreOf(c, verifier.Problem) }
	}
	return verifier, faults, err
}
