package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/judge"
	"assay/judge/check"
	"assay/judge/gen"
	"assay/judge/lang"
	"assay/judge/problem"
	"assay/judge/shrink"
	"assay/judge/stress"
)

// finding are the flags of the commands that end with a failing input.
type finding struct {
	running
	language string
	budget   time.Duration
	out      string
	add      string
	verbose  bool
}

func (f *finding) flags(set *pflag.FlagSet) {
	set.DurationVar(&f.budget, "budget", 10*time.Second, "time for making the input smaller; 0s for leaving it as it is")
	set.StringVar(&f.out, "out", "", "write the input to `FILE`")
	set.StringVar(&f.add, "add", "", "keep it as a case of `GROUP`, in the problem's cases/ folder, with the reference's answer")
	set.StringVar(&f.language, "lang", "", "the solution's language, where its name does not tell")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "tell each step of making the input smaller")
	f.running.flags(set)
}

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
	const usage = "judge stress <problem> <solution>"
	cmd := &cobra.Command{
		Use:   "stress <problem> <solution>",
		Short: "look for a valid input on which a solution fails, and make it small",
		Long: `Stress makes inputs from the problem's generator lines with fresh seeds and other
arguments, and from its cases with numbers, words and lines changed, small ones first,
each held against the validator. The solution runs on them until its output and the
reference's differ, or it crashes or is too slow. Then the input is made as small as
it gets while the solution fails in the same way.

The same seed finds the same input, whatever -j is. What a checker remembers from
case to case it knows from the samples alone.

Exit codes: 0 nothing was found, 1 a failing input was found, 2 wrong usage, 3 the
problem folder is at fault, 4 the judge or the machine is, 130 interrupted.`,
		Example: "  judge stress wythoff sol.py\n  judge stress wythoff sol.py --seed 7 --count 5000\n  judge stress wythoff sol.py --add hacks\n  judge stress pd-duel sol.py --slowest",
		Args:    exactly(2, usage),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.run(cmd.Context(), c, args[0], args[1])
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&s.seed, "seed", 1, "where all chance comes from")
	f.IntVar(&s.count, "count", 0, "end after this many inputs")
	f.DurationVar(&s.time, "time", 30*time.Second, "end after this long")
	f.BoolVar(&s.slowest, "slowest", false, "look for the input that takes the solution most CPU time instead")
	s.finding.flags(f)
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
	options := stress.Options{Seed: s.seed, Count: s.count, Time: s.time, Progress: c.ticker("inputs looked at")}
	look := b.lab.Search
	if s.slowest {
		look = b.lab.Slowest
	}
	start := time.Now()
	found, tally, err := look(ctx, options)
	c.clear()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "seed %d: %d inputs in %.1f s: %d ran, %d not valid, %d that came before\n",
		s.seed, tally.Looked, time.Since(start).Seconds(), tally.Ran, tally.Invalid, tally.Twice)
	if found == nil {
		fmt.Fprintln(c.out, "nothing was found; another --seed or more --time looks further")
		return nil
	}
	provenance := fmt.Sprintf("Found by: judge stress %s %s --seed %d\n", b.folder.ID, path, s.seed)
	if s.slowest && !found.Fails() {
		fmt.Fprintf(c.out, "slowest: %v of CPU time on %d bytes; %s\n", found.Exec.CPU.Round(time.Microsecond), len(found.Input), found.Origin)
		fmt.Fprint(c.out, excerpt(found.Input))
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

// fixture is a solution, built, in the lab of its problem.
type fixture struct {
	contest  *contest
	folder   *problem.Folder
	path     string // of the solution
	language string
	lab      *stress.Lab
}

func (b *fixture) close() error {
	var err error
	if b.lab != nil {
		err = b.lab.Close()
	}
	return errors.Join(err, b.contest.close())
}

// open opens the problem and builds everything. The fixture must be closed.
func (f *finding) open(ctx context.Context, c *console, name, path string) (*fixture, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, usageError{fmt.Errorf("solution %s: %s", path, problem.Reason(err))}
	}
	contest, err := findContest()
	if err != nil {
		return nil, err
	}
	if contest.house && f.add != "" {
		return nil, usageError{errors.New("--add: the puzzles of the house cannot be changed here\n    " + houseNote)}
	}
	if f.add != "" && !problem.GoodName(f.add) {
		return nil, usageError{fmt.Errorf("--add %q is no name for a group\n    letters, digits, - _ and . will do", f.add)}
	}
	b := &fixture{contest: contest, path: path}
	if b.folder, err = contest.open(name); err != nil {
		return nil, err
	}
	if err := contest.start(f.running); err != nil {
		return nil, err
	}
	if err := f.build(ctx, c, b); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// build builds the solution and opens the lab. A solution that does not compile is
// shown as judge submit shows it.
func (f *finding) build(ctx context.Context, c *console, b *fixture) error {
	language, err := b.contest.tools.Detect(b.path, f.language)
	if err != nil {
		return usageError{err}
	}
	b.language = language.Name
	made, err := b.contest.tools.Build(ctx, b.path, language)
	if unusable, ok := errors.AsType[*lang.UnusableError](err); ok {
		return usageError{unusable}
	}
	if err != nil {
		return err
	}
	if !made.OK {
		b.draw(c, &judge.Built{Verdict: judge.CompileError, Log: made.Log}, &judge.Finished{Verdict: judge.CompileError})
		return errNotAccepted
	}
	newChecker, err := b.contest.checkers(ctx, b.folder)
	if err != nil {
		return err
	}
	texts := []string{b.path}
	if b.folder.Reference != nil {
		texts = append(texts, b.folder.Reference.Path)
	}
	b.lab, err = stress.Open(ctx, stress.Setting{
		Folder: b.folder, Runner: b.contest.box, Build: b.contest.part, Checker: newChecker,
		Solution: made.Program, Literals: stress.Literals(texts...), Limits: b.contest.cfg.Setter, Jobs: b.contest.jobs,
	})
	if err != nil {
		return err
	}
	for _, note := range b.lab.Notes() {
		fmt.Fprintln(c.err, "note: "+note)
	}
	return nil
}

// checkers returns a function that makes checkers which have seen nothing yet. What
// can be built is built now.
func (c *contest) checkers(ctx context.Context, f *problem.Folder) (func(context.Context) (check.Checker, error), error) {
	part := f.Checker.Program
	if part == nil {
		return func(ctx context.Context) (check.Checker, error) { return c.checker(ctx, f) }, nil
	}
	program, err := c.part(ctx, part)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (check.Checker, error) {
		return check.Program(c.box, program, part.Speaks, part.Args, c.cfg.Setter)
	}, nil
}

// draw draws events of the solution as judge submit does.
func (b *fixture) draw(c *console, events ...judge.Event) error {
	out, err := c.terminal()
	if err != nil {
		return err
	}
	shown := *b.folder.Problem
	shown.Groups = nil
	started := b.contest.started(&shown, b.path, b.language)
	for _, e := range append([]judge.Event{started}, events...) {
		out.Event(e)
	}
	return out.Close()
}

// finish makes a failing input small, shows it, and keeps it where that is asked
// for.
func (f *finding) finish(ctx context.Context, c *console, b *fixture, found *stress.Trial, provenance string) error {
	before := len(found.Input)
	small := &stress.Shrunk{Trial: found}
	if f.budget > 0 {
		var err error
		if small, err = b.lab.Shrink(ctx, found, shrink.Budget{Time: f.budget}, f.tell(c)); err != nil {
			return err
		}
		how := "nothing makes it smaller"
		if !small.Done {
			how = "the time is used up"
		}
		line := fmt.Sprintf("shrunk: from %d to %d bytes in %d evaluations; %s", before, len(small.Input), small.Evaluations, how)
		fmt.Fprintln(c.out, line)
		provenance += upper(line) + ".\n"
	} else if err := b.lab.Complete(ctx, found); err != nil {
		return err
	}
	fmt.Fprintln(c.out)
	const group, name = "found", "input"
	judged := small.Event(group, name)
	err := b.draw(c, judged,
		&judge.GroupJudged{Group: group, Verdict: judged.Verdict, Cases: 1},
		&judge.Finished{Verdict: judged.Verdict, Judged: 1, Cases: 1, First: judged.ID(), Slowest: judged.ID(), TimeMS: float64(judged.Exec.CPU.Microseconds()) / 1000, Memory: judged.Exec.Memory})
	if err != nil {
		return err
	}
	if err := f.keep(c, b, small.Trial, provenance+upper(found.Origin)+".\n"); err != nil {
		return err
	}
	return errNotAccepted
}

// tell returns what tells the steps, nil if nobody wants to know.
func (f *finding) tell(c *console) func(shrink.Step) {
	if !f.verbose {
		return nil
	}
	return func(s shrink.Step) {
		fmt.Fprintf(c.out, "  evaluation %d: %d bytes, %s\n", s.Evaluations, len(s.Text), s.Pass)
	}
}

// keep writes the input to --out, and as a case to the group of --add.
func (f *finding) keep(c *console, b *fixture, t *stress.Trial, provenance string) error {
	if f.out != "" {
		if err := os.WriteFile(f.out, t.Input, 0o644); err != nil {
			return fmt.Errorf("write the input: %w", err)
		}
		fmt.Fprintf(c.out, "written: %s\n", f.out)
	}
	if f.add == "" {
		return nil
	}
	path, err := gen.Keep(b.folder, f.add, caseName("found", t.Input), t.Input, t.Answer, provenance)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "kept: %s\n", near(path))
	return nil
}

// caseName names a case after its input, so that no other has the name.
func caseName(kind string, input []byte) string {
	sum := sha256.Sum256(input)
	return kind + "-" + hex.EncodeToString(sum[:4])
}

// upper starts a sentence.
func upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// excerpt is the head of an input, indented.
func excerpt(input []byte) string {
	const lines, columns = 10, 100
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(strings.ToValidUTF8(string(input), "\uFFFD"), "\n"), "\n") {
		if i == lines {
			b.WriteString("    ...\n")
			break
		}
		if len(line) > columns {
			line = strings.ToValidUTF8(line[:columns], "") + "..."
		}
		b.WriteString("    " + line + "\n")
	}
	return b.String()
}

// ticker is counter for work of which nobody knows how much it is. It redraws at
// every hundredth.
func (c *console) ticker(what string) func(done int) {
	draw := c.counter(what)
	if draw == nil {
		return nil
	}
	return func(done int) {
		if done%100 == 0 {
			draw(done, done)
		}
	}
}
