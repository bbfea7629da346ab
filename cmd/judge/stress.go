package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"assay/judge/cases/stress"
	"assay/judge/report"
)

// stressOptions holds the flags of judge stress.
type stressOptions struct {
	findOptions
	seed    uint64
	count   int
	time    time.Duration
	slowest bool
}

func stressCommand(c *console) *cobra.Command {
	var s stressOptions
	cmd := &cobra.Command{
		Use:   "stress <problem> <solution>",
		Short: "search for a valid input on which a solution fails, and shrink it",
		Long: `Stress makes inputs from three sources: the problem's generator lines with new seeds and
arguments, its cases with changed numbers, words and lines, and the declared input format
(input.format), small inputs first. Each input must match the format and pass the validator.
Stress runs the solution on them until its output differs from the reference solution's, or
it crashes or is too slow. In an interactive or multi-pass problem the interactor or checker
decides, and no reference solution is needed. Then stress shrinks the input while the solution
fails in the same way.

The same seed finds the same input on every machine and with any -j, unless --time or
--budget ends the search. If a checker keeps state between cases, it sees only the samples
before the input.

Exit codes: 0 nothing was found, 1 a failing input was found, 2 wrong usage, 3 error in the
problem directory, 4 judge or system error, 130 interrupted.`,
		Example: `  judge stress wythoff sol.py
  judge stress wythoff sol.py --seed 7 --count 5000
  judge stress wythoff sol.py --add hacks
  judge stress pd-duel sol.py --derived
  judge stress pd-duel sol.py --slowest`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.time > 0 && !cmd.Flags().Changed("count") {
				s.count = 0
			}
			return s.run(cmd.Context(), c, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&s.seed, "seed", 1, "seed of the search: the same seed finds the same input")
	f.IntVar(&s.count, "count", 5000, "end after this many inputs, however long that takes; with --time, only if both are given")
	f.DurationVar(&s.time, "time", 0, "end after this long; then the result depends on the machine")
	f.BoolVar(&s.derived, "derived", false, "draw all inputs from the declared input format")
	f.BoolVar(&s.slowest, "slowest", false, "instead, search for the input on which the solution uses most CPU time")
	s.findOptions.flags(c, f)
	return cmd
}

func (s *stressOptions) run(ctx context.Context, c *console, name, path string) (err error) {
	if s.time <= 0 && s.count <= 0 {
		return usageError{errors.New("--time and --count are both 0: the search would never end")}
	}
	b, err := s.open(ctx, c, name, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	options := stress.Options{Seed: s.seed, Count: s.count, Time: s.time}
	look := b.tester.Search
	if s.slowest {
		look = b.tester.Slowest
	}
	start := time.Now()
	var failing *stress.Trial
	var tally *stress.SearchCounts
	c.showWhile(func() string {
		p := b.tester.Progress()
		line := fmt.Sprintf("%d inputs in %.0f s", p.Tried, time.Since(start).Seconds())
		if s.count > 0 {
			line = fmt.Sprintf("%d of %d inputs in %.0f s", p.Tried, s.count, time.Since(start).Seconds())
		}
		if waits := p.Bottleneck(); waits != "" {
			line += "; " + waits
		}
		return line
	}, func() { failing, tally, err = look(ctx, options) })
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(c.out, "seed %d: stopped after %d inputs in %.1f s\n", s.seed, b.tester.Progress().Tried, time.Since(start).Seconds())
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "seed %d: %d inputs in %.1f s: %d ran, %d invalid, %d duplicates\n",
		s.seed, tally.Tried, time.Since(start).Seconds(), tally.Run, tally.Invalid, tally.Repeated)
	if waits := b.tester.Progress().Bottleneck(); waits != "" {
		fmt.Fprintln(c.out, waits)
	}
	if failing == nil {
		bound := fmt.Sprintf("--time %v", s.time)
		if s.count > 0 && tally.Tried >= s.count {
			bound = fmt.Sprintf("--count %d", s.count)
		}
		fmt.Fprintf(c.out, "nothing was found; the search ended at the limit of %s: raise it, or use another --seed\n", bound)
		return nil
	}
	provenance := fmt.Sprintf("Found by: judge stress %s %s --seed %d\n", b.problem.ID, path, s.seed)
	if s.slowest && !failing.Fails() {
		fmt.Fprintf(
			c.out, "slowest: %v of CPU time on %d bytes; %s\n", failing.Exec.CPU.Round(time.Microsecond),
			len(failing.Input), failing.Origin,
		)
		fmt.Fprint(c.out, report.Lines(string(failing.Input), "    "))
		if s.add != "" {
			if failing.Answer, err = b.tester.Answer(ctx, failing.Input); err != nil {
				return err
			}
		}
		return s.saveInput(c, b, failing, provenance+"The slowest input of that search.\n")
	}
	fmt.Fprintf(c.out, "found: %s; %s\n", failing.Verdict.Words(), failing.Origin)
	return s.finish(ctx, c, b, failing, provenance)
}
