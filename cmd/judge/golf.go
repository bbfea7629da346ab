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
	"assay/judge/contests/golf"
)

// golfing holds the flags of judge golf.
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
	to       string // server of a hole
}

func golfCommand(c *console) *cobra.Command {
	var g golfing
	cmd := &cobra.Command{
		Use:   "golf <problem> <answer>...",
		Short: "check a golf submission on every input, and count its bytes",
		Long: `Golf runs a golf submission on every input of the problem's domain and counts its bytes. A
golf submission is a program or a function in a source file, a post (.md) with a header line
and a code block, or - for standard input. Golf finds out how to call it by trying the
samples. Several submissions make a table.

The verdicts are RIGHT, WRONG, SLOW (an input took too long) and CANNOT RUN.

` + exitHelp,
		Example: `  judge golf wythoff ans.py
  judge golf wythoff ans.py --case '5 7'
  judge golf wythoff ans.pl --flags -p
  judge golf wythoff *.py *.js`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if g.on != "" {
				if err := hereOnly(
					cmd, "on", "on", "as", "entry", "call", "in", "lang", "flags", "header", "footer",
					"encoding", "chars", "old-flags", "claim", "quick", "case", "time", "strict", "seed", "all",
					"json", "html", "explain", "post", "best",
				); err != nil {
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
	f.StringVar(&g.to, "to", "", "submit to the hole <problem> of the server at this `URL`; log in first: judge login URL")
	cli.OneOf(f, &g.proof.As, "as", "function or program, if both are possible", "function", "program")
	f.StringVar(&g.proof.Entry, "entry", "", "the `NAME` of the function")
	f.StringVar(&g.proof.Call, "call", "", "how it is called: 'f(i,j)', 'f((i,j))', 'f([i,j])', 'f(i)(j)', inplace, ...")
	f.StringVar(&g.proof.In, "in", "", "how a program gets its input: "+strings.Join(golf.Inputs(), "; "))
	f.StringVar(&g.reading.Language, "lang", "", "the language, if the file's name does not determine it")
	f.StringVar(&g.flagText, "flags", "", "`FLAGS` of the interpreter or compiler; shown, not counted")
	f.StringVar(&g.reading.Header, "header", "", "`FILE` to put before the code, not counted")
	f.StringVar(&g.reading.Footer, "footer", "", "`FILE` to put after the code, not counted")
	cli.OneOf(f, &g.reading.Encoding, "encoding", "count in this encoding: "+strings.Join(golf.Encodings, ", "), golf.Encodings...)
	f.BoolVar(&g.chars, "chars", false, "rank by characters, not bytes")
	f.BoolVar(&g.reading.OldFlags, "old-flags", false, "also count the flags, as was usual before 2018")
	f.IntVar(&g.reading.Claim, "claim", 0, "the claimed size in bytes; a difference is shown")
	f.BoolVar(&g.proof.Quick, "quick", false, "samples and edges only")
	f.StringArrayVar(&g.proof.Cases, "case", nil, "only this `INPUT`, such as '5 7' (repeatable)")
	f.Float64Var(&g.seconds, "time", golf.DefaultTime.Seconds(), "CPU time for one input, in `SECONDS`")
	f.BoolVar(&g.proof.Strict, "strict", false, "reject submissions that are correct only under a lenient rule")
	f.Uint64Var(&g.proof.Seed, "seed", 1, "the random seed of the order in which inputs are tried")
	f.BoolVar(&g.proof.All, "all", false, "list every wrong input")
	g.drawing.jsonFlag(f)
	g.drawing.htmlFlag(f)
	f.BoolVar(&g.explain, "explain", false, "show the calls that were tried, and the driver")
	f.BoolVar(&g.post, "post", false, "print the code as a post, with its header line")
	f.BoolVar(&g.best, "best", false, "save correct submissions in "+golf.BestFile+" of the contest")
	f.BoolVar(&g.watch, "watch", false, "check again whenever a file is saved, with one line each, until Ctrl-C")
	g.running.flags(c, f)
}

func (g *golfing) run(ctx context.Context, c *console, name string, files []string) (err error) {
	if g.seconds <= 0 {
		return usageError{fmt.Errorf("--time %v: it must be above 0", g.seconds)}
	}
	if g.proof.As != "" && g.proof.As != "function" && g.proof.As != "program" {
		return usageError{fmt.Errorf(`invalid --as %q: use "function" or "program"`, g.proof.As)}
	}
	if g.proof.In != "" && !slices.Contains(golf.Inputs(), g.proof.In) {
		return usageError{fmt.Errorf("invalid --in %q: use one of: %s", g.proof.In, strings.Join(golf.Inputs(), "; "))}
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
		return usageError{errors.New("--html and --watch cannot be combined")}
	case g.watch:
		return g.watchFiles(ctx, c, contest, stage, files)
	}
	return g.tell(c, contest, folder.ID, files, func(i int) (*golf.Result, error) {
		return g.prove(ctx, c, contest, stage, files[i])
	})
}
