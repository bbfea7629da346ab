package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/cases/mutate"
	"assay/judge/problem"
	"assay/judge/workspace"
)

// adequacyOptions holds the flags of judge adequacy.
type adequacyOptions struct {
	runOptions
	outputOptions
	budget    mutate.SearchBudget
	thorough  bool
	all       bool
	keepMarks bool
	grid      bool
	add       string
	server    string // a server
}

func adequacyCommand(c *console) *cobra.Command {
	var m adequacyOptions
	cmd := &cobra.Command{
		Use:   "adequacy <problem>",
		Short: "measure how many small mutations of a correct program the cases detect",
		Long: `Adequacy makes mutants of the reference solution and of the accepted solutions in Go, C,
C++, Python, Java, Rust and JavaScript. Each mutant has one small mutation. It runs the
mutants on the cases until one kills them, then searches for inputs that kill the surviving
mutants, and shrinks each input. The score is the share of mutants known to be wrong that
the cases kill.

--all also lists the mutants that no input distinguishes from the correct program. Most of
them are correct programs, written in another way. Add those that are equivalent to the file
mutants.toml of the problem directory, with a reason; --marks prints them in that form.

If a local run is interrupted, repeat the command to resume it. A run with --on starts over.

--add keeps the few inputs that kill most of the surviving mutants.

Exit codes: 0 every mutant known to be wrong is killed, 1 some are not, 2 wrong usage,
3 error in the problem directory, 4 judge or system error, 130 interrupted.`,
		Example: "  judge adequacy wythoff\n  judge adequacy wythoff --seed 7 --count 20000 --all\n  judge adequacy wythoff --add mutants",
		RunE: func(cmd *cobra.Command, args []string) error {
			if m.server != "" {
				err := rejectLocalFlags(
					cmd, "on", "on", "seed", "count", "time", "evaluations", "thorough", "all", "grid", "json", "html",
				)
				if err != nil {
					return err
				}
			}
			return m.run(cmd.Context(), c, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&m.server, "on", "", serverFlagHelp)
	m.budget = standardBudget
	f.Uint64Var(&m.budget.Seed, "seed", m.budget.Seed, "seed of the search: the same seed tries the same inputs")
	f.IntVar(&m.budget.Count, "count", m.budget.Count, "inputs to try on surviving mutants; 0 for none")
	f.DurationVar(&m.budget.Time, "time", 0, "end the search after this long, even if it is not finished")
	f.IntVar(
		&m.budget.Shrink, "evaluations", m.budget.Shrink,
		"most smaller inputs to try for each input found; 0 keeps the inputs unchanged",
	)
	f.BoolVar(&m.thorough, "thorough", false, "run every mutant on every case, including the slowest")
	f.BoolVar(&m.all, "all", false, "also list the mutants that no input distinguishes from the correct program")
	f.BoolVar(&m.keepMarks, "marks", false, "print only these mutants, as marks for mutants.toml")
	f.BoolVar(&m.grid, "grid", false, "instead, print how many mutants and wrong solutions each case detects")
	f.StringVar(&m.add, "add", "", "keep the inputs that kill most as cases of `GROUP`, in the problem's cases/ directory")
	m.runOptions.flags(c, f)
	m.outputOptions.jsonFlag(f)
	m.outputOptions.htmlFlag(f)
	return cmd
}

func (m *adequacyOptions) run(ctx context.Context, c *console, name string) error {
	if m.add != "" && !problem.GoodName(m.add) {
		return usageError{fmt.Errorf("--add %q cannot be the name of a group\n    use letters, digits, dots, - and _", m.add)}
	}
	return m.withContest(func(contest *workspace.Workspace) error {
		location, err := contest.Locate(name)
		if err != nil {
			return err
		}
		if m.add != "" && location.IsBundled() {
			return cannotChange(name)
		}
		folder, faults, err := location.ReadForJudging(ctx)
		if err = errors.Join(err, faults.AsError()); err != nil {
			return err
		}
		if m.grid {
			found, err := m.measureGrid(ctx, c, location, folder)
			if err != nil {
				return err
			}
			return m.withReports(c, func(tell func(judge.Event)) error { tell(found); return nil })
		}
		if folder.Kind.Interactive || folder.Kind.MultiPass {
			return usageError{
				fmt.Errorf("mutants of %s cannot be judged: only problems with one input and one output are supported", folder.ID),
			}
		}
		if len(folder.MutablePrograms()) == 0 {
			return usageError{fmt.Errorf("%s has no reference or accepted solution in a language that can be mutated", folder.ID)}
		}
		report, err := m.storedReport(ctx, c, contest, location, folder)
		if err != nil {
			return err
		}
		if !m.keepMarks {
			report.All = m.all
			err = m.withReports(c, func(tell func(judge.Event)) error { tell(report); return nil })
		}
		if err == nil && report.Total.Survived > 0 {
			err = errNotAccepted
		}
		return err
	})
}

// storedReport returns the stored measurement of the problem. If there is none that fits the flags, it measures the
// problem.
func (m *adequacyOptions) storedReport(
	ctx context.Context, c *console, contest *workspace.Workspace, location *workspace.Location,
	folder *workspace.Problem,
) (*judge.AdequacyMeasured, error) {
	solutions := folder.AcceptedSolutions()
	roots := mutate.Roots(folder.Directory, solutions)
	key, err := mutate.Key(roots, m.budget, m.thorough)
	if err != nil {
		return nil, err
	}
	if kept := mutate.Load(contest.Cache, key, roots); kept != nil && m.add == "" && !m.keepMarks && m.budget.Time == 0 {
		return kept, nil
	}
	if m.server != "" {
		return m.storedReportOnServer(ctx, c, contest, location, key, roots)
	}
	lab, results, finds, err := m.measure(ctx, c, folder, solutions, mutate.Journal(contest.Cache, key))
	if err != nil {
		return nil, err
	}
	if m.keepMarks {
		for _, r := range results {
			if r.State == mutate.Unseparated {
				fmt.Fprintln(c.out, lab.FormatMark(r))
			}
		}
	}
	report := lab.Report(results, m.budget, key)
	if m.budget.Time == 0 {
		if err := errors.Join(mutate.Save(contest.Cache, report, roots), mutate.DropJournal(contest.Cache, key)); err != nil {
			return nil, err
		}
	}
	if m.add != "" {
		err = m.saveInputs(c, folder, finds)
	}
	return report, err
}
