package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/workspace"
)

// verification are the flags of judge verify.
type verification struct {
	running
	drawing
	only  []string
	all   bool
	fresh bool
}

func verifyCommand(c *console) *cobra.Command {
	var v verification
	cmd := &cobra.Command{
		Use:   "verify [problem...]",
		Short: "check a problem folder: its cases, answers, programs and solutions",
		Long: `Verify lints the folder, validates every input, checks every answer and manifest, and
judges every program under solutions/ against the verdict that its folder promises.
Without a name it verifies every problem of the contest. A problem may also be a
package in the ICPC format: its folder, or its archive.

` + exitHelp,
		Example: "  judge verify\n  judge verify wythoff\n  judge verify wythoff --only wrong_answer/\n  judge verify path/to/package --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.run(cmd.Context(), c, args)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&v.only, "only", nil, "judge only solutions whose path has this part (again for more)")
	f.BoolVar(&v.all, "all", false, "judge every solution on every case; by default it is left once its verdict is known")
	f.BoolVar(&v.fresh, "fresh", false, "run everything again; by default the results of what did not change in a package are kept")
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
	return v.each(names, func(contest *workspace.Workspace, name string) (bool, error) {
		return v.one(ctx, contest, name, out.Event)
	})
}

// one verifies one problem and says whether it is without a fault.
func (v *verification) one(ctx context.Context, c *workspace.Workspace, name string, listen func(judge.Event)) (bool, error) {
	folder, faults, err := c.Ready(ctx, name)
	if err != nil {
		return false, err
	}
	start := &judge.VerifyStarted{Format: judge.EventFormat, Problem: name}
	start.Rung, start.Weaker = c.Rung()
	if folder != nil {
		start.Problem, start.Title, start.Cases = folder.ID, folder.Title, folder.Count()
		for _, g := range folder.Groups {
			start.Groups = append(start.Groups, g.Name)
		}
	}
	listen(start)
	if len(faults) > 0 {
		for _, f := range faults {
			listen(&judge.FaultFound{Fault: f})
		}
		listen(&judge.VerifyFinished{Faults: len(faults)})
		return false, nil
	}
	heard := listen
	listen = func(e judge.Event) {
		if found, ok := e.(*judge.FaultFound); ok {
			folder.PlaceInOwn(found.Fault)
		}
		heard(e)
	}
	verifier := folder.Verifier()
	verifier.Memory.Fresh = v.fresh
	verifier.Only, verifier.All = v.only, v.all
	verifier.Score = func() (string, error) { return scoreOf(c, folder) }
	done, err := verifier.Run(ctx, listen)
	if err != nil {
		return false, err
	}
	return done.OK, nil
}
