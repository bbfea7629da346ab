package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/cases/gen"
	"assay/judge/cases/mutate"
	"assay/judge/problem"
	"assay/judge/workspace"
)

// measuring are the flags of judge adequacy.
type measuring struct {
	running
	drawing
	hunt     mutate.Hunt
	thorough bool
	all      bool
	marks    bool
	grid     bool
	add      string
	on       string // a server
}

func adequacyCommand(c *console) *cobra.Command {
	var m measuring
	cmd := &cobra.Command{
		Use:   "adequacy <problem>",
		Short: "measure how many small mistakes in a right program the cases find",
		Long: `Adequacy makes mutants of the reference and of the accepted solutions, as far as they
are written in Go, C, C++, Python, Java, Rust or JavaScript: each has one small slip. It
runs them on the cases until one kills them, then looks for inputs that kill what all cases
let through, and makes each small. The score is how many of the mutants that are known to
be wrong the cases kill.

Mutants that no input tells from the right program are listed with --all: most of them are
right, only written in another way. Read them, and mark those that are equivalent in the
file mutants.toml of the problem folder, with a reason; --marks prints them in that form.

After an interruption, the same command goes on where it stopped, but with --on.

--add keeps the few inputs that kill most of what survived.

Exit codes: 0 every mutant that is known to be wrong is killed, 1 some are not, 2 wrong
usage, 3 the problem folder is at fault, 4 the judge or the machine is, 130 interrupted.`,
		Example: "  judge adequacy wythoff\n  judge adequacy wythoff --seed 7 --count 20000 --all\n  judge adequacy wythoff --add mutants",
		RunE: func(cmd *cobra.Command, args []string) error {
			if m.on != "" {
				if err := hereOnly(cmd, "on", "on", "seed", "count", "time", "evaluations", "thorough", "all", "grid", "json", "html"); err != nil {
					return err
				}
			}
			return m.run(cmd.Context(), c, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&m.on, "on", "", onHelp)
	m.hunt = standardHunt
	f.Uint64Var(&m.hunt.Seed, "seed", m.hunt.Seed, "seed of the search: the same seed looks at the same inputs")
	f.IntVar(&m.hunt.Count, "count", m.hunt.Count, "inputs to try on mutants that the cases let through; 0 for none")
	f.DurationVar(&m.hunt.Time, "time", 0, "end the search after this long, even if it is not finished")
	f.IntVar(&m.hunt.Shrink, "evaluations", m.hunt.Shrink, "smaller inputs to try for each find at most; 0 leaves the finds as they are")
	f.BoolVar(&m.thorough, "thorough", false, "run every mutant on every case, the slowest ones too")
	f.BoolVar(&m.all, "all", false, "also list the mutants that no input tells from the right program")
	f.BoolVar(&m.marks, "marks", false, "print only these mutants, as marks for mutants.toml")
	f.BoolVar(&m.grid, "grid", false, "instead, print how many mutants and wrong solutions each case finds")
	f.StringVar(&m.add, "add", "", "keep the inputs that kill most as cases of `GROUP`, in the problem's cases/ folder")
	m.running.flags(c, f)
	m.drawing.jsonFlag(f)
	m.drawing.htmlFlag(f)
	return cmd
}

func (m *measuring) run(ctx context.Context, c *console, name string) error {
	if m.add != "" && !problem.GoodName(m.add) {
		return usageError{fmt.Errorf("--add %q cannot be the name of a group\n    letters, digits, - _ and . will do", m.add)}
	}
	return m.within(func(contest *workspace.Workspace) error {
		at, err := contest.Locate(name)
		if err != nil {
			return err
		}
		if m.add != "" && at.Brought() {
			return cannotChange(name)
		}
		folder, faults, err := at.Ready(ctx)
		if err = errors.Join(err, faults.AsError()); err != nil {
			return err
		}
		if m.grid {
			found, err := m.findings(ctx, c, at, folder)
			if err != nil {
				return err
			}
			return m.tell(c, func(tell func(judge.Event)) error { tell(found); return nil })
		}
		if folder.Kind.Interactive || folder.Kind.MultiPass {
			return usageError{fmt.Errorf("%s is not a problem of one input and one output: its mutants cannot be judged", folder.ID)}
		}
		if len(folder.Mutable()) == 0 {
			return usageError{fmt.Errorf("%s has neither a reference nor an accepted solution in a language of which mutants are made", folder.ID)}
		}
		report, err := m.report(ctx, c, contest, at, folder)
		if err != nil {
			return err
		}
		if !m.marks {
			report.All = m.all
			err = m.tell(c, func(tell func(judge.Event)) error { tell(report); return nil })
		}
		if err == nil && report.Total.Survived > 0 {
			err = errNotAccepted
		}
		return err
	})
}

// findings says what each case finds.
func (m *measuring) findings(ctx context.Context, c *console, at *workspace.Location, folder *workspace.Problem) (judge.Event, error) {
	defer c.clear()
	if m.on != "" {
		return m.measureOn(ctx, c, at)
	}
	grid, err := folder.Grid(ctx, c.counter("mutants judged"))
	if err != nil {
		return nil, err
	}
	return grid.Event(), nil
}

// report measures, or finds what was measured before.
func (m *measuring) report(ctx context.Context, c *console, contest *workspace.Workspace, at *workspace.Location, folder *workspace.Problem) (*judge.AdequacyMeasured, error) {
	solutions := folder.Accepted()
	roots := mutate.Roots(folder.Folder, solutions)
	key, err := mutate.Key(roots, m.hunt, m.thorough)
	if err != nil {
		return nil, err
	}
	if kept := mutate.Load(contest.Cache, key, roots); kept != nil && m.add == "" && !m.marks && m.hunt.Time == 0 {
		return kept, nil
	}
	if m.on != "" {
		return m.reportOn(ctx, c, contest, at, key, roots)
	}
	lab, results, finds, err := m.measure(ctx, c, folder, solutions, mutate.Journal(contest.Cache, key))
	if err != nil {
		return nil, err
	}
	if m.marks {
		for _, r := range results {
			if r.State == mutate.Unseparated {
				fmt.Fprintln(c.out, lab.Form(r))
			}
		}
	}
	report := lab.Report(results, m.hunt, key)
	if m.hunt.Time == 0 {
		if err := errors.Join(mutate.Keep(contest.Cache, report, roots), mutate.DropJournal(contest.Cache, key)); err != nil {
			return nil, err
		}
	}
	if m.add != "" {
		err = m.keep(c, folder, finds)
	}
	return report, err
}

// measure judges the mutants, and looks for what kills those that all cases let
// through.
func (m *measuring) measure(ctx context.Context, c *console, folder *workspace.Problem, solutions []string, journal string) (*mutate.Lab, []*mutate.Result, []*mutate.Find, error) {
	lab, err := folder.Mutants(ctx, solutions)
	if err != nil {
		return nil, nil, nil, err
	}
	lab.Thorough, lab.Progress, lab.Journal = m.thorough, c.counter("mutants judged"), journal
	results, finds, err := folder.Adequacy(ctx, lab, solutions, m.hunt)
	c.clear()
	return lab, results, finds, err
}

// keep keeps the finds as cases, the ones that kill most first.
func (m *measuring) keep(c *console, folder *workspace.Problem, finds []*mutate.Find) error {
	out := c.out
	if m.drawing.json { // which has lines of JSON only
		out = c.err
	}
	for _, f := range mutate.Few(finds) {
		provenance := fmt.Sprintf("Found by: judge adequacy %s --seed %d --count %d\n%s.\nIt kills:\n", folder.ID, m.hunt.Seed, m.hunt.Count, upper(f.Origin))
		for _, r := range f.Kills {
			provenance += r.Subject.Name(r.Mutant) + "\n" + r.Subject.Diff(r.Mutant)
		}
		path, err := gen.Keep(folder.Folder, m.add, caseName("mutant", f.Input), f.Input, f.Answer, provenance)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "kept: %s, which kills %d\n", cli.Near(path), len(f.Kills))
	}
	return nil
}
