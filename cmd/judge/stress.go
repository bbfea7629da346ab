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

// stressing are the flags of judge stress.
type stressing struct {
	finding
	seed    uint64
	count   int
	time    time.Duration
	slowest bool
}

func stressCommand(c *console) *cobra.Command {
	var s stressing
	cmd := &cobra.Command{
		Use:   "stress <problem> <solution>",
		Short: "look for a valid input on which a solution fails, and make it small",
		Long: `Stress makes inputs from the problem's generator lines with fresh seeds and other
arguments, from its cases with numbers, words and lines changed, and from the declared
input format (input.format), small ones first, each held against format and validator.
The solution runs on them until its output and the reference's differ, or it crashes
or is too slow; in an interactive problem and in one of several passes, until the
interactor or the checker refuses it, and no reference is needed. Then the input is
made as small as it gets while the solution fails in the same way.

The same seed finds the same input on every machine, whatever -j is, unless --time or
--budget ends the search. What a checker remembers from
case to case it knows from the samples alone.

Exit codes: 0 nothing was found, 1 a failing input was found, 2 wrong usage, 3 the
problem folder is at fault, 4 the judge or the machine is, 130 interrupted.`,
		Example: "  judge stress wythoff sol.py\n  judge stress wythoff sol.py --seed 7 --count 5000\n  judge stress wythoff sol.py --add hacks\n  judge stress pd-duel sol.py --derived\n  judge stress pd-duel sol.py --slowest",
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
	f.DurationVar(&s.time, "time", 0, "end after this long; what is found then depends on the machine")
	f.BoolVar(&s.derived, "derived", false, "draw all inputs from the declared input format")
	f.BoolVar(&s.slowest, "slowest", false, "look for the input that takes the solution most CPU time instead")
	s.finding.flags(c, f)
	return cmd
}

func (s *stressing) run(ctx context.Context, c *console, name, path string) (err error) {
	if s.time <= 0 && s.count <= 0 {
		return usageError{errors.New("--time and --count are both 0: the search would never end")}
	}
	b, err := s.open(ctx, c, name, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	options := stress.Options{Seed: s.seed, Count: s.count, Time: s.time}
	look := b.lab.Search
	if s.slowest {
		look = b.lab.Slowest
	}
	start := time.Now()
	var found *stress.Trial
	var tally *stress.Searched
	c.follow(func() string {
		p := b.lab.Progress()
		line := fmt.Sprintf("%d inputs in %.0f s", p.Looked, time.Since(start).Seconds())
		if s.count > 0 {
			line = fmt.Sprintf("%d of %d inputs in %.0f s", p.Looked, s.count, time.Since(start).Seconds())
		}
		if waits := p.Waits(); waits != "" {
			line += "; " + waits
		}
		return line
	}, func() { found, tally, err = look(ctx, options) })
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(c.out, "seed %d: stopped after %d inputs in %.1f s\n", s.seed, b.lab.Progress().Looked, time.Since(start).Seconds())
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "seed %d: %d inputs in %.1f s: %d ran, %d not valid, %d that came before\n",
		s.seed, tally.Looked, time.Since(start).Seconds(), tally.Ran, tally.Invalid, tally.Twice)
	if waits := b.lab.Progress().Waits(); waits != "" {
		fmt.Fprintln(c.out, waits)
	}
	if found == nil {
		bound := fmt.Sprintf("--time %v", s.time)
		if s.count > 0 && tally.Looked >= s.count {
			bound = fmt.Sprintf("--count %d", s.count)
		}
		fmt.Fprintf(c.out, "nothing was found; %s ended the search: more of it or another --seed looks further\n", bound)
		return nil
	}
	provenance := fmt.Sprintf("Found by: judge stress %s %s --seed %d\n", b.folder.ID, path, s.seed)
	if s.slowest && !found.Fails() {
		fmt.Fprintf(c.out, "slowest: %v of CPU time on %d bytes; %s\n", found.Exec.CPU.Round(time.Microsecond), len(found.Input), found.Origin)
		fmt.Fprint(c.out, report.Lines(string(found.Input), "    "))
		if s.add != "" {
			if found.Answer, err = b.lab.Answer(ctx, found.Input); err != nil {
				return err
			}
		}
		return s.keep(c, b, found, provenance+"The slowest input of that search.\n")
	}
	fmt.Fprintf(c.out, "found: %s; %s\n", found.Verdict.Words(), found.Origin)
	return s.finish(ctx, c, b, found, provenance)
}
