package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/workspace"
)

// golfing are the flags of judge golf.
type golfing struct {
	running
	drawing
	proof    golf.Options
	seconds  float64
	reading  golf.Reading
	flagText string
	explain  bool
	post     bool
	best     bool
	chars    bool
	watch    bool
	on       string // a server
	to       string // the server of a hole
}

func golfCommand(c *console) *cobra.Command {
	var g golfing
	cmd := &cobra.Command{
		Use:   "golf <problem> <answer>...",
		Short: "prove a golf answer on every input, and count its bytes",
		Long: `Golf runs an answer on every input of the problem's domain and counts its bytes. An
answer is a program or a function in a source file, a post (.md) with a header line
and a code block, or - for standard input. How it takes its input, or how it wants
to be called, is found by trying the samples. Several answers make a table.

RIGHT, WRONG, SLOW (an input took too long) and CANNOT RUN are the verdicts.

` + exitHelp,
		Example: "  judge golf wythoff ans.py\n  judge golf wythoff ans.py --case '5 7'\n  judge golf wythoff ans.pl --flags -p\n  judge golf wythoff *.py *.js",
		RunE: func(cmd *cobra.Command, args []string) error {
			if g.on != "" {
				if err := hereOnly(cmd, "on", "on", "as", "entry", "call", "in", "lang", "flags", "header", "footer", "encoding", "chars", "old-flags", "claim", "quick", "case", "time", "strict", "seed", "all", "json", "html", "explain", "post", "best"); err != nil {
					return err
				}
			}
			if g.to != "" {
				if err := hereOnly(cmd, "to", "to", "as", "entry", "call", "in", "lang", "flags", "chars", "json", "html", "post"); err != nil {
					return err
				}
			}
			return g.run(cmd.Context(), c, args[0], args[1:])
		},
	}
	g.flags(c, cmd.Flags())
	return cmd
}

func (g *golfing) flags(c *console, f *pflag.FlagSet) {
	f.StringVar(&g.on, "on", "", onHelp)
	f.StringVar(&g.to, "to", "", "hand the answers in to a hole of the server at this `URL`, called <problem>; log in first: judge login URL")
	cli.OneOf(f, &g.proof.As, "as", "function or program, where both would do", "function", "program")
	f.StringVar(&g.proof.Entry, "entry", "", "the `NAME` of the function")
	f.StringVar(&g.proof.Call, "call", "", "how it is called: 'f(i,j)', 'f((i,j))', 'f([i,j])', 'f(i)(j)', inplace, ...")
	f.StringVar(&g.proof.In, "in", "", "how a program gets its input: "+strings.Join(golf.Inputs(), "; "))
	f.StringVar(&g.reading.Language, "lang", "", "the language, where the file's name does not tell")
	f.StringVar(&g.flagText, "flags", "", "`FLAGS` of the interpreter or compiler; shown, not counted")
	f.StringVar(&g.reading.Header, "header", "", "`FILE` that goes before the answer and is not counted")
	f.StringVar(&g.reading.Footer, "footer", "", "`FILE` that goes behind the answer and is not counted")
	cli.OneOf(f, &g.reading.Encoding, "encoding", "count in this encoding: "+strings.Join(golf.Encodings, ", "), golf.Encodings...)
	f.BoolVar(&g.chars, "chars", false, "order by characters, not bytes")
	f.BoolVar(&g.reading.OldFlags, "old-flags", false, "count the flags, too, as was usual before 2018")
	f.IntVar(&g.reading.Claim, "claim", 0, "the size in bytes that the answer is said to have; a difference is shown")
	f.BoolVar(&g.proof.Quick, "quick", false, "samples and edges only")
	f.StringArrayVar(&g.proof.Cases, "case", nil, "this `INPUT` only (again for more), such as '5 7'")
	f.Float64Var(&g.seconds, "time", golf.DefaultTime.Seconds(), "processor time for one input, in `SECONDS`")
	f.BoolVar(&g.proof.Strict, "strict", false, "refuse what is right only by a policy that a note names")
	f.Uint64Var(&g.proof.Seed, "seed", 1, "the random seed of the order in which inputs are tried")
	f.BoolVar(&g.proof.All, "all", false, "list every wrong input")
	g.drawing.jsonFlag(f)
	g.drawing.htmlFlag(f)
	f.BoolVar(&g.explain, "explain", false, "show what was tried to call it, and the driver")
	f.BoolVar(&g.post, "post", false, "print the answer as a post, with its header line")
	f.BoolVar(&g.best, "best", false, "keep right answers in "+golf.BestFile+" of the contest")
	f.BoolVar(&g.watch, "watch", false, "prove again whenever a file is saved, a line each, until Ctrl-C")
	g.running.flags(c, f)
}

func (g *golfing) run(ctx context.Context, c *console, name string, files []string) (err error) {
	if g.seconds <= 0 {
		return usageError{fmt.Errorf("--time %v: it must be above 0", g.seconds)}
	}
	if g.proof.As != "" && g.proof.As != "function" && g.proof.As != "program" {
		return usageError{fmt.Errorf(`--as %q: want "function" or "program"`, g.proof.As)}
	}
	if g.proof.In != "" && !slices.Contains(golf.Inputs(), g.proof.In) {
		return usageError{fmt.Errorf("--in %q: want one of: %s", g.proof.In, strings.Join(golf.Inputs(), "; "))}
	}
	g.proof.Time = time.Duration(g.seconds * float64(time.Second))
	g.proof.Jobs = g.jobs
	g.reading.Stdin, g.reading.Flags = c.in, strings.Fields(g.flagText)
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	if g.on != "" {
		return g.runOn(ctx, c, contest, name, files)
	}
	if g.to != "" {
		return g.runTo(ctx, c, contest, name, files)
	}
	folder, err := contest.Open(name)
	if err != nil {
		return err
	}
	if err := contest.Start(g.running.options()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	stage, err := contest.Range(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Checker.Close()) }()

	switch {
	case g.html != "" && g.watch:
		return usageError{errors.New("--html shows one proof of each answer: leave out --watch")}
	case g.watch:
		return g.watchFiles(ctx, c, contest, stage, files)
	}
	return g.tell(c, contest, folder.ID, files, func(i int) (*golf.Result, error) {
		return g.prove(ctx, c, contest, stage, files[i])
	})
}

// tell proves each answer and shows what came of them.
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

// proveAll proves the answers.
func (g *golfing) proveAll(files []string, prove func(i int) (*golf.Result, error)) (results []*golf.Result, err error) {
	for i, file := range files {
		r, err := prove(i)
		if unusable, ok := errors.AsType[judge.Blamed](err); ok && unusable.Blame() == judge.Asker && len(files) > 1 {
			// One bad file of many is a row of the table.
			r, err = golf.NotRun(file, unusable.Error()), nil
		}
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// prove reads and proves one answer.
func (g *golfing) prove(ctx context.Context, c *console, contest *workspace.Workspace, stage *golf.Range, file string) (*golf.Result, error) {
	o := g.proof
	g.listen(c, file, &o)
	r, err := contest.Prove(ctx, stage, file, g.reading, o)
	c.endNotices()
	if unknown, ok := errors.AsType[*golf.UnknownLanguageError](err); ok {
		err = unknownLanguage(unknown)
	}
	return r, err
}

// unknownLanguage says, too, what can be done.
func unknownLanguage(err *golf.UnknownLanguageError) error {
	return usageError{fmt.Errorf("%w\n    --lang says which it is", err)}
}
